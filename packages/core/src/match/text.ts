import { badMatch } from "./bad-match.js";
import { readMember } from "./path.js";

/** How values are compared: missing and null are empty, objects are their JSON. Throws for what cannot be read. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null || typeof value === "function") return "";
  return typeof value === "object" ? toJson(value) : String(value);
}

/** JSON also where `JSON.stringify` gives up: cycles, BigInt, great depth. What cannot be read, or is too large to search, throws. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return lenientJson(value);
  }
}

/** False for missing values, empty text, empty lists, empty objects, false, 0 and null. */
export function isTruthy(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  return !(Array.isArray(value) || isPlain(value)) || Object.keys(value).length > 0;
}

/** A record, of whatever realm: only an `Object.prototype` has `isPrototypeOf` of its own. */
export function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(prototype, "isPrototypeOf");
}

// A closing bracket, or a value with what stands before it.
type Piece = string | readonly [before: string, value: unknown];

// A getter can nest without end, and a large payload must not hide anything from a guard: above this many objects, matching fails.
const maxObjects = 300_000;

// Iterative, and each object once, because deep nesting must not hide anything from a guard.
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
  if (seen.size === seen.add(value).size) return '"[seen]"';
  if (seen.size > maxObjects) throw badMatch(`The value has more than ${maxObjects} objects, too many to search.`);
  const keys = Object.keys(value);
  const isList = Array.isArray(value);
  pieces.push(isList ? "]" : "}");
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    pieces.push([(i > 0 ? "," : "") + (isList ? "" : `${JSON.stringify(key)}:`), readMember(value, key)]);
  }
  return isList ? "[" : "{";
}
