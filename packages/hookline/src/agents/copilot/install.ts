import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { plainJson, readSettings } from "../install/json-document.js";
import { BASH_VARIABLES } from "../shared/bash-variables.js";
import type { AgentInstall, EntryOptions, Environment, InstallTarget, OffSwitch } from "../shared/definition.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { allHooksSwitch, projectFolders, readSettingsFiles, rejectedFile } from "../shared/settings-files.js";
import { type CopilotEvent, events } from "./events.js";

type CopilotEntry = { readonly type: "command" | "http"; readonly timeoutSec: number; readonly [key: string]: unknown };

/** Only Hookline writes this file, so there is nothing to merge. */
const OWN = { version: 1 };

const file = { syntax: plainJson, entries: hookEntries, own: OWN };

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file,
  managed: { path: "/etc/github-copilot/policy.d/hookline.json", file },
  shell: () => ["/bin/bash", "--norc", "--noprofile", "-c"],
  entry: { command: "bash", timeout: "timeoutSec" },
  deliversTwice: true,
  offSwitches: ({ path, target, env }) => [
    ownFileSwitch(path),
    ...(target === "managed" ? [] : [allHooksSwitch(userSettings(target === "user" ? path : settingsPath("user", env, "/")))]),
  ],
  projectSwitches: (folder) => projectSettings(folder).map(allHooksSwitch),
  // The settings of a user do not switch off the hooks of the policy folder.
  faults: ({ path, env, cwd, target }) =>
    readSettingsFiles(
      target === "managed" ? [path] : [path, userSettings(settingsPath("user", env, cwd)), ...projectSettings(cwd)],
    ).flatMap(({ path: file, settings, fault = [] }) => {
      if (file === path && isIgnored(settings))
        return `Copilot CLI ignores ${file}, because it does not accept a value in it: none of the hooks in this file runs.`;
      return settings.disableAllHooks === true
        ? `"disableAllHooks" in ${file}: none of its hooks runs until you remove that setting.`
        : fault;
    }),
  surface: {
    variables: [],
    files: ({ cwd }) => hookFiles(cwd).map((path) => ({ path, level: "project", syntax: "json", hooksAt: ["hooks"] })),
  },
  cautions: ({ target, env }) =>
    target === "project" && !runsProjectHooks(env)
      ? ["copilot -p runs a project's hooks only in a folder that you trust, or with GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true."]
      : [],
};

/** Copilot CLI's own settings, beside the folder of the user's hooks. */
function userSettings(hooks: string): string {
  return join(dirname(dirname(hooks)), "settings.json");
}

/** The settings of a project, in which one `disableAllHooks` switches off the user's hooks, too: at the root of the repository, and for Claude Code. */
function projectSettings(folder: string): readonly string[] {
  const root = projectFolders(folder).at(-1) ?? folder;
  return [join(".github", "copilot"), ".claude"].flatMap((name) =>
    ["settings.json", "settings.local.json"].map((file) => join(root, name, file)),
  );
}

/** The files of a project with hooks that it runs: its own, and those for Claude Code. */
function hookFiles(folder: string): readonly string[] {
  const hooks = join(projectFolders(folder).at(-1) ?? folder, ".github", "hooks");
  return [...jsonFilesIn(hooks), ...projectSettings(folder)];
}

function jsonFilesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
    return names.slice(0, MAX_HOOK_FILES).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

const MAX_HOOK_FILES = 100;

/** A file of hooks that Copilot CLI ignores. It does so without a message. */
function isIgnored({ version = OWN.version, disableAllHooks = false, hooks = {} }: Json): boolean {
  const isList = isObject(hooks) && Object.values(hooks).every(Array.isArray);
  return version !== OWN.version || typeof disableAllHooks !== "boolean" || !isList;
}

function ownFileSwitch(path: string): OffSwitch {
  const settingsOf = (text: string): Json => (readSettings(text) ?? {}) as Json;
  return rejectedFile(
    path,
    (text) => isIgnored(settingsOf(text)) || settingsOf(text).disableAllHooks === true,
    "runs no hook of this file, because its settings switch them off (disableAllHooks, or a version that it does not know)",
  );
}

/** The whole file, in the form of a plugin's hooks file. */
export function hookFile(options: EntryOptions): object {
  return { ...OWN, hooks: hookEntries(options) };
}

/**
 * Uses the camelCase names of the events: Copilot CLI has fewer events under the other names. Without a matcher, each entry gets every event. A
 * malformed entry costs only that entry.
 */
export function hookEntries(options: EntryOptions): { readonly [event: string]: readonly [CopilotEntry] } {
  return Object.fromEntries(subscribedEvents().map((name) => [name, [entryOf(name, options)]] as const));
}

export function subscribedEvents(): CopilotEvent[] {
  return (Object.keys(events) as CopilotEvent[]).filter((name) => !("leftAlone" in events[name]));
}

/** Otherwise Copilot CLI silently drops http hooks on loopback. */
export function canPost(env: Environment): boolean {
  return env.COPILOT_HOOK_ALLOW_LOCALHOST === "1";
}

/** Otherwise `copilot -p` runs a project's hooks only in a folder that a person has trusted. */
export function runsProjectHooks(env: Environment): boolean {
  return env.GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS === "true";
}

export function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  if (target === "project") return join(cwd, ".github", "hooks", "hookline.json");
  return join(env.COPILOT_HOME || join(env.HOME || homedir(), ".copilot"), "hooks", "hookline.json");
}

function entryOf(name: CopilotEvent, { command, http, timeoutSeconds }: EntryOptions): CopilotEntry {
  const timeoutSec = timeoutSeconds(name);
  // `bash`, not `command`, which PowerShell would run too.
  if (http === undefined) return { type: "command", bash: command(name), env: BASH_VARIABLES, timeoutSec };
  const { url, headers, allowedEnvVars } = http;
  return { type: "http", url: url(name), headers, ...(allowedEnvVars !== undefined && { allowedEnvVars }), timeoutSec };
}
