import type { IncomingMessage, ServerResponse } from "node:http";
import { inertText } from "@hookline/core/internal/text";
import { z } from "zod";
import { accessOf } from "../auth/access.js";
import { checkScope, holderByProxy, holderOfRequest, type LoginLimit } from "../auth/authenticate.js";
import { originOf } from "../auth/host-guard.js";
import { checkProxy, findOperator, NotOperator, type Operator } from "../auth/operator.js";
import { isPublic } from "../auth/public-routes.js";
import { unattendedAlarm } from "../auth/refusals.js";
import { checkPlace, scopesFrom } from "../auth/remote-approvals.js";
import { answerOf, send } from "../http/answer.js";
import { keepPlace } from "../http/connection-guard.js";
import { readJson, readQuery } from "../http/read-input.js";
import { Refused } from "../http/refused.js";
import { JSON_MEDIA, readBody, readMediaType } from "../http/request-body.js";
import { createRouter, type Found } from "../http/router.js";
import type { Holder, HubParts } from "../parts.js";
import type { Factor } from "../protect/settings.js";
import { CONFIRM_HEADER } from "../protocol.js";
import type { Call, Route, ServerParts } from "./route.js";
import { routes } from "./table.js";

export interface AppOptions {
  readonly parts: HubParts;
  readonly server: ServerParts;
  readonly logins: LoginLimit;
  /** How long a client may take to read an answer. */
  readonly answerTimeoutMs: number;
  /** Called for errors of the hub itself, not for those of a request. */
  readonly onError: (error: unknown) => void;
}

export interface App {
  /** Answers a request whose form, host and origin were checked. Never rejects. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
  /** Every route that it serves. */
  readonly routes: readonly Route[];
}

/** The hub's routes behind its tokens. */
export function createApp({ parts, server, logins, answerTimeoutMs: timeoutMs, onError }: AppOptions): App {
  const router = createRouter(routes);
  const isAllowed = parts.remoteApprovals === true;

  const isPhone = (incoming: IncomingMessage): boolean => parts.publicOrigin !== undefined && originOf(incoming) === parts.publicOrigin;

  // Comes before the look-up: without a token a client cannot even find out which routes exist.
  async function authenticate(method: string, path: string, incoming: IncomingMessage): Promise<Holder> {
    const isFromPhone = isPhone(incoming);
    // Programs on this machine use these routes. From elsewhere they are of no use.
    if (isFromPhone && path.startsWith("/api/hooks/")) throw missing([]);
    if (isPublic(method, path)) return NOBODY;
    if (isFromPhone && incoming.headers.authorization !== undefined) throw tokensAreLocal();
    const asking = { method, headers: incoming.headers, origin: originOf(incoming) };
    const named = await parts.people.namedByProxy(incoming);
    if (named !== undefined) return holderByProxy(asking, named, parts);
    const holder = holderOfRequest(asking, parts, logins);
    const scopes = scopesFrom(holder.scopes, { socket: incoming.socket, isAllowed });
    if (!isFromPhone || !scopes.has("approve")) return { ...holder, scopes };
    // Without a passkey it could look at secrets, and not answer.
    return { ...holder, scopes: parts.phone.passkeys.list().length > 0 ? scopes : READ, isPhone: true };
  }

  function authorize({ route, params }: Found<Route>, holder: Holder, incoming: IncomingMessage): void {
    if (route.scope === "public") return;
    const { socket } = incoming;
    try {
      if (isPhone(incoming) && route.fromPhone !== true && (route.scope === "approve" || accessOf(route) === "operate")) throw onlyHere();
      checkPlace(route.scope, { socket, isAllowed });
      checkScope(holder.scopes, route.scope);
    } catch (error) {
      const action = `${route.method} ${route.path}`;
      const [target] = Object.values(params);
      if (route.scope === "approve") parts.onRefused({ who: holder, action, target, reason: (error as Error).message });
      throw error;
    }
  }

  /** Looked up once for each request, and only for one that operates. */
  function operatorOf({ route, params }: Found<Route>, holder: Holder, incoming: IncomingMessage): Call["operate"] {
    let found: Promise<Operator> | undefined;
    const find = async (): Promise<Operator> => {
      if (!isPhone(incoming)) return findOperator(incoming.socket, parts);
      if (route.fromPhone !== true) throw onlyHere();
      // The process is the proxy. That a person is behind it is shown by the passkey.
      await checkProxy(incoming.socket, parts);
      return {};
    };
    return (action = `${route.method} ${route.path}`) => {
      found ??= find().catch((error: unknown) => {
        if (error instanceof NotOperator) {
          const { agent, process, message: reason, fix } = error;
          const [target] = Object.values(params);
          parts.onRefused({ who: { ...holder, ...(agent !== undefined && { agent }) }, action, target, reason, fix, process });
        }
        throw error;
      });
      return found;
    };
  }

  /** Nothing tells it from a person's own program, so it is not refused. */
  function noteUnattended({ method, path }: Route, { hasTerminal = true, process }: Operator): void {
    if (hasTerminal) return;
    const agents = new Set(parts.agentProcesses.list().map(({ agent }) => agent));
    if (agents.size > 0) parts.alarms.raise(unattendedAlarm(`${method} ${path}`, process, [...agents]));
  }

  /** What operates is confirmed by a person while `hookline protect` is on. */
  async function confirm(route: Route, call: Omit<Call, "confirm">, bytes: Uint8Array): Promise<Factor | undefined> {
    const { incoming, operate } = call;
    const header = incoming.headers[CONFIRM_HEADER];
    const { process, source } = await operate();
    return parts.protect.confirm({
      method: route.method,
      path: incoming.url ?? "",
      body: bytes,
      allows: inertText(route.allows?.(call) ?? allowedBy(route, call)).slice(0, MAX_ALLOWS),
      header: typeof header === "string" ? header : undefined,
      origin: originOf(incoming),
      by: route.confirmedBy,
      process,
      source,
    });
  }

  async function run(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "" } = incoming;
    const [, path = "", search = ""] = /^([^?]*)\??(.*)$/s.exec(incoming.url ?? "") ?? [];
    const holder = await authenticate(method, path, incoming);
    if (holder.kind !== "nobody") keepPlace(incoming, outgoing);
    const found = router.find(method, path);
    if (found === undefined) throw missing(router.methodsAt(path));
    authorize(found, holder, incoming);
    const { route, params } = found;
    const operate = operatorOf(found, holder, incoming);
    if (accessOf(route) === "operate") await operate();
    const { bytes, ...input } = await readInput(route, incoming, search);
    const call = { parts, server, incoming, outgoing, holder, params, operate, ...input };
    const confirmed = () => confirm(route, call, bytes);
    const factor = accessOf(route) === "operate" ? await confirmed() : undefined;
    if (accessOf(route) === "operate" && holder.kind === "operator" && factor === undefined) noteUnattended(route, await operate());
    const answer = await route.handle({ ...call, factor, confirm: confirmed });
    if (answer !== "sent") send(incoming, outgoing, { answer, timeoutMs });
  }

  return {
    routes,
    async handle(incoming, outgoing) {
      try {
        await run(incoming, outgoing);
      } catch (error) {
        const answer = answerOf(error);
        if (answer.status === 500) onError(error);
        send(incoming, outgoing, { answer, timeoutMs });
      }
    },
  };
}

