import { closeSync, constants, existsSync, fsyncSync, renameSync, rmSync } from "node:fs";
import type { Envelope } from "../../catalog/envelope.js";
import type { SendResult, Sink } from "../sink.js";
import { isStillAt, writeAll } from "./dead-letter.js";
import { attempt, openDeadLetters } from "./dead-letter-file.js";
import { chunksOf, linesOf, openExisting, parseDeadLetter } from "./read-dead-letters.js";
import { lockForRedelivery } from "./redeliver-lock.js";

const LINE_END = Buffer.from("\n");

/** Somewhere dead letters are sent again. A webhook sink is asked for `attempt`, which does not put them into its own file once more. */
export interface RedeliverTarget extends Pick<Sink, "send"> {
  attempt?(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult>;
}

export interface RedeliverReport {
  /** Letters that are delivered, and gone from the file. */
  readonly sent: number;
  /** Letters still in the file: refused again, or not tried after `stoppedBy`. */
  readonly kept: number;
  /** Lines that are not letters. They stay as they are. */
  readonly malformed: number;
  /** Why the receiver could not be reached; the letters from there on were not tried. */
  readonly stoppedBy?: unknown;
}

/**
 * Sends the letters of a dead-letter file again and keeps what still fails. The file is replaced in one step at the end:
 * a crash before it sends letters twice, under the same `webhook-id`. Letters added meanwhile stay. Throws `HL_DEAD_LETTER`.
 */
export async function redeliver(path: string, sink: RedeliverTarget, signal?: AbortSignal): Promise<RedeliverReport> {
  const nothing = { sent: 0, kept: 0, malformed: 0 };
  if (!existsSync(path)) return nothing;
  const unlock = await lockForRedelivery(path);
  try {
    const source = openExisting(path);
    return source === undefined ? nothing : await resend({ path, source, sink, signal: signal ?? new AbortController().signal });
  } finally {
    unlock();
  }
}

interface Redelivery {
  readonly path: string;
  readonly source: number;
  readonly sink: RedeliverTarget;
  readonly signal: AbortSignal;
}

async function resend(redelivery: Redelivery): Promise<RedeliverReport> {
  const { path, source } = redelivery;
  const draftPath = `${path}.draft`;
  let draft: number | undefined;
  try {
    rmSync(draftPath, { force: true });
    draft = openDeadLetters(draftPath, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND);
    const { end, ...report } = await writeDraft(redelivery, draft);
    const replacement = { path, source, draft, draftPath, end };
    if (report.sent > 0) attempt(path, "replaced", () => replace(replacement));
    return report;
  } finally {
    closeSync(source);
    if (draft !== undefined) closeSync(draft);
    rmSync(draftPath, { force: true });
  }
}

async function writeDraft({ path, source, sink, signal }: Redelivery, draft: number): Promise<RedeliverReport & { readonly end: number }> {
  const report: { sent: number; kept: number; malformed: number; stoppedBy?: unknown } = { sent: 0, kept: 0, malformed: 0 };
  let end = 0;
  for (const raw of linesOf(path, source)) {
    if (!raw.isWhole) break;
    end = raw.end;
    if (raw.bytes.length === 0) continue;
    const parsed = parseDeadLetter(raw.bytes, path);
    const result = "letter" in parsed && !("stoppedBy" in report) ? await sendAgain(sink, parsed.letter.envelopes, signal) : undefined;
    if (result?.status === "retry") report.stoppedBy = result.cause;
    const fate = "problem" in parsed ? "malformed" : result?.status === "sent" ? "sent" : "kept";
    report[fate]++;
    if (fate !== "sent") attempt(path, "rewritten", () => writeAll(draft, Buffer.concat([raw.bytes, LINE_END])));
  }
  return { ...report, end };
}

async function sendAgain(sink: RedeliverTarget, envelopes: readonly Envelope[], signal: AbortSignal): Promise<SendResult> {
  try {
    return await (sink.attempt === undefined ? sink.send(envelopes, signal) : sink.attempt(envelopes, signal));
  } catch (cause) {
    return { status: "failed", cause };
  }
}

interface Replacement {
  readonly path: string;
  readonly source: number;
  readonly draft: number;
  readonly draftPath: string;
  readonly end: number;
}

function replace({ path, source, draft, draftPath, end }: Replacement): void {
  if (!isStillAt(path, source)) throw new Error("another process has replaced it");
  const more = restOf(path, source, end);
  // Half a line may be one that is being written: it is left for later, when it is whole.
  const wholeLines = more.subarray(0, more.lastIndexOf(0x0a) + 1);
  writeAll(draft, wholeLines);
  fsyncSync(draft);
  renameSync(draftPath, path);
  // Letters that were written before the rename are found here; a process that writes after it finds another file in place, and writes again.
  const late = restOf(path, source, end + wholeLines.length);
  // In one piece, for others write to the new file by now.
  if (late.length > 0) writeAll(draft, late.at(-1) === 0x0a ? late : Buffer.concat([late, LINE_END]));
}

function restOf(path: string, source: number, from: number): Buffer {
  return Buffer.concat([...chunksOf(path, source, from)]);
}
