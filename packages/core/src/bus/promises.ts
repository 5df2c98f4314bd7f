const { then } = Promise.prototype;

/**
 * The promise behind what a handler returned, or undefined when it is a plain value.
 * Anything but a native promise is adopted, so a hostile `then` can neither throw into us nor answer twice.
 */
export function promiseOf(returned: unknown): Promise<unknown> | undefined {
  if (typeof returned !== "object" || returned === null) return undefined;
  try {
    if (returned instanceof Promise) return returned;
    return typeof (returned as { then?: unknown }).then === "function" ? Promise.resolve(returned) : undefined;
  } catch {
    return undefined;
  }
}

/** `promise.then`, whatever somebody has made of that property. */
export function whenSettled(promise: Promise<unknown>, onValue: (value: unknown) => void, onThrow: (thrown: unknown) => void): void {
  try {
    // The engine knows this call and has a shorter way for it than for `then.call`.
    if (promise.then === then) promise.then(onValue, onThrow);
    else then.call(promise, onValue, onThrow);
  } catch (thrown) {
    onThrow(thrown);
  }
}
