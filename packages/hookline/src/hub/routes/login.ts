import { isIP } from "node:net";
import { z } from "zod";
import { checkScope, cookieFor, readKey, readSecrets } from "../auth/authenticate.js";
import { SESSION_MS } from "../auth/dashboard-logins.js";
import { originOf as originOfCall } from "../auth/host-guard.js";
import { approvalsAreOff, isLoopback } from "../auth/remote-approvals.js";
import { json } from "../http/answer.js";
import { badRequest, Refused } from "../http/refused.js";
import type { DashboardScope } from "../parts.js";
import { NO_URL } from "../phone/phones.js";
import type { LinkAnswer, LoginAnswer, LogoutAnswer, MeAnswer } from "../protocol.js";
import { type Call, route } from "./route.js";
import { contract, count } from "./schemas.js";

const scopes = z.array(z.enum(["read", "approve"]));
const FIX = { run: "hookline open" };
const scopesError = 'must be ["read"] or ["read", "approve"].';

export const loginLink = route({
  method: "POST",
  path: "/api/login/link",
  scope: "approve",
  access: "read",
  operatesWhen: "it asks for `approve`",
  summary: "Makes a link that opens the dashboard; it works once, for two minutes",
  body: z
    .strictObject({
      scopes: z
        .array(z.enum(["read", "approve"], { error: scopesError }), { error: scopesError })
        .refine((given) => given.includes("read"), { error: scopesError })
        .default(["read"])
        .describe("What the dashboard may do."),
      host: z.string().exactOptional().describe("Another name or address that the hub listens at, for a link from other machines."),
      phone: z.literal(true).exactOptional().describe("A link to the public address, `publicUrl` of `[hub]`."),
    })
    .register(contract, { id: "LinkRequest" }),
  answer: {
    description: "The link.",
    body: z
      .object({
        url: z.string().describe("The code is behind the `#`, which browsers do not send."),
        note: z.string().optional().describe("Why the link does not use the dashboard's own name."),
      })
      .register(contract, { id: "LinkAnswer" }),
  },
  async handle({ parts, server, operate, body: { scopes: given, host, phone } }) {
    const wanted: readonly DashboardScope[] = given.includes("approve") ? ["read", "approve"] : ["read"];
    if (wanted.includes("approve")) await operate();
    const origin = phone === true ? publicOriginOf(parts) : originAt(host, { parts, server });
    const isRemote = phone !== true && !isLoopback(new URL(origin).hostname);
    if (isRemote && wanted.includes("approve") && parts.remoteApprovals !== true) throw approvalsAreOff();
    const note = host === undefined && phone !== true ? parts.dashboardNote?.() : undefined;
    const url = `${origin}/login#${parts.logins.offer(wanted, origin)}`;
    return json({ url, ...(note !== undefined && { note }) } satisfies LinkAnswer);
  },
});

const codeError = "is missing. Run: hookline open";

export const login = route({
  method: "POST",
  path: "/api/login",
  scope: "public",
  access: "read",
  operatesWhen: "the link may approve",
  fromPhone: true,
  summary: "Exchanges the code of a link for a cookie and a key",
  body: z.strictObject({ code: z.string({ error: codeError }).min(1, { error: codeError }) }).register(contract, { id: "LoginRequest" }),
  answer: {
    description: "The dashboard is signed in.",
    body: z
      .object({
        scopes: scopes.describe("What the dashboard may do from now on."),
        key: z.string().describe("The dashboard sends it in the header `hookline-key`."),
        isKept: z.literal(true).exactOptional().describe("The browser had a login that may do more. That login stays."),
      })
      .register(contract, { id: "LoginAnswer" }),
  },
  async handle(call) {
    const { parts, server, incoming, body, operate } = call;
    const session = parts.logins.redeem(body.code, originOfCall(incoming));
    if (session === undefined) throw server.isWrongTooOften() ? tooOften() : worthless();
    const { secret, scopes: offered, key } = session;
    if (offered.includes("approve"))
      await operate().catch((error: unknown) => {
        parts.logins.end(secret);
        throw error;
      });
    const better = betterLogin(call, offered);
    if (better !== undefined) {
      parts.logins.end(secret);
      return json(better satisfies LoginAnswer);
    }
    for (const before of readSecrets(incoming.headers.cookie)) parts.logins.end(before);
    return {
      ...json({ scopes: offered, key } satisfies LoginAnswer),
      headers: { "Set-Cookie": cookieFor(secret, SESSION_MS, originOfCall(incoming)) },
    };
  },
});

