import { closeSync, constants, readSync } from "node:fs";
import { decodeEnvelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import type { DeadLetter } from "./dead-letter.js";
import { attempt, openDeadLetters } from "./dead-letter-file.js";

/** A line of a dead-letter file: a letter, or what is wrong with it. */
export type DeadLetterLine =
  | { readonly line: number; readonly letter: DeadLetter }
  | { readonly line: number; readonly problem: HookError };

/** The lines of a dead-letter file, oldest first; none when there is no file. One bad line does not hide the others. Throws `HL_DEAD_LETTER`. */
export function* readDeadLetters(path: string): Generator<DeadLetterLine, void, undefined> {
  const fd = openExisting(path);
  if (fd === undefined) return;
  try {
    let line = 0;
    for (const { bytes } of linesOf(path, fd)) {
      line++;
      // Writers that meet leave empty lines between theirs.
      if (bytes.length > 0) yield { line, ...parseDeadLetter(bytes, `${path}:${line}`) };
    }
  } finally {
    closeSync(fd);
  }
}

export interface RawLine {
  /** Without its line end. */
  readonly bytes: Buffer;
  /** Where in the file the next line begins. */
  readonly end: number;
  /** The last line of a file may be cut, or still being written. */
  readonly isWhole: boolean;
}

/** Reads on while the file grows. */
export function* linesOf(path: string, fd: number): Generator<RawLine, void, undefined> {
  let pending: Buffer[] = [];
  let end = 0;
  for (const chunk of chunksOf(path, fd, 0)) {
    let start = 0;
    for (let stop = chunk.indexOf(0x0a); stop !== -1; stop = chunk.indexOf(0x0a, start)) {
      const bytes = Buffer.concat([...pending, chunk.subarray(start, stop)]);
      pending = [];
      start = stop + 1;
      end += bytes.length + 1;
      yield { bytes, end, isWhole: true };
    }
    pending.push(chunk.subarray(start));
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield { bytes: rest, end: end + rest.length, isWhole: false };
}

export function* chunksOf(path: string, fd: number, from: number): Generator<Buffer, void, undefined> {
  for (let position = from; ; ) {
    const chunk = Buffer.alloc(64 * 1024);
    const count = attempt(path, "read", () => readSync(fd, chunk, 0, chunk.length, position));
    if (count === 0) return;
    position += count;
    yield chunk.subarray(0, count);
  }
}

export function openExisting(path: string): number | undefined {
  try {
    return openDeadLetters(path, constants.O_RDONLY);
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    if (cause?.code === "ENOENT") return undefined;
    throw error;
  }
}

export function parseDeadLetter(bytes: Buffer, place: string): { readonly letter: DeadLetter } | { readonly problem: HookError } {
  try {
    return { letter: letterOf(JSON.parse(bytes.toString()) as Partial<DeadLetter> | null) };
  } catch (error) {
    // The JSON parser's message quotes the line.
    const why = error instanceof HookError ? error.message : "it is not JSON of the right shape.";
    return { problem: new HookError("HL_DEAD_LETTER", `${place} is not a dead letter: ${why}`) };
  }
}

function letterOf(given: Partial<DeadLetter> | null): DeadLetter {
  const { at, url, cause, envelopes } = given ?? {};
  if (typeof at !== "string" || typeof url !== "string" || typeof cause !== "string" || !Array.isArray(envelopes))
    throw new HookError("HL_DEAD_LETTER", 'it must have "at", "url", "cause" and "envelopes".');
  return { at, url, cause, envelopes: envelopes.map((envelope) => decodeEnvelope(JSON.stringify(envelope))) };
}
