import { closeSync, constants, fstatSync, readSync, statSync, writeSync } from "node:fs";
import { messageOf } from "../../bus/describe-error.js";
import { type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import { attempt, openDeadLetters } from "./dead-letter-file.js";
import type { HideCredentials } from "./hide-credentials.js";

/** A delivery that failed for good, as it stands on a line of the file. */
export interface DeadLetter {
  /** When it was given up, ISO 8601. */
  readonly at: string;
  /** Where it should have gone, for people: without query and tokens. */
  readonly url: string;
  readonly cause: string;
  readonly envelopes: readonly Envelope[];
}

/** Where a file never seems to be itself, as on some network drives, one line a few times is enough. */
const MAX_TRIES = 3;

/** Appends one whole line, synchronously: it survives `process.exit`. Throws `HL_DEAD_LETTER`. */
export function appendDeadLetter(path: string, letter: DeadLetter): void {
  const line = encodeDeadLetter(letter);
  // A redelivery that replaced the file while we wrote has left our line in the old one.
  for (let tries = 0; tries < MAX_TRIES; tries++) if (appendOnce(path, line)) return;
}

/** Why a delivery failed, with what stands behind it, in one piece of text. */
export function causeText(cause: unknown, depth = 0): string {
  if (typeof cause !== "object" || cause === null) return messageOf(cause);
  const { code, cause: inner } = cause as { readonly code?: unknown; readonly cause?: unknown };
  const text = `${typeof code === "string" ? `${code}: ` : ""}${messageOf(cause)}`;
  return inner === undefined || depth >= 4 ? text : `${text} (${causeText(inner, depth + 1)})`;
}

function encodeDeadLetter({ at, url, cause, envelopes }: DeadLetter): string {
  const head = JSON.stringify({ at, url, cause });
  return `${head.slice(0, -1)},"envelopes":[${envelopes.map((envelope) => encodeEnvelope(envelope)).join(",")}]}`;
}

function appendOnce(path: string, line: string): boolean {
  const fd = openDeadLetters(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
  try {
    attempt(path, "written", () => writeAll(fd, Buffer.from(`${isTorn(fd) ? "\n" : ""}${line}\n`)));
    return isStillAt(path, fd);
  } finally {
    closeSync(fd);
  }
}

// A full disk or a killed process leaves half a line; what comes next must not be glued to it.
function isTorn(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

export function isStillAt(path: string, fd: number): boolean {
  const { ino, dev } = fstatSync(fd);
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.ino === ino && there.dev === dev;
}

export interface DeadLetterBox {
  /** Whether it is in the file. Does not throw: a full disk must not break a delivery. */
  keep(batch: readonly Envelope[], cause: unknown): boolean;
}

export interface DeadLetterBoxOptions {
  readonly path: string | undefined;
  readonly url: string;
  readonly hideCredentials: HideCredentials;
  readonly counters: { deadLettered: number; lost: number };
}

/** The dead-letter file of one sink, and what it counts. */
export function createDeadLetterBox({ path, url, hideCredentials, counters }: DeadLetterBoxOptions): DeadLetterBox {
  function keep(envelopes: readonly Envelope[], cause: unknown): boolean {
    if (path === undefined) return false;
    try {
      appendDeadLetter(path, { at: new Date().toISOString(), url, cause: hideCredentials(causeText(cause)), envelopes });
      counters.deadLettered += envelopes.length;
      return true;
    } catch {
      counters.lost += envelopes.length;
      return false;
    }
  }
  return { keep };
}
