import { Refused } from "../http/refused.js";
import type { Holder, Scope, Tokens } from "../parts.js";
import type { LoginLimit } from "./login-limit.js";

const BEARER = /^Bearer +([\w.~+/-]{1,1024}={0,2})$/i;
const FIX = "Send the header `Authorization: Bearer <token>` with the token of operator.json (or of hub.json, to ingest and to decide).";

/** Who sends a request, by its token. Throws 401 without a token or with a wrong one, and 429 when wrong ones come too fast. */
export function readHolder(authorization: string | undefined, tokens: Tokens, limit: LoginLimit): Holder {
  if (authorization === undefined) throw unauthorized("This needs a token, and the request has none.");
  const token = BEARER.exec(authorization)?.[1];
  const holder = token === undefined ? undefined : tokens.holderOf(token);
  if (holder !== undefined) return holder;
  if (limit.failed()) {
    throw new Refused(429, "HL_TOO_MANY", "Too many requests with wrong tokens.", { fix: FIX, headers: { "Retry-After": "1" } });
  }
  throw unauthorized(token === undefined ? "The Authorization header is no bearer token." : "The hub does not know this token.");
}

export function checkScope(scopes: ReadonlySet<Scope>, needed: Scope): void {
  if (scopes.has(needed)) return;
  const fix =
    "Use the token of operator.json; the one in hub.json may ingest and decide only, and the keys of attached agents only speak for them.";
  throw new Refused(403, "HL_SCOPE", `This needs the scope "${needed}", which the token does not have.`, { fix });
}

function unauthorized(message: string): Refused {
  return new Refused(401, "HL_UNAUTHORIZED", message, { fix: FIX, headers: { "WWW-Authenticate": "Bearer" } });
}
