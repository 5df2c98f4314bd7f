import { isDeepStrictEqual } from "node:util";
import type { InstallTools } from "hookline/internal/mcp";
import { type Fields, fieldsOf } from "../protocol/message.js";
import type { McpClientFile } from "./clients.js";

/** One server in a client's file. */
export interface ServerEntry {
  /** The keys to it. */
  readonly path: readonly string[];
  readonly name: string;
  readonly value: unknown;
}

/** All servers of a file. Throws `HL_AGENT_FILE` for a text that the client could not read either. */
export function readEntries(text: string, client: McpClientFile, { json, toml }: InstallTools): readonly ServerEntry[] {
  const root = client.syntax === "toml" ? toml.parse(text) : jsonOf(text, client, json);
  return client.servers
    .flatMap((keys) => objectsAt(root, keys))
    .flatMap(({ path, value }) => Object.entries(value).map(([name, entry]) => ({ path: [...path, name], name, value: entry })));
}

/** The text with another value in the place of an entry; every other byte stays. Throws `HL_AGENT_FILE` if that is not possible. */
export function withEntry(text: string, client: McpClientFile, { path, value }: ServerEntry, tools: InstallTools): string {
  if (client.syntax === "toml") return withTomlEntry(text, path, fieldsOf(value), tools);
  const { json } = tools;
  const document = json.parseDocument(text, syntaxOf(client, json));
  let node = document.root;
  for (const key of path) {
    const found = json.memberOf(text, node, key)?.children?.[1];
    if (found === undefined) return text;
    node = found;
  }
  return json.replaced(document, node, value);
}

function jsonOf(text: string, client: McpClientFile, json: InstallTools["json"]): unknown {
  if (text.trim() === "") return {};
  // The client's own parser may accept less than the one that reads the value.
  json.parseDocument(text, syntaxOf(client, json));
  return json.readSettings(text);
}

function syntaxOf({ syntax }: McpClientFile, { plainJson }: InstallTools["json"]) {
  return syntax === "json" ? plainJson : { ...plainJson, comments: true, trailingCommas: true };
}

function objectsAt(
  root: unknown,
  [key, ...more]: readonly string[],
  path: readonly string[] = [],
): { path: readonly string[]; value: Fields }[] {
  const fields = fieldsOf(root);
  if (key === undefined) return [{ path, value: fields }];
  const keys = key === "*" ? Object.keys(fields) : Object.hasOwn(fields, key) ? [key] : [];
  return keys.flatMap((one) => objectsAt(fields[one], more, [...path, one]));
}

/** Rewrites the keys of one table. A table that is written in another way is refused: the whole must mean what was wanted. */
function withTomlEntry(text: string, path: readonly string[], wanted: Fields, { toml, refused }: InstallTools): string {
  const [table = "", name = ""] = path;
  const before = fieldsOf(fieldsOf(toml.parse(text)[table])[name]);
  const changed = [...new Set([...Object.keys(before), ...Object.keys(wanted)])].filter(
    (key) => !isDeepStrictEqual(before[key], wanted[key]),
  );
  const lines = text.split("\n");
  const header = lines.findIndex((line) => isHeader(line, table, name));
  const plain = Object.fromEntries(changed.flatMap((key) => (wanted[key] === undefined ? [] : [[key, wanted[key]]])));
  const end = lines.findIndex((line, at) => at > header && /^\s*\[/.test(line));
  const kept = withoutKeys(lines.slice(header + 1, end < 0 ? lines.length : end), changed, toml.parse);
  const added = toml.stringify(plain).trimEnd().split("\n");
  const after = [...lines.slice(0, header + 1), ...added, ...kept, ...(end < 0 ? [] : lines.slice(end))].join("\n");
  const expected = structuredClone(toml.parse(text)) as { [key: string]: { [key: string]: unknown } };
  expected[table] = { ...expected[table], [name]: wanted };
  if (header < 0 || !isDeepStrictEqual(parsed(after, toml.parse), JSON.parse(JSON.stringify(expected))))
    throw refused(`${table}.${name}`, "is written in a form that Hookline cannot change", {
      fix: "Change this server by hand: see docs/mcp.md.",
    });
  return after;
}

function isHeader(line: string, table: string, name: string): boolean {
  const [, found] = /^\s*\[\s*([^\]]+?)\s*\]\s*(#.*)?$/.exec(line) ?? [];
  return found === `${table}.${name}` || found === `${table}."${name}"`;
}

/** A value may go on over several lines: it ends where it can be parsed. */
function withoutKeys(lines: readonly string[], keys: readonly string[], parse: InstallTools["toml"]["parse"]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, key = ""] = /^\s*"?([\w-]+)"?\s*=/.exec(line) ?? [];
    if (!keys.includes(key)) {
      kept.push(line);
      continue;
    }
    let value = line;
    while (parsed(value, parse) === undefined && at + 1 < lines.length) value += `\n${lines[++at]}`;
  }
  return kept;
}

function parsed(text: string, parse: InstallTools["toml"]["parse"]): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
