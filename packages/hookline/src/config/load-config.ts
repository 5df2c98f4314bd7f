import { type Config, emptyConfig, type LoadedConfig } from "./config.js";
import { configPath } from "./config-path.js";
import { inSlices } from "./in-slices.js";
import type { FindPosition, KeyPath } from "./positions/key-positions.js";
import { type ConfigProblem, type Finding, writePath } from "./problem.js";
import { readConfigFile } from "./read-config-file.js";

/**
 * Reads `hookline.toml`. A missing file counts as empty. A file that is not TOML gives a problem and no config. In any other file, invalid
 * parts are left out and reported.
 */
export async function loadConfig(path: string = configPath()): Promise<LoadedConfig> {
  const read = readConfigFile(path);
  if (read === undefined) return { path, config: emptyConfig, problems: [], warnings: [] };
  if ("fault" in read)
    return unreadable(path, { line: 1, column: 1, message: read.fault, ...(read.fix !== undefined && { fix: read.fix }) });
  return parseConfig(read.text, path);
}

/** The same for given text; `path` is the file's path, for messages and for relative paths. */
export async function parseConfig(text: string, path: string): Promise<LoadedConfig> {
  // Loaded here, so that commands that need no file do not pay for the parser and the schema.
  const [{ parseToml }, { locateKeys }, { checkConfig }] = await Promise.all([
    import("./parse-toml.js"),
    import("./positions/key-positions.js"),
    import("./schema/check-config.js"),
  ]);
  const parsed = parseToml(text);
  if ("message" in parsed) return unreadable(path, parsed);
  const find = locateKeys(text);
  // A hub that reads a file of thousands of rules answers questions meanwhile.
  const { config, findings, warnings } = await inSlices(checkConfig(parsed.document, path, find));
  const place = (finding: Finding) => ({ ...placed(finding, path, find), ...nameIn(parsed.document, finding.path) });
  return {
    path,
    config,
    problems: findings.map(place).sort(byPlace),
    warnings: warnings.map((finding) => ({ ...place(finding), isWarning: true as const })).sort(byPlace),
  };
}

/** Whether a file has `[[rule]]` and `[paths]` tables alone. */
export function hasOnlyRules({ hub, sinks, notify, hooks, redact, retention, policy, fleet, prices, mcp }: Config): boolean {
  const tables = Object.keys({ ...hub, ...retention, ...policy, ...fleet, ...mcp });
  return [...tables, ...sinks, ...notify, ...hooks, ...redact.paths, ...prices].length === 0;
}

function unreadable(path: string, fault: Pick<ConfigProblem, "line" | "column" | "message" | "fix">): LoadedConfig {
  return { path, config: undefined, problems: [{ file: path, key: "", ...fault }], warnings: [] };
}

function placed({ path, message, at }: Finding, file: string, find: FindPosition): ConfigProblem {
  return { file, ...find(path, at), key: writePath(path), message };
}

function nameIn(document: { readonly [key: string]: unknown }, [table = "", index]: KeyPath): { readonly name: string } | undefined {
  const list = typeof index === "number" ? document[table] : undefined;
  const name: unknown = Array.isArray(list) ? (list[index as number] as { readonly name?: unknown }).name : undefined;
  return typeof name === "string" && /^[^\s\p{C}"]{1,64}$/u.test(name) ? { name } : undefined;
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return a.line - b.line || a.column - b.column;
}
