import type { LookupFunction } from "node:net";
import type { DialectName } from "../../config/dialects.js";
import type { HookSpec } from "../handler-source.js";

export interface UrlHeaders {
  readonly [name: string]: string;
}

/** A server that is asked about each event. */
export interface UrlSpec {
  readonly name: string;
  /** https; plain http only to loopback. No user and password in it. From the user's own configuration, never from an event. */
  readonly url: string;
  /** Their values; a function is called for each event, so that a file or a variable is read anew. */
  readonly headers?: UrlHeaders | (() => UrlHeaders | Promise<UrlHeaders>);
  /** Default `own`. */
  readonly dialect?: DialectName;
  readonly hooks: readonly HookSpec[];
  /** For hooks that do not say; default 5000, 0 waits for ever. */
  readonly timeoutMs?: number;
  /** How many requests may be under way at a time. Default 64. */
  readonly maxRunning?: number;
  /** How many may wait for that. Default 256. */
  readonly maxWaiting?: number;
  readonly description?: string;
  /** Where it stands: the file. */
  readonly path?: string;
  /** Resolves names instead of the system; its answers are checked just the same. */
  readonly lookup?: LookupFunction;
}
