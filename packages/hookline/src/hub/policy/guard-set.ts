import type { BrokenGuard } from "../../config/config.js";
import type { HandlerSource } from "../../extensions/handler-source.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import type { Rule } from "../../rules/rule.js";

/** A hook that is in use, and what answers for it. */
export interface OpenedHook {
  readonly hook: InstalledHook;
  /** Missing where nothing may run. */
  readonly source: HandlerSource | undefined;
  /** Why it is not as it stands on disk: the version before is in force. */
  readonly stale?: string;
}

/** All that decides, as it stands: in the order in which it is put on a bus. */
export interface GuardSet {
  readonly rules: readonly Rule[];
  /** Of `hookline.toml`; a hook has its own. */
  readonly broken: readonly BrokenGuard[];
  readonly hooks: readonly OpenedHook[];
}
