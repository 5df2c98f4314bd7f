import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CLAUDE_WITHOUT_FILES, CLAUDE_WITHOUT_HOOKS, CLAUDE_WITHOUT_HOOKS_VARIABLES } from "../../commands/programs/agents.js";
import { readConfigFile } from "../../config/read-config-file.js";
import { plainJson, readSettings } from "../install/json-document.js";
import type {
  AgentInstall,
  AgentStart,
  AttachTarget,
  EntryOptions,
  Environment,
  GroupedHook,
  GroupedHooks,
  InstallTarget,
} from "../shared/definition.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { valuesOf } from "../shared/run-plan.js";
import { allHooksSwitch, isSwitchedOff, readSettingsFiles } from "../shared/settings-files.js";
import { type ClaudeEvent, events } from "./events.js";
import { environmentFiles, environmentSwitches, isOn, offVariables, type UserFolder } from "./settings-env.js";
import { rejectedIn, typeSwitch } from "./settings-types.js";
import { pinnedVariables, projectFiles, userFolder as settingsFolder, surface } from "./surface.js";

/**
 * Claude Code does not post these or, for PreCompact, ignores the text of the answer. After a call (PostToolUse), only a script can withhold the
 * output when no hub answers.
 */
const COMMAND_ONLY: readonly string[] = ["SessionStart", "Setup", "PreCompact", "PostToolUse"] satisfies ClaudeEvent[];
/** Fires for every few lines on screen, and the display waits for it: posting takes 3 ms, a process 15 ms. */
const HTTP_ONLY: readonly string[] = ["MessageDisplay"] satisfies ClaudeEvent[];

const MANAGED_SETTINGS = join(
  process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code",
  "managed-settings.json",
);
const file = { syntax: { ...plainJson, byteOrderMark: true }, entries: hookEntries };

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file,
  // A hook of the user or of a project could rewrite a call after ours has seen it.
  managed: { path: MANAGED_SETTINGS, file: { ...file, settings: [{ path: ["allowManagedHooksOnly"], value: true }, ...pinnedVariables] } },
  surface,
  shell: () => ["/bin/sh", "-c"],
  entry: { command: "command", timeout: "timeout" },
  canPost: true,
  // Claude Code reads both files of a folder. Those of a user do not switch off managed hooks.
  offSwitches({ path, target, env }) {
    if (target === "managed") return [allHooksSwitch(path)];
    const files = ["settings.json", "settings.local.json"].map((name) => join(dirname(path), name));
    return [...files.map(allHooksSwitch), typeSwitch(path), ...environmentSwitches(userFolder({ path, target, env }))];
  },
  projectSwitches: (folder) => projectFiles(folder).map(allHooksSwitch),
  optionsOff,
  faults({ path, env, cwd, target }) {
    const managed = managedFiles();
    const users = target === "managed" ? [] : [settingsPath("user", env, cwd), ...projectFiles(cwd)];
    const files = readSettingsFiles([path, ...users, ...managed]);
    const user = userFolder({ path, target, env });
    const environment = target === "managed" ? [] : readSettingsFiles(environmentFiles(user.folder));
    const variables = environment.flatMap(({ path: file, settings }) =>
      offVariables(settings, user).map(
        (name) => `${name} in "env" of ${file}: none of Hookline's hooks runs until you remove that variable.`,
      ),
    );
    const faults = files.flatMap(({ path: file, settings, fault }) => [
      ...(fault === undefined ? [] : [fault]),
      ...(isSwitchedOff(settings) ? [`"disableAllHooks" in ${file}: none of its hooks runs until you remove that setting.`] : []),
      ...(settings.allowManagedHooksOnly === true && managed.includes(file) && !managed.includes(path)
        ? [`"allowManagedHooksOnly" in ${file}: only the hooks of managed settings run.`]
        : []),
    ]);
    const [own = { path, settings: {} }] = files;
    const rejected = rejectedIn(own.settings);
    const types =
      rejected === undefined ? [] : [`Claude Code does not accept "${rejected}" in ${path}, so it runs none of the hooks in this file.`];
    return [...faults, ...types, ...variables];
  },
};

