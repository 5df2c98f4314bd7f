import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { checkScope } from "../auth/bearer.js";
import { originOf } from "../auth/called-by.js";
import { checkPlace, scopesFrom } from "../auth/from-afar.js";
import type { LoginLimit } from "../auth/login-limit.js";
import { isPublic } from "../auth/public-routes.js";
import type { RefusedAction } from "../auth/refusals.js";
import { holderOfRequest } from "../auth/who-asks.js";
import type { Holder, HubParts } from "../parts.js";
import { readQuery } from "../routes/read-query.js";
import type { Call, Desk, Route } from "../routes/route.js";
import { routes } from "../routes/table.js";
import { answerOf, send } from "./answer.js";
import { readMediaType } from "./media-type.js";
import { Refused } from "./refused.js";

export interface AppOptions {
  readonly parts: HubParts;
  readonly desk: Desk;
  readonly logins: LoginLimit;
  /** How long a peer may take over an answer. */
  readonly answerTimeoutMs: number;
  /** Hears of what went wrong through no fault of a request's. */
  readonly onError: (error: unknown) => void;
}

type Env = { readonly Bindings: HttpBindings; readonly Variables: { holder: Holder } };

/** The hub's routes behind its tokens. Every answer is written to Node's own response: one write, and nothing in between. */
export function createApp(options: AppOptions): Hono<Env> {
  const { parts, desk, logins, answerTimeoutMs: timeoutMs, onError } = options;
  const isAllowed = parts.remoteApprovals === true;
  const app = new Hono<Env>();
  const refuse = ({ env: { incoming, outgoing } }: Context<Env>, error: unknown): Response => {
    const answer = answerOf(error);
    if (answer.status === 500) onError(error);
    send(incoming, outgoing, { answer, timeoutMs });
    return RESPONSE_ALREADY_SENT;
  };

  // First of all, also for what is not there: without a token nothing can be found out.
  app.use("*", async (context, next) => {
    const { method, path } = context.req;
    if (isPublic(method, path)) return next();
    try {
      const { incoming } = context.env;
      const asking = { method, headers: incoming.headers, origin: originOf(incoming) };
      const holder = holderOfRequest(asking, parts, logins);
      context.set("holder", { ...holder, scopes: scopesFrom(holder.scopes, { socket: incoming.socket, isAllowed }) });
    } catch (error) {
      return refuse(context, error);
    }
    return next();
  });

  for (const route of routes) {
    app.on(route.method, route.path, async (context) => {
      try {
        const { incoming, outgoing } = context.env;
        if (route.scope !== "public") {
          try {
            checkPlace(route.scope, { socket: incoming.socket, isAllowed });
            checkScope(context.get("holder").scopes, route.scope);
          } catch (error) {
            if (route.scope === "approve") parts.onRefused(refusedAction(route, context, error as Error));
            throw error;
          }
        }
        const answer = await route.handle(callOf(route, context, { parts, desk }));
        if (answer !== "sent") send(incoming, outgoing, { answer, timeoutMs });
        return RESPONSE_ALREADY_SENT;
      } catch (error) {
        return refuse(context, error);
      }
    });
  }
  app.notFound((context) => refuse(context, missing(context.req.path)));
  app.onError((error, context) => refuse(context, error));
  return app;
}

const NOBODY: Holder = { kind: "nobody", scopes: new Set() };

function refusedAction({ method, path }: Route, context: Context<Env>, { message }: Error): RefusedAction {
  const [target] = Object.values(context.req.param() as { readonly [name: string]: string });
  return { who: context.get("holder"), action: `${method} ${path}`, target, reason: message };
}

function callOf(route: Route, context: Context<Env>, { parts, desk }: Pick<AppOptions, "parts" | "desk">): Call {
  const { incoming, outgoing } = context.env;
  const [, search = ""] = /\?(.*)$/s.exec(incoming.url ?? "") ?? [];
  return {
    parts,
    desk,
    incoming,
    outgoing,
    query: route.isPage ? new Map() : readQuery(route, search),
    holder: context.get("holder") ?? NOBODY,
    param: (name) => context.req.param(name) ?? "",
    mediaType: route.method === "POST" ? readMediaType(incoming.headers, Object.keys(route.body ?? {})) : "",
  };
}

function missing(path: string): Refused {
  const methods = routes.filter((route) => matches(route.path, path)).map(({ method }) => method);
  if (methods.length === 0)
    return new Refused(404, "HL_NOT_FOUND", "There is no such route.", { fix: "GET /api/openapi.json lists them." });
  return new Refused(405, "HL_WRONG_METHOD", `This route takes ${methods.join(", ")}.`, { headers: { Allow: methods.join(", ") } });
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  return (
    wanted.length === given.length && wanted.every((part, index) => (part.startsWith(":") ? given[index] !== "" : part === given[index]))
  );
}
