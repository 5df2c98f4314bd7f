import { HookError } from "../catalog/errors.js";
import type { Tape, TranscriptEntry, TranscriptHead } from "./entries.js";
import { type LineSource, linesOf, type RawLine } from "./lines.js";
import { findBreaks } from "./order.js";
import { parseEntry } from "./parse-entry.js";
import { encodeEntry, GENESIS, hashOf } from "./seal.js";

export type ProblemKind = "edited" | "removed" | "reordered" | "truncated" | "inserted" | "format";

/** Something that was done to a transcript, and where. */
export interface TranscriptProblem {
  readonly kind: ProblemKind;
  readonly line: number;
  /** The entry's number, where there is one. */
  readonly n?: number;
  readonly message: string;
}

export interface Verification {
  /** No problem was found. Without a closing entry or a known head, a cut-off tail cannot be. */
  readonly ok: boolean;
  /** Whether the chain ends with its closing entry. */
  readonly closed: boolean;
  /** How many entries hold. */
  readonly entries: number;
  readonly head: TranscriptHead;
  readonly problems: readonly TranscriptProblem[];
}

export interface VerifyOptions {
  /** What `transcript.head` or `transcript.close()` said, kept elsewhere. */
  readonly head?: TranscriptHead;
}

/** A line of the chain: its entry if that is sound in itself, else what is wrong with it. */
export interface ChainLine {
  readonly line: number;
  readonly entry: TranscriptEntry | undefined;
  readonly problem: TranscriptProblem | undefined;
}

/** Checks every entry and the chain between them; finds what was edited, removed, reordered, inserted or cut off, and says where. */
export function verifyTranscript(source: LineSource | Tape, options: VerifyOptions = {}): Verification {
  const lines = linesOf(source).map(inspect);
  const { chain, problems } = findBreaks(lines);
  const last = chain.at(-1);
  const head = last === undefined ? GENESIS : { n: last.n, hash: last.hash };
  const found = [...lines.flatMap(({ problem }) => problem ?? []), ...problems, ...missed(chain, head, lines.length, options.head)];
  found.sort((a, b) => a.line - b.line);
  return { ok: found.length === 0, closed: last?.type === "close", entries: chain.length, head, problems: found };
}

function inspect({ number: line, text, isWhole }: RawLine): ChainLine {
  const flaw = (kind: ProblemKind, message: string, n?: number): ChainLine => ({
    line,
    entry: undefined,
    problem: { kind, line, ...(n !== undefined && { n }), message },
  });
  if (!isWhole) return flaw("truncated", `Line ${line} is unfinished: its writer, or the file, was cut off.`);
  if (text === undefined) return flaw("format", `Line ${line} is no entry: it is not UTF-8.`);
  const parsed = parseEntry(text);
  if ("why" in parsed) return flaw("format", `Line ${line} is no entry: ${parsed.why}.`);
  const { entry } = parsed;
  if (hashOf(entry) !== entry.hash) return flaw("edited", `Entry ${entry.n} was edited: its hash is not that of its content.`, entry.n);
  if (encodeEntry(entry) !== text) return flaw("edited", `Entry ${entry.n} is not written as a transcript writes it.`, entry.n);
  return { line, entry, problem: undefined };
}

/** What only somebody who has kept the head can know: a tail that was cut off, a chain that was computed anew. */
function missed(
  chain: readonly TranscriptEntry[],
  head: TranscriptHead,
  lastLine: number,
  expected: TranscriptHead | undefined,
): TranscriptProblem[] {
  if (expected === undefined) return [];
  if (!Number.isSafeInteger(expected.n) || typeof expected.hash !== "string")
    throw new HookError("HL_BAD_OPTION", `verifyTranscript: "head" must be { n, hash } as transcript.head gives it.`);
  if (expected.n > head.n) {
    const message = `The end was cut off: entry ${head.n} is the last of ${expected.n}.`;
    return [{ kind: "truncated", line: lastLine + 1, n: head.n + 1, message }];
  }
  const index = chain.findIndex(({ n }) => n === expected.n);
  const entry = chain[index];
  if (entry === undefined || entry.hash === expected.hash) return [];
  const message = `Entry ${entry.n} has another hash than the head that was kept: it or an entry before it was edited, and the chain computed anew.`;
  return [{ kind: "edited", line: index + 1, n: entry.n, message }];
}
