import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { JUDGED_LIMITS, measureJson, tooMuchText } from "../ingest/json-shape.js";
import { badRequest, Refused } from "./refused.js";

export const JSON_MEDIA = "application/json";
export const NDJSON_MEDIA = "application/x-ndjson";

/** The body's media type, if the route accepts it. Throws 415. HTML forms, which any web page can send, are never accepted. */
export function readMediaType(headers: IncomingHttpHeaders, accepted: readonly string[]): string {
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding !== "identity") throw unsupported("The body is compressed.", "Send it uncompressed, without Content-Encoding.");
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const isUtf8 = parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter));
  if (accepted.includes(type) && isUtf8) return type;
  throw unsupported(
    type === "" ? "The request has no Content-Type." : "This route does not accept this Content-Type.",
    `Send ${accepted.join(" or ")}.`,
  );
}

function unsupported(message: string, fix: string): Refused {
  return new Refused(415, "HL_MEDIA_TYPE", message, { fix });
}

/** How many bytes of bodies, of all clients together, may be in memory at once. */
const MAX_OPEN_BYTES = 256 * 1024 * 1024;
let openBytes = 0;

/** The whole body. Throws 413 as soon as it is too large, whatever Content-Length says. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      openBytes += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (openBytes > MAX_OPEN_BYTES)
        throw new Refused(429, "HL_TOO_MANY", "The hub is reading too many large bodies.", { headers: { "Retry-After": "1" } });
      chunks.push(chunk);
    }
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  } catch (cause) {
    throw cause instanceof Refused ? cause : badRequest("The connection ended before the body was complete.");
  } finally {
    openBytes -= length;
  }
}

function tooLarge(maxBytes: number): Refused {
  const message = `The body is larger than ${maxBytes} bytes.`;
  return new Refused(413, "HL_BODY_TOO_LARGE", message, { fix: "Send it in several requests." });
}

/** A payload may have 64 levels; the object around it adds one. */
const MAX_DEPTH = 65;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a body. Throws 400 if it is empty, not UTF-8, or begins with a byte order mark. */
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

/** Parses a JSON object. Throws 400 for anything else, and names the place (`The body`, `Line 3`). */
export function readObject(text: string, place: string): { readonly [key: string]: unknown } {
  const { exceeds } = measureJson(text, { levels: MAX_DEPTH, ...JUDGED_LIMITS });
  if (exceeds === "levels") throw new Refused(400, "HL_TOO_DEEP", `${place} is nested deeper than 64 levels.`);
  if (exceeds !== undefined) throw badRequest(tooMuchText(place, exceeds), "Send less at a time, or larger texts in fewer fields.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may contain secrets.
    throw badRequest(`${place} is not JSON.`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as { readonly [key: string]: unknown };
  throw badRequest(`${place} is not a JSON object.`);
}
