/** Whether a value gives its content once, bit by bit: an async iterable, a `ReadableStream`, an iterator or a `Response`. */
export function isStream(value: object): boolean {
  try {
    const { getReader, next } = value as { readonly [key: string]: unknown };
    const isIterator = typeof next === "function" && Symbol.iterator in value;
    return isIterator || Symbol.asyncIterator in value || typeof getReader === "function" || isResponse(value);
  } catch {
    // A getter or a proxy that throws.
    return false;
  }
}

/** Of any library: each gives its responses this name. */
export function isResponse(value: object): boolean {
  return Object.prototype.toString.call(value) === "[object Response]";
}
