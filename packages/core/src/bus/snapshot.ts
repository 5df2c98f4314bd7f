import { HookError } from "../catalog/errors.js";
import { bytesCopy, isBytes, isDate, isList, isMap, isRecord, isSet } from "../text/plain-data.js";
import { messageOf } from "./describe-error.js";

/** A copy that could not hold all of it, or that can change. */
export class PartialCopy {
  readonly value: unknown;
  /** Paths of what stays as it is: functions, streams, objects of a class of their own. */
  readonly opaque: readonly string[];
  /** It holds a Map, a Set, a Date or bytes, which nothing keeps from changing. */
  readonly isLoose: boolean;

  constructor(value: unknown, opaque: readonly string[], isLoose: boolean) {
    this.value = value;
    this.opaque = opaque;
    this.isLoose = isLoose;
  }
}

const MAX_DEPTH = 1_000;
/** Fields and items in all. What is shared counts wherever it appears. */
const MAX_NODES = 2_000_000;
/** Of bytes, so many count as one field. */
const BYTES_PER_NODE = 64;
const MAX_OPAQUE = 100;
const NO_PATHS: readonly string[] = [];

/**
 * What the copy under way needs, in variables of the module: an object to hold it would cost as much as the copy of a small payload. The three lists hold
 * the containers between the root and where the copy is, and by which key each leads on.
 */
let sources: (object | undefined)[] = [];
let copies: (object | undefined)[] = [];
let keys: (string | number)[] = [];
let left = 0;
let isFreezing = true;
let isLoose = false;
let isBusy = false;
let opaque: string[] | undefined;

/**
 * Copies a payload, reading each field once, and freezes the copy: what was judged is then what runs, whatever the caller or a handler does to its own
 * object meanwhile. Objects without a class, lists, Map, Set, Date and bytes are copied; texts are shared; anything else stays by reference, and so does
 * what a field named by a symbol holds. Throws `HL_BAD_PAYLOAD`, with a message that goes on from "The payload", for what cannot be read, or is too
 * deep or too large.
 */
export function snapshot(value: object): unknown {
  return copyWhole(value, true);
}

/** The same, to be written to, and always the copy: for the tool. */
export function thaw<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = copyWhole(value, false);
  return (copy instanceof PartialCopy ? copy.value : copy) as T;
}

function copyWhole(value: object, freezes: boolean): unknown {
  // A getter of a payload may decide on something else meanwhile.
  const outer = isBusy ? { sources, copies, keys, left, isFreezing, isLoose, opaque } : undefined;
  if (outer !== undefined) [sources, copies, keys] = [[], [], []];
  left = MAX_NODES;
  isFreezing = freezes;
  isLoose = false;
  opaque = undefined;
  isBusy = true;
  try {
    const copy = copyObject(value, 0);
    return opaque === undefined && !isLoose ? copy : new PartialCopy(copy, opaque ?? NO_PATHS, isLoose);
  } catch (error) {
    sources = [];
    copies = [];
    throw error instanceof HookError && error.code === "HL_BAD_PAYLOAD" ? error : refused(`cannot be read: ${messageOf(error)}`, error);
  } finally {
    isBusy = outer !== undefined;
    if (outer !== undefined) ({ sources, copies, keys, left, isFreezing, isLoose, opaque } = outer);
  }
}

function copyObject(source: object, depth: number): unknown {
  // What is within itself is so in the copy as well.
  for (let i = depth - 1; i >= 0; i--) if (sources[i] === source) return copies[i];
  if (depth === MAX_DEPTH) throw refused(`is nested deeper than ${MAX_DEPTH} levels`);
  if (Object.getPrototypeOf(source) === Object.prototype && typeof source !== "function") return copyRecord(source, { ...source }, depth);
  return copyRarer(source, depth);
}

interface Fields {
  [key: string]: unknown;
}

// The loop that every call pays for: the copy of all fields is one step of the engine, and only what they hold needs a look.
function copyRecord(source: object, copy: Fields, depth: number): object {
  let fields = 0;
  let isOpen = false;
  for (const key in copy) {
    fields++;
    const member = copy[key];
    if (typeof member === "object" ? member === null : typeof member !== "function") continue;
    // What a host has added to every object is not a field.
    if (!Object.hasOwn(copy, key)) continue;
    if (!isOpen) {
      isOpen = true;
      sources[depth] = source;
      copies[depth] = copy;
    }
    keys[depth] = key;
    copy[key] = copyObject(member as object, depth + 1);
  }
  if (isOpen) sources[depth] = copies[depth] = undefined;
  count(fields);
  return isFreezing ? Object.freeze(copy) : copy;
}

function copyRarer(source: object, depth: number): unknown {
  if (typeof source === "function") return keep(source, depth);
  if (isList(source)) return copyList(source, depth);
  if (isRecord(source)) {
    const isBare = Object.getPrototypeOf(source) === null;
    return copyRecord(source, isBare ? Object.assign(Object.create(null), source) : { ...source }, depth);
  }
  const isOfEntries = isMap(source) || isSet(source);
  if (!isOfEntries && !isDate(source) && !isBytes(source)) return keep(source, depth);
  isLoose = true;
  if (isOfEntries) return copyEntries(source, depth);
  if (isDate(source)) return new Date(Date.prototype.getTime.call(source));
  count(Math.ceil(source.byteLength / BYTES_PER_NODE));
  return bytesCopy(source);
}

function copyList(source: readonly unknown[], depth: number): object {
  const { length } = source;
  // What a Proxy says may be anything.
  if (!Number.isSafeInteger(length) || length < 0) throw refused("has a list without a length");
  count(length);
  const copy: unknown[] = [];
  sources[depth] = source;
  copies[depth] = copy;
  for (let index = 0; index < length; index++) {
    keys[depth] = index;
    copy.push(copyMember(source[index], depth));
  }
  sources[depth] = copies[depth] = undefined;
  return isFreezing ? Object.freeze(copy) : copy;
}

// With the methods of the language: a Map may have others of its own.
function copyEntries(source: Map<unknown, unknown> | Set<unknown>, depth: number): object {
  const copy = isMap(source) ? new Map<unknown, unknown>() : new Set<unknown>();
  sources[depth] = source;
  copies[depth] = copy;
  let index = 0;
  const add = (value: unknown, key: unknown): void => {
    count(1);
    keys[depth] = index++;
    if (copy instanceof Map) copy.set(copyMember(key, depth), copyMember(value, depth));
    else copy.add(copyMember(value, depth));
  };
  if (isMap(source)) Map.prototype.forEach.call(source, add);
  else Set.prototype.forEach.call(source, add);
  sources[depth] = copies[depth] = undefined;
  return copy;
}

function copyMember(member: unknown, depth: number): unknown {
  return (typeof member === "object" && member !== null) || typeof member === "function" ? copyObject(member, depth + 1) : member;
}

/** It stays by reference. */
function keep(source: object, depth: number): object {
  opaque ??= [];
  if (opaque.length < MAX_OPAQUE) opaque.push(keys.slice(0, depth).join("."));
  return source;
}

function count(nodes: number): void {
  left -= nodes;
  if (left < 0) throw refused(`has more than ${MAX_NODES} fields`);
}

function refused(why: string, cause?: unknown): HookError {
  return new HookError("HL_BAD_PAYLOAD", why, { cause });
}
