import { homedir } from "node:os";
import { join } from "node:path";
import type { EntryOptions, Scope } from "../claude-code/install.js";
import { type CopilotEvent, events } from "./events.js";

type Environment = { readonly [name: string]: string | undefined };

type CopilotEntry = { readonly type: "command" | "http"; readonly timeoutSec: number; readonly [key: string]: unknown };

/** A whole file: it is ours alone, so there is nothing to merge. */
export interface CopilotFile {
  readonly version: 1;
  readonly hooks: { readonly [event: string]: readonly [CopilotEntry] };
}

export const scopes: readonly Scope[] = ["user", "project"];

/**
 * The file of hooks. The events have their camelCase names: under the others Copilot CLI has fewer of them. No matcher: each hears all.
 * One entry of a wrong shape costs only that entry.
 */
export function hookEntries(options: EntryOptions): CopilotFile {
  const entries = subscribedEvents().map((name) => [name, [entryOf(name, options)]] as const);
  return { version: 1, hooks: Object.fromEntries(entries) };
}

export function subscribedEvents(): CopilotEvent[] {
  return (Object.keys(events) as CopilotEvent[]).filter((name) => !("leftAlone" in events[name]));
}

/** Otherwise Copilot CLI drops http hooks on loopback and says nothing. */
export function canPost(env: Environment): boolean {
  return env.COPILOT_HOOK_ALLOW_LOCALHOST === "1";
}

/** Otherwise `copilot -p` runs a project's hooks only in a folder that a person has trusted. */
export function runsProjectHooks(env: Environment): boolean {
  return env.GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS === "true";
}

export function settingsPath(scope: Scope, env: Environment, cwd: string): string {
  if (scope === "project") return join(cwd, ".github", "hooks", "hookline.json");
  return join(env.COPILOT_HOME || join(env.HOME || homedir(), ".copilot"), "hooks", "hookline.json");
}

function entryOf(name: CopilotEvent, { command, http, timeoutSeconds }: EntryOptions): CopilotEntry {
  const timeoutSec = timeoutSeconds(name);
  // `bash`, not `command`: that would be PowerShell's, too.
  if (http === undefined) return { type: "command", bash: command(name), timeoutSec };
  const { url, headers, allowedEnvVars } = http;
  return { type: "http", url: url(name), headers, ...(allowedEnvVars !== undefined && { allowedEnvVars }), timeoutSec };
}
