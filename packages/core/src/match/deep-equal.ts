import { isPlain } from "./text.js";

const maxDepth = 500;

/**
 * Equal as data. When in doubt (too deep, unreadable, an instance of a user's class, a Set in another order) the answer is false:
 * guards do not check an equal rewrite again, so a wrong true would let one slip through.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  try {
    return equal(a, b, { met: new Map(), depth: 0 });
  } catch {
    return false;
  }
}

/** Pairs already met count as equal: if they are not, the whole comparison fails anyway. This ends cycles and keeps shared parts linear. */
interface Walk {
  readonly met: Map<object, Set<object>>;
  depth: number;
}

function equal(a: unknown, b: unknown, walk: Walk): boolean {
  if (a === b || Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const partners = walk.met.get(a) ?? new Set();
  if (partners.has(b)) return true;
  if (++walk.depth > maxDepth) return false;
  walk.met.set(a, partners.add(b));
  const isEqual = sameObject(a, b, walk);
  walk.depth--;
  return isEqual;
}

function sameObject(a: object, b: object, walk: Walk): boolean {
  if (isPlain(a) && isPlain(b)) return sameKeys(a, b, walk);
  const prototype: unknown = Object.getPrototypeOf(a);
  if (prototype !== Object.getPrototypeOf(b)) return false;
  if (prototype === Array.prototype) return sameKeys(a, b, walk);
  if (prototype === Date.prototype) return equal((a as Date).getTime(), (b as Date).getTime(), walk);
  if (prototype === Set.prototype || prototype === Map.prototype) return equal([...(a as Set<unknown>)], [...(b as Set<unknown>)], walk);
  if (prototype === ArrayBuffer.prototype) return sameItems(new Uint8Array(a as ArrayBuffer), new Uint8Array(b as ArrayBuffer));
  if (prototype === DataView.prototype) return sameItems(bytesOf(a as DataView), bytesOf(b as DataView));
  return ArrayBuffer.isView(a) && sameItems(a as Uint8Array, b as Uint8Array);
}

function bytesOf({ buffer, byteOffset, byteLength }: DataView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function sameItems(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((item, index) => Object.is(item, b[index]));
}

function sameKeys(a: object, b: object, walk: Walk): boolean {
  const keys = Reflect.ownKeys(a);
  if (keys.length !== Reflect.ownKeys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equal(Reflect.get(a, key), Reflect.get(b, key), walk));
}
