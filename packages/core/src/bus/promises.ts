/**
 * The promise behind what a handler returned, or undefined when it is a plain value.
 * Anything but a native promise is adopted, so a hostile `then` can neither throw into us nor answer twice.
 */
export function promiseOf(returned: unknown): Promise<unknown> | undefined {
  if (typeof returned !== "object" || returned === null) return undefined;
  try {
    if (returned instanceof Promise && returned.constructor === Promise) return returned;
    return typeof (returned as { then?: unknown }).then === "function" ? Promise.resolve(returned) : undefined;
  } catch {
    return undefined;
  }
}
