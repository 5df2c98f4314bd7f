import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { plainJson, readSettings } from "../install/json-document.js";
import { BASH_VARIABLES } from "../shared/bash-variables.js";
import type { AgentInstall, EntryOptions, Environment, GroupedHooks, InstallTarget, OffSwitch } from "../shared/definition.js";
import { envFiles } from "../shared/env-files.js";
import { isObject } from "../shared/native-payload.js";
import { allHooksSwitch, isSwitchedOff, readSettingsFiles, rejectedFile } from "../shared/settings-files.js";
import { LOADER_VARIABLES, type SurfaceFile } from "../shared/surface.js";
import { events, type QwenEvent } from "./events.js";

/** Options with which it runs no hooks. */
export const WITHOUT_HOOKS = ["--bare", "--safe-mode"];

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: { ...plainJson, comments: true }, entries: hookEntries },
  shell: () => ["bash", "-c"],
  entry: { command: "command", timeout: "timeout" },
  offSwitches: ({ path }) => [allHooksSwitch(path), matcherSwitch(path)],
  projectSwitches: (folder) => [allHooksSwitch(settingsPath("project", {}, folder))],
  optionsOff({ args }) {
    const option = args.find((word) => WITHOUT_HOOKS.includes(word));
    return option === undefined ? undefined : `with ${option} it runs no hooks.`;
  },
  faults: whyOff,
  // Its own list of such variables has no LD_DEBUG and no LD_TRACE_LOADED_OBJECTS.
  surface: {
    variables: LOADER_VARIABLES,
    files: ({ env, cwd }) => [
      ...(["project", "user"] as const).map((level): SurfaceFile => {
        return { path: settingsPath(level, env, cwd), level, syntax: "json", variablesAt: ["env"] };
      }),
      ...envFiles(cwd, ".qwen", [join(dirname(settingsPath("user", env, cwd)), ".env"), join(env.HOME || homedir(), ".env")]),
    ],
  },
  readsOnce: true,
  cautions: ({ target }) => (target === "project" ? ["It reads a project's hooks only in a folder that you trust."] : []),
};

/** What keeps its hooks from running, in any of the files that it reads: one sentence each. */
export function whyOff({ path, env, cwd }: { path: string; env: Environment; cwd: string }): readonly string[] {
  return readSettingsFiles([path, settingsPath("user", env, cwd), settingsPath("project", env, cwd), ...systemFiles(env)]).flatMap(
    ({ path: file, settings, fault = [] }) => {
      if (isSwitchedOff(settings)) return `"disableAllHooks" in ${file}: none of its hooks runs until you remove that setting.`;
      const event = eventWithoutHooks(settings);
      return event === undefined ? fault : `A matcher for ${event} in ${file} is not a text, so Qwen Code runs no hook of that event.`;
    },
  );
}

/** Qwen Code fails at a matcher that is not a text, and then runs no hook of the event. It does not say so. */
function matcherSwitch(path: string): OffSwitch {
  const says = "runs no hook of an event in this file, because a matcher there is not a text";
  return rejectedFile(path, (text) => eventWithoutHooks(readSettings(text)) !== undefined, says);
}

function eventWithoutHooks(settings: unknown): string | undefined {
  const hooks = isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};
  const isBad = (group: unknown): boolean => isObject(group) && typeof (group.matcher ?? "") !== "string";
  return Object.keys(hooks).find((event) => {
    const { [event]: groups } = hooks;
    return Array.isArray(groups) && groups.some(isBad);
  });
}

/** The `hooks` of Qwen Code's settings. The times are in milliseconds: it takes values below 1,000 for seconds. */
function hookEntries({ command, timeoutSeconds }: EntryOptions): GroupedHooks {
  const names = (Object.keys(events) as QwenEvent[]).filter((name) => !("leftAlone" in events[name]));
  return Object.fromEntries(
    names.map((name) => [
      name,
      [
        {
          hooks: [{ type: "command", name: "hookline", command: command(name), env: BASH_VARIABLES, timeout: timeoutSeconds(name) * 1000 }],
        },
      ],
    ]),
  );
}

function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  if (target === "project") return join(cwd, ".qwen", "settings.json");
  return join(env.QWEN_HOME || join(env.HOME || homedir(), ".qwen"), "settings.json");
}

/** What an administrator decided. */
function systemFiles(env: Environment): readonly string[] {
  const folder = process.platform === "darwin" ? "/Library/Application Support/QwenCode" : "/etc/qwen-code";
  return [
    env.QWEN_CODE_SYSTEM_SETTINGS_PATH || join(folder, "settings.json"),
    env.QWEN_CODE_SYSTEM_DEFAULTS_PATH || join(folder, "system-defaults.json"),
  ];
}