const NO_QUERY = z.strictObject({});
const MAX_BODY_BYTES = 16 * 1024;

async function readInput(
  { isDashboard, method, query, body, rawBody, maxBytes = MAX_BODY_BYTES }: Route,
  incoming: IncomingMessage,
  search: string,
): Promise<Pick<Call, "query" | "body" | "mediaType"> & { readonly bytes: Uint8Array }> {
  const parameters = isDashboard ? {} : readQuery(query ?? NO_QUERY, search);
  const accepted = rawBody === undefined ? [JSON_MEDIA] : Object.keys(rawBody);
  const mediaType = method === "POST" ? readMediaType(incoming.headers, accepted) : "";
  const bytes = body === undefined ? NO_BYTES : await readBody(incoming, maxBytes);
  return { query: parameters, mediaType, bytes, body: body && readJson(body, bytes) };
}

const NO_BYTES = new Uint8Array();
const MAX_ALLOWS = 1_000;

function allowedBy({ summary }: Route, { params }: Pick<Call, "params">): string {
  const which = Object.values(params as { readonly [name: string]: string }).join(", ");
  return `${summary}${which === "" ? "" : ` (${which})`}.`;
}

const READ: Holder["scopes"] = new Set(["read"]);

function onlyHere(): Refused {
  return new Refused(
    403,
    "HL_SCOPE",
    "At the public address you can look, and answer calls with a passkey. Everything else is done on the hub's machine.",
    {
      fix: { run: "hookline open --approve" },
    },
  );
}

function tokensAreLocal(): Refused {
  return new Refused(403, "HL_FOREIGN_REQUEST", "Tokens do not work at the public address.", {
    fix: "Call the hub on its own machine, by the address in hub.json.",
  });
}

const NOBODY: Holder = { kind: "nobody", scopes: new Set() };

function missing(methods: readonly string[]): Refused {
  if (methods.length === 0)
    return new Refused(404, "HL_NOT_FOUND", "There is no such route.", { fix: "GET /api/openapi.json lists them." });
  const allowed = methods.join(", ");
  return new Refused(405, "HL_WRONG_METHOD", `This route takes ${allowed}.`, { headers: { Allow: allowed } });
}
