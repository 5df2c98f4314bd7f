import type { ChainLine, ProblemKind, SoundLine, TranscriptProblem } from "./problems.js";
import { GENESIS } from "./seal.js";

/** The valid entries, by number, and the problems between them. */
export function findBreaks(lines: readonly ChainLine[]): {
  readonly chain: readonly SoundLine[];
  readonly problems: readonly TranscriptProblem[];
} {
  const { genuine, copies } = withoutCopies(lines.filter(isSound));
  const chain = [...genuine.values()].sort((a, b) => a.entry.n - b.entry.n);
  const problems = [
    ...copies.map((copy) => problem("inserted", copy, `Entry ${copy.entry.n} stands there twice; this one is not the chain's.`)),
    ...findGaps(lines, genuine, chain),
    ...findForgeries(chain),
    ...findAfterClose(chain),
  ];
  return { chain, problems };
}

function isSound(line: ChainLine): line is SoundLine {
  return line.entry !== undefined;
}

/** Of two entries with the same number, the one whose hash the next entry holds belongs to the chain. */
function withoutCopies(lines: readonly SoundLine[]): { readonly genuine: Map<number, SoundLine>; readonly copies: SoundLine[] } {
  const remembered = new Set(lines.map(({ entry }) => `${entry.n - 1} ${entry.prev}`));
  const genuine = new Map<number, SoundLine>();
  const copies: SoundLine[] = [];
  for (const line of lines) {
    const { n, hash } = line.entry;
    const rival = genuine.get(n);
    const isBetter = rival === undefined || (remembered.has(`${n} ${hash}`) && !remembered.has(`${n} ${rival.entry.hash}`));
    if (isBetter) genuine.set(n, line);
    const loser = isBetter ? rival : line;
    if (loser !== undefined) copies.push(loser);
  }
  return { genuine, copies };
}

/** Finds numbers that go back and numbers that are missing. An invalid line counts as the entry that it was. */
function findGaps(
  lines: readonly ChainLine[],
  genuine: ReadonlyMap<number, SoundLine>,
  chain: readonly SoundLine[],
): readonly TranscriptProblem[] {
  const ranks = new Map(chain.map(({ entry }, index) => [entry.n, index + 1]));
  const found: TranscriptProblem[] = [];
  let high = 0;
  let unsound = 0;
  for (const line of lines) {
    if (!isSound(line)) unsound++;
    if (!isSound(line) || genuine.get(line.entry.n) !== line) continue;
    const { n } = line.entry;
    if (n < high) {
      found.push(problem("reordered", line, `Entry ${n} comes after entry ${high}.`));
      continue;
    }
    const elsewhere = rankOf(ranks, n) - rankOf(ranks, high) - 1;
    const missing = n - high - 1 - elsewhere - unsound;
    if (missing > 0) found.push(problem("removed", line, describeGap(high, n, missing), high + 1));
    high = n;
    unsound = 0;
  }
  return found;
}

function rankOf(ranks: ReadonlyMap<number, number>, n: number): number {
  return ranks.get(n) ?? 0;
}

function describeGap(high: number, n: number, missing: number): string {
  if (missing === 1 && n === high + 2) return `Entry ${high + 1} was removed.`;
  return `${missing} of the entries ${high + 1} to ${n - 1} ${missing === 1 ? "was" : "were"} removed.`;
}

/** If the hash of an entry was recomputed, the next entry still holds the old one. */
function findForgeries(chain: readonly SoundLine[]): TranscriptProblem[] {
  return chain.flatMap((line, index) => {
    const { n, prev } = line.entry;
    if (n === 1 && prev !== GENESIS.hash) return [problem("edited", line, "Entry 1 does not begin a chain: it was edited.")];
    const before = chain[index - 1];
    if (before?.entry.n !== n - 1 || before.entry.hash === prev) return [];
    return [
      problem(
        "edited",
        before,
        `Entry ${n - 1} does not match the hash stored in entry ${n}: one of the two was edited and its hash recomputed.`,
      ),
    ];
  });
}

/** Only an `open` that names the closing entry may follow it. */
function findAfterClose(chain: readonly SoundLine[]): TranscriptProblem[] {
  const found: TranscriptProblem[] = [];
  let closedAt: number | undefined;
  for (const line of chain) {
    const { entry } = line;
    // Also if the segment before it is missing, which is reported elsewhere.
    if (entry.type === "open" && entry.continues === entry.n - 1) closedAt = undefined;
    else if (closedAt !== undefined) found.push(problem("inserted", line, `Entry ${entry.n} comes after the closing entry.`));
    if (entry.type === "close") closedAt = entry.n;
  }
  return found;
}

function problem(kind: ProblemKind, { line, entry }: SoundLine, message: string, n = entry.n): TranscriptProblem {
  return { kind, line, n, message };
}
