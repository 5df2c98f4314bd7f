import { computed } from "@preact/signals";
import { changeParams, params } from "./location.js";

/** The filter parameters of the hub: the same everywhere, also in `hookline tail`. */
const FILTER_NAMES = ["event", "tool", "decision", "session", "source", "since", "until", "text"] as const;
type FilterName = (typeof FILTER_NAMES)[number];
export type Filter = { readonly [N in FilterName]: readonly string[] };

const OTHER_SPELLINGS: { readonly [word: string]: FilterName } = { verdict: "decision", agent: "source", app: "source" };

/** The filter in the address. */
export const filter = computed(
  (): Filter => Object.fromEntries(FILTER_NAMES.map((name) => [name, params.value.getAll(name)])) as unknown as Filter,
);
/** As the hub takes it. */
export const filterQuery = computed(() => toQuery(filter.value));
export const isFiltered = computed(() => filterQuery.value !== "");

export function setFilter(values: Partial<Filter>): void {
  changeParams({ ...values, id: undefined });
}

/** A line such as `event:tool:* decision:deny force push`: words without a name are searched for. */
export function parseFilter(line: string): Filter {
  const found: { [N in FilterName]: string[] } = {
    event: [],
    tool: [],
    decision: [],
    session: [],
    source: [],
    since: [],
    until: [],
    text: [],
  };
  const words: string[] = [];
  for (const [, name, quoted, plain] of line.matchAll(/(?:([a-z]+)[:=])?(?:"([^"]*)"|(\S+))/g)) {
    const known = FILTER_NAMES.find((one) => one === name) ?? OTHER_SPELLINGS[name ?? ""];
    const value = quoted ?? plain ?? "";
    if (known === undefined) words.push(name === undefined ? value : `${name}:${value}`);
    else if (known === "event") found.event.push(value);
    else found[known] = [value];
  }
  if (words.length > 0) found.text = [words.join(" ")];
  return found;
}

/** The line that says the same. */
export function filterLine(of: Filter): string {
  const named = FILTER_NAMES.filter((name) => name !== "text").flatMap((name) => of[name].map((value) => `${name}:${quoted(value)}`));
  return [...named, ...of.text].join(" ");
}

function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}

function toQuery(of: Filter): string {
  const made = new URLSearchParams();
  for (const name of FILTER_NAMES) for (const value of of[name]) made.append(name, value);
  return made.toString();
}
