import type { PlainAnswer } from "../bus/types.js";
import type { Outcome } from "../catalog/outcomes.js";
import type { PayloadOf, SessionRef, ValueOf } from "../catalog/payloads.js";

export const EXTENSION_PROTOCOL_VERSION = 1;

/** What a handler in an extension is given. */
export interface ExtensionEvent<N extends string = string> {
  /** Canonical, whatever spelling the hook is written under. */
  readonly name: string;
  readonly payload: PayloadOf<N>;
  /** The value so far, in a transform. */
  readonly value: ValueOf<N>;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: SessionRef | undefined;
  /** Which hook of the manifest asks, if it has a name. */
  readonly hook: string | undefined;
  /** What the host gave for the manifest's `config`. */
  readonly config: { readonly [key: string]: unknown };
  /** Aborted when the host has given up waiting. */
  readonly signal: AbortSignal;
}

/** What a handler in an extension may return. */
export type ExtensionAnswer = boolean | string | Outcome | PlainAnswer | readonly (Outcome | PlainAnswer)[] | null | undefined | void;
/** Handles one event in an extension. */
export type ExtensionHandler<N extends string = string> = (event: ExtensionEvent<N>) => ExtensionAnswer | Promise<ExtensionAnswer>;

/** What the host says first. */
export interface ExtensionStart {
  readonly name: string;
  readonly config: { readonly [key: string]: unknown };
}

/** Options of `runExtension`. */
export interface ExtensionOptions<H> {
  readonly name: string;
  /** Handlers by event, in any spelling, or by pattern: the exact name is asked before `tool:*`, and that before `*`. */
  readonly hooks: { readonly [N in keyof H]: ExtensionHandler<N & string> };
  /** Called before the first event. What it throws, the host shows as the reason why the extension did not start. */
  readonly onStart?: (start: ExtensionStart) => void | Promise<void>;
  /** Called before the process ends, if the host has time to say so. */
  readonly onStop?: () => void | Promise<void>;
}