/** Where the user's settings are, for hooks in this file. */
function userFolder({ path, target, env }: { path: string; target: AttachTarget; env: Environment }): UserFolder {
  const isUser = target === "user";
  return { folder: dirname(isUser ? path : settingsPath("user", env, "/")), hasHooks: isUser };
}

/** Looks at the words after `--`, too: an option that needs a value takes `--` for it, and the options go on. */
function optionsOff({ args, env, cwd, target, hasHooks }: AgentStart): string | undefined {
  if (target === "managed") return undefined;
  const option = args.find((word) => CLAUDE_WITHOUT_HOOKS.includes(word));
  if (option !== undefined) return `with ${option} it runs no hooks.`;
  const variable = CLAUDE_WITHOUT_HOOKS_VARIABLES.find((name) => isOn(env[name]));
  if (variable !== undefined) return `with ${variable}=${env[variable]} it runs no hooks.`;
  const given = valuesOf(args, "--settings").map((value) => settingsOption(value, cwd));
  const off = given.find(({ settings }) => settings !== undefined && isSwitchedOff(settings));
  if (off !== undefined) return `"disableAllHooks" in its option --settings${off.path && ` (${off.path})`} switches all hooks off.`;
  const unknown = given.find(({ settings }) => settings === undefined);
  if (unknown !== undefined)
    return `the hub cannot read the settings that its option --settings names${unknown.path && ` (${unknown.path})`}, and they may switch all hooks off.`;
  if (given.length > 0 && given.every(({ path }) => path !== "" && hasHooks(path))) return undefined;
  if (args.includes(CLAUDE_WITHOUT_FILES)) return `with ${CLAUDE_WITHOUT_FILES} it does not read the settings that have them.`;
  const source = target === "user" ? "user" : "local";
  const sources = valuesOf(args, "--setting-sources").find((value) => !value.split(",").some((name) => name.trim() === source));
  return sources === undefined ? undefined : `with --setting-sources "${sources}" it does not read the settings that have them.`;
}

/** A file name or the settings themselves, as Claude Code accepts it. Without settings if they cannot be read. */
function settingsOption(value: string, cwd: string): { readonly path: string; readonly settings?: Json } {
  const path = value.trimStart().startsWith("{") ? "" : resolve(cwd, value);
  const file = path === "" ? { text: value } : readConfigFile(path);
  const settings = file !== undefined && "text" in file ? readSettings(file.text) : undefined;
  return isObject(settings) ? { path, settings } : { path };
}

/** What an administrator decided. */
function managedFiles(): readonly string[] {
  return [MANAGED_SETTINGS, ...listed(join(dirname(MANAGED_SETTINGS), "managed-settings.d"))];
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The `hooks` of Claude Code's settings. */
export function hookEntries(options: EntryOptions): GroupedHooks {
  const names = subscribedEvents(options.http !== undefined);
  return Object.fromEntries(names.map((name) => [name, [{ hooks: [entryOf(name, options)] }]] as const));
}

function subscribedEvents(byHttp: boolean): ClaudeEvent[] {
  const names = Object.keys(events) as ClaudeEvent[];
  const isWanted = (name: string) => byHttp || !HTTP_ONLY.includes(name);
  return names.filter((name) => !("leftAlone" in events[name]) && isWanted(name));
}

/** For a project, this is the file that Claude Code keeps out of git: the entries name files of this machine. */
export function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  if (target === "project") return join(cwd, ".claude", "settings.local.json");
  return join(settingsFolder(env), "settings.json");
}

function entryOf(name: ClaudeEvent, { command, http, timeoutSeconds, strict = false }: EntryOptions): GroupedHook {
  const timeout = timeoutSeconds(name);
  // At other events there is nothing to block, and a failing hook must not disturb the agent.
  const onFailure = strict && events[name].can.includes("block") ? { onFailure: "block" } : {};
  if (http === undefined || COMMAND_ONLY.includes(name)) return { type: "command", command: command(name), timeout, ...onFailure };
  const { url, headers, allowedEnvVars } = http;
  return { type: "http", url: url(name), headers, ...(allowedEnvVars !== undefined && { allowedEnvVars }), timeout, ...onFailure };
}
