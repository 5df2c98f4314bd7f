import { homedir } from "node:os";
import { join } from "node:path";
import { plainJson } from "../install/json-document.js";
import type { AgentInstall, EntryOptions } from "../shared/definition.js";
import { events, type WindsurfEvent } from "./events.js";

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath: (target, env, cwd) =>
    target === "project" ? join(cwd, ".windsurf", "hooks.json") : join(env.HOME || homedir(), ".codeium", "windsurf", "hooks.json"),
  file: { syntax: plainJson, entries: hookEntries },
  // By its documentation, it runs the command in Bash.
  shell: () => ["bash", "-c"],
  entry: { command: "command", timeout: "timeout" },
  cautions: () => ["Its plugin for JetBrains reads ~/.codeium/hooks.json, which Hookline does not write."],
};

/** The `hooks` of Windsurf's `hooks.json`. An entry has no timeout. */
function hookEntries({ command }: EntryOptions): { readonly [event: string]: readonly [object] } {
  const names = (Object.keys(events) as WindsurfEvent[]).filter((name) => !("leftAlone" in events[name]));
  return Object.fromEntries(names.map((name) => [name, [{ command: command(name), show_output: false }]]));
}
