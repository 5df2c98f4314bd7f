import type { catalog, EventKind, families, familyAliases } from "./events.js";
import type {
  agentShape,
  baseShape,
  eventShapes,
  Leaf,
  Shape,
  sessionShape,
  toolShape,
  turnShape,
  usageShape,
  workerShape,
} from "./payload-shapes.js";

interface LeafTypes {
  text: string;
  number: number;
  flag: boolean;
  status: ToolStatus;
  any: unknown;
  record: { readonly [key: string]: unknown };
  input: ToolInput;
}
type TypeOf<S> = S extends Leaf ? LeafTypes[S] : S extends Shape ? NamedShape<S> : never;
/** Parts that have a name keep it in messages of the compiler. */
type NamedShape<S extends Shape> = S extends typeof sessionShape
  ? SessionRef
  : S extends typeof toolShape
    ? ToolCall
    : S extends typeof workerShape
      ? WorkerRef
      : S extends typeof agentShape
        ? AgentRef
        : S extends typeof turnShape
          ? TurnRef
          : S extends typeof usageShape
            ? Usage
            : FieldsOf<S>;
/** The type of what a table of fields describes. */
type FieldsOf<S extends Shape> = {
  readonly [K in keyof S as K extends `${string}?` ? never : K]: TypeOf<S[K]>;
} & {
  readonly [K in keyof S as K extends `${infer Name}?` ? Name : never]?: TypeOf<S[K]>;
};

/** The session in a payload: its id, and the id of the session that started it. */
export interface SessionRef extends FieldsOf<typeof sessionShape> {}
/** The agent in a payload: its name, id, model and platform. */
export interface AgentRef extends FieldsOf<typeof agentShape> {}
/** The turn in a payload: its id and the iteration of the loop. */
export interface TurnRef extends FieldsOf<typeof turnShape> {}
/** A tool call: the name of the tool, its input and, after the call, its output. */
export interface ToolCall extends FieldsOf<typeof toolShape> {}
/** The worker or subagent that an event is about. */
export interface WorkerRef extends FieldsOf<typeof workerShape> {}
/** Tokens and cost of a call or a session. */
export interface Usage extends FieldsOf<typeof usageShape> {}

/** What a tool was called with: the shape is the tool's own. */
export type ToolInput = { readonly [key: string]: unknown } & {
  readonly command?: string;
  readonly path?: string;
  readonly url?: string;
};

/** How a tool call ended. */
export type ToolStatus = "ok" | "error" | "blocked" | "cancelled" | "timeout";

/** The fields every event may carry. Adapters fill them from each agent's own and keep the original under `raw`. */
export interface BasePayload extends FieldsOf<typeof baseShape> {
  readonly [key: string]: unknown;
}

/** The payload of an event about a tool call. */
export interface ToolPayload extends BasePayload {
  readonly tool: ToolCall;
}

/** What a shape says that the usual fields do not: `any` is what every other field is. */
type Typed<S> = { readonly [K in keyof S as K extends "tool" ? never : S[K] extends "any" ? never : K]: S[K] };
type PayloadFrom<S extends Shape> = (S extends { readonly tool: typeof toolShape } ? ToolPayload : BasePayload) &
  (keyof Typed<S> extends never ? unknown : FieldsOf<Typed<S>>);
type CatalogPayloads = {
  readonly [N in keyof typeof catalog]: N extends keyof typeof eventShapes ? PayloadFrom<(typeof eventShapes)[N]> : BasePayload;
};

/**
 * Lists the payload of each event. You can extend it for events of your own.
 *
 * `declare module "@hookline/core" { interface EventPayloads { "myapp:deployed": { version: string } } }`
 */
export interface EventPayloads extends CatalogPayloads {}

/** The value of each transform; `unknown` for those that are not listed. You can extend it like `EventPayloads`, for example with `"tool:result": string`. */
export interface TransformValues {
  "tool:env": { readonly [name: string]: string | undefined };
}

/** The type of `catalog`. */
export type Catalog = typeof catalog;
/** The canonical name of an event in the catalogue. */
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
/** Any spelling of a gate that the catalogue lists. */
export type GuardName = Spellings[NamesOfKind<"gate">];
/** An event that `transform` takes. */
export type TransformName = Spellings[NamesOfKind<"transform">];
/** A name known only at run time: a plain `string`, or one of several names, goes where a single literal would be checked. */
export type Unknown<N extends string> = string extends N ? N : IsUnion<N> extends true ? N : never;
type IsUnion<T, Whole = T> = T extends Whole ? ([Whole] extends [T] ? false : true) : never;
/** A pattern that `bus.on` takes in place of a name. */
export type EventPattern = "*" | `${string}:*`;

type NamespaceOf<N extends string> = N extends `${infer A}:${string}` ? A : never;
type KnownNamespace = NamespaceOf<CatalogName> | Family;

/** A name outside the known namespaces: the user's own event. A misspelled catalogue name is refused. */
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

/** The payload of an event, under any of its spellings. */
export type PayloadOf<N extends string> =
  Canonical<N> extends keyof EventPayloads
    ? EventPayloads[Canonical<N>]
    : N extends `tui:${string}`
      ? { readonly session_id?: string; readonly payload?: unknown; readonly [key: string]: unknown }
      : N extends "tool:*"
        ? ToolPayload
        : BasePayload;

/** What a call takes as payload: anything where the event's name is known only at run time. */
export type PayloadFor<N extends string> = string extends N ? unknown : PayloadOf<N>;

// For parameters `event: N & …<N>`: one signature each, so that the compiler blames what is wrong, the name or the payload. An overload that
// fails is reported by its last signature, which blames the name.
/** A name that `emit` takes. */
export type ToldName<N extends string> = [N] extends [EventName] ? N : CustomName<N> | Unknown<N>;
/** A name that `decide` takes. Whether a plain `string` is a gate is checked at run time. */
export type DecidedName<N extends string> = [N] extends [GateName] ? N : string extends N ? N : never;
/** A name that `transform` takes. Whether a plain `string` is a transform is checked at run time. */
export type TransformedName<N extends string> = [N] extends [TransformName] ? N : string extends N ? N : never;

/** The value that a transform passes through its handlers. */
export type ValueOf<N extends string> = Canonical<N> extends keyof TransformValues ? TransformValues[Canonical<N>] : unknown;
/** The kinds of outcome that an event allows. */
export type OutcomesOf<N extends string> =
  Canonical<N> extends CatalogName
    ? Catalog[Canonical<N>]["outcomes"][number]
    : N extends `command:${string}`
      ? "block" | "modify" | "handled"
      : never;
