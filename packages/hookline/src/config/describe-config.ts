import { DEFAULT_APPROVAL_TIMEOUT_MS } from "@hookline/core/internal";
import { parseToml } from "./parse-toml.js";
import type { KeyPath } from "./positions/key-positions.js";
import { locateKeys } from "./positions/key-positions.js";
import { writePath } from "./problem.js";
import { isTable } from "./schema/read-table.js";
import { secretKeys } from "./secret-keys.js";

/** One value of the configuration, and where it comes from. */
export interface ConfigRow {
  /** Such as `rule[0].do`. */
  readonly key: string;
  /** As TOML; secrets are hidden. */
  readonly value: string;
  /** `<file>:<line>`, or `default`. */
  readonly origin: string;
}

/** The values in the text, and the defaults of the others. For text that is valid TOML. */
export function describeConfig(text: string, path: string): ConfigRow[] {
  const parsed = parseToml(text);
  const document = "document" in parsed ? parsed.document : {};
  const find = locateKeys("document" in parsed ? text : "");
  const rows = leavesOf(document, []).map(({ path: keys, value }) => ({
    key: writePath(keys),
    value: isHidden(keys) ? '"(hidden)"' : showValue(value),
    origin: `${path}:${find(keys).line}`,
  }));
  const given = new Set(rows.map(({ key }) => key));
  const missing = defaults.filter(({ key }) => !given.has(key));
  return [...rows, ...missing.map((row) => ({ ...row, origin: "default" }))];
}

const defaults = [
  { key: "hub.port", value: "4665, or any that is free" },
  { key: "hub.host", value: '"127.0.0.1"' },
  { key: "hub.data", value: "the state folder" },
  { key: "hub.askTimeout", value: `"${DEFAULT_APPROVAL_TIMEOUT_MS / 60_000}m"` },
  { key: "hub.remoteApprovals", value: "false" },
  { key: "hub.publicUrl", value: "none" },
  { key: "retention.maxAge", value: "never" },
  { key: "retention.maxBytes", value: '"2GB"' },
  { key: "mcp.eras", value: '"any"' },
  { key: "redact.paths", value: "[]" },
];

interface Leaf {
  readonly path: KeyPath;
  readonly value: unknown;
}

function leavesOf(value: unknown, path: KeyPath): Leaf[] {
  // Examples are only for testing a rule and would hide the rest.
  if (path[0] === "rule" && path.at(-1) === "examples") return [];
  if (isTable(value)) return Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]));
  if (Array.isArray(value) && value.length > 0 && value.every(isTable))
    return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  return [{ path, value }];
}

// The value may be a secret, and this output ends up in bug reports.
function isHidden(path: KeyPath): boolean {
  return (
    (path[0] === "sink" || path[0] === "notify") &&
    path.some((key) => secretKeys.has(String(key))) &&
    !["env", "file"].includes(String(path.at(-1)))
  );
}

function showValue(value: unknown): string {
  return typeof value === "symbol" ? String(value.description) : (JSON.stringify(value) ?? String(value));
}
