export type { RedactFunction, RedactOptions } from "../redact/redact.js";
export type { LineSource } from "./_chain/lines.js";
export type { ProblemKind, TranscriptProblem } from "./_chain/problems.js";
export type {
  DecisionFields,
  EntryFields,
  EntryOf,
  EntryType,
  HookAnswer,
  Place,
  RecordedCause,
  Tape,
  TranscriptEntry,
  TranscriptHead,
  TransformFields,
} from "./entries.js";
export type { TranscriptOptions } from "./options.js";
export { readTranscript, type TranscriptContents } from "./read.js";
export { type RecordedCall, type ReplayBus, type ReplayOptions, replayBus } from "./replay.js";
export { type RerunBus, type RerunOptions, type RerunReport, type RerunResult, type RerunRow, rerun } from "./rerun.js";
export { createTranscript, type Transcript } from "./transcript.js";
export { type Verification, type VerifyOptions, verifyTranscript } from "./verify.js";
