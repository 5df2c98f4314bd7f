import { HookError } from "../catalog/errors.js";
import { encodeJson, lossText } from "../text/encode-json.js";
import { hasHiddenFields } from "../text/exact-json.js";
import { isBytes, isDate, isList, isMap, isRecord, isSet } from "../text/plain-data.js";
import {
  type BodyOwner,
  ignoreFailure,
  isResponse,
  isStream,
  isThenable,
  type ReadLimits,
  StreamReader,
  TooLong,
  textOrBytes,
} from "./read-streams.js";
import type { RunToolOptions } from "./run-tool.js";
import { withheldValue } from "./withheld.js";

/** A value that guards can see whole, or why they cannot. */
export interface Whole {
  readonly value?: unknown;
  readonly unseen?: string;
}

/**
 * The value itself where guards see all of it. Else a copy, in which what gives its content only once, or only when asked, has been read:
 * streams, promises, responses, forms, getters. What cannot be read makes the whole value unseen. Never rejects.
 */
export async function makeWhole(value: unknown, limits: ReadLimits = {}): Promise<Whole> {
  const reader = new StreamReader(limits);
  try {
    const copy = await new Copy(reader).of(value, []);
    const [first] = encodeJson(copy, { maxBytes: Number.POSITIVE_INFINITY }).lost;
    // Where it is would name fields, and a name may hold what is to be hidden.
    return first === undefined ? { value: copy } : { unseen: unseen(lossText([{ ...first, path: "" }])) };
  } catch (error) {
    // So may the text of an error.
    if (error instanceof TooMuch) return { unseen: unseen("more than can be read") };
    return { unseen: unseen(error instanceof TooLong ? `a stream that ${error.how}` : "something that cannot be read") };
  } finally {
    reader.close();
  }
}

const unseen = (what: string): string => `it holds ${what}`;

/** What a transform is given. */
export interface Given {
  readonly value: unknown;
  readonly context: unknown;
}

/** What closed handlers of a transform are given: the value as they see all of it, or a note in its place, with the error that says why. */
export async function readGiven({ value, context }: Given, event: string): Promise<Given & { readonly error?: HookError }> {
  const { value: whole, unseen } = await makeWhole(value);
  if (unseen === undefined) return { value: whole, context: withOutput(context, value, whole) };
  const note = withheldValue(event, unseen);
  const error = new HookError("HL_UNSEEN", `The value of "${event}" is withheld: ${unseen}.`);
  return { value: note, context: withOutput(context, value, note), error };
}

/** The call that a result belongs to has the result as well. */
function withOutput(context: unknown, before: unknown, after: unknown): unknown {
  const { tool } = context as { readonly tool?: { readonly output?: unknown } };
  return before !== after && tool?.output === before ? { ...(context as object), tool: { ...tool, output: after } } : context;
}

/** What a tool's output is after it was read; `isUnguarded`: it is a stream that no guard is to see. */
export interface Collected {
  readonly output: unknown;
  readonly isUnguarded?: true;
}

/** What a stream gives, as one value: text, bytes, a list of pieces, or a response with its body. Anything else is the output itself. */
export async function collectOutput(
  output: object,
  options: RunToolOptions,
  signal: AbortSignal,
): Promise<Collected | { readonly tooLong: string }> {
  if (!isStream(output)) return { output };
  if (options.stream === "pass") return { output, isUnguarded: true };
  const reader = new StreamReader(options, signal);
  try {
    return { output: await (isResponse(output) ? readResponse({ reader }, output as WebMessage) : reader.collect(output)) };
  } catch (error) {
    if (error instanceof TooLong) return { tooLong: `The tool's result is a stream that ${error.how}.` };
    throw error;
  } finally {
    reader.close();
  }
}

type Above = readonly object[];
/** What is read of the classes that the platform has, by their names. */
// biome-ignore lint/suspicious/noExplicitAny: the name says the class, and each function takes its own
type Readers = { readonly [tag: string]: ((copy: Copy, value: any, above: Above) => unknown) | undefined };

