import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Access } from "../auth/access.js";
import type { Operator } from "../auth/operator.js";
import type { Answer } from "../http/answer.js";
import type { SseClients } from "../live/sse-clients.js";
import type { Holder, HubParts, Live, Scope } from "../parts.js";
import type { Factor } from "../protect/settings.js";

/**
 * One route of the hub: its input and output, declared once. The server checks input by it, the tests check answers by it; `protocol.ts`,
 * the OpenAPI document and the tables of `docs/hub-api.md` are generated from it.
 */
export interface Route<Params = unknown, Query = unknown, Body = unknown> {
  readonly method: "GET" | "POST";
  /** With parameters as `:name`. */
  readonly path: string;
  readonly scope: Scope | "public";
  /** What it does to the guards; a route that does not say counts as operating. */
  readonly access?: Access;
  /** When a request to a reading route operates. Its handler then calls `operate` of the call. */
  readonly operatesWhen?: string;
  /** One sentence for the person who confirms it under `hookline protect`. Without it, the summary and the parameters of the path. */
  allows?(call: Pick<Call<Params, Query, Body>, "parts" | "params" | "body">): string;
  /** Only the recovery code confirms it. */
  readonly confirmedBy?: "recovery";
  /** The dashboard's public origin has it, too, although it operates or needs `approve`. Everything else of that kind is for this machine. */
  readonly fromPhone?: true;
  /** A file of the dashboard: the query belongs to the dashboard's own code. */
  readonly isDashboard?: true;
  readonly summary: string;
  /** The parameters of the path, under the names that `path` has. */
  readonly params?: z.ZodObject;
  /** Unknown parameters are rejected. */
  readonly query?: z.ZodObject;
  /** The JSON body of a POST. Unknown fields are rejected. */
  readonly body?: z.ZodObject;
  /** The largest body, in bytes. */
  readonly maxBytes?: number;
  /** Bodies that the route reads itself, by media type. */
  readonly rawBody?: { readonly [mediaType: string]: z.ZodType };
  readonly answer: RouteAnswer;
  handle(call: Call<Params, Query, Body>): Answer | Promise<Answer>;
}

export interface RouteAnswer {
  /** 200 unless given. */
  readonly status?: number;
  readonly description: string;
  /** The JSON of the answer. */
  readonly body?: z.ZodType;
  /** Of an answer that is not JSON. */
  readonly mediaType?: string;
  /** The data of server-sent events, by the event's name. */
  readonly events?: { readonly [name: string]: z.ZodType };
}

/** A request that has passed: its token has the scope, and its parameters and body are those that the route declares. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly parts: HubParts;
  readonly server: ServerParts;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The sender; on a public route its kind is `nobody`. */
  readonly holder: Holder;
  /** Of a raw body. */
  readonly mediaType: string;
  /** How the operator confirmed it; missing while `hookline protect` is off, and if the route does not operate. */
  readonly factor?: Factor | undefined;
  /** Checks that the sender may operate, and returns the process. Throws 403, which is recorded and raises an alarm. */
  operate(action?: string): Promise<Operator>;
  /** For a request that operates on a route that otherwise reads: a person confirms it while `hookline protect` is on. Throws 401 or 403. */
  confirm(): Promise<Factor | undefined>;
}

type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** Declares a route. The types of `params`, `query` and `body` follow from their schemas. */
export function route<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodObject | undefined = undefined,
  R extends Route["rawBody"] = undefined,
  A extends RouteAnswer = RouteAnswer,
>(
  declared: Route<Output<P>, Output<Q>, Output<B>> & { readonly params?: P; readonly query?: Q } & {
    readonly body?: B;
    readonly rawBody?: R;
    readonly answer: A;
  },
): Route & { readonly body?: B; readonly rawBody?: R; readonly answer: A } {
  return declared as Route & { readonly body?: B; readonly rawBody?: R; readonly answer: A };
}

/** The parts that belong to the HTTP server itself. */
export interface ServerParts {
  readonly streams: SseClients;
  /** Stored events, batched for streams. */
  readonly live: Pick<Live, "watch">;
  /** Counts a wrong code; true after too many in this second. */
  isWrongTooOften(): boolean;
  /** Whether the hub answers to this host and port. */
  answersTo(host: string): boolean;
  metrics(): Promise<string>;
  openApi(): unknown;
}
