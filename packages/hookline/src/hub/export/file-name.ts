/** The parameters of a request, each with all its values. */
type Query = ReadonlyMap<string, readonly string[]>;

const VERDICTS: { readonly [verdict: string]: string } = { deny: "denied", ask: "asked", allow: "allowed", pass: "passed" };
const MAX_LENGTH = 60;

/** Such as `hookline-2026-11-16T0758-denied-tool.csv`: when, in the hub's own time, and what the filter was. Safe on every system. */
export function exportFileName(format: string, query: Query, now: Date): string {
  const [year, ...rest] = [now.getFullYear(), now.getMonth() + 1, now.getDate(), now.getHours(), now.getMinutes()];
  const [month, day, hour, minute] = rest.map((part) => String(part).padStart(2, "0"));
  const words = filterWords(query);
  return `hookline-${year}-${month}-${day}T${hour}${minute}${words === "" ? "" : `-${words}`}.${format}`;
}

function filterWords(query: Query): string {
  const of = (name: string): readonly string[] => query.get(name) ?? [];
  const given = [
    ...of("decision").map((verdict) => VERDICTS[verdict] ?? verdict),
    ...["event", "tool", "source", "session", "text"].flatMap(of),
    ...["since", "until"].flatMap((name) => of(name).map((value) => `${name}-${value}`)),
  ];
  const safe = given.join("-").replace(/[^A-Za-z0-9]+/g, "-");
  return safe
    .slice(0, MAX_LENGTH + 1)
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_LENGTH);
}
