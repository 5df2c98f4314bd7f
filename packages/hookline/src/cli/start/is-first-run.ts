import { existsSync } from "node:fs";
import { readManaged, stateFolder } from "@hookline/core/internal/machine";
import { configPath } from "../../config/config-path.js";

/** Whether Hookline has neither state nor configuration on this machine. Changes nothing. */
export function isFirstRun(env: NodeJS.ProcessEnv): boolean {
  return readManaged() === undefined && !existsSync(stateFolder(env)) && !existsSync(configPath(env));
}
