import { hasToJson, isExact } from "./exact-json.js";

export interface JsonSafeLimits {
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
export function copyJsonSafe(value: unknown, limits: JsonSafeLimits = {}, whole?: WholeWalk): unknown {
  const walk: Walk = { maxDepth: limits.maxDepth ?? MAX_DEPTH, left: limits.maxNodes ?? MAX_NODES, ancestors: [], whole };
  return readMember({ "": value }, "", walk) ?? null;
}

export const MAX_DEPTH = 64;
const MAX_NODES = 100_000;

interface Walk {
  readonly maxDepth: number;
  left: number;
  readonly ancestors: object[];
  /** For a reader who must see all of it: what is not in the copy is told here. */
  readonly whole?: WholeWalk | undefined;
}

/** Follows a copy that is to be whole, and says what it holds of values that a record only outlines. */
export interface WholeWalk {
  enter(key: string): void;
  leave(): void;
  lose(kind: string): void;
  /** Before a container is copied. */
  check(value: object): void;
  bytes(value: ArrayBuffer | ArrayBufferView): object;
  /** The names of an error's fields. */
  fieldsOf(error: Error): readonly string[];
}

/** The one place where foreign code runs: getters, proxy traps, `toJSON` and iterators may all throw. */
function readMember(holder: object, key: string | number, walk: Walk): unknown {
  const depth = walk.ancestors.length;
  walk.whole?.enter(String(key));
  try {
    return copy((holder as Record<string | number, unknown>)[key], String(key), walk);
  } catch (error) {
    walk.whole?.lose("unreadable");
    return mark("unreadable", { message: messageOf(error) });
  } finally {
    walk.ancestors.length = depth;
    walk.whole?.leave();
  }
}

function copy(value: unknown, key: string, walk: Walk): unknown {
  switch (typeof value) {
    case "bigint":
      return mark("bigint", { value: value.toString() });
    case "function":
      walk.whole?.lose("function");
      return mark("function", { name: typeof value.name === "string" ? value.name : "" });
    case "symbol":
      walk.whole?.lose("symbol");
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
  if (ancestors.length >= maxDepth) {
    walk.whole?.lose("depth");
    return mark("depth");
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return mark("bytes", { byteLength: value.byteLength, ...walk.whole?.bytes(value) });
  walk.whole?.check(value);
  ancestors.push(value);
  if (value instanceof Error && walk.whole === undefined) return copyError(value);
  if (value instanceof Error) return copyNamed(value, walk.whole?.fieldsOf(value) ?? [], walk);
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return copy(value.valueOf(), key, walk);
  if (value instanceof Map || value instanceof Set) {
    // The marker and its list are two containers.
    ancestors.push(value);
    const entries = copyMembers(value, (item) => readMember([item], 0, walk), walk).map(itemOf);
    return mark(value instanceof Map ? "map" : "set", { entries });
  }
  const plain = hasToJson(value) ? value.toJSON(key) : value;
  // As in JSON.stringify, the result of toJSON is not asked for a toJSON of its own.
  if (typeof plain !== "object" || plain === null) return copy(plain, key, walk);
  return copyFields(plain, walk);
}

function copyFields(fields: object, walk: Walk): object {
  const read = (name: string | number) => readMember(fields, name, walk);
  if (Array.isArray(fields)) return copyMembers(fields.keys(), read, walk).map(itemOf);
  return copyNamed(fields, Object.keys(fields), walk);
}

function copyNamed(fields: object, names: readonly string[], walk: Walk): object {
  const read = (name: string) => readMember(fields, name, walk);
  // Unlike assignment, fromEntries keeps a __proto__ member as data.
  return Object.fromEntries(copyMembers(names, read, walk).filter(([, member]) => member !== undefined));
}

function copyMembers<K>(keys: Iterable<K>, read: (key: K) => unknown, walk: Walk): [K, unknown][] {
  const members: [K, unknown][] = [];
  for (const key of keys) {
    const isFull = --walk.left < 0;
    if (isFull) walk.whole?.lose("size");
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
