import { dirname, join } from "node:path";
import { stateFolder } from "@hookline/core/internal/machine";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { findHooks } from "../../extensions/installed/find-hooks.js";
import { brokenEntries, type InstalledHook } from "../../extensions/installed/installed-hook.js";
import { createTrust } from "../../extensions/trust/trust.js";

/** Every hook this user has: in hookline.toml, in his hooks folder, and in the project; and what in the file is wrong. */
export async function findKnownHooks(env: NodeJS.ProcessEnv, project: string): Promise<readonly InstalledHook[]> {
  const { config, problems } = await loadConfig(configPath(env));
  const trust = createTrust(stateFolder(env));
  const found = await findHooks({ config: config?.hooks ?? [], folder: userHooksFolder(env), trust, projects: [project] });
  return [...found, ...brokenEntries(problems)];
}

/** Where a user's own hook folders stand. */
export function userHooksFolder(env: NodeJS.ProcessEnv): string {
  return join(dirname(configPath(env)), "hooks");
}
