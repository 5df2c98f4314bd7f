import { homedir } from "node:os";
import { join } from "node:path";
import type { EntryOptions, HookEntries, Scope } from "../claude-code/install.js";
import { type CodexEvent, events } from "./events.js";

export const scopes: readonly Scope[] = ["user", "project"];

/** Codex warns at every start about a longer timeout of these, and cuts it. */
const SHORT: readonly string[] = ["SessionEnd", "Interrupt"] satisfies CodexEvent[];
const SHORT_SECONDS = 3;
/** A process before each request to the model, for nothing that `PostModelRequest` does not say too. */
const NOT_WORTH_IT: readonly string[] = ["PreModelRequest"] satisfies CodexEvent[];

/** For Codex's `hooks.json`, under `hooks`. Commands only: one entry of type `http` makes it drop the whole file. */
export function hookEntries({ command, timeoutSeconds }: EntryOptions): HookEntries {
  const entryOf = (name: string) => ({ type: "command", command: command(name), timeout: limited(name, timeoutSeconds(name)) }) as const;
  return Object.fromEntries(subscribedEvents().map((name) => [name, [{ hooks: [entryOf(name)] }]] as const));
}

function subscribedEvents(): CodexEvent[] {
  return (Object.keys(events) as CodexEvent[]).filter((name) => !NOT_WORTH_IT.includes(name));
}

/** A project's is read only where Codex trusts the project, and like the user's only after the hooks were reviewed. */
export function settingsPath(scope: Scope, env: { readonly [name: string]: string | undefined }, cwd: string): string {
  if (scope === "project") return join(cwd, ".codex", "hooks.json");
  return join(env.CODEX_HOME || join(env.HOME || homedir(), ".codex"), "hooks.json");
}

function limited(name: string, seconds: number): number {
  return SHORT.includes(name) ? Math.min(seconds, SHORT_SECONDS) : seconds;
}
