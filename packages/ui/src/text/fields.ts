export type Fields = { readonly [key: string]: unknown };

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text at a path, if there is one. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  let found = value;
  for (const key of path) found = isFields(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return typeof found === "string" ? found : undefined;
}
