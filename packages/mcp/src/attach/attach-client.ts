import { isDeepStrictEqual } from "node:util";
import { readPrivately, replacePrivately, stateFolder } from "@hookline/core/internal/machine";
import type { InstallTools } from "hookline/internal/mcp";
import { type Fields, fieldsOf } from "../protocol/message.js";
import type { McpClientFile } from "./clients.js";
import { readEntries, type ServerEntry, withEntry } from "./server-entries.js";
import { isOurs, type OwnProgram, wrapEntry } from "./wrapped-entry.js";

/** A planned change of a client's file. */
export interface ClientPlan {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The names of the servers that change, and those that stay, with the reason. */
  readonly changed: readonly string[];
  readonly left: readonly { readonly name: string; readonly why: string }[];
  readonly record?: FileRecord;
}

/** A file as it was before, to restore it. */
interface FileRecord {
  readonly path: string;
  readonly before: string;
  /** The hash of the text that we wrote. */
  readonly after: string;
  /** The entries as they were. */
  readonly entries: readonly { readonly path: readonly string[]; readonly value: unknown }[];
}

export interface AttachParts {
  readonly client: McpClientFile;
  readonly path: string;
  readonly own: OwnProgram;
  readonly env: NodeJS.ProcessEnv;
  readonly tools: InstallTools;
}

const RECORD = "mcp-clients.json";
const MAX_BYTES = 64 * 1024 * 1024;

export function planAttach({ client, path, own, env, tools }: AttachParts): ClientPlan {
  const { text: before } = tools.readAgentFile(path);
  if (before === undefined) return { path, before, after: before, changed: [], left: [] };
  const left: { name: string; why: string }[] = [];
  const originals: ServerEntry[] = [];
  const after = tools.explained(path, () =>
    readEntries(before, client, tools).reduce((text, entry) => {
      const wrapped = wrapEntry(entry.name, entry.value, client.fields, own);
      if ("left" in wrapped) {
        left.push({ name: entry.name, why: wrapped.left });
        return text;
      }
      try {
        const changed = withEntry(text, client, { ...entry, value: wrapped.entry }, tools);
        originals.push(entry);
        return changed;
      } catch (error) {
        // One server that cannot be changed does not keep the others from it.
        left.push({ name: entry.name, why: error instanceof Error ? error.message.replace(/\.$/, "") : String(error) });
        return text;
      }
    }, before),
  );
  const known = readFiles(env, tools).find((file) => file.path === path);
  // A second attach keeps what the file was before the first, if only ours has changed since.
  const base = known !== undefined && known.after === tools.hashOf(before) ? known.before : before;
  const entries = [...(known?.entries ?? []), ...originals.map(({ path: at, value }) => ({ path: at, value }))];
  return {
    path,
    before,
    after,
    changed: originals.map(({ name }) => name),
    left,
    record: { path, before: base, after: tools.hashOf(after), entries },
  };
}

/** Byte for byte if the file is as we left it; otherwise our entries become what they were. */
export function planDetach({ client, path, own, env, tools }: AttachParts): ClientPlan {
  const { text: before } = tools.readAgentFile(path);
  if (before === undefined) return { path, before, after: before, changed: [], left: [] };
  const known = readFiles(env, tools).find((file) => file.path === path);
  const ours = tools.explained(path, () => readEntries(before, client, tools).filter(({ value }) => isOurs(fieldsOf(value), own)));
  const changed = ours.map(({ name }) => name);
  if (known !== undefined && known.after === tools.hashOf(before)) return { path, before, after: known.before, changed, left: [] };
  const left: { name: string; why: string }[] = [];
  const after = ours.reduce((text, entry) => {
    const value = known?.entries.findLast((one) => isDeepStrictEqual(one.path, entry.path))?.value ?? unwrapped(fieldsOf(entry.value));
    if (value !== undefined) return withEntry(text, client, { ...entry, value }, tools);
    left.push({ name: entry.name, why: "Hookline has no record of what it was" });
    return text;
  }, before);
  return { path, before, after, changed: changed.filter((name) => !left.some((one) => one.name === name)), left };
}

export function applyPlan(plan: ClientPlan, { env, tools }: AttachParts): void {
  const { path, before, after, record } = plan;
  tools.alone(stateFolder(env), path, () => {
    const file = tools.readAgentFile(path);
    if (file.text !== before) throw tools.refused(path, "was changed by another program in the meantime", { fix: "Run this again." });
    const others = readFiles(env, tools).filter((one) => one.path !== path);
    const files = record === undefined || after === before ? others : [...others, record];
    // The record first: one of entries that are not in the file does no harm.
    if (record !== undefined && after !== before) writeFiles(env, files, tools);
    if (after !== undefined && after !== before) tools.replaceAgentFile(file, after);
    if (record === undefined) writeFiles(env, files, tools);
  });
}

/** An entry of `wrap` says itself what it was. */
function unwrapped(entry: Fields): unknown {
  const args = entry.args as readonly string[];
  const at = args.indexOf("--");
  if (args[2] !== "wrap" || at < 0) return undefined;
  return { ...entry, command: args[at + 1], args: args.slice(at + 2) };
}

function readFiles(env: NodeJS.ProcessEnv, { attachFolder, refused }: InstallTools): readonly FileRecord[] {
  const folder = attachFolder(stateFolder(env));
  const read = readPrivately(folder, RECORD, { maxBytes: MAX_BYTES });
  if (read.state === "none") return [];
  try {
    const files = read.state === "found" ? fieldsOf(JSON.parse(read.bytes.toString("utf8"))).files : undefined;
    if (Array.isArray(files)) return files as readonly FileRecord[];
  } catch {
    // Said below.
  }
  throw refused(`${folder}/${RECORD}`, "is not a record of clients", { fix: "Look at it, then move it away." });
}

function writeFiles(env: NodeJS.ProcessEnv, files: readonly FileRecord[], { attachFolder }: InstallTools): void {
  replacePrivately(attachFolder(stateFolder(env)), RECORD, `${JSON.stringify({ version: 1, files })}\n`);
}
