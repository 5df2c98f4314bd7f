/** As they are before anything else in the process can put others in their place. */
const Native = Promise;
const { then } = Native.prototype;

/**
 * The promise behind what a handler returned, or undefined when it is a plain value.
 * Anything but a native promise is adopted, so a hostile `then` can neither throw into us nor answer twice.
 */
export function promiseOf(returned: unknown): Promise<unknown> | undefined {
  if (typeof returned !== "object" || returned === null) return undefined;
  try {
    if (returned instanceof Native) return returned;
    // Read once: at the next look it may be another.
    const own = (returned as { then?: unknown }).then;
    return typeof own === "function" ? new Native((resolve, reject) => Reflect.apply(own, returned, [resolve, reject])) : undefined;
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
    then.call(Native.reject(thrown), undefined, onThrow);
  }
}

/** Handles a promise that is not awaited, so its rejection does not end the process. */
export function followQuietly(returned: unknown, onThrow: (thrown: unknown) => void = () => {}): void {
  const promise = promiseOf(returned);
  if (promise !== undefined) whenSettled(promise, () => {}, onThrow);
}
