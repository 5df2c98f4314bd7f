import { isDeeperThan } from "../ingest/json-shape.js";
import { badRequest, Refused } from "./refused.js";

/** A payload's 64 levels and what is around it. */
const MAX_DEPTH = 65;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a body. Throws 400 for one that is empty, not UTF-8, or begins with a byte order mark. */
export function readText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw badRequest("The body is not UTF-8.");
  }
  if (text.startsWith("\ufeff")) throw badRequest("The body begins with a byte order mark.", "Send it without one.");
  if (text.trim() === "") throw badRequest("The body is empty.");
  return text;
}

/** The object that a text is. Throws 400, naming the place (`The body`, `Line 3`), for one that is none. */
export function readObject(text: string, place: string): { readonly [key: string]: unknown } {
  if (isDeeperThan(text, MAX_DEPTH)) throw new Refused(400, "HL_TOO_DEEP", `${place} is nested deeper than 64 levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may hold secrets.
    throw badRequest(`${place} is not JSON.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as { readonly [key: string]: unknown };
  throw badRequest(`${place} is not a JSON object.`);
}
