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

/**
 * Calls back once, and never before it returns. Always the engine's own `then`: a property of that name on the promise
 * could keep the callbacks and answer for another call.
 */
export function whenSettled(promise: Promise<unknown>, onValue: (value: unknown) => void, onThrow: (thrown: unknown) => void): void {
  try {
    const method: unknown = promise.then;
    // The same function either way: where it was read from the promise, the compiler knows it and inlines it, which saves a tenth of a chain.
    if (method === then) (method as typeof then).call(promise, onValue, onThrow);
    else then.call(promise, onValue, onThrow);
  } catch (thrown) {
    then.call(Promise.reject(thrown), undefined, onThrow);
  }
}

/** Handles a promise that is not awaited, so its rejection does not end the process. */
export function followQuietly(returned: unknown, onThrow: (thrown: unknown) => void = () => {}): void {
  const promise = promiseOf(returned);
  if (promise !== undefined) whenSettled(promise, () => {}, onThrow);
}
