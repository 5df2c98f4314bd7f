import { existsSync } from "node:fs";
import { HookError } from "@hookline/core";
import { shellWord } from "@hookline/core/internal/text";
import { type Config, emptyConfig } from "../../config/config.js";
import { configPath } from "../../config/config-path.js";
import { type ConfigProblem, formatProblem, repairOf } from "../../config/problem.js";

interface ReadConfig {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
}

/** The configuration the hub runs with. A bad entry is left out and told of; a file that cannot be read at all is an error. */
export async function readConfig(given: string | undefined, onProblem: (text: string) => void): Promise<ReadConfig> {
  const path = given ?? configPath();
  if (!existsSync(path)) {
    if (given === undefined) return { config: emptyConfig, problems: [] };
    throw new HookError("HL_CONFIG", `There is no file "${path}", which the hub was told to use.`, {
      fix: { run: `hookline init --config ${shellWord(path)}` },
    });
  }
  // Checking takes a library that most starts do not need.
  const { loadConfig } = await import("../../config/load-config.js");
  const { config, problems, warnings } = await loadConfig(path);
  if (config === undefined) throw new HookError("HL_CONFIG", problems.map(formatProblem).join("\n"), { fix: repairOf(path, problems) });
  for (const problem of [...problems, ...warnings]) onProblem(formatProblem(problem));
  return { config, problems };
}
