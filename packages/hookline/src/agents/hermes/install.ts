import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { quoted } from "@hookline/core/internal/text";
import { parse } from "yaml";
import type { AgentInstall, EntryOptions, Environment } from "../shared/definition.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { readSettingsFiles, readSettingsText } from "../shared/settings-files.js";
import { events, type HermesEvent } from "./events.js";

/** Longer timeouts are cut. */
const MAX_SECONDS = 300;
/** How Hookline's commands name their client. */
const CLIENT = /\/attach\/hermes[.-]/;
const TRUE = ["1", "true", "yes", "on"];

export const install: AgentInstall = {
  targets: ["user"],
  settingsPath: (_, env) => join(homeOf(env), "config.yaml"),
  file: { syntax: { yaml: true }, entries: hookEntries },
  // It splits the command into words as a shell does, and starts it without one.
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  optionsOff: ({ env }) => (isTrue(env.HERMES_SAFE_MODE) ? "with HERMES_SAFE_MODE it runs no hooks." : undefined),
  faults: ({ path, env }) => unapproved(path, env),
  readsOnce: true,
};

/** The `hooks` of Hermes' config.yaml. */
function hookEntries({ command, timeoutSeconds, strict }: EntryOptions): { readonly [event: string]: readonly [object] } {
  const names = (Object.keys(events) as HermesEvent[]).filter((name) => !("leftAlone" in events[name]));
  return Object.fromEntries(
    names.map((name) => [
      name,
      [
        {
          command: `/bin/sh -c ${quoted(command(name))}`,
          timeout: Math.min(MAX_SECONDS, timeoutSeconds(name)),
          ...(strict === true && name === "pre_tool_call" && { fail_closed: true }),
        },
      ],
    ]),
  );
}

/** It runs only hooks that its user has approved, each by its event and its command. */
function unapproved(path: string, env: Environment): readonly string[] {
  const { text, fault } = readSettingsText(path);
  if (fault !== undefined) return [fault];
  const settings = read(text);
  if (isTrue(env.HERMES_ACCEPT_HOOKS) || settings.hooks_auto_accept === true || isTrue(settings.hooks_auto_accept)) return [];
  const list = join(dirname(path), "shell-hooks-allowlist.json");
  const [known] = readSettingsFiles([list]);
  const approvals = Array.isArray(known?.settings.approvals) ? known.settings.approvals.filter(isObject) : [];
  const missing = Object.entries(isObject(settings.hooks) ? settings.hooks : {}).flatMap(([event, entries]) => {
    const ours = (Array.isArray(entries) ? entries : []).filter((entry) => isObject(entry) && CLIENT.test(String(entry.command)));
    return ours.every(({ command }) => approvals.some((one) => one.event === event && one.command === command)) ? [] : [event];
  });
  if (missing.length === 0) return [];
  const which = missing.length === 1 ? "The hook" : "The hooks";
  return [
    `${which} for ${missing.join(", ")} ${missing.length === 1 ? "was" : "were"} not approved, so Hermes does not run ${missing.length === 1 ? "it" : "them"}. Start hermes in a terminal and answer "y" to each question, or start it once with --accept-hooks.`,
  ];
}

function read(text: string): Json {
  try {
    const value: unknown = parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isTrue(value: unknown): boolean {
  return typeof value === "string" && TRUE.includes(value.trim().toLowerCase());
}

function homeOf(env: Environment): string {
  return env.HERMES_HOME || join(env.HOME || homedir(), ".hermes");
}
