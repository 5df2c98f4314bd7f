/** An error's message without ever throwing: handlers throw strings, Proxies and objects whose getters throw. */
export function messageOf(error: unknown): string {
  try {
    if (typeof error === "object" && error !== null && "message" in error) return String((error as { message: unknown }).message);
    return String(error);
  } catch {
    return "(an error that cannot be read)";
  }
}

/** The name of a value's type in a sentence. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  try {
    return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  } catch {
    return "an object";
  }
}