/** Steps for one value. A graph whose parts are shared, such as YAML with anchors, may have more members than a machine can count. */
const MAX_STEPS = 4_000_000;
/** An object that may have to wait takes that much longer than a member that is looked at. */
const COPY_STEPS = 20;

class TooMuch {}

/** Whatever is not changed keeps its identity. */
class Copy {
  readonly reader: StreamReader;
  #left = MAX_STEPS;

  constructor(reader: StreamReader) {
    this.reader = reader;
  }

  async of(value: unknown, above: Above): Promise<unknown> {
    // Circles and what is too deep are found again when it is written as JSON.
    if (isScalar(value) || above.includes(value as object) || above.length > MAX_DEPTH) return value;
    if (this.#isPlain(value, MAX_DEPTH - above.length)) return value;
    this.#step(COPY_STEPS);
    return this.#object(value as object, [...above, value as object]);
  }

  #step(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooMuch();
  }

  /** Records and lists of scalars and dates, all the way down: there is nothing to read. */
  #isPlain(value: unknown, depth: number): boolean {
    this.#step(1);
    if (isScalar(value)) return typeof value !== "function" && typeof value !== "symbol";
    const holder = value as { readonly [name: string]: unknown };
    if (isDate(holder)) return hasNoFields(holder);
    if (depth === 0 || !(isRecord(holder) || isList(holder)) || !isData(holder)) return false;
    return Object.keys(holder).every((name) => this.#isPlain(holder[name], depth - 1));
  }

  /** Members one after the other, so that one stream is read at a time. */
  async list(values: readonly unknown[], above: Above): Promise<unknown[]> {
    // A promise that fails while another is awaited must not end the process.
    for (const value of values) if (value instanceof Promise) ignoreFailure(value);
    const copies: unknown[] = [];
    for (const value of values) copies.push(isScalar(value) ? value : await this.of(value, above));
    return copies;
  }

  /** The fields that JSON takes; one that is computed is read once. */
  async fields(value: object, above: Above): Promise<object> {
    const names = Object.keys(value);
    const values = names.map((name) => (value as { [name: string]: unknown })[name]);
    const copies = await this.list(values, above);
    if (isData(value) && isSame(values, copies)) return value;
    return Object.fromEntries(names.map((name, index) => [name, copies[index]]));
  }

  async #items(list: readonly unknown[], above: Above): Promise<readonly unknown[]> {
    const items = Array.from(list);
    const copies = await this.list(items, above);
    return isData(list) && isSame(items, copies) ? list : copies;
  }

  async #object(value: object, above: Above): Promise<unknown> {
    if (ArrayBuffer.isView(value) && !(value.buffer instanceof ArrayBuffer)) return copyShared(value);
    if (isBytes(value)) return isMadeOfBytes(value) ? value : copyBytes(value);
    if (isList(value)) return this.#items(value, above);
    const tag = tagOf(value);
    const known = Object.hasOwn(readers, tag) ? readers[tag] : undefined;
    if (known !== undefined) return known(this, value, above);
    if (isThenable(value)) return this.of(await this.reader.wait(value), above);
    if (givesPieces(value)) return this.of(await this.reader.collect(value), above);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return this.of(toJSON.call(value), above);
    return isRecord(value) ? this.fields(value, above) : value;
  }
}

const MAX_DEPTH = 64;

const asText = (_: Copy, value: object): string => String(value);
const asList = (copy: Copy, value: Iterable<unknown>, above: Above): Promise<unknown> => copy.list([...value], above);

const readers: Readers = {
  Array: asList,
  Map: copyMap,
  Set: copySet,
  Date: (_, value: Date) => (isDate(value) && hasNoFields(value) ? value : new Date(Date.prototype.getTime.call(value))),
  String: (_, value: string) => String.prototype.valueOf.call(value),
  Number: (_, value: number) => Number.prototype.valueOf.call(value),
  Boolean: (_, value: boolean) => Boolean.prototype.valueOf.call(value),
  BigInt: (_, value: bigint) => BigInt.prototype.valueOf.call(value),
  Error: copyError,
  DOMException: copyError,
  RegExp: asText,
  URL: asText,
  URLSearchParams: asText,
  Headers: (_, value: HeaderList) => headerFields(value),
  FormData: asList,
  Blob: copyBlob,
  File: copyBlob,
  Response: readResponse,
  Request: async ({ reader }, message: WebMessage) => {
    const { method, url, headers } = message;
    return { method, url, headers: headerFields(headers), body: await reader.body(message) };
  },
};

