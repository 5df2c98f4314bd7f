import { cookieFor, readSecrets } from "../auth/cookie.js";
import { SESSION_MS } from "../auth/page-sessions.js";
import { json } from "../http/answer.js";
import { JSON_MEDIA } from "../http/media-type.js";
import { badRequest, Refused } from "../http/refused.js";
import type { PageScope } from "../parts.js";
import type { LinkAnswer, LoginAnswer, MeAnswer } from "../protocol.js";
import { readJsonBody } from "./read-json-body.js";
import type { Route } from "./route.js";
import { boolean, list, object, string } from "./schemas.js";

const scopesSchema = list({ enum: ["read", "approve"] });
const FIX = "Run: hookline open";

export const loginLink: Route = {
  method: "POST",
  path: "/api/login/link",
  scope: "approve",
  summary: "Makes a link that opens the page: good once, for two minutes",
  body: { [JSON_MEDIA]: object({ "scopes?": scopesSchema }) },
  response: { description: "The link. Its code stands behind the `#`, which is never sent.", schema: object({ url: string }) },
  async handle(call) {
    const { logins, url } = call.parts;
    const code = logins.offer(readScopes((await readJsonBody(call)).scopes));
    return json({ url: `${url()}/login#${code}` } satisfies LinkAnswer);
  },
};

export const login: Route = {
  method: "POST",
  path: "/api/login",
  scope: "public",
  summary: "Exchanges the code of a link for a cookie and a key",
  body: { [JSON_MEDIA]: object({ code: string }) },
  response: { description: "What the page may do from now on.", schema: object({ scopes: scopesSchema, key: string }) },
  async handle(call) {
    const { code } = await readJsonBody(call);
    if (typeof code !== "string" || code === "") throw badRequest('"code" is missing.', FIX);
    const { parts, desk, incoming } = call;
    const session = parts.logins.redeem(code);
    if (session === undefined) throw desk.isWrongTooOften() ? tooOften() : worthless();
    for (const before of readSecrets(incoming.headers.cookie)) parts.logins.end(before);
    const { secret, scopes, key } = session;
    return { ...json({ scopes, key } satisfies LoginAnswer), headers: { "Set-Cookie": cookieFor(secret, SESSION_MS) } };
  },
};

export const logout: Route = {
  method: "POST",
  path: "/api/logout",
  scope: "read",
  summary: "Makes the page's cookie worth nothing",
  body: { [JSON_MEDIA]: { type: "object" } },
  response: { description: "It is.", schema: object({ out: boolean }) },
  handle({ parts, incoming }) {
    for (const secret of readSecrets(incoming.headers.cookie)) parts.logins.end(secret);
    return { ...json({ out: true }), headers: { "Set-Cookie": cookieFor("", 0) } };
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
  handle: ({ parts: { version, instance }, scopes }) => json({ scopes: [...scopes], version, instance } satisfies MeAnswer),
};

function readScopes(given: unknown = ["read"]): readonly PageScope[] {
  const isKnown = Array.isArray(given) && given.includes("read") && given.every((scope) => scope === "read" || scope === "approve");
  if (!isKnown) throw badRequest('"scopes" must be ["read"] or ["read", "approve"].');
  return given.includes("approve") ? ["read", "approve"] : ["read"];
}

function worthless(): Refused {
  return new Refused(401, "HL_UNAUTHORIZED", "This link was used already, is older than two minutes, or is none of this hub's.", {
    fix: FIX,
  });
}

function tooOften(): Refused {
  return new Refused(429, "HL_TOO_MANY", "Too many wrong codes.", { fix: FIX, headers: { "Retry-After": "1" } });
}
