interface JsonSafeLimits {
  /** Containers inside containers, the outermost one counted. Default 64. */
  readonly maxDepth?: number;
  /** Members in all, counted again wherever a shared one appears. Default 100,000. */
  readonly maxNodes?: number;
  /** Only the JSON text matters, so an undefined member counts as missing. Default false. */
  readonly isForText?: boolean;
}

type MarkerKind = "bigint" | "bytes" | "cycle" | "depth" | "function" | "map" | "number" | "set" | "size" | "symbol" | "unreadable";

/** Replaces, in a copy, a value that JSON cannot carry. */
interface JsonMarker {
  readonly $hookline: MarkerKind;
  readonly [detail: string]: unknown;
}

/** Whether JSON carries the value exactly, within all of the limits. `maxChars`: of all texts and names. May throw what a getter throws. */
export function isPlainJson(
  value: unknown,
  limits: { readonly maxDepth: number; readonly maxNodes: number; readonly maxChars: number },
): boolean {
  return isExact(value, limits.maxDepth, { left: limits.maxNodes, chars: limits.maxChars, isForText: true });
}

/** The value itself where JSON carries it exactly, else a copy with markers for what JSON cannot carry. Never throws. */
export function toJsonSafe(value: unknown, limits: JsonSafeLimits = {}): unknown {
  try {
    const budget = { left: limits.maxNodes ?? MAX_NODES, chars: Number.POSITIVE_INFINITY, isForText: limits.isForText === true };
    if (isExact(value, limits.maxDepth ?? MAX_DEPTH, budget)) return value;
  } catch {
    // The copy says what could not be read.
  }
  return copyJsonSafe(value, limits);
}

/** As `toJsonSafe`, but always a copy: plain data whatever getters or proxies the value is made of. */
export function copyJsonSafe(value: unknown, limits: JsonSafeLimits = {}): unknown {
  const walk: Walk = { maxDepth: limits.maxDepth ?? MAX_DEPTH, left: limits.maxNodes ?? MAX_NODES, ancestors: [] };
  return readMember({ "": value }, "", walk) ?? null;
}

const MAX_DEPTH = 64;
const MAX_NODES = 100_000;

interface Walk {
  readonly maxDepth: number;
  left: number;
  readonly ancestors: object[];
}

// A cycle is too deep and an exploding graph too large, so the check needs no set of what it has seen.
function isExact(value: unknown, depth: number, budget: { left: number; chars: number; readonly isForText: boolean }): boolean {
  if (value === undefined) return budget.isForText;
  if (typeof value === "string") {
    budget.chars -= value.length;
    return budget.chars >= 0;
  }
  if (typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || depth < 1 || hasToJson(value)) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (--budget.left < 0 || !isExact(value[i], depth - 1, budget)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  // As quick as a loop can be: a record has nothing to inherit but what a host has added to every object, and that is only looked at as well.
  for (const key in value) {
    budget.chars -= key.length;
    if (--budget.left < 0 || !isExact((value as Record<string, unknown>)[key], depth - 1, budget)) return false;
  }
  return true;
}

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === "function";
}

/** The one place where foreign code runs: getters, proxy traps, `toJSON` and iterators may all throw. */
function readMember(holder: object, key: string | number, walk: Walk): unknown {
  const depth = walk.ancestors.length;
  try {
    return copy((holder as Record<string | number, unknown>)[key], String(key), walk);
  } catch (error) {
    return mark("unreadable", { message: messageOf(error) });
  } finally {
    walk.ancestors.length = depth;
  }
}

function copy(value: unknown, key: string, walk: Walk): unknown {
  switch (typeof value) {
    case "bigint":
      return mark("bigint", { value: value.toString() });
    case "function":
      return mark("function", { name: typeof value.name === "string" ? value.name : "" });
    case "symbol":
      return mark("symbol", { name: value.description ?? "" });
    case "number":
      return Number.isFinite(value) ? value + 0 : mark("number", { value: String(value) });
    case "object":
      return value === null ? null : copyObject(value, key, walk);
    default:
      return value;
  }
}

function copyObject(value: object, key: string, walk: Walk): unknown {
  const { ancestors, maxDepth } = walk;
  if (ancestors.includes(value)) return mark("cycle");
  if (ancestors.length >= maxDepth) return mark("depth");
  if (value instanceof Error) return copyError(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return mark("bytes", { byteLength: value.byteLength });
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return copy(value.valueOf(), key, walk);
  ancestors.push(value);
  if (value instanceof Map || value instanceof Set) {
    // The marker and its list are two containers.
    ancestors.push(value);
    const entries = copyMembers(value, (item) => readMember([item], 0, walk), walk).map(itemOf);
    return mark(value instanceof Map ? "map" : "set", { entries });
  }
  const plain = hasToJson(value) ? value.toJSON(key) : value;
  // As in JSON.stringify, the result of toJSON is not asked for a toJSON of its own.
  if (typeof plain !== "object" || plain === null) return copy(plain, key, walk);
  const read = (name: string | number) => readMember(plain, name, walk);
  if (Array.isArray(plain)) return copyMembers(plain.keys(), read, walk).map(itemOf);
  // Unlike assignment, fromEntries keeps a __proto__ member as data.
  return Object.fromEntries(copyMembers(Object.keys(plain), read, walk).filter(([, member]) => member !== undefined));
}

function copyMembers<K>(keys: Iterable<K>, read: (key: K) => unknown, walk: Walk): [K, unknown][] {
  const members: [K, unknown][] = [];
  for (const key of keys) {
    const isFull = --walk.left < 0;
    members.push([key, isFull ? mark("size") : read(key)]);
    if (isFull) break;
  }
  return members;
}

function itemOf([, item]: [unknown, unknown]): unknown {
  return item ?? null;
}

function copyError(error: Error & { code?: unknown }): object {
  const { name, message, code } = error;
  return { name: String(name), message: String(message), ...(typeof code === "string" || Number.isFinite(code) ? { code } : {}) };
}

function mark($hookline: MarkerKind, details?: object): JsonMarker {
  return { $hookline, ...details };
}

function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "";
  }
}
