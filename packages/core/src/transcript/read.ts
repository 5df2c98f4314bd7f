import { HookError } from "../catalog/errors.js";
import { type LineSource, linesOf, type RawLine } from "./_chain/lines.js";
import { parseEntry } from "./_chain/parse-entry.js";
import type { TranscriptEntry } from "./entries.js";

/** What a transcript holds. */
export interface TranscriptContents {
  readonly entries: readonly TranscriptEntry[];
  /** The last line was begun and never finished, as a crash leaves it. It is not among the entries. */
  readonly truncated: boolean;
}

/** Reads a file or lines. Throws `HL_TRANSCRIPT_FORMAT` for a line that is not an entry. Does not check the chain; `verifyTranscript` does. */
export function readTranscript(source: LineSource): TranscriptContents {
  const lines = linesOf(source);
  const whole = lines.filter(({ isWhole }) => isWhole);
  const where = typeof source === "string" ? ` of "${source}"` : "";
  return { entries: whole.map((line) => readLine(line, where)), truncated: whole.length < lines.length };
}

function readLine({ number, text }: RawLine, where: string): TranscriptEntry {
  const parsed = text === undefined ? { why: "it is not UTF-8" } : parseEntry(text);
  if ("entry" in parsed) return parsed.entry;
  throw new HookError("HL_TRANSCRIPT_FORMAT", `Line ${number}${where} is not a transcript entry: ${parsed.why}.`);
}
