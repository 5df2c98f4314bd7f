import type { TranscriptEntry } from "../entries.js";

/** What was done to a transcript. */
export type ProblemKind = "edited" | "removed" | "reordered" | "truncated" | "inserted" | "format";

/** Something that was done to a transcript, and where. */
export interface TranscriptProblem {
  readonly kind: ProblemKind;
  readonly line: number;
  /** The entry's number, where there is one. */
  readonly n?: number;
  readonly message: string;
}

/** A line of the chain: its entry if the entry itself is valid, else the problem. */
export interface ChainLine {
  readonly line: number;
  readonly entry: TranscriptEntry | undefined;
  readonly problem: TranscriptProblem | undefined;
}

export type SoundLine = ChainLine & { readonly entry: TranscriptEntry };
