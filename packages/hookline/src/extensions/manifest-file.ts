import { readFile, stat } from "node:fs/promises";
import { isMap, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { type ConfigProblem, type Finding, writePath } from "../config/problem.js";
import { explain } from "../config/schema/explain.js";

type KeyPath = Finding["path"];

/** A manifest on disk, and the position of each of its keys. */
export interface ManifestFile {
  /** Missing if the file cannot be read. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  problem(path: KeyPath, message: string): ConfigProblem;
}

const MAX_BYTES = 64 * 1024;
/** The limit for YAML aliases: a manifest needs none, and a "billion laughs" attack needs only a few. */
const MAX_ALIASES = 20;
const START = { line: 1, column: 1 };

/** Reads an `extension.json` (JSON) or a `HOOK.yaml`. Never throws: what is wrong is in `problems`. */
export async function readManifestFile(path: string, format: "json" | "yaml"): Promise<ManifestFile> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) return tooLarge(path);
    return parseManifest(await readFile(path, "utf8"), path, format);
  } catch (error) {
    return unreadable(path, `The file cannot be read: ${(error as Error).message}.`);
  }
}

export function parseManifest(text: string, file: string, format: "json" | "yaml"): ManifestFile {
  if (Buffer.byteLength(text) > MAX_BYTES) return tooLarge(file);
  const lines = new LineCounter();
  try {
    const json: unknown = format === "json" ? JSON.parse(text) : undefined;
    // JSON is valid YAML, and the YAML parser keeps positions.
    const document = parseDocument(text, { lineCounter: lines, logLevel: "silent", stringKeys: true });
    const [wrong] = format === "json" ? [] : document.errors;
    if (wrong !== undefined) return unreadable(file, reasonOf(wrong), lines.linePos(wrong.pos[0]));
    const value: unknown = format === "json" ? json : document.toJS({ maxAliasCount: MAX_ALIASES });
    const locate = placesIn(document, lines);
    return { value, problems: [], problem: (path, message) => ({ file, ...locate(path), key: writePath(path), message }) };
  } catch (error) {
    return unreadable(file, `The file is not ${format === "json" ? "JSON" : "YAML that Hookline accepts"}: ${(error as Error).message}.`);
  }
}

/** The position of a key in a JSON text, or of the innermost object or list of its path that exists. */
export function locateJson(text: string): (path: KeyPath) => Place {
  const lines = new LineCounter();
  return placesIn(parseDocument(text, { lineCounter: lines, logLevel: "silent", stringKeys: true }), lines);
}

interface Place {
  readonly line: number;
  readonly column: number;
}

function placesIn(document: ReturnType<typeof parseDocument>, lines: LineCounter): (path: KeyPath) => Place {
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const at = offsetOf(document, path.slice(0, length));
      if (at !== undefined) return position(lines, at);
    }
    return START;
  };
}

/** Checks a value against a schema; the problems say where in the file. */
export function checkManifest<S extends z.ZodType>(
  schema: S,
  file: ManifestFile,
  value: unknown,
  path: KeyPath = [],
): { readonly value: z.output<S> | undefined; readonly problems: ConfigProblem[] } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, problems: [] };
  const findings = explain(schema, value, result.error.issues, path);
  return { value: undefined, problems: findings.map((finding) => file.problem([...path, ...finding.path], finding.message)) };
}

/** The rest of the message repeats the position and quotes the lines. */
function reasonOf({ message }: Error): string {
  const [first = ""] = message.split("\n", 1);
  return `The file is not YAML: ${first.replace(/ at line \d+, column \d+:?$/, "").replace(/[.:]$/, "")}.`;
}

function tooLarge(file: string): ManifestFile {
  return unreadable(file, `The file is larger than ${MAX_BYTES / 1024} KiB.`);
}

function unreadable(
  file: string,
  message: string,
  at: { readonly line: number; readonly col: number } = { line: 1, col: 1 },
): ManifestFile {
  const problem = { file, line: at.line, column: at.col, key: "", message };
  return { value: undefined, problems: [problem], problem: () => problem };
}

/** The position of a key or of a list entry. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: KeyPath): number | undefined {
  const parent: unknown = document.getIn(path.slice(0, -1), true);
  const key = path.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find((item) => (item.key as { value?: unknown } | null)?.value === key);
    return (pair?.key as { range?: readonly number[] } | undefined)?.range?.[0];
  }
  return (document.getIn(path, true) as { range?: readonly number[] } | undefined)?.range?.[0];
}

function position(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}
