import { homedir } from "node:os";
import { join } from "node:path";
import { plainJson } from "../install/json-document.js";
import type { AgentInstall, EntryOptions, Environment, InstallTarget } from "../shared/definition.js";
import { type CursorEvent, events } from "./events.js";

interface CursorEntry {
  readonly command: string;
  /** Seconds. */
  readonly timeout: number;
  readonly failClosed?: true;
}

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: plainJson, entries: hookEntries, settings: [{ path: ["version"], value: 1, isFree: true }] },
  // Its documentation says that a command may be a text for the shell, and not for which shell.
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  cautions: ({ target }) => (target === "project" ? ["Cursor runs a project's hooks only in a workspace that you trust."] : []),
};

/** The `hooks` of Cursor's `hooks.json`. Without a matcher, each entry gets every event. */
export function hookEntries({ command, timeoutSeconds, strict }: EntryOptions): { readonly [event: string]: readonly [CursorEntry] } {
  const names = (Object.keys(events) as CursorEvent[]).filter((name) => !("leftAlone" in events[name]));
  const isGate = (name: CursorEvent) => (events[name].can as readonly string[]).includes("block");
  return Object.fromEntries(
    names.map((name) => [
      name,
      [{ command: command(name), timeout: timeoutSeconds(name), ...(strict === true && isGate(name) && { failClosed: true as const }) }],
    ]),
  );
}

export function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  return join(target === "project" ? cwd : env.HOME || homedir(), ".cursor", "hooks.json");
}
