import type { Rule } from "../bus/option-rules.js";
import type { ErrorCode } from "../catalog/error-codes.js";
import type { Sink } from "./sink.js";

/** How `hookline.toml` writes an option. Secrets, addresses and headers may also name a variable or a file that holds the text. */
export type OptionKind =
  | "path"
  | "flag"
  | "count"
  | "size"
  | "age"
  | "time"
  | "times"
  | "choice"
  | "text"
  | "address"
  | "secret"
  | "secrets"
  | "headers"
  | "texts";

/** An option of a sink: what it takes in code, and what the configuration and its documentation say about it. */
export interface SinkOption extends Rule {
  /** Without it, the option can be given in code alone. */
  readonly kind?: OptionKind;
  readonly what?: string;
  /** In words. */
  readonly default?: string;
  readonly isRequired?: boolean;
  /** Of a choice. */
  readonly choices?: readonly string[];
  /** The keys of `times`. */
  readonly members?: readonly string[];
  /** A time limit on a part of a delivery: the limit on the whole is never less than these together. */
  readonly isPartOfSend?: boolean;
}

/** One entry for every option; a forgotten one does not compile. */
export type SinkOptionTable<O> = { readonly [K in keyof Required<O>]: SinkOption };

interface KnownSink {
  readonly type: string;
  /** One sentence. */
  readonly what: string;
  readonly options: { readonly [name: string]: SinkOption };
  /** How long the hub gathers events for it, unless its table says otherwise. Default: not at all. */
  readonly gatherMs?: number;
}

/** A sink whose code is here. */
interface BuiltInSink extends KnownSink {
  readonly package?: undefined;
  /** Throws `HL_UNKNOWN_OPTION` or `HL_BAD_OPTION` for options that the sink does not take. */
  create(options: object): Sink;
}

/** A sink whose code is in a package that only those install who use it. The package's main entry exports `createSink`. */
interface PackagedSink extends KnownSink {
  readonly package: string;
  /** The error that says what to install. */
  readonly missing: ErrorCode;
}

/** A type of sink as the list of all sinks has it. The configuration's schema, its documentation and the hub derive from it. */
export type SinkDefinition = BuiltInSink | PackagedSink;

interface DefinitionOf<O> {
  readonly type: string;
  readonly what: string;
  readonly options: SinkOptionTable<O>;
  readonly gatherMs?: number;
  readonly create: (options: O) => Sink;
}

/** The sink checks its options itself, so any object may be given. */
export function defineSink<O extends object>({ create, ...rest }: DefinitionOf<O>): SinkDefinition {
  return { ...rest, create: (options) => create(options as O) };
}
