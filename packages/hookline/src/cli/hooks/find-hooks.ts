import { dirname, join, resolve } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { didYouMean, shellWord } from "@hookline/core/internal/text";
import { emptyConfig } from "../../config/config.js";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { findHooks } from "../../extensions/installed/find-hooks.js";
import { brokenEntries, type InstalledHook } from "../../extensions/installed/installed-hook.js";
import { findProject } from "../../extensions/trust/project-hooks.js";
import { createTrust } from "../../extensions/trust/trust.js";
import { readAcceptedPolicy } from "../../hub/policy/accepted-policy.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";

/** Every hook of this user: in hookline.toml, in the hooks folder and in the project; and the faults of the file. */
export async function findKnownHooks(env: NodeJS.ProcessEnv, project: string): Promise<readonly InstalledHook[]> {
  const { hooks, config, problems } = await findOnDisk(env, project);
  const state = stateFolder(env);
  const accepted = readAcceptedPolicy(state);
  const isRecorded = accepted.state === "found" && config.policy.autoAccept !== "all";
  const { withWaiting } = await import("../../hub/policy/hook-changes.js");
  return [...(isRecorded ? withWaiting(hooks, config, { policy: accepted.policy, state }) : hooks), ...brokenEntries(problems)];
}

/** The same whether the operator has accepted them or not. */
export async function findOnDisk(env: NodeJS.ProcessEnv, project: string) {
  const { config = emptyConfig, problems } = await loadConfig(configPath(env));
  const trust = createTrust(stateFolder(env));
  const hooks = await findHooks({ config: config.hooks, folder: userHooksFolder(env), trust, projects: [project] });
  return { hooks, config, problems };
}

/** Where the user's own hook folders are. */
export function userHooksFolder(env: NodeJS.ProcessEnv): string {
  return join(dirname(configPath(env)), "hooks");
}

/** The hook of that name. Throws, with a suggestion, for an unknown name. */
export function pickHook<T extends { readonly name: string }>(hooks: readonly T[], name: string | undefined, action: string): T {
  const names = hooks.map((hook) => hook.name);
  if (name === undefined) {
    const [first] = names;
    throw new CliError(first === undefined ? `There is no hook to ${action}.` : `Which hook? There are: ${names.join(", ")}.`, {
      exitCode: EXIT.usage,
      fix: { run: first === undefined ? "hookline hooks list" : `hookline hooks ${action} ${shellWord(first)}` },
    });
  }
  const found = hooks.find((hook) => hook.name === name);
  if (found !== undefined) return found;
  throw new CliError(`There is no hook "${name}" here.${didYouMean(name, names)}`, { fix: { run: "hookline hooks list" } });
}

export interface ProjectOption {
  readonly project?: string;
}

/** The option of the `hookline hooks` subcommands that are about a project. */
export const projectOption = ["--project <folder>", "the project (default: the current folder)", text] as const;

/** The folder as given, because a link may have replaced the project. */
export function placeOf({ project = "." }: ProjectOption): string {
  return resolve(project);
}

export function projectOf(option: ProjectOption): string {
  return findProject(placeOf(option));
}
