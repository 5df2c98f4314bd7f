import type { catalog, EventKind, families, familyAliases } from "./events.js";

export interface SessionRef {
  readonly id: string;
  readonly parentId?: string;
}

export interface AgentRef {
  readonly name?: string;
  readonly id?: string;
  readonly model?: string;
  readonly platform?: string;
  readonly userId?: string;
}

export interface TurnRef {
  readonly id?: string;
  readonly iteration?: number;
  readonly totalIterations?: number;
}

/** What a tool was called with: the shape is the tool's own. */
export type ToolInput = { readonly [key: string]: unknown } & {
  readonly command?: string;
  readonly path?: string;
  readonly url?: string;
};

export interface ToolCall {
  readonly name: string;
  readonly runtimeName?: string;
  readonly callId?: string;
  readonly input: ToolInput;
  readonly output?: unknown;
  readonly isError?: boolean;
  readonly durationMs?: number;
}

export interface WorkerRef {
  readonly id: string;
  readonly name?: string;
  readonly task?: string;
  readonly mode?: string;
  readonly status?: string;
  readonly metadata?: { readonly [key: string]: unknown };
}

export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsd?: number;
}

/** The fields every event may carry. Adapters fill them from each agent's own and keep the original under `raw`. */
export interface BasePayload {
  readonly session?: SessionRef;
  readonly agent?: AgentRef;
  readonly turn?: TurnRef;
  readonly worker?: WorkerRef;
  readonly usage?: Usage;
  readonly prompt?: string;
  readonly message?: unknown;
  readonly cwd?: string;
  readonly target?: string;
  readonly raw?: unknown;
  readonly [key: string]: unknown;
}

export interface ToolPayload extends BasePayload {
  readonly tool: ToolCall;
}

export type ToolStatus = "ok" | "error" | "blocked" | "cancelled" | "timeout";

/**
 * Payloads that say more than `BasePayload`. Extend it for events of your own:
 * `declare module "@hookline/core" { interface EventPayloads { "myapp:deployed": { version: string } } }`
 */
export interface EventPayloads {
  "tool:before": ToolPayload;
  "tool:progress": ToolPayload;
  "tool:result": ToolPayload;
  "tool:after": ToolPayload & { readonly status: ToolStatus; readonly error?: unknown };
  "tool:env": ToolPayload;
  "agent:end": BasePayload & { readonly reason?: string };
  "loop:checkpoint": BasePayload & { readonly kind?: string };
}

/** The value a transform event rewrites, `unknown` where this says nothing. Extend it like `EventPayloads`: `"tool:result": string`. */
export interface TransformValues {
  "tool:env": { readonly [name: string]: string | undefined };
}

export type Catalog = typeof catalog;
export type CatalogName = keyof Catalog;
type Family = keyof typeof families;
type FamilyAlias = keyof typeof familyAliases;

// The spellings that names.ts derives, for the compiler: PascalCase and snake_case of every name and alias.
type Separator = ":" | "_" | ".";
type PascalOf<N extends string> = N extends `${infer A}${Separator}${infer B}`
  ? N extends `${A}${Separator}${B}`
    ? `${Capitalize<A>}${PascalOf<B>}`
    : never
  : Capitalize<N>;
type SnakeOf<N extends string> = N extends `${infer C}${infer Rest}` ? `${SnakeChar<C>}${SnakeTail<Rest>}` : N;
type SnakeTail<N extends string> = N extends `${infer C}${infer Rest}`
  ? `${IsCapital<C> extends true ? `_${Lowercase<C>}` : SnakeChar<C>}${SnakeTail<Rest>}`
  : N;
type SnakeChar<C extends string> = C extends ":" | "." ? "_" : Lowercase<C>;
type IsCapital<C extends string> = C extends Lowercase<C> ? false : true;
type Written<N extends CatalogName> = N | Catalog[N]["aliases"][number];
type SpellingOf<N extends CatalogName> = Written<N> | PascalOf<Written<N>> | SnakeOf<Written<N>>;
type Spellings = { [N in CatalogName]: SpellingOf<N> };

type NamesOfKind<K extends EventKind> = { [N in CatalogName]: Catalog[N]["kind"] extends K ? N : never }[CatalogName];

/** Any spelling of a catalogue event, a slash command, a mirrored UI event, or one of a reserved namespace. */
export type EventName = Spellings[CatalogName] | `${Family}:${string}` | FamilyAlias;
/** An event that `decide` takes. */
export type GateName = GuardName | `command:${string}`;
/** A gate of the catalogue. */
export type GuardName = Spellings[NamesOfKind<"gate">];
/** An event that `transform` takes. */
export type TransformName = Spellings[NamesOfKind<"transform">];
/** A name known only at run time: a plain `string`, or one of several names, goes where a single literal would be checked. */
export type Unknown<N extends string> = string extends N ? N : IsUnion<N> extends true ? N : never;
type IsUnion<T, Whole = T> = T extends Whole ? ([Whole] extends [T] ? false : true) : never;
export type EventPattern = "*" | `${string}:*`;

type NamespaceOf<N extends string> = N extends `${infer A}:${string}` ? A : never;
type KnownNamespace = NamespaceOf<CatalogName> | Family;

/** A name outside the known namespaces: the user's own event. A misspelled catalogue name is none. */
export type CustomName<N extends string> = N extends EventName | EventPattern
  ? never
  : N extends `${infer A}:${string}`
    ? A extends KnownNamespace
      ? never
      : N
    : never;

/** The canonical name behind a spelling. */
export type Canonical<N extends string> = { [C in CatalogName]: N extends Spellings[C] ? C : never }[CatalogName] extends infer C
  ? [C] extends [never]
    ? N
    : C & string
  : never;

export type PayloadOf<N extends string> =
  Canonical<N> extends keyof EventPayloads
    ? EventPayloads[Canonical<N>]
    : N extends `tui:${string}`
      ? { readonly session_id?: string; readonly payload?: unknown; readonly [key: string]: unknown }
      : BasePayload;

export type ValueOf<N extends string> = Canonical<N> extends keyof TransformValues ? TransformValues[Canonical<N>] : unknown;
export type OutcomesOf<N extends string> =
  Canonical<N> extends CatalogName
    ? Catalog[Canonical<N>]["outcomes"][number]
    : N extends `command:${string}`
      ? "block" | "modify" | "handled"
      : never;
