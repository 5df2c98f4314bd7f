import { types } from "node:util";
import { isMadeOfOutcomes, readOutcomes, StrangeAnswer } from "../bus/answers.js";
import { isPlainShape } from "../bus/plain-shape.js";
import { HookError } from "../catalog/errors.js";
import { isOutcome } from "../catalog/outcomes.js";
import type { UnreadFrame } from "../wire/verdict.js";

/** As they are before the hook is loaded: what a library changes in them must not change an answer. */
const { stringify } = JSON;
const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;

/**
 * What a handler returned, as JSON that means the same to the host. Plain data goes as it is. Anything else, from outcomes to an error, a Map or
 * an object whose getters decide, is read here, as the bus would read it in process, because JSON would turn it into `{}` or nothing.
 */
export function encodeAnswer(returned: unknown, isTransform: boolean): string {
  const plain = copyOf(returned, true);
  if (plain !== NO_JSON) return textOf(plain);
  if (isTransform && !isMadeOfOutcomes(returned)) {
    const value = copyOf(returned, false);
    if (value !== NO_JSON) return textOf(value);
    if (!isPlainShape(returned)) return textOf(noJson("the new value"));
  }
  const parts = readOutcomes(returned).map(encodePart);
  return parts.length === 0 ? "null" : textOf(parts);
}

function encodePart(part: ReturnType<typeof readOutcomes>[number]): object {
  if (part instanceof HookError) return unread(part);
  const fields = isOutcome(part) ? { ...part } : part;
  const copy = copyOf(fields, false);
  return copy === NO_JSON ? noJson(isOutcome(part) ? `its "${part.kind}"` : "the new input") : (copy as object);
}

function noJson(what: string): UnreadFrame {
  return unread(new HookError("HL_INVALID_VERDICT", `${what} cannot be written as JSON`, { failure: "invalid_verdict" }));
}

function unread(error: HookError): UnreadFrame {
  const { code, message, failure } = error;
  const what = error instanceof StrangeAnswer ? { what: error.what } : {};
  return { kind: "unread", code, reason: message, ...(failure !== undefined && { failure }), ...what };
}

/** The JSON of a copy. `JSON.stringify` would ask its objects for a `toJSON`, which a library may have given to all of them. */
function textOf(copy: unknown): string {
  if (Array.isArray(copy)) return `[${copy.map(textOf).join(",")}]`;
  if (typeof copy !== "object" || copy === null) return stringify(copy);
  const members = Object.entries(copy).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${stringify(key)}:${textOf(member)}`).join(",")}}`;
}

const NO_JSON = Symbol();
const MAX_DEPTH = 60;

/**
 * A copy that JSON carries whole. Strictly, nothing may get lost: no member that is undefined, hidden, computed or inherited from a class. In
 * what is to run, members that are undefined are left out, and a date is its text.
 */
function copyOf(value: unknown, isStrict: boolean, depth = 0): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : NO_JSON;
  if (value === undefined && depth === 0) return isStrict ? null : NO_JSON;
  if (typeof value !== "object" || depth > MAX_DEPTH) return NO_JSON;
  try {
    if (!isStrict && value instanceof Date) return value.toJSON();
    return Array.isArray(value) ? listOf(value, isStrict, depth) : recordOf(value, isStrict, depth);
  } catch {
    // A Proxy of the handler's own.
    return NO_JSON;
  }
}

function listOf(list: readonly unknown[], isStrict: boolean, depth: number): unknown {
  if (getPrototypeOf(list) !== Array.prototype) return NO_JSON;
  const copy = Array.from(list, (member) => copyOf(member, isStrict, depth + 1));
  return copy.includes(NO_JSON) ? NO_JSON : copy;
}

function recordOf(record: object, isStrict: boolean, depth: number): unknown {
  const prototype: unknown = getPrototypeOf(record);
  if ((prototype !== Object.prototype && prototype !== null) || (isStrict && types.isProxy(record))) return NO_JSON;
  const entries: [string, unknown][] = [];
  for (const key of ownKeys(record)) {
    const property = getOwnPropertyDescriptor(record, key);
    if (typeof key === "symbol" || property?.enumerable !== true || !("value" in property)) return NO_JSON;
    if (!isStrict && property.value === undefined) continue;
    const copy = copyOf(property.value, isStrict, depth + 1);
    if (copy === NO_JSON) return NO_JSON;
    entries.push([key, copy]);
  }
  return Object.fromEntries(entries);
}
