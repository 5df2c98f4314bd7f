import { HookError } from "../../catalog/errors.js";
import { parseEntry } from "../_chain/parse-entry.js";
import { encodeEntry, GENESIS, hashOf } from "../_chain/seal.js";
import type { TranscriptEntry, TranscriptHead } from "../entries.js";
import type { LineFile } from "./line-file.js";

/** Where the chain of a file continues. */
export interface Resumed {
  readonly head: TranscriptHead;
  /** The hash of the first entry, which names the chain; undefined before there is one. */
  readonly id: string | undefined;
  /** Bytes of an unfinished line that a crash had left and that are cut off now. */
  readonly recovered: number;
  /** The number of the closing entry after which a new segment begins. */
  readonly continues?: number;
}

/** Reads the end of a file; refuses a file that is not a transcript or was edited there. After a closing entry the chain continues in a new segment. */
export function resume(file: LineFile): Resumed {
  const { line, rest } = readTail(file);
  const last = line === undefined ? undefined : readLast(file, line);
  const head = last === undefined ? GENESIS : { n: last.n, hash: last.hash };
  if (rest.length > 0) {
    // Only a line that a transcript began may be cut off.
    const begun = `{"v":1,"n":${head.n + 1},"at":"`;
    if (!rest.startsWith(begun.slice(0, rest.length))) throw notOurs(file, "it ends in the middle of a line that is not an entry");
    file.cut(file.size - rest.length);
  }
  const id = last === undefined ? undefined : readId(file);
  return { head, id, recovered: rest.length, ...(last?.type === "close" && { continues: last.n }) };
}

/** A first line that is not an entry is for `verifyTranscript` to report; such a chain has no name. */
function readId(file: LineFile): string | undefined {
  for (let length = WINDOW; ; length *= 2) {
    const bytes = file.read(0, Math.min(length, file.size));
    const end = bytes.indexOf(10);
    if (end < 0 && length < file.size) continue;
    const parsed = parseEntry(bytes.subarray(0, end < 0 ? bytes.length : end).toString("utf8"));
    return "entry" in parsed ? parsed.entry.hash : undefined;
  }
}

const WINDOW = 65_536;

/** The last whole line, and the text after it. Read as Latin-1, because a window may begin, and a crash may end, within a character of UTF-8. */
function readTail(file: LineFile): { readonly line: string | undefined; readonly rest: string } {
  for (let length = WINDOW; ; length *= 2) {
    const start = Math.max(0, file.size - length);
    const text = file.read(start, file.size).toString("latin1");
    const end = text.lastIndexOf("\n");
    const before = end < 1 ? -1 : text.lastIndexOf("\n", end - 1);
    if (before < 0 && start > 0) continue;
    return { line: end < 0 ? undefined : text.slice(before + 1, end), rest: text.slice(end + 1) };
  }
}

function readLast(file: LineFile, latin1: string): TranscriptEntry {
  const line = Buffer.from(latin1, "latin1").toString("utf8");
  const parsed = parseEntry(line);
  if ("why" in parsed) throw notOurs(file, `its last line is not an entry: ${parsed.why}`);
  const { entry } = parsed;
  if (hashOf(entry) !== entry.hash || encodeEntry(entry) !== line) throw notOurs(file, `its last entry, ${entry.n}, was edited`);
  return entry;
}

function notOurs(file: LineFile, why: string): HookError {
  return new HookError("HL_TRANSCRIPT_FORMAT", `"${file.path}" cannot be continued as a transcript: ${why}. Begin a new file.`);
}
