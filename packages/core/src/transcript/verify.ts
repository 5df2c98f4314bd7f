import { HookError } from "../catalog/errors.js";
import { type LineSource, linesOf, type RawLine } from "./_chain/lines.js";
import { findBreaks } from "./_chain/order.js";
import { parseEntry } from "./_chain/parse-entry.js";
import type { ChainLine, ProblemKind, SoundLine, TranscriptProblem } from "./_chain/problems.js";
import { encodeEntry, GENESIS, hashOf } from "./_chain/seal.js";
import type { Tape, TranscriptHead } from "./entries.js";

/** What `verifyTranscript` returns. */
export interface Verification {
  /** No problem was found. Without a closing entry or a known head, a missing end cannot be detected. */
  readonly ok: boolean;
  /** Whether the chain ends with a closing entry. */
  readonly closed: boolean;
  /** How many segments it has: a file that was closed and opened again has two. */
  readonly segments: number;
  /** How many entries are valid. */
  readonly entries: number;
  readonly head: TranscriptHead;
  /** Names the chain: the hash of its first entry. */
  readonly id?: string;
  readonly problems: readonly TranscriptProblem[];
}

/** Options of `verifyTranscript`. */
export interface VerifyOptions {
  /** One or more results of `transcript.head` or `transcript.close()` that were kept elsewhere. */
  readonly head?: TranscriptHead | readonly TranscriptHead[];
}

/** Checks every entry and the chain between them; finds what was edited, removed, reordered, inserted or cut off, and says where. */
export function verifyTranscript(source: LineSource | Tape, options: VerifyOptions = {}): Verification {
  const lines = linesOf(source).map(inspect);
  const { chain, problems } = findBreaks(lines);
  const last = chain.at(-1)?.entry;
  const first = chain[0]?.entry;
  const kept = options.head === undefined ? [] : [options.head].flat();
  const missed = kept.flatMap((head) => findMissed(lines, chain, head));
  const found = [...lines.flatMap(({ problem }) => problem ?? []), ...problems, ...withoutRepeats(missed)];
  return {
    ok: found.length === 0,
    closed: last?.type === "close",
    segments: chain.filter(({ entry }) => entry.type === "open" && entry.continues !== undefined).length + Math.min(1, chain.length),
    entries: chain.length,
    ...(first?.n === 1 && { id: first.hash }),
    head: last === undefined ? GENESIS : { n: last.n, hash: last.hash },
    problems: found.sort((a, b) => a.line - b.line),
  };
}

function inspect({ number: line, text, isWhole }: RawLine): ChainLine {
  const flaw = (kind: ProblemKind, message: string, n?: number): ChainLine => ({
    line,
    entry: undefined,
    problem: { kind, line, ...(n !== undefined && { n }), message },
  });
  if (!isWhole) return flaw("truncated", `Line ${line} is unfinished: its writer, or the file, was cut off.`);
  if (text === undefined) return flaw("format", `Line ${line} is not an entry: it is not UTF-8.`);
  const parsed = parseEntry(text);
  if ("why" in parsed) return flaw("format", `Line ${line} is not an entry: ${parsed.why}.`);
  const { entry } = parsed;
  if (hashOf(entry) !== entry.hash) return flaw("edited", `Entry ${entry.n} was edited: its hash is not that of its content.`, entry.n);
  if (encodeEntry(entry) !== text) return flaw("edited", `Entry ${entry.n} is not written as a transcript writes it.`, entry.n);
  return { line, entry, problem: undefined };
}

/** What only a saved head shows: a tail that was cut off, a chain that was recomputed. */
function findMissed(lines: readonly ChainLine[], chain: readonly SoundLine[], kept: TranscriptHead): TranscriptProblem[] {
  if (!Number.isSafeInteger(kept.n) || typeof kept.hash !== "string")
    throw new HookError("HL_BAD_OPTION", `verifyTranscript: "head" must be { n, hash } as transcript.head gives it.`);
  const last = chain.at(-1);
  const lastN = last?.entry.n ?? 0;
  // An invalid line at the end counts as the entry that it was.
  if (kept.n > lastN + lines.length - (last?.line ?? 0)) {
    const message = `The end was cut off: of ${kept.n} entries, ${lastN} is the last.`;
    return [{ kind: "truncated", line: lines.length + 1, n: lastN + 1, message }];
  }
  const there = chain.find(({ entry }) => entry.n === kept.n);
  if (there === undefined || there.entry.hash === kept.hash) return [];
  const message = `Entry ${kept.n} is not the head that was kept: it or one before it was edited, and the chain was recomputed.`;
  return [{ kind: "edited", line: there.line, n: kept.n, message }];
}

/** If several heads find the same missing end, only the last one, which knows the most entries, reports it. */
function withoutRepeats(missed: readonly TranscriptProblem[]): TranscriptProblem[] {
  const cut = missed.filter(({ kind }) => kind === "truncated").slice(-1);
  return [...missed.filter(({ kind }) => kind !== "truncated"), ...cut];
}
