import type { HookEvent, MatchObject, Outcome, PlainAnswer, Stage } from "@hookline/core";
import type { RuleExample } from "../rules/rule.js";

/** An event or pattern that a source handles. */
export interface HookSpec {
  /** A name in any spelling, or a pattern. */
  readonly event: string;
  /** Unique within its source and event. Default: the name of the source. */
  readonly name?: string;
  readonly match?: string | MatchObject;
  readonly tool?: string | readonly string[];
  /** Higher runs first. */
  readonly priority?: number;
  readonly stage?: Stage;
  readonly timeoutMs?: number;
  readonly onFailure?: "open" | "closed";
  /** `false`: it is called for every event, however often it has failed. */
  readonly suspend?: boolean;
  /** May be called again for the same event if its process died during the first call. */
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
 * Anything outside the agent's code that becomes a handler on the hub's bus. It can be called and inspected, but not closed: only its owner
 * can close it.
 */
export interface HandlerSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly description?: string;
  /** The file or folder that it comes from. */
  readonly path?: string;
  /** Its permissions. Missing if it requests none. */
  readonly permissions?: readonly string[];
  /** Canonical names or patterns, each with its own match, tool, priority, stage, timeout and failure mode. */
  readonly hooks: readonly HookSpec[];
  /** Answers one event; `hook` is the entry it was registered for, if known. Rejects with a HookError whose `failure` is the cause. */
  handle(event: HookEvent, hook?: HookSpec): SourceAnswer | Promise<SourceAnswer>;
  /** Starts or loads its program, as the first event would. Rejects if that fails. */
  start?(): Promise<void>;
  /** The hub starts it as soon as it is loaded, because agents wait for its answers and a short time limit must not include its start. */
  readonly startsEarly?: boolean;
  health(): SourceHealth;
}

/** A source that can be closed. Only the caller that opened it has this handle, so a trial or selftest cannot end what the hub runs. */
export interface OwnedSource extends HandlerSource {
  close(): Promise<void>;
}

/** The files of a hook, as they were when they were checked. */
export interface CheckedFiles {
  readonly root: string;
  /** All files below `root` are listed, so another one there is not the hook's. Otherwise: those that it loads by a path. */
  readonly isWhole: boolean;
  /** The SHA-256 of each file's content, by its name relative to `root`. */
  readonly hashes: { readonly [name: string]: string };
  /** Another text when a listed file was written, moved or replaced, even by the same content. */
  readonly stamp: string;
}

/**
 * Called before each start of a program; what it throws keeps the program from starting. Called again with the first result when the
 * program has loaded its files: it throws if they were exchanged in between.
 */
export type StartCheck = (since?: CheckedFiles) => CheckedFiles;

/** Opens a new instance each time. The caller owns it and must close it. */
export type OpenSource = (check?: StartCheck) => OwnedSource;

/** What any handler may answer. The bus checks it against the event. */
export type SourceAnswer = boolean | string | Outcome | PlainAnswer | readonly (Outcome | PlainAnswer)[] | null | undefined;
