import { readOwn } from "./path.js";

/** How values are compared: missing and null are empty, objects are their JSON. Never throws. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null || typeof value === "function") return "";
  return typeof value === "object" ? toJson(value) : String(value);
}

/** JSON that never throws: where `JSON.stringify` gives up (cycles, BigInt, great depth, throwing getters) the rest is still written. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return lenientJson(value);
  }
}

/** Missing, empty text, empty list, empty object, false, 0 and null are not. */
export function isTruthy(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  try {
    return !(Array.isArray(value) || isPlain(value)) || Object.keys(value).length > 0;
  } catch {
    return false;
  }
}

/** A record, of whatever realm: only an `Object.prototype` has `isPrototypeOf` of its own. */
export function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(prototype, "isPrototypeOf");
}

// A closing bracket, or a value with what stands before it.
type Piece = string | readonly [before: string, value: unknown];

// A getter can nest without end. Objects beyond this many are named only, but every text beside them is still written.
const maxObjects = 300_000;

// Iterative, and each object once: deep nesting must not hide from a guard what it would otherwise find.
function lenientJson(root: unknown): string {
  const seen = new Set<unknown>();
  const pieces: Piece[] = [["", root]];
  let json = "";
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    json += typeof piece === "string" ? piece : piece[0] + openJson(piece[1], seen, pieces);
  }
  return json;
}

function openJson(value: unknown, seen: Set<unknown>, pieces: Piece[]): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (seen.size >= maxObjects || seen.size === seen.add(value).size) return '"[seen]"';
  let keys: readonly string[] = [];
  let isList = false;
  try {
    keys = Object.keys(value);
    isList = Array.isArray(value);
  } catch {
    // Unreadable, and so written as empty.
  }
  pieces.push(isList ? "]" : "}");
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    pieces.push([(i > 0 ? "," : "") + (isList ? "" : `${JSON.stringify(key)}:`), readOwn(value, key)]);
  }
  return isList ? "[" : "{";
}
