import type { IncomingHttpHeaders } from "node:http";
import { Refused } from "../http/refused.js";
import type { Holder, HubParts, Scope, Tokens } from "../parts.js";
import { KEY_HEADER } from "../protocol.js";

interface Asking {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The origin of the name by which the request called the hub. */
  readonly origin: string;
}

/** The sender of a request: the bearer of a token, or a dashboard that was opened by a link. Throws 401, 403 or 429. */
export function holderOfRequest(
  asking: Asking,
  { tokens, logins, people }: Pick<HubParts, "tokens" | "logins" | "people">,
  limit: LoginLimit,
): Holder {
  const { headers, origin } = asking;
  const secrets = readSecrets(headers.cookie);
  if (headers.authorization !== undefined || secrets.length === 0) return readHolder(headers.authorization, tokens, limit);
  const key = readKey(headers);
  const found = secrets.flatMap((secret) => {
    const scopes = logins.scopesOf(secret, key, origin);
    return scopes === undefined ? [] : [{ scopes, person: logins.personOf(secret, origin) }];
  });
  // The key fits one cookie. Cookies that other servers of this host set must not come before it.
  const [login] = found.sort((a, b) => b.scopes.size - a.scopes.size);
  const person = login?.person === undefined ? undefined : people.signedIn(login.person, "passkey");
  // A person who is no longer on the roster is signed out.
  if (login !== undefined && (login.person === undefined || person !== undefined))
    return { kind: "dashboard", scopes: checkedForDashboard(login.scopes, asking), ...(person !== undefined && { person }) };
  if (limit.failed()) throw new Refused(429, "HL_TOO_MANY", "Too many requests with wrong cookies.", { headers: { "Retry-After": "1" } });
  throw new Refused(401, "HL_UNAUTHORIZED", "This dashboard is no longer signed in.", { fix: { run: "hookline open" } });
}

/** A person of the fleet whom the trusted proxy named. Throws 401 for one who is not on the roster. */
export function holderByProxy(asking: Asking, name: string, { people }: Pick<HubParts, "people">): Holder {
  const person = people.signedIn(name, "proxy");
  if (person !== undefined) return { kind: "dashboard", scopes: checkedForDashboard(new Set<Scope>(["read"]), asking), person };
  throw new Refused(401, "HL_UNAUTHORIZED", "The proxy named a person who is not in this fleet.", {
    fix: { run: "hookline fleet people" },
  });
}

/** Throws 403 if the scope is missing. */
export function checkScope(scopes: ReadonlySet<Scope>, needed: Scope): void {
  // What may read everything may read the metrics.
  if (scopes.has(needed) || (needed === "metrics" && scopes.has("read"))) return;
  const fix =
    "Use the token of operator.json. The token in hub.json can only ingest and decide; the keys of attached agents can only send their events, and the token for metrics can only read /metrics.";
  throw new Refused(403, "HL_SCOPE", `This needs the scope "${needed}", which the token does not have.`, { fix });
}

/** Every browser names the origin of a POST. A POST without it does not come from the dashboard. */
function checkedForDashboard(scopes: ReadonlySet<Scope>, { method, headers }: Asking): ReadonlySet<Scope> {
  const isReading = method === "GET" || method === "HEAD";
  // `checkOrigin` has already made sure that the origin is the hub's own.
  if (isReading || headers.origin !== undefined || headers["sec-fetch-site"] === "same-origin") return scopes;
  throw new Refused(403, "HL_FOREIGN_REQUEST", "The request has a cookie, but does not name the origin it comes from.", {
    fix: "Programs send the header `Authorization: Bearer <token>`.",
  });
}

const BEARER = /^Bearer +([\w.~+/-]{1,1024}={0,2})$/i;
const FIX = "Send the header `Authorization: Bearer <token>` with the token of operator.json (or of hub.json, to ingest and to decide).";

function readHolder(authorization: string | undefined, tokens: Tokens, limit: LoginLimit): Holder {
  if (authorization === undefined) throw unauthorized("This needs a token, and the request has none.");
  const token = BEARER.exec(authorization)?.[1];
  const holder = token === undefined ? undefined : tokens.holderOf(token);
  if (holder !== undefined) return holder;
  if (limit.failed()) {
    throw new Refused(429, "HL_TOO_MANY", "Too many requests with wrong tokens.", { fix: FIX, headers: { "Retry-After": "1" } });
  }
  throw unauthorized(token === undefined ? "The Authorization header is not a bearer token." : "The hub does not know this token.");
}

function unauthorized(message: string): Refused {
  return new Refused(401, "HL_UNAUTHORIZED", message, { fix: FIX, headers: { "WWW-Authenticate": "Bearer" } });
}

const COOKIE = "hookline";
const PAIR = new RegExp(`(?:^|;)[ \\t]*${COOKIE}=([\\w-]{1,128})[ \\t]*(?=;|$)`, "g");
/** A server on another port of this host can also set cookies of that name, one for each part of a path. They must not hide the right one. */
const MAX_TRIED = 32;

/** The secrets that a request's cookies may hold. */
export function readSecrets(header: string | undefined): readonly string[] {
  return [...(header ?? "").matchAll(PAIR)].slice(0, MAX_TRIED).map(([, secret = ""]) => secret);
}

/** Scripts cannot read it, and other sites cannot make the browser send it. */
export function cookieFor(secret: string, maxAgeMs: number, origin = ""): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${Math.floor(maxAgeMs / 1_000)}${secure}`;
}

/** The key that a dashboard sends beside its cookie. */
export function readKey(headers: IncomingHttpHeaders): string | undefined {
  const key = headers[KEY_HEADER];
  return typeof key === "string" ? key : undefined;
}

export interface LoginLimit {
  /** Counts a wrong token; true after too many in this second. */
  failed(): boolean;
}

/** Limits how many wrong tokens are answered in a second. It never delays requests with a right token. */
export function createLoginLimit(perSecond: number, now: () => number = Date.now): LoginLimit {
  let second = 0;
  let count = 0;
  return {
    failed() {
      const current = Math.floor(now() / 1_000);
      if (current !== second) count = 0;
      second = current;
      return ++count > perSecond;
    },
  };
}
