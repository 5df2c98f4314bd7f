import { emptyConfig, type LoadedConfig } from "./config.js";
import { configPath } from "./config-path.js";
import type { FindPosition } from "./positions/key-positions.js";
import { type ConfigProblem, type Finding, writePath } from "./problem.js";
import { readConfigFile } from "./read-config-file.js";

/**
 * Reads `hookline.toml`. A file that is not there is an empty one; one that is no TOML gives a problem and no config. Of any other, what
 * is wrong is left out and said.
 */
export async function loadConfig(path: string = configPath()): Promise<LoadedConfig> {
  const read = readConfigFile(path);
  if (read === undefined) return { path, config: emptyConfig, problems: [] };
  if ("fault" in read) return { path, config: undefined, problems: [{ file: path, line: 1, column: 1, key: "", message: read.fault }] };
  return parseConfig(read.text, path);
}

/** The same for text that is there already; `path` says where it stands, for messages and for the paths in it. */
export async function parseConfig(text: string, path: string): Promise<LoadedConfig> {
  // Loaded here, so that a command that needs no file does not pay for its parser and schema.
  const [{ parseToml }, { locateKeys }, { checkConfig }] = await Promise.all([
    import("./parse-toml.js"),
    import("./positions/key-positions.js"),
    import("./schema/check-config.js"),
  ]);
  const parsed = parseToml(text);
  if ("message" in parsed) return { path, config: undefined, problems: [{ file: path, key: "", ...parsed }] };
  const find = locateKeys(text);
  const { config, findings } = checkConfig(parsed.document, path, find);
  return { path, config, problems: findings.map((finding) => placed(finding, path, find)).sort(byPlace) };
}

function placed({ path, message }: Finding, file: string, find: FindPosition): ConfigProblem {
  return { file, ...find(path), key: writePath(path), message };
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return a.line - b.line || a.column - b.column;
}
