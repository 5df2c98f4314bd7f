import { isHidden } from "../../redact/markers.js";

/** Where two pieces of JSON differ, as keys, or undefined. What the record hides is equal to whatever is there. */
export function differenceAt(recorded: unknown, given: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (isHidden(recorded) || Object.is(recorded, given)) return undefined;
  if (!isContainer(recorded) || !isContainer(given) || Array.isArray(recorded) !== Array.isArray(given)) return path;
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(given)])) {
    // Measured, not decided: no two runs of a tool take the same time.
    if (key === "durationMs" && path.at(-1) === "tool") continue;
    const place = [...path, key];
    if (!Object.hasOwn(recorded, key) || !Object.hasOwn(given, key)) return place;
    const difference = differenceAt(recorded[key], given[key], place);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

const MAX_QUOTED = 100;

/** What stands at a path, for a message. */
export function quoteAt(root: unknown, path: readonly string[]): string {
  let value = root;
  for (const key of path) value = isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}
