import { bytesText } from "./bytes-text.js";
import { hasHiddenFields, hasToJson, isExact } from "./exact-json.js";
import { copyJsonSafe, type JsonSafeLimits, MAX_DEPTH, type WholeWalk } from "./json-safe.js";
import { isBytes, isDate, isList, isMap, isRecord, isSet } from "./plain-data.js";

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
  const losses = new Losses(maxBytes);
  const copied = copyJsonSafe(value, { maxDepth, maxNodes }, losses);
  const { lost } = losses;
  try {
    return { text: JSON.stringify(copied), lost };
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

const MAX_WHOLE_NODES = 2_000_000;
const MAX_LOSSES = 20;

class Losses implements WholeWalk {
  readonly lost: Loss[] = [];
  readonly #path: string[] = [];
  #bytesLeft: number;

  constructor(maxBytes: number) {
    this.#bytesLeft = maxBytes;
  }

  enter(key: string): void {
    this.#path.push(key);
  }

  leave(): void {
    this.#path.pop();
  }

  lose(kind: string): void {
    if (this.lost.length < MAX_LOSSES) this.lost.push({ path: this.#path.slice(1).join("."), kind });
  }

  /** What is of a class of its own may hold what its fields do not say, and so may a `toJSON`. */
  check(value: object): void {
    if (isBuiltInError(value)) return;
    if (isDate(value)) return Object.hasOwn(value, "toJSON") ? this.lose("Date") : undefined;
    if (!isRecord(value) && !isList(value) && !isMap(value) && !isSet(value)) this.lose(className(value));
    else if (hasToJson(value)) this.lose("toJSON");
    else if (hasHiddenFields(value)) this.lose("fields");
  }

  bytes(value: ArrayBuffer | ArrayBufferView): object {
    this.#bytesLeft -= value.byteLength;
    if (isBytes(value) && this.#bytesLeft >= 0) return bytesText(value);
    this.lose(className(value));
    return {};
  }

  fieldsOf(error: Error): readonly string[] {
    const keys = Reflect.ownKeys(error);
    const names = keys.filter((key) => typeof key === "string");
    if (names.length < keys.length) this.lose("fields");
    return ["name", ...names];
  }
}

/** An error of the language itself: one of another class may keep more than it shows. */
function isBuiltInError(value: object): value is Error {
  return value instanceof Error && errorKinds.has(Object.getPrototypeOf(value));
}

/** The class that made it, in one word. Never throws. */
function className(value: object): string {
  try {
    const { name } = Object.getPrototypeOf(value).constructor;
    return typeof name === "string" && name !== "" ? name : "object";
  } catch {
    return "object";
  }
}

const errorKinds: ReadonlySet<unknown> = /* @__PURE__ */ new Set(
  [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError].map(({ prototype }) => prototype),
);
