import { resolve } from "node:path";
import { configPath } from "../config/config-path.js";
import { readConfigFile } from "../config/read-config-file.js";
import { CliError } from "./cli-error.js";

/** The file that a command is about, and its text; no text if the file does not exist. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string | undefined;
}

export function openConfigFile(given: string | undefined, env: NodeJS.ProcessEnv): ConfigFile {
  const path = given === undefined ? configPath(env) : resolve(given);
  const read = readConfigFile(path);
  if (read !== undefined && "fault" in read) throw new CliError(`"${path}" cannot be used: ${read.fault}`, { fix: read.fix });
  return { path, text: read?.text };
}
