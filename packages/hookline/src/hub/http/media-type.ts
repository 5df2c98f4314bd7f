import type { IncomingHttpHeaders } from "node:http";
import { Refused } from "./refused.js";

export const JSON_MEDIA = "application/json";
export const NDJSON_MEDIA = "application/x-ndjson";

/** The body's media type, if the route takes it. Throws 415: forms, which any page may send, are none of them. */
export function readMediaType(headers: IncomingHttpHeaders, accepted: readonly string[]): string {
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding !== "identity") throw unsupported("The body is compressed.", "Send it as it is, without Content-Encoding.");
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const isUtf8 = parameters.every((parameter) => !parameter.startsWith("charset=") || /^charset="?utf-?8"?$/.test(parameter));
  if (accepted.includes(type) && isUtf8) return type;
  throw unsupported(
    type === "" ? "The request has no Content-Type." : "This Content-Type is not taken here.",
    `Send ${accepted.join(" or ")}.`,
  );
}

function unsupported(message: string, fix: string): Refused {
  return new Refused(415, "HL_MEDIA_TYPE", message, { fix });
}
