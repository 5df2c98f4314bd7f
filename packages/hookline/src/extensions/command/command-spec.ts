import type { DialectName } from "../../config/dialects.js";
import type { HookSpec } from "../handler-source.js";

/** A command that is started for each event. */
export interface CommandSpec {
  readonly name: string;
  /** A program; with `shell`, a command line for `sh`. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Default false: nothing in `command` or `args` is ever read by a shell. */
  readonly shell?: boolean;
  /** Default `own`. */
  readonly dialect?: DialectName;
  /** The folder of the file it stands in: where relative paths begin, and where it runs unless `cwd` says otherwise. In full. */
  readonly folder: string;
  /** Where it runs; `"event"`: where the agent is, and in `folder` when that is gone. */
  readonly cwd?: string;
  /** Variables of ours it is given besides those every command gets. */
  readonly env?: readonly string[];
  /** Variables with values of their own. */
  readonly setEnv?: { readonly [name: string]: string };
  readonly hooks: readonly HookSpec[];
  /** For hooks that do not say; default 5000, 0 waits for ever. */
  readonly timeoutMs?: number;
  /** How many may run at a time. Default 16. */
  readonly maxRunning?: number;
  /** How many may wait for that. Default 64. */
  readonly maxWaiting?: number;
  readonly description?: string;
  /** Where it stands: the file. */
  readonly path?: string;
}
