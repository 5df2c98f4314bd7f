import { dirname, join } from "node:path";
import { stateFolder } from "@hookline/core/discover";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { byEntry, type ConfigProblem, entryOf, formatProblem } from "../../config/problem.js";
import { findHooks } from "../../extensions/installed/find-hooks.js";
import { type InstalledHook, rejected } from "../../extensions/installed/installed-hook.js";
import { createTrust } from "../../extensions/trust/trust.js";

/** Every hook this user has: in hookline.toml, in his hooks folder, and in the project; and what in the file is wrong. */
export async function findKnownHooks(env: NodeJS.ProcessEnv, project: string): Promise<readonly InstalledHook[]> {
  const { config, problems } = await loadConfig(configPath(env));
  const trust = createTrust(stateFolder(env));
  const found = await findHooks({ config: config?.hooks ?? [], folder: userHooksFolder(env), trust, projects: [project] });
  return [...found, ...droppedEntries(problems)];
}

/** Where a user's own hook folders stand. */
export function userHooksFolder(env: NodeJS.ProcessEnv): string {
  return join(dirname(configPath(env)), "hooks");
}

/** Rules and sinks are not hooks, and are shown elsewhere. */
function droppedEntries(problems: readonly ConfigProblem[]): InstalledHook[] {
  const own = problems.filter(({ key }) => key === "" || /^hook\b/.test(key));
  return byEntry(own).map(droppedEntry);
}

function droppedEntry(problems: readonly [ConfigProblem, ...ConfigProblem[]]): InstalledHook {
  const [{ file, line, ...first }] = problems;
  const name = first.name ?? (first.key === "" ? "hookline.toml" : entryOf(first));
  const path = `${file}:${line}`;
  const shared = { id: `${name} (${path})`, name, kind: "command", from: "user", path, version: "" } as const;
  // Shown under the entry's name, which need not be said again.
  const [text = "", ...more] = problems.map(({ name: _, ...problem }) => formatProblem({ ...problem, key: "" }));
  return rejected({ ...shared, problems: more }, text);
}
