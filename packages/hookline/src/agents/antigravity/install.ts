import { homedir } from "node:os";
import { join } from "node:path";
import { plainJson } from "../install/json-document.js";
import type { AgentInstall, EntryOptions, Environment, InstallTarget } from "../shared/definition.js";
import { type AntigravityEvent, events } from "./events.js";

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  // A hooks.json maps names of hooks to their events. Ours has the name "hooks", which versions that know one list of events read, too.
  file: { syntax: plainJson, entries: hookEntries },
  // Its documentation does not name the shell.
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  cautions: ({ target }) =>
    target === "project" ? ["Reports of its users differ on whether it runs a project's hooks: try one denied call."] : [],
};

/** The hooks of a hooks.json. Only events of tools have groups with a matcher; without one, a group gets every call. */
function hookEntries({ command, timeoutSeconds }: EntryOptions): { readonly [event: string]: readonly [object] } {
  const names = (Object.keys(events) as AntigravityEvent[]).filter((name) => !("leftAlone" in events[name]));
  return Object.fromEntries(
    names.map((name) => {
      const handler = { type: "command", command: command(name), timeout: timeoutSeconds(name) };
      return [name, [name.endsWith("ToolUse") ? { matcher: "", hooks: [handler] } : handler]];
    }),
  );
}

function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  if (target === "project") return join(cwd, ".agents", "hooks.json");
  return join(env.HOME || homedir(), ".gemini", "config", "hooks.json");
}
