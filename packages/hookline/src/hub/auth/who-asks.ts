import type { IncomingHttpHeaders } from "node:http";
import { Refused } from "../http/refused.js";
import type { Holder, HubParts, Scope } from "../parts.js";
import { KEY_HEADER } from "../protocol.js";
import { readHolder } from "./bearer.js";
import { readSecrets } from "./cookie.js";
import type { LoginLimit } from "./login-limit.js";

interface Asking {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** By which name it called the hub. */
  readonly origin: string;
}

/** Who sends a request: the bearer of a token, else a page that somebody opened by a link. Throws 401, 403 or 429. */
export function holderOfRequest(asking: Asking, { tokens, logins }: Pick<HubParts, "tokens" | "logins">, limit: LoginLimit): Holder {
  const { headers, origin } = asking;
  const secrets = readSecrets(headers.cookie);
  if (headers.authorization !== undefined || secrets.length === 0) return readHolder(headers.authorization, tokens, limit);
  const key = readKey(headers);
  const found = secrets.flatMap((secret) => logins.scopesOf(secret, key, origin) ?? []);
  // The key fits one of them, and cookies that others set must not stand before that.
  const [scopes] = found.sort((a, b) => b.size - a.size);
  if (scopes !== undefined) return { kind: "dashboard", scopes: checkedForPage(scopes, asking) };
  if (limit.failed()) throw new Refused(429, "HL_TOO_MANY", "Too many requests with wrong cookies.", { headers: { "Retry-After": "1" } });
  throw new Refused(401, "HL_UNAUTHORIZED", "This page is not logged in any more.", { fix: "Run: hookline open" });
}

export function readKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers[KEY_HEADER];
  return typeof key === "string" ? key : undefined;
}

/** Every browser says where a POST comes from. What does not say it is no page of ours. */
function checkedForPage(scopes: ReadonlySet<Scope>, { method, headers }: Asking): ReadonlySet<Scope> {
  const isReading = method === "GET" || method === "HEAD";
  // That the origin is our own has been checked before.
  if (isReading || headers.origin !== undefined || headers["sec-fetch-site"] === "same-origin") return scopes;
  throw new Refused(403, "HL_FOREIGN_REQUEST", "The request has a cookie, and does not say which page it comes from.", {
    fix: "Programs use the header `Authorization: Bearer <token>`.",
  });
}
