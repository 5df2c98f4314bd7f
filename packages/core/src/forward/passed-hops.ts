const passed = new WeakMap<object, readonly string[]>();
let isUsed = false;

/** Remembers which instances a republished payload has passed. By the object and not by what it says, so that nobody can claim it. */
export function rememberHops(payload: object, hops: readonly string[]): void {
  isUsed = true;
  passed.set(payload, hops);
}

/** The instances a payload has passed, for a republished one. */
export function hopsOf(payload: unknown): readonly string[] | undefined {
  // Most processes republish nothing, and need not look each event up.
  return isUsed && typeof payload === "object" && payload !== null ? passed.get(payload) : undefined;
}
