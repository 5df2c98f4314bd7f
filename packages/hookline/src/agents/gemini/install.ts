import { homedir } from "node:os";
import { join } from "node:path";
import { plainJson, readSettings, withoutSetting, withSetting } from "../install/json-document.js";
import { BASH_VARIABLES } from "../shared/bash-variables.js";
import type { AgentInstall, EntryOptions, Environment, InstallTarget, OffSwitch } from "../shared/definition.js";
import { envFiles } from "../shared/env-files.js";
import { readSettingsFiles } from "../shared/settings-files.js";
import { LOADER_VARIABLES } from "../shared/surface.js";
import { events, type GeminiEvent } from "./events.js";

interface GeminiEntry {
  readonly type: "command";
  /** Shown in `/hooks`, where the user can switch it off by this name. `hooksConfig.disabled` then lists it. */
  readonly name: "hookline";
  readonly command: string;
  readonly env: typeof BASH_VARIABLES;
  /** Milliseconds. */
  readonly timeout: number;
}

export type GeminiEntries = { readonly [event: string]: readonly [{ readonly matcher?: string; readonly hooks: readonly [GeminiEntry] }] };

/**
 * Without this it fires before every model call to check whether to compress; only the user's `/compress` is certain to compress. The match is
 * exact.
 */
const MATCHERS: { readonly [event: string]: string } = { PreCompress: "manual" };

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: { ...plainJson, comments: true }, entries: (options) => hookEntries(options) },
  managed: {
    refused:
      "its system settings do not hold: those of a project add to them and switch hooks off, and the variable GEMINI_CLI_SYSTEM_SETTINGS_PATH makes it read another file",
  },
  shell: () => ["bash", "-c"],
  entry: { command: "command", timeout: "timeout" },
  offSwitches: ({ path }) => [hooksConfigSwitch(path)],
  projectSwitches: (folder) => [hooksConfigSwitch(settingsPath("project", {}, folder))],
  faults: ({ path, env, cwd }) =>
    readSettingsFiles([path, settingsPath("user", env, cwd), settingsPath("project", env, cwd), ...systemFiles(env)]).flatMap(
      ({ path: file, settings, fault = [] }) =>
        isSwitchedOff(settings) ? `"hooksConfig" in ${file} switches hooks off: none runs until you remove that setting.` : fault,
    ),
  surface: {
    variables: LOADER_VARIABLES,
    files: ({ env, cwd }) => {
      const home = homeOf(env);
      return [
        { path: settingsPath("project", env, cwd), level: "project", syntax: "json", hooksAt: ["hooks"] },
        ...envFiles(cwd, ".gemini", [join(home, ".gemini", ".env"), join(home, ".env")]),
      ];
    },
  },
  cautions: ({ target }) => [
    ...(target === "project" ? ["It reads a project's settings only in a folder that you trust. It asks when you start it there."] : []),
  ],
};

/** The `hooks` of Gemini CLI's settings. It has no http hooks. */
export function hookEntries({ command, timeoutSeconds }: Omit<EntryOptions, "http">, also: readonly GeminiEvent[] = []): GeminiEntries {
  return Object.fromEntries(
    subscribedEvents(also).map((name) => [name, [group(name, command(name), timeoutSeconds(name) * 1000)]] as const),
  );
}

/** All events that are not `leftAlone`, and those that the caller names. */
export function subscribedEvents(also: readonly GeminiEvent[] = []): GeminiEvent[] {
  return (Object.keys(events) as GeminiEvent[]).filter((name) => also.includes(name) || !("leftAlone" in events[name]));
}

/**
 * Hooks are on unless `hooksConfig.enabled` is false, also as the text "false" or 0. The list of disabled hooks can be one text, and every part of it
 * counts. Hookline does not change these settings: they are the user's choice.
 */
export function isSwitchedOff(settings: unknown): boolean {
  const config = fieldOf(settings, "hooksConfig");
  return isOff(fieldOf(config, "enabled")) || isNamed(fieldOf(config, "disabled"));
}

function isOff(enabled: unknown): boolean {
  return enabled !== undefined && enabled !== true && enabled !== "true";
}

function isNamed(disabled: unknown): boolean {
  return (Array.isArray(disabled) || typeof disabled === "string") && disabled.includes("hookline");
}

function hooksConfigSwitch(path: string): OffSwitch {
  return {
    path,
    says: "runs no hook of Hookline, because its settings switch them off (hooksConfig)",
    isOff: (text) => isSwitchedOff(readSettings(text)),
    turnedOn: withHooksOn,
  };
}

/** Leaves the other hooks off that the user has switched off. */
function withHooksOn(text: string): string {
  const config = fieldOf(readSettings(text), "hooksConfig");
  const disabled = fieldOf(config, "disabled");
  const enabled = isOff(fieldOf(config, "enabled")) ? withoutSetting(text, ["hooksConfig", "enabled"]) : text;
  if (!isNamed(disabled)) return enabled;
  const others = Array.isArray(disabled) ? disabled.filter((name) => name !== "hookline") : [];
  return withSetting(enabled, ["hooksConfig", "disabled"], others);
}

/** What an administrator decided. */
function systemFiles(env: Environment): readonly string[] {
  const folder = process.platform === "darwin" ? "/Library/Application Support/GeminiCli" : "/etc/gemini-cli";
  return [
    env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || join(folder, "settings.json"),
    env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(folder, "system-defaults.json"),
  ];
}

export function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  return join(target === "project" ? cwd : homeOf(env), ".gemini", "settings.json");
}

function homeOf(env: Environment): string {
  return env.GEMINI_CLI_HOME || env.HOME || homedir();
}

function group(name: GeminiEvent, command: string, timeout: number): GeminiEntries[string][0] {
  const matcher = MATCHERS[name];
  return {
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: "command", name: "hookline", command, env: BASH_VARIABLES, timeout }],
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as { readonly [key: string]: unknown })[name] : undefined;
}
