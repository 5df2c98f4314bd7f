import { homedir } from "node:os";
import { join } from "node:path";
import { plainJson } from "../install/json-document.js";
import type { AgentInstall, EntryOptions } from "../shared/definition.js";
import { events, type GooseEvent } from "./events.js";

export const install: AgentInstall = {
  targets: ["user"],
  settingsPath: (_, env) => join(env.HOME || homedir(), ".agents", "plugins", "hookline", "hooks", "hooks.json"),
  // A plugin of our own, so there is nothing to merge.
  file: { syntax: plainJson, entries: hookEntries, own: {} },
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
};

/** The hooks of a plugin. The matcher is a regular expression: with `*`, Goose would skip the hook. */
function hookEntries({ command, timeoutSeconds, strict = false }: EntryOptions): { readonly [event: string]: readonly [object] } {
  const names = (Object.keys(events) as GooseEvent[]).filter((name) => !("leftAlone" in events[name]));
  const onFailure = (name: GooseEvent) => (strict && name === "PreToolUse" ? { on_failure: "block" } : {});
  return Object.fromEntries(
    names.map((name) => [
      name,
      [{ matcher: ".*", hooks: [{ type: "command", command: command(name), timeout: timeoutSeconds(name), ...onFailure(name) }] }],
    ]),
  );
}