type HeaderList = Iterable<readonly [string, string]>;

/** A `Response` or a `Request`. */
interface WebMessage extends BodyOwner {
  readonly status?: number;
  readonly statusText?: string;
  readonly method?: string;
  readonly url: string;
  readonly headers: HeaderList;
}

type WithReader = Pick<Copy, "reader">;

async function readResponse({ reader }: WithReader, message: WebMessage): Promise<object> {
  const { status, statusText, url, headers } = message;
  return { status, statusText, url, headers: headerFields(headers), body: await reader.body(message) };
}

async function copyMap(copy: Copy, map: Map<unknown, unknown>, above: Above): Promise<unknown> {
  const flat = [...Map.prototype.entries.call(map)].flat();
  const copies = await copy.list(flat, above);
  if (isMap(map) && hasNoFields(map) && isSame(flat, copies)) return map;
  return new Map(copies.flatMap((key, index) => (index % 2 === 0 ? [[key, copies[index + 1]] as const] : [])));
}

async function copySet(copy: Copy, set: Set<unknown>, above: Above): Promise<unknown> {
  const items = [...Set.prototype.values.call(set)];
  const copies = await copy.list(items, above);
  return isSet(set) && hasNoFields(set) && isSame(items, copies) ? set : new Set(copies);
}

/** A header that comes twice has both values, as in HTTP. */
function headerFields(headers: HeaderList): object {
  const fields = new Map<string, string>();
  for (const [name, value] of headers) fields.set(name, fields.has(name) ? `${fields.get(name)}, ${value}` : value);
  return Object.fromEntries(fields);
}

async function copyBlob({ reader }: Copy, blob: BodyOwner & { readonly type: string; readonly name?: string }): Promise<object> {
  const content = textOrBytes(new Uint8Array(await reader.wait(blob.arrayBuffer())));
  return { ...(blob.name !== undefined && { name: blob.name }), type: blob.type, content };
}

/** With its causes, which JSON leaves out, and without its stack, which is for the author of the tool. */
async function copyError(copy: Copy, error: Error & { readonly errors?: unknown }, above: Above): Promise<object> {
  const { name, message, cause, errors } = error;
  const fields = { ...error, name, message };
  return copy.fields({ ...fields, ...(cause !== undefined && { cause }), ...(errors !== undefined && { errors }) }, above);
}

function givesPieces(value: object): boolean {
  return Symbol.iterator in value || isStream(value);
}

/** Other threads may write to it after it was seen. */
function copyShared({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength).slice();
}

/** Fields that bytes have besides. A list of bytes has its items first. */
function isMadeOfBytes(value: ArrayBuffer | ArrayBufferView): boolean {
  const last = Reflect.ownKeys(value).at(-1);
  return (
    last === undefined || (ArrayBuffer.isView(value) && !(value instanceof DataView) && typeof last === "string" && /^\d+$/.test(last))
  );
}

function copyBytes(value: ArrayBuffer | ArrayBufferView): object {
  if (value instanceof ArrayBuffer) return value.slice(0);
  const { buffer, byteOffset, byteLength } = value;
  const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice();
  return value instanceof Uint8Array ? bytes : value.constructor === DataView ? new DataView(bytes.buffer) : bytes;
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function isSame(values: readonly unknown[], copies: readonly unknown[]): boolean {
  return values.every((value, index) => Object.is(value, copies[index]));
}

function hasNoFields(value: object): boolean {
  return Reflect.ownKeys(value).length === 0;
}

/** Nothing but fields, or items, that hold a value of their own. */
function isData(value: object): boolean {
  return !hasHiddenFields(value) && Object.keys(value).every((name) => "value" in (Object.getOwnPropertyDescriptor(value, name) ?? {}));
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
