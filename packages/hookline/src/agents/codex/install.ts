import { homedir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { MANAGED_CLIENTS } from "@hookline/core/internal/machine";
import { withTomlValue } from "../../config/set-enabled.js";
import { plainJson } from "../install/json-document.js";
import type { AgentInstall, EntryOptions, Environment, GroupedHooks, InstallTarget, OffSwitch } from "../shared/definition.js";
import { optionsIn } from "../shared/run-plan.js";
import { projectFolders } from "../shared/settings-files.js";
import { LOADER_VARIABLES, type SurfaceFile } from "../shared/surface.js";
import { type CodexEvent, events } from "./events.js";
import {
  BYPASS,
  isUnreviewed,
  offKeys,
  optionsOff,
  projectConfigs,
  REQUIREMENTS,
  settingsIn,
  statesIn,
  switchesOff,
  withReviews,
} from "./hook-trust.js";
import { hooksFileFaults, hooksFileSwitch } from "./hooks-file.js";

/** By the name of the shell, because that is how a shell decides which files it reads. */
const START_UP: { readonly [shell: string]: readonly string[] } = { sh: [], dash: [], bash: ["BASH_ENV"], zsh: ["ZDOTDIR"] };

export const install: AgentInstall = {
  targets: ["user", "project"],
  settingsPath,
  file: { syntax: plainJson, entries: hookEntries },
  managed: {
    path: REQUIREMENTS,
    file: {
      syntax: { toml: true },
      entries: hookEntries,
      settings: [
        // A hook of the user or of a project could rewrite a call after ours has seen it.
        { path: ["allow_managed_hooks_only"], value: true },
        { path: ["features", "hooks"], value: true },
        { path: ["hooks", "managed_dir"], value: MANAGED_CLIENTS, isFree: true },
      ],
    },
  },
  // The user's own shell, not the one of the environment.
  shell: () => [loginShell(), "-c"],
  hasUsersShell: true,
  pipesInput: true,
  startUpVariables: () => START_UP[basename(loginShell())] ?? Object.values(START_UP).flat(),
  // zsh reads it also as `zsh -c`. Other shells read no file of the user then.
  startUpFiles: (env) => (basename(loginShell()) === "zsh" ? [join(env.ZDOTDIR || env.HOME || homedir(), ".zshenv")] : []),
  entry: { command: "command", timeout: "timeout" },
  // The user's review of each hook is in config.toml, of the project's hooks too.
  offSwitches({ path, target, env }) {
    if (target === "managed") return [featuresSwitch(path)];
    const home = dirname(target === "user" ? path : settingsPath("user", env, "/"));
    const config = join(home, "config.toml");
    return [
      hooksFileSwitch(path),
      featuresSwitch(config),
      {
        path: config,
        says: "skips hooks that were not reviewed, and its configuration says so of Hookline's",
        isOff: (text) => isUnreviewed(path, settingsIn(path), env, { states: statesIn(text) }),
        turnedOn: (text, good) => withReviews(text, good, path),
      },
    ];
  },
  projectSwitches: (folder) => projectConfigs(folder).map(featuresSwitch),
  optionsOff,
  surface: {
    variables: [
      ...LOADER_VARIABLES,
      ...Object.values(START_UP)
        .flat()
        .map((name) => ({ name })),
    ],
    files: ({ env, cwd }) => [
      ...projectFolders(cwd).map((folder): SurfaceFile => {
        return { path: settingsPath("project", env, folder), level: "project", syntax: "json", hooksAt: ["hooks"] };
      }),
      ...projectConfigs(cwd).map((path): SurfaceFile => ({ path, level: "project", syntax: "toml", hooksAt: ["hooks"] })),
      // Codex reads no such file of a project.
      { path: join(dirname(settingsPath("user", env, cwd)), ".env"), level: "user", syntax: "env" },
    ],
  },
  faults: ({ path, settings, env, cwd, target, args = [] }) => [
    ...(target === "managed" || optionsIn(args).includes(BYPASS) || !isUnreviewed(path, settings, env)
      ? []
      : [
          "Codex silently skips hooks that you have not reviewed: start codex, type /hooks and trust them. Repeat this after each change of the hooks.",
        ]),
    ...switchesOff(env, cwd, target),
    ...(target === "managed" ? [] : hooksFileFaults(path)),
  ],
};

function featuresSwitch(path: string): OffSwitch {
  return {
    path,
    says: `runs no hook, because "features" in its configuration switches them off`,
    isOff: (text) => offKeys(text).length > 0,
    turnedOn: (text) => offKeys(text).reduce((rest, key) => withTomlValue(rest, key, "true"), text),
  };
}

/** Codex warns at every start about a longer timeout for these, and shortens it. */
const SHORT: readonly string[] = ["SessionEnd", "Interrupt"] satisfies CodexEvent[];
const SHORT_SECONDS = 3;
/** Would start a process before each request to the model and reports nothing that `PostModelRequest` does not. */
const NOT_WORTH_IT: readonly string[] = ["PreModelRequest"] satisfies CodexEvent[];

/** The `hooks` of Codex's `hooks.json`. Commands only: one entry of type `http` makes Codex drop the whole file. */
export function hookEntries({ command, timeoutSeconds }: EntryOptions): GroupedHooks {
  const entryOf = (name: string) => ({ type: "command", command: command(name), timeout: limited(name, timeoutSeconds(name)) }) as const;
  return Object.fromEntries(subscribedEvents().map((name) => [name, [{ hooks: [entryOf(name)] }]] as const));
}

function subscribedEvents(): CodexEvent[] {
  return (Object.keys(events) as CodexEvent[]).filter((name) => !NOT_WORTH_IT.includes(name));
}

/** Codex reads a project's file only if it trusts the project and, like the user's, only after the hooks were reviewed. */
export function settingsPath(target: InstallTarget, env: Environment, cwd: string): string {
  if (target === "project") return join(cwd, ".codex", "hooks.json");
  return join(env.CODEX_HOME || join(env.HOME || homedir(), ".codex"), "hooks.json");
}

function limited(name: string, seconds: number): number {
  return SHORT.includes(name) ? Math.min(seconds, SHORT_SECONDS) : seconds;
}

function loginShell(): string {
  try {
    return userInfo().shell || "/bin/sh";
  } catch {
    // A user by number alone.
    return "/bin/bash";
  }
}
