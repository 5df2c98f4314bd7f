import { homedir } from "node:os";
import { join } from "node:path";
import { type ClaudeEvent, events } from "./events.js";

/** How the hooks of an agent reach the hub. */
export interface EntryOptions {
  /** The command line of one of the agent's events. */
  readonly command: (event: string) => string;
  /** Instead of the command, where the agent can post by itself. */
  readonly http?: {
    readonly url: (event: string) => string;
    readonly headers: { readonly [name: string]: string };
    /** Environment variables that the headers may name as `$NAME`. */
    readonly allowedEnvVars?: readonly string[];
  };
  readonly timeoutSeconds: (event: string) => number;
  /** Whether a hook that fails blocks, where the agent knows how. */
  readonly strict?: boolean;
}

/** What stands under `hooks`: a list of groups by event. No group has a matcher: each hears all. */
export type HookEntries = { readonly [event: string]: readonly [{ readonly hooks: readonly [HookEntry] }] };
type HookEntry = { readonly type: "command" | "http"; readonly timeout: number; readonly [key: string]: unknown };
export type Scope = "user" | "project";

export const scopes: readonly Scope[] = ["user", "project"];

/**
 * Claude Code does not post these, or (PreCompact) does not hear the text that is answered. After a call (PostToolUse) only a script can
 * withhold the output where no hub answers.
 */
const COMMAND_ONLY: readonly string[] = ["SessionStart", "Setup", "PreCompact", "PostToolUse"] satisfies ClaudeEvent[];
/** Fires for every few lines on screen, which wait for it: posting costs 3 ms, a process 15. */
const HTTP_ONLY: readonly string[] = ["MessageDisplay"] satisfies ClaudeEvent[];

/** For the settings of Claude Code, under `hooks`. */
export function hookEntries(options: EntryOptions): HookEntries {
  const names = subscribedEvents(options.http !== undefined);
  return Object.fromEntries(names.map((name) => [name, [{ hooks: [entryOf(name, options)] }]] as const));
}

function subscribedEvents(byHttp: boolean): ClaudeEvent[] {
  const names = Object.keys(events) as ClaudeEvent[];
  const isWanted = (name: string) => byHttp || !HTTP_ONLY.includes(name);
  return names.filter((name) => !("leftAlone" in events[name]) && isWanted(name));
}

/** A project's is the one that Claude Code keeps out of git: the entries name files of this machine. */
export function settingsPath(scope: Scope, env: { readonly [name: string]: string | undefined }, cwd: string): string {
  if (scope === "project") return join(cwd, ".claude", "settings.local.json");
  return join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude"), "settings.json");
}

function entryOf(name: ClaudeEvent, { command, http, timeoutSeconds, strict = false }: EntryOptions): HookEntry {
  const timeout = timeoutSeconds(name);
  // Elsewhere there is nothing to block, and a failing hook must not be in the way.
  const onFailure = strict && events[name].can.includes("block") ? { onFailure: "block" } : {};
  if (http === undefined || COMMAND_ONLY.includes(name)) return { type: "command", command: command(name), timeout, ...onFailure };
  const { url, headers, allowedEnvVars } = http;
  return { type: "http", url: url(name), headers, ...(allowedEnvVars !== undefined && { allowedEnvVars }), timeout, ...onFailure };
}
