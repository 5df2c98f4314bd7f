import { readFileSync } from "node:fs";
import { messageOf } from "../../bus/describe-error.js";
import { HookError } from "../../catalog/errors.js";
import { entriesOf, type Tape } from "../entries.js";
import { encodeEntry } from "./seal.js";

/** The path of a transcript, or its lines. */
export type LineSource = string | readonly string[];

/** A line of the source. */
export interface RawLine {
  /** Counts from 1. */
  readonly number: number;
  /** Undefined where the bytes are not UTF-8. */
  readonly text: string | undefined;
  /** False for a last line that was begun and never finished. */
  readonly isWhole: boolean;
}

export function linesOf(source: LineSource | Tape): RawLine[] {
  if (typeof source === "string") return splitBytes(readBytes(source));
  if (!isList(source) || source.some((item) => typeof item === "object"))
    return entriesOf(source as Tape).map((entry, index) => ({ number: index + 1, text: encodeEntry(entry), isWhole: true }));
  return numberLines(source as readonly string[]);
}

function isList(source: readonly string[] | Tape): source is readonly string[] | Extract<Tape, readonly unknown[]> {
  return Array.isArray(source);
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new HookError("HL_TRANSCRIPT_IO", `The transcript "${path}" cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

/** A list may come from `text.split("\n")`: then its last line is empty, or was cut off. */
function numberLines(given: readonly string[]): RawLine[] {
  const texts = given.map((text) => (text.endsWith("\n") ? text.slice(0, -1) : text));
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, index) => ({ number: index + 1, text, isWhole: index < texts.length - 1 || isJson(text) }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function splitBytes(bytes: Buffer): RawLine[] {
  const lines: RawLine[] = [];
  // Lenient decoding would turn different invalid bytes into the same character.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    lines.push({ number: lines.length + 1, text: decode(decoder, bytes.subarray(start, end)), isWhole: found >= 0 });
    start = end + 1;
  }
  return lines;
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
