import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "../http/answer.js";
import type { SseClients } from "../live/sse-clients.js";
import type { Holder, HubParts, Live, Scope } from "../parts.js";

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = { readonly [keyword: string]: unknown };

export interface Parameter {
  readonly description: string;
  readonly schema: Schema;
  readonly isRequired?: boolean;
  /** May be given several times. */
  readonly isRepeatable?: boolean;
}

/** One route of the hub, as data: the server, its documentation and the tests are made of the list of them. */
export interface Route {
  readonly method: "GET" | "POST";
  /** With parameters as `:name`. */
  readonly path: string;
  readonly scope: Scope | "public";
  /** Of the page: whatever is in its query is the page's own. */
  readonly isPage?: true;
  readonly summary: string;
  readonly query?: { readonly [name: string]: Parameter };
  /** Of a POST, by media type. */
  readonly body?: { readonly [mediaType: string]: Schema };
  readonly response: { readonly status?: number; readonly description: string; readonly mediaType?: string; readonly schema: Schema };
  handle(call: Call): Answer | Promise<Answer>;
}

/** A request that may come in: its token is good for it, and its parameters are ones the route knows. */
export interface Call {
  readonly parts: HubParts;
  readonly desk: Desk;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly query: Query;
  /** Who asks; on a public route nobody. */
  readonly holder: Holder;
  /** The part of the path that the route leaves open. */
  param(name: string): string;
  /** Of a POST. */
  readonly mediaType: string;
}

/** Parameters by name, each with all its values. */
export type Query = ReadonlyMap<string, readonly string[]>;

/** What the HTTP server has of its own. */
export interface Desk {
  readonly streams: SseClients;
  /** What is stored, at a pace for streams. */
  readonly live: Pick<Live, "watch">;
  /** Counts a wrong code; true when there have been too many this second. */
  isWrongTooOften(): boolean;
  /** Whether the hub can be called by this host and port. */
  answersTo(host: string): boolean;
  metrics(): Promise<string>;
  openApi(): unknown;
}
