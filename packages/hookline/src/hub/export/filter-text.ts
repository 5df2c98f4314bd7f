const NAMES = ["event", "tool", "decision", "session", "source", "since", "until", "text"];

/** A filter as a person types it into the page: `decision:deny since:2h`. Empty where there is none. */
export function filterText(query: ReadonlyMap<string, readonly string[]>): string {
  return NAMES.flatMap((name) => (query.get(name) ?? []).map((value) => (name === "text" ? value : `${name}:${inQuotes(value)}`))).join(
    " ",
  );
}

function inQuotes(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
