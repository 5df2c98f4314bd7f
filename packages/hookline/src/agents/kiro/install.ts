import { homedir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../install/json-document.js";
import { SCRIPT } from "../install/script-file.js";
import type { AgentInstall, EntryOptions } from "../shared/definition.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { events, type KiroEvent } from "./events.js";

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath: (target, env, cwd) => join(target === "project" ? cwd : env.HOME || homedir(), ".kiro", "hooks", "hookline.json"),
  // A file of our own, with one list for all events.
  file: { syntax: { script: true }, entries: (options) => ({ [SCRIPT]: [hooksText(options)] }), own: {} },
  entryIn,
  // Its documentation does not name the shell.
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  cautions: () => ["It needs version 3 of Kiro's command line or version 1 of the editor: older ones do not read this file."],
};

function hooksText({ command, timeoutSeconds }: EntryOptions): string {
  const names = (Object.keys(events) as KiroEvent[]).filter((name) => !("leftAlone" in events[name]));
  const hooks = names.map((trigger) => ({
    name: `hookline-${trigger}`,
    trigger,
    action: { type: "command", command: command(trigger) },
    timeout: timeoutSeconds(trigger),
    enabled: true,
  }));
  return `${JSON.stringify({ version: "v1", hooks }, undefined, 2)}\n`;
}

/** The hook of an event that is switched on. */
function entryIn(text: string, event: string): Json | undefined {
  const { hooks } = Object(readSettings(text)) as { readonly hooks?: unknown };
  const hook = (Array.isArray(hooks) ? hooks : []).find((one) => isObject(one) && one.trigger === event && one.enabled !== false);
  return isObject(hook) && isObject(hook.action) ? { command: hook.action.command, timeout: hook.timeout } : undefined;
}
