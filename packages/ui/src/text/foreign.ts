/** A value as text, whatever it is: never `String(value)`, for an object from JSON may have a `toString` that is not a function. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : jsonText(value);
}

/** A value as JSON. What is nested too deep for the browser to write is said to be. */
export function jsonText(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "";
  } catch (error) {
    return `(cannot be written as JSON: ${error instanceof Error ? error.message : "no reason given"})`;
  }
}

const MAX_VALUES = 200_000;

/** Every text in a value, member names included, up to a limit. */
export function textsIn(value: unknown): readonly string[] {
  const found: string[] = [];
  const open: unknown[] = [value];
  for (let seen = 0; open.length > 0 && seen < MAX_VALUES; seen++) {
    const next = open.pop();
    if (typeof next === "string") found.push(next);
    else if (typeof next === "object" && next !== null) openMembers(next, open);
  }
  return found;
}

/** The last is looked at first, so they are put there backwards. */
function openMembers(value: object, open: unknown[]): void {
  const isNamed = !Array.isArray(value);
  for (const [name, member] of Object.entries(value).slice(0, MAX_VALUES).reverse()) {
    open.push(member);
    if (isNamed) open.push(name);
  }
}
