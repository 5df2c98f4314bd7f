/** Whether it is an object of no class but `Object`: all that it has is in its own fields. Another realm's (`vm`, jest) counts as well. */
export function isRecord(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && isBuiltIn(prototype, Object.prototype, "hasOwnProperty");
}

/** Whether it is a list of no class but `Array`. */
export function isList(value: object): value is unknown[] {
  if (!Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Array.prototype || (Array.isArray(prototype) && isBuiltIn(prototype, Array.prototype, "concat"));
}

/** Bytes of one of the kinds that the language has, or a `Buffer`. What several threads share is not among them: it changes at any time. */
export function isBytes(value: object): value is ArrayBuffer | ArrayBufferView {
  return byteKinds.has(Object.getPrototypeOf(value)) && (value instanceof ArrayBuffer || ArrayBuffer.isView(value));
}

export function isDate(value: object): value is Date {
  return Object.getPrototypeOf(value) === Date.prototype;
}

export function isMap(value: object): value is Map<unknown, unknown> {
  return Object.getPrototypeOf(value) === Map.prototype;
}

export function isSet(value: object): value is Set<unknown> {
  return Object.getPrototypeOf(value) === Set.prototype;
}

/** Bytes of the same kind, with memory of their own. */
export function bytesCopy(bytes: ArrayBuffer | ArrayBufferView): object {
  const make = byteKinds.get(Object.getPrototypeOf(bytes)) as BytesFrom;
  if (!ArrayBuffer.isView(bytes)) return new Uint8Array(new Uint8Array(bytes)).buffer;
  if (!(bytes instanceof DataView)) return make(bytes);
  return new DataView(new Uint8Array(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)).buffer);
}

type BytesFrom = (bytes: ArrayBufferView) => object;

/** Whether a prototype is what `own` is in another realm: it has a field by which the built-in is known, and none that the built-in has not. */
function isBuiltIn(prototype: object, own: object, telling: string): boolean {
  return Object.hasOwn(prototype, telling) && Reflect.ownKeys(prototype).every((key) => Object.hasOwn(own, key));
}

const { Buffer: NodeBuffer } = globalThis as { readonly Buffer?: { readonly prototype: object; from(bytes: ArrayBufferView): object } };
const views = [
  ...[Uint8Array, Uint8ClampedArray, Uint16Array, Uint32Array, BigUint64Array, Float32Array, Float64Array],
  ...[Int8Array, Int16Array, Int32Array, BigInt64Array, DataView, ArrayBuffer],
] as unknown as readonly (new (
  bytes: ArrayBufferView,
) => object)[];
/** By their prototype, how to make others of the kind. */
const byteKinds: ReadonlyMap<unknown, BytesFrom> = new Map([
  ...views.map((View): [unknown, BytesFrom] => [View.prototype, (bytes) => new View(bytes)]),
  ...(NodeBuffer === undefined ? [] : [[NodeBuffer.prototype, (bytes: ArrayBufferView) => NodeBuffer.from(bytes)] as [unknown, BytesFrom]]),
]);
