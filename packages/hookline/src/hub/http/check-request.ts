import type { IncomingMessage } from "node:http";
import { hasBody } from "./answer.js";
import { badRequest } from "./refused.js";

const MAX_TARGET = 8_192;
const TARGET = /^\/[!$&-;=?-Z[\]_a-z~%]*$/;
/** Headers of which two would mean that two readers see two requests. */
const SINGLE = new Set([
  "host",
  "authorization",
  "content-type",
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "origin",
  "sec-fetch-site",
  "last-event-id",
  "hookline-confirm",
]);

/** Throws 400 for a request that two readers could take for two different ones. */
export function checkRequest(incoming: IncomingMessage): void {
  const { url = "", method, headers, rawHeaders } = incoming;
  if (url.length > MAX_TARGET || !TARGET.test(url)) throw badRequest("The request's path is malformed.");
  const path = url.split("?", 1)[0] as string;
  if (path.includes("//") || /\/(\.|%2e){1,2}(\/|$)/i.test(path)) throw badRequest("The request's path has empty or dotted parts.");
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (SINGLE.has(name) && seen.has(name)) throw badRequest(`The request has the header "${name}" twice.`);
    seen.add(name);
  }
  const encoding = headers["transfer-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "chunked") throw badRequest("The request's Transfer-Encoding is not chunked.");
  if (hasBody(incoming) && (method === "GET" || method === "HEAD")) throw badRequest(`A ${method} request has no body here.`);
}
