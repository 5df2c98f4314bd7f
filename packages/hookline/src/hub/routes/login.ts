import { isIP } from "node:net";
import { checkScope, cookieFor, readKey, readSecrets } from "../auth/authenticate.js";
import { SESSION_MS } from "../auth/dashboard-logins.js";
import { originOf as originOfCall } from "../auth/host-guard.js";
import { approvalsAreOff, isLoopback } from "../auth/remote-approvals.js";
import { json } from "../http/answer.js";
import { badRequest, Refused } from "../http/refused.js";
import { JSON_MEDIA } from "../http/request-body.js";
import type { DashboardScope } from "../parts.js";
import type { LinkAnswer, LoginAnswer, MeAnswer } from "../protocol.js";
import { readJsonBody } from "./read-json-body.js";
import type { Call, Route } from "./route.js";
import { boolean, count, list, object, string } from "./schemas.js";

const scopesSchema = list({ enum: ["read", "approve"] });
const FIX = { run: "hookline open" };

export const loginLink: Route = {
  method: "POST",
  path: "/api/login/link",
  scope: "approve",
  summary: "Makes a link that opens the page: good once, for two minutes",
  body: { [JSON_MEDIA]: object({ "scopes?": scopesSchema, "host?": string }) },
  response: {
    description: "The link. Its code stands behind the `#`, which is never sent.",
    schema: object({ url: string, "note?": string }),
  },
  async handle(call) {
    const { scopes: wanted, host } = await readJsonBody(call);
    const scopes = readScopes(wanted);
    const origin = originAt(host, call);
    const isAfar = !isLoopback(new URL(origin).hostname);
    if (isAfar && scopes.includes("approve") && call.parts.remoteApprovals !== true) throw approvalsAreOff();
    const note = host === undefined ? call.parts.dashboardNote?.() : undefined;
    const url = `${origin}/login#${call.parts.logins.offer(scopes, origin)}`;
    return json({ url, ...(note !== undefined && { note }) } satisfies LinkAnswer);
  },
};

export const login: Route = {
  method: "POST",
  path: "/api/login",
  scope: "public",
  summary: "Exchanges the code of a link for a cookie and a key",
  body: { [JSON_MEDIA]: object({ code: string }) },
  response: {
    description: "What the page may do from now on. `isKept`: it may do more already, by the login it has, which stays.",
    schema: object({ scopes: scopesSchema, key: string, "isKept?": { const: true } }),
  },
  async handle(call) {
    const { code } = await readJsonBody(call);
    if (typeof code !== "string" || code === "") throw badRequest('"code" is missing.', FIX);
    const { parts, desk, incoming } = call;
    const session = parts.logins.redeem(code, originOfCall(incoming));
    if (session === undefined) throw desk.isWrongTooOften() ? tooOften() : worthless();
    const { secret, scopes, key } = session;
    const better = betterLogin(call, scopes);
    if (better !== undefined) {
      parts.logins.end(secret);
      return json(better satisfies LoginAnswer);
    }
    for (const before of readSecrets(incoming.headers.cookie)) parts.logins.end(before);
    return { ...json({ scopes, key } satisfies LoginAnswer), headers: { "Set-Cookie": cookieFor(secret, SESSION_MS) } };
  },
};

export const logout: Route = {
  method: "POST",
  path: "/api/logout",
  scope: "read",
  summary: "Makes the page's cookie worth nothing and ends its streams; with `everywhere`, which needs `approve`, those of all pages",
  body: { [JSON_MEDIA]: object({ "everywhere?": boolean }) },
  response: { description: "It is.", schema: object({ out: boolean, "pages?": count }) },
  async handle(call) {
    const { parts, incoming, holder } = call;
    const { everywhere = false } = await readJsonBody(call);
    if (typeof everywhere !== "boolean") throw badRequest('"everywhere" must be true or false.');
    if (everywhere) checkScope(holder.scopes, "approve");
    const key = readKey(incoming.headers);
    const own = readSecrets(incoming.headers.cookie).filter((secret) => parts.logins.isKeyOf(secret, key));
    // Other servers of this host may have seen the cookie.
    if (own.length === 0 && incoming.headers.authorization === undefined) throw keyless();
    const pages = everywhere ? parts.logins.endAll() : undefined;
    for (const secret of own) parts.logins.end(secret);
    return { ...json({ out: true, ...(pages !== undefined && { pages }) }), headers: { "Set-Cookie": cookieFor("", 0) } };
  },
};

export const me: Route = {
  method: "GET",
  path: "/api/me",
  scope: "read",
  summary: "What whoever asks may do",
  response: {
    description: "The scopes, and which hub this is.",
    schema: object({ scopes: list(string), version: string, instance: string }),
  },
  handle: ({ parts: { version, instance }, holder }) => json({ scopes: [...holder.scopes], version, instance } satisfies MeAnswer),
};

/** The login that the browser has, if it may approve and the link may not: to look at somebody's link takes nothing away from the open tabs. */
function betterLogin({ parts, incoming }: Call, offered: readonly DashboardScope[]): LoginAnswer | undefined {
  const key = readKey(incoming.headers);
  if (key === undefined || offered.includes("approve")) return undefined;
  const origin = originOfCall(incoming);
  const has = readSecrets(incoming.headers.cookie).some((secret) => parts.logins.scopesOf(secret, key, origin)?.has("approve"));
  return has ? { key, scopes: ["read", "approve"], isKept: true } : undefined;
}

/** Where the link leads: to this machine itself, or to another name that the hub is called by. */
function originAt(host: unknown, { parts, desk }: Call): string {
  const own = parts.url();
  if (host === undefined) return own;
  const name = typeof host === "string" && isIP(host) === 6 ? `[${host}]` : host;
  const { port } = new URL(own);
  if (typeof name === "string" && name !== "" && desk.answersTo(port === "" ? name : `${name}:${port}`)) return originOf(name, port);
  throw badRequest("The hub does not listen at the host that was given.", "Start it there: hookline down; hookline up --host <address>");
}

function originOf(name: string, port: string): string {
  return `http://${name}${port === "" ? "" : `:${port}`}`;
}

function readScopes(given: unknown = ["read"]): readonly DashboardScope[] {
  const isKnown = Array.isArray(given) && given.includes("read") && given.every((scope) => scope === "read" || scope === "approve");
  if (!isKnown) throw badRequest('"scopes" must be ["read"] or ["read", "approve"].');
  return given.includes("approve") ? ["read", "approve"] : ["read"];
}

function keyless(): Refused {
  return new Refused(403, "HL_SCOPE", "Signing out needs the page's key, which the request does not have.", {
    fix: { run: "hookline logout" },
  });
}

function worthless(): Refused {
  return new Refused(401, "HL_UNAUTHORIZED", "This link was used already, is older than two minutes, or was made by another hub.", {
    fix: FIX,
  });
}

function tooOften(): Refused {
  return new Refused(429, "HL_TOO_MANY", "Too many wrong codes.", { fix: FIX, headers: { "Retry-After": "1" } });
}
