import { homedir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import type { AgentInstall, EntryOptions, Environment } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";
import { readSettingsText, rejectedFile } from "../shared/settings-files.js";
import { events, type KimiEvent } from "./events.js";

/** The longest timeout that its schema accepts. */
const MAX_SECONDS = 600;
const FIELDS = ["event", "matcher", "command", "timeout"];

export const install: AgentInstall = {
  targets: ["user"],
  settingsPath: (_, env) => configPath(env),
  file: { syntax: { toml: true, eventField: "event" }, entries: hookEntries },
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  offSwitches: ({ path }) => [
    rejectedFile(
      path,
      (text) => hookFaults(text, path).length > 0,
      "runs no hook at all, because it does not accept a field or value of a hook in its config.toml",
    ),
  ],
  faults: ({ path }) => {
    const { text, fault } = readSettingsText(path);
    return [...(fault === undefined ? [] : [fault]), ...hookFaults(text, path)];
  },
  readsOnce: true,
};

/** The tables `[[hooks]]` of Kimi Code's config.toml. */
function hookEntries({ command, timeoutSeconds }: EntryOptions): { readonly [event: string]: readonly [object] } {
  const names = (Object.keys(events) as KimiEvent[]).filter((name) => !("leftAlone" in events[name]));
  return Object.fromEntries(
    names.map((event) => [event, [{ event, command: command(event), timeout: Math.min(MAX_SECONDS, timeoutSeconds(event)) }]]),
  );
}

/** Kimi Code drops all hooks, without a message, if one of them has a value that its schema does not accept. */
export function hookFaults(text: string, path: string): readonly string[] {
  let settings: { readonly hooks?: unknown };
  try {
    settings = parse(text);
  } catch (error) {
    return [`${path} is not TOML, so Kimi Code reads none of it: ${(error as Error).message.split("\n")[0]}`];
  }
  const { hooks = [] } = settings;
  if (!Array.isArray(hooks)) return [`"hooks" in ${path} is not a list, so Kimi Code runs no hook.`];
  const bad = hooks.findIndex((hook) => !isAccepted(hook));
  return bad < 0 ? [] : [`Hook ${bad + 1} in ${path} has a field or value that Kimi Code does not accept, so it runs no hook at all.`];
}

function isAccepted(hook: unknown): boolean {
  if (!isObject(hook)) return false;
  const { event, matcher = "", command, timeout = 1 } = hook;
  const isTimeout = typeof timeout === "number" && Number.isInteger(timeout) && timeout >= 1 && timeout <= MAX_SECONDS;
  return (
    typeof event === "string" &&
    Object.hasOwn(events, event) &&
    typeof matcher === "string" &&
    typeof command === "string" &&
    command !== "" &&
    isTimeout &&
    Object.keys(hook).every((field) => FIELDS.includes(field))
  );
}

function configPath(env: Environment): string {
  return join(env.KIMI_CODE_HOME || join(env.HOME || homedir(), ".kimi-code"), "config.toml");
}
