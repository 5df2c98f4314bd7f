import type { HookEvent, MatchObject, Outcome, PlainAnswer, Stage } from "@hookline/core";
import type { RuleExample } from "../rules/rule.js";

/** One event, or a pattern of them, that a source wants to answer. */
export interface HookSpec {
  /** A name in any spelling, or a pattern. */
  readonly event: string;
  /** Unique within its source and event; the source's own name when it is missing. */
  readonly name?: string;
  readonly match?: string | MatchObject;
  readonly tool?: string | readonly string[];
  /** Higher runs first. */
  readonly priority?: number;
  readonly stage?: Stage;
  readonly timeoutMs?: number;
  readonly onFailure?: "open" | "closed";
  /** `false`: told of every event, however often it has failed. */
  readonly suspend?: boolean;
  /** May be asked a second time, when what stands behind it died over the first. */
  readonly idempotent?: boolean;
  /** What it must deny: a command, a prompt or a payload. `hookline selftest` sends it. */
  readonly canary?: RuleExample;
}

export type SourceState = "loaded" | "starting" | "running" | "degraded" | "restarting" | "failed" | "stopped";

export interface SourceHealth {
  readonly state: SourceState;
  readonly restarts?: number;
}

export type SourceKind = "module" | "folder" | "process" | "command" | "url";

/**
 * Everything outside the agent's code that becomes a handler on the hub's bus, whatever stands behind it. It can be asked and looked at,
 * but not ended: only its owner can do that.
 */
export interface HandlerSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly description?: string;
  /** The file or folder it came from. */
  readonly path?: string;
  /** What it may do; missing where nothing was asked for. */
  readonly permissions?: readonly string[];
  /** Canonical names or patterns, each with its own match, tool, priority, stage, timeout and failure mode. */
  readonly hooks: readonly HookSpec[];
  /**
   * Answers one event; `hook` is the entry it was registered for, where that is known.
   * Rejects with a HookError whose `failure` is the cause.
   */
  handle(event: HookEvent, hook?: HookSpec): SourceAnswer | Promise<SourceAnswer>;
  /** Starts or loads what stands behind it, which an event would do as well. Rejects when that does not work. */
  start?(): Promise<void>;
  health(): SourceHealth;
}

/** A source with the way to end it. Only the caller who opened it has one, so no trial or selftest can end what the hub runs. */
export interface OwnedSource extends HandlerSource {
  close(): Promise<void>;
}

/** Opens a new instance each time. The caller owns it and must close it. */
export type OpenSource = () => OwnedSource;

/** What a handler of any kind may answer; the bus checks it against the event. */
export type SourceAnswer = boolean | string | Outcome | PlainAnswer | readonly (Outcome | PlainAnswer)[] | null | undefined;
