/** The filter parameters of the hub: the same everywhere, also in `hookline tail`. */
export const FILTER_NAMES = ["event", "tool", "decision", "session", "host", "source", "since", "until", "text"] as const;
type FilterName = (typeof FILTER_NAMES)[number];
export type Filter = { readonly [N in FilterName]: readonly string[] };

const OTHER_SPELLINGS: { readonly [word: string]: FilterName } = { verdict: "decision", agent: "source", app: "source" };

/** A line such as `event:tool:* decision:deny force push`: words without a name are searched for, those in quotes as they are. */
export function parseFilter(line: string): Filter {
  const found = Object.fromEntries(FILTER_NAMES.map((name): [FilterName, string[]] => [name, []])) as { [N in FilterName]: string[] };
  const words: string[] = [];
  for (const { whole, name, value, quoted } of partsOf(line)) {
    const field = fieldOf(name);
    if (field === undefined) words.push(whole);
    else if (field === "text") words.push(quoted === undefined ? value : `"${quoted}"`);
    else if (field === "event") found.event.push(value);
    else found[field] = [value];
  }
  if (words.length > 0) found.text = [words.join(" ")];
  return found;
}

/** The line that says the same. */
export function filterLine(of: Filter): string {
  const named = FILTER_NAMES.filter((name) => name !== "text").flatMap((name) => of[name].map((value) => `${name}:${inQuotes(value)}`));
  // What looks like a field, and is searched for, says so.
  const words = of.text.flatMap((text) => partsOf(text).map(({ whole, name }) => (name === undefined ? whole : `text:${whole}`)));
  return [...named, ...words].join(" ");
}

/** What is wrong with a line, and the way out: a misspelt field must not be searched for as if it were words. */
export function problemIn(line: string): string | undefined {
  const wrong = partsOf(line).find(
    ({ name, sign, value }) => name !== undefined && sign === ":" && fieldOf(name) === undefined && !value.startsWith("//"),
  );
  if (wrong === undefined) return undefined;
  const { name, whole, quoted } = wrong;
  const way = quoted === undefined ? ` To search for the words, write "${whole}"; for an event of this name, event:${whole}` : "";
  return `There is no field "${name}". The fields are ${FILTER_NAMES.join(", ")}.${way}`;
}

interface Part {
  readonly whole: string;
  readonly name: string | undefined;
  readonly sign: string | undefined;
  readonly value: string;
  readonly quoted: string | undefined;
}

function partsOf(line: string): readonly Part[] {
  return Array.from(line.matchAll(/(?:([a-z]+)([:=]))?(?:"([^"]*)"|(\S+))/g), ([whole, name, sign, quoted, plain]) => ({
    whole,
    name,
    sign,
    value: quoted ?? plain ?? "",
    quoted,
  }));
}

function fieldOf(name: string | undefined): FilterName | undefined {
  return FILTER_NAMES.find((one) => one === name) ?? OTHER_SPELLINGS[name ?? ""];
}

function inQuotes(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}
