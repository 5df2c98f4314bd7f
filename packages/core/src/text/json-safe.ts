import { bytesText } from "./bytes-text.js";
import { hasHiddenFields, hasToJson, isExact } from "./exact-json.js";
import { className, isBuiltInError, isBytes, isDate, isList, isMap, isRecord, isSet } from "./plain-data.js";

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

/** What the JSON of a value does not say: where it is in the value, and what it is, such as `function` or the name of its class. */
export interface Loss {
  readonly path: string;
  readonly kind: string;
}

/** The JSON text of a value, and what is missing in it. */
export interface Encoded {
  readonly text: string;
  /** Empty where a reader of the text has seen all there is. The first 20. */
  readonly lost: readonly Loss[];
}

/**
 * The JSON of a value for a reader who must see all of it, with a list of what it does not say. It carries what JSON has no word for: a BigInt, NaN,
 * Map, Set, Date, an Error with its cause, and bytes, up to `maxBytes` in all, as text if they are UTF-8, else in base64. Never throws.
 */
export function encodeJson(value: unknown, limits: JsonSafeLimits & { readonly maxBytes?: number } = {}): Encoded {
  const { maxDepth = MAX_DEPTH, maxNodes = MAX_WHOLE_NODES, maxBytes = 0 } = limits;
  try {
    const budget = { left: maxNodes, chars: Number.POSITIVE_INFINITY, isForText: true, isWhole: true };
    if (isExact(value, maxDepth, budget)) return { text: JSON.stringify(value) ?? "null", lost: [] };
  } catch {
    // The copy says what could not be read.
  }
  const lost: Loss[] = [];
  const copied = readMember({ "": value }, "", { maxDepth, left: maxNodes, ancestors: [], whole: { lost, path: [], bytes: maxBytes } });
  try {
    return { text: JSON.stringify(copied ?? null), lost };
  } catch {
    // More text than a string can hold.
    return { text: '{"$hookline":"size"}', lost: [{ path: "", kind: "size" }] };
  }
}

/** What is lost, in a sentence's words: `a function at "tool.input.run"`. */
export function lossText([first]: readonly Loss[]): string {
  if (first === undefined) return "nothing";
  const { path, kind } = first;
  const what = LOSSES[kind] ?? `a value of the kind ${kind}, which JSON does not carry whole`;
  return path === "" ? what : `${what}, at "${path.slice(0, 200)}"`;
}

const LOSSES: { readonly [kind: string]: string | undefined } = {
  depth: "more levels than can be sent",
  size: "more than can be sent",
  unreadable: "a field that could not be read",
  fields: "fields that JSON leaves out",
};

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
const MAX_WHOLE_NODES = 2_000_000;
const MAX_LOSSES = 20;

interface Walk {
  readonly maxDepth: number;
  left: number;
  readonly ancestors: object[];
  /** For a reader who must see all of it. */
  readonly whole?: { readonly lost: Loss[]; readonly path: string[]; bytes: number };
}

function lose({ whole }: Walk, kind: string): void {
  if (whole !== undefined && whole.lost.length < MAX_LOSSES) whole.lost.push({ path: whole.path.slice(1).join("."), kind });
}

/** The one place where foreign code runs: getters, proxy traps, `toJSON` and iterators may all throw. */
function readMember(holder: object, key: string | number, walk: Walk): unknown {
  const depth = walk.ancestors.length;
  walk.whole?.path.push(String(key));
  try {
    return copy((holder as Record<string | number, unknown>)[key], String(key), walk);
  } catch (error) {
    lose(walk, "unreadable");
    return mark("unreadable", { message: messageOf(error) });
  } finally {
    walk.ancestors.length = depth;
    walk.whole?.path.pop();
  }
}

function copy(value: unknown, key: string, walk: Walk): unknown {
  switch (typeof value) {
    case "bigint":
      return mark("bigint", { value: value.toString() });
    case "function":
      lose(walk, "function");
      return mark("function", { name: typeof value.name === "string" ? value.name : "" });
    case "symbol":
      lose(walk, "symbol");
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
    lose(walk, "depth");
    return mark("depth");
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return copyBytes(value, walk);
  if (walk.whole !== undefined) checkWhole(value, walk);
  ancestors.push(value);
  if (value instanceof Error) return copyError(value, walk);
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
  // Unlike assignment, fromEntries keeps a __proto__ member as data.
  return Object.fromEntries(copyMembers(Object.keys(fields), read, walk).filter(([, member]) => member !== undefined));
}

/** What is of a class of its own may hold what its fields do not say, and so may a `toJSON`. */
function checkWhole(value: object, walk: Walk): void {
  if (isDate(value)) return Object.hasOwn(value, "toJSON") ? lose(walk, "Date") : undefined;
  if (isBuiltInError(value)) return;
  const isOurs = isRecord(value) || isList(value) || isMap(value) || isSet(value);
  if (!isOurs) lose(walk, className(value));
  else if (hasToJson(value)) lose(walk, "toJSON");
  else if (hasHiddenFields(value)) lose(walk, "fields");
}

function copyBytes(bytes: ArrayBuffer | ArrayBufferView, walk: Walk): JsonMarker {
  const { whole } = walk;
  const { byteLength } = bytes;
  if (whole === undefined) return mark("bytes", { byteLength });
  whole.bytes -= byteLength;
  if (isBytes(bytes) && whole.bytes >= 0) return mark("bytes", { byteLength, ...bytesText(bytes) });
  lose(walk, className(bytes));
  return mark("bytes", { byteLength });
}

function copyMembers<K>(keys: Iterable<K>, read: (key: K) => unknown, walk: Walk): [K, unknown][] {
  const members: [K, unknown][] = [];
  for (const key of keys) {
    const isFull = --walk.left < 0;
    if (isFull) lose(walk, "size");
    members.push([key, isFull ? mark("size") : read(key)]);
    if (isFull) break;
  }
  return members;
}

function itemOf([, item]: [unknown, unknown]): unknown {
  return item ?? null;
}

/** For a record its name, message and code; for a reader who must see all of it whatever it has. */
function copyError(error: Error & { code?: unknown }, walk: Walk): object {
  if (walk.whole !== undefined) {
    const names = Reflect.ownKeys(error).filter((key) => typeof key === "string");
    if (names.length < Reflect.ownKeys(error).length) lose(walk, "fields");
    const read = (name: string) => readMember(error, name, walk);
    return Object.fromEntries(copyMembers(["name", ...names], read, walk).filter(([, member]) => member !== undefined));
  }
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
