import { dirname, join } from "node:path";
import { stateFolder } from "@hookline/core/discover";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { type ConfigProblem, formatProblem } from "../../config/problem.js";
import { findHooks } from "../../extensions/installed/find-hooks.js";
import { type InstalledHook, rejected } from "../../extensions/installed/installed-hook.js";
import { createTrust } from "../../extensions/trust/trust.js";

/** Every hook this user has: in hookline.toml, in his hooks folder, and in the project; and what in the file is wrong. */
export async function findKnownHooks(env: NodeJS.ProcessEnv, project: string): Promise<readonly InstalledHook[]> {
  const { config, problems } = await loadConfig(configPath(env));
  const trust = createTrust(stateFolder(env));
  const found = await findHooks({ config: config?.hooks ?? [], folder: userHooksFolder(env), trust, projects: [project] });
  return [...found, ...problems.filter(isOfEntry).map(droppedEntry)];
}

/** Where a user's own hook folders stand. */
export function userHooksFolder(env: NodeJS.ProcessEnv): string {
  return join(dirname(configPath(env)), "hooks");
}

/** Sinks are not hooks, and are shown elsewhere. */
function isOfEntry({ key }: ConfigProblem): boolean {
  return key === "" || /^(hook|rule)\b/.test(key);
}

function droppedEntry(problem: ConfigProblem): InstalledHook {
  const name = problem.key === "" ? "hookline.toml" : problem.key.replace(/\..*$/, "");
  const kind = problem.key.startsWith("rule") ? "rules" : "command";
  const path = `${problem.file}:${problem.line}`;
  return rejected({ id: `${name} (${path})`, name, kind, from: "user", path, version: "" }, formatProblem(problem));
}
