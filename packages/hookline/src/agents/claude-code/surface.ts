import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { NeededSetting } from "../install/toml-hooks.js";
import type { Environment } from "../shared/definition.js";
import { valuesOf } from "../shared/run-plan.js";
import { type AgentSurface, LOADER_VARIABLES, type SurfaceFile, type SurfaceVariable } from "../shared/surface.js";
import { environmentFiles } from "./settings-env.js";

/**
 * Claude Code starts the command of a hook with the words of CLAUDE_CODE_SHELL_PREFIX before it: `/usr/bin/true` is enough. Where `sh` is Bash, SHELLOPTS
 * can tell it to run nothing. Tried without effect: BASH_ENV, ENV, PATH, SHELL, HOME, NODE_OPTIONS, PERL5OPT, PERL5LIB, PYTHONPATH, CLAUDE_CODE_SIMPLE,
 * CLAUDE_CODE_SHELL, CLAUDE_CONFIG_DIR, CLAUDE_ENV_FILE, GLIBC_TUNABLES and 20 others.
 */
const VARIABLES: readonly SurfaceVariable[] = [{ name: "CLAUDE_CODE_SHELL_PREFIX" }, { name: "SHELLOPTS" }, ...LOADER_VARIABLES];

const IN_ENV = { syntax: "json", variablesAt: ["env"] } as const;

export const surface: AgentSurface = {
  variables: VARIABLES,
  files: ({ env, cwd }) => [
    ...projectFiles(cwd).map((path): SurfaceFile => ({ ...IN_ENV, path, level: "project", hooksAt: ["hooks"] })),
    ...environmentFiles(userFolder(env)).map((path): SurfaceFile => ({ ...IN_ENV, path, level: "user" })),
  ],
  given: (args, cwd) =>
    valuesOf(args, "--settings").map((value) =>
      value.trimStart().startsWith("{")
        ? { ...IN_ENV, path: "--settings", level: "user", text: value }
        : { ...IN_ENV, path: resolve(cwd, value), level: "user" },
    ),
};

/** An empty value in managed settings overrules every other one. */
export const pinnedVariables: readonly NeededSetting[] = VARIABLES.flatMap(({ name, isFlag = false }) =>
  isFlag ? [] : [{ path: ["env", name], value: "" }],
);

/** The folder of the settings for all sessions. */
export function userFolder(env: Environment): string {
  return env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
}

/** The settings of a folder: those that it shares, and those of one person. */
export function projectFiles(cwd: string): readonly string[] {
  return [join(cwd, ".claude", "settings.json"), join(cwd, ".claude", "settings.local.json")];
}