export const logout = route({
  method: "POST",
  path: "/api/logout",
  scope: "read",
  access: "read",
  operatesWhen: "it signs out everywhere",
  allows: () => "Sign out every dashboard.",
  summary: "Signs the dashboard out and ends its streams",
  body: z
    .strictObject({ everywhere: z.boolean().default(false).describe("Signs out all dashboards. This needs the scope `approve`.") })
    .register(contract, { id: "LogoutRequest" }),
  answer: {
    description: "The cookie is void.",
    body: z
      .object({ out: z.literal(true), pages: count.exactOptional().describe("How many dashboards were signed out everywhere.") })
      .register(contract, { id: "LogoutAnswer" }),
  },
  async handle({ parts, incoming, holder, operate, confirm, body: { everywhere } }) {
    if (everywhere) {
      checkScope(holder.scopes, "approve");
      await operate();
      await confirm();
    }
    const key = readKey(incoming.headers);
    const own = readSecrets(incoming.headers.cookie).filter((secret) => parts.logins.isKeyOf(secret, key));
    // Other servers on this host may have seen the cookie, but not the key.
    if (own.length === 0 && incoming.headers.authorization === undefined) throw keyless();
    const pages = everywhere ? parts.logins.endAll() : undefined;
    for (const secret of own) parts.logins.end(secret);
    const answer = { out: true, ...(pages !== undefined && { pages }) } satisfies LogoutAnswer;
    return { ...json(answer), headers: { "Set-Cookie": cookieFor("", 0, originOfCall(incoming)) } };
  },
});

export const me = route({
  method: "GET",
  path: "/api/me",
  scope: "read",
  access: "read",
  summary: "Shows what the sender of the request may do",
  answer: {
    description: "The scopes, and which hub this is.",
    body: z
      .object({
        scopes: z.array(z.string()),
        version: z.string(),
        instance: z.string(),
        fleet: z.string().exactOptional().describe("On a fleet hub: the id of its fleet."),
        person: z
          .object({
            name: z.string(),
            role: z.enum(["view", "approve", "policy", "admin"]),
            by: z.enum(["passkey", "proxy"]).describe("How the person signed in."),
            answers: z
              .enum(["passkey", "hub"])
              .exactOptional()
              .describe("What proves an answer: a passkey, or the hub's own word. Missing for a person who cannot answer here."),
          })
          .describe("The person of the fleet who is signed in.")
          .register(contract, { id: "MePerson" })
          .exactOptional(),
        phone: z
          .object({ passkeys: count.describe("How many passkeys answer here.") })
          .exactOptional()
          .describe("At the public address: this browser may make a passkey, and answer with one."),
      })
      .register(contract, { id: "MeAnswer" }),
  },
  handle({ parts, incoming, holder: { scopes, person, isPhone = false } }) {
    const { version, instance, fleet, people } = parts;
    const settings = fleet.settings?.role === "hub" ? fleet.settings : undefined;
    const answers = person && people.answersWith(person, originOfCall(incoming));
    return json({
      scopes: [...scopes],
      version,
      instance,
      ...(settings !== undefined && { fleet: settings.fleet }),
      ...(isPhone && { phone: { passkeys: parts.phone.passkeys.list().length } }),
      ...(person !== undefined && {
        person: { name: person.name, role: person.role, by: person.by, ...(answers !== undefined && { answers }) },
      }),
    } satisfies MeAnswer);
  },
});

/** The browser's login, if it may approve and the link may not: a view-only link does not downgrade a browser that can already approve. */
function betterLogin({ parts, incoming }: Pick<Call, "parts" | "incoming">, offered: readonly DashboardScope[]): LoginAnswer | undefined {
  const key = readKey(incoming.headers);
  if (key === undefined || offered.includes("approve")) return undefined;
  const origin = originOfCall(incoming);
  const has = readSecrets(incoming.headers.cookie).some((secret) => parts.logins.scopesOf(secret, key, origin)?.has("approve"));
  return has ? { key, scopes: ["read", "approve"], isKept: true } : undefined;
}

function publicOriginOf({ publicOrigin }: Pick<Call["parts"], "publicOrigin">): string {
  if (publicOrigin !== undefined) return publicOrigin;
  throw new Refused(409, "HL_BAD_REQUEST", "The hub has no public address, so phones can only look.", { fix: NO_URL });
}

/** The origin of the link: this machine, or another name that the hub answers to. */
function originAt(host: string | undefined, { parts, server }: Pick<Call, "parts" | "server">): string {
  const own = parts.url();
  if (host === undefined) return own;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  const { port } = new URL(own);
  if (name !== "" && server.answersTo(port === "" ? name : `${name}:${port}`)) return originOf(name, port);
  throw badRequest("The hub does not listen at this host.", "Start it there: hookline down; hookline up --host <address>");
}

function originOf(name: string, port: string): string {
  return `http://${name}${port === "" ? "" : `:${port}`}`;
}

function keyless(): Refused {
  return new Refused(403, "HL_SCOPE", "Signing out needs the dashboard's key, which the request does not have.", {
    fix: { run: "hookline logout" },
  });
}

function worthless(): Refused {
  return new Refused(401, "HL_UNAUTHORIZED", "This link was already used, is older than two minutes, or was made by another hub.", {
    fix: FIX,
  });
}

function tooOften(): Refused {
  return new Refused(429, "HL_TOO_MANY", "Too many wrong codes.", { fix: FIX, headers: { "Retry-After": "1" } });
}
