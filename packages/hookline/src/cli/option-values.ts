import { createReadStream } from "node:fs";
import { errorText } from "@hookline/core/internal/machine";
import { InvalidArgumentError } from "commander";
import { CliError } from "./cli-error.js";
import { EXIT } from "./exit-codes.js";
import type { Terminal } from "./terminal.js";

const MAX_TEXT = 4_096;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const CONTROL = /\p{Cc}/u;
const AGE = /^(\d{1,15}|\d{1,9}[smhdw])$/;

/** A text from the command line: not empty, not too long, without control characters. */
export function text(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("It is empty.");
  if (value.length > MAX_TEXT) throw new InvalidArgumentError(`It is longer than ${MAX_TEXT} characters.`);
  if (CONTROL.test(value)) throw new InvalidArgumentError("It contains control characters.");
  return value;
}

export function texts(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, text(value)];
}

export function port(value: string): number {
  return wholeNumber(value, { min: 0, max: 65_535, what: "a number from 0 (any free port) to 65535" });
}

export function lines(value: string): number {
  return wholeNumber(value, { min: 0, max: 10_000, what: "a number from 0 to 10000" });
}

export function limit(value: string): number {
  return wholeNumber(value, { min: 1, max: 1_000, what: "a number from 1 to 1000" });
}

export function serial(value: string): number {
  return wholeNumber(value, { min: 1, max: 999_999_999, what: "a whole number above 0" });
}

export function turns(value: string): number {
  return wholeNumber(value, { min: 1, max: 1_000_000, what: "a whole number of turns above 0" });
}

/** A head as `hookline verify` prints it. */
export function chainHead(value: string): { readonly n: number; readonly hash: string } {
  const [, n, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(value) ?? [];
  if (n === undefined || hash === undefined)
    throw new InvalidArgumentError("It must be a number, a colon and 64 hexadecimal digits, as hookline verify prints them.");
  return { n: Number(n), hash };
}

const UNITS_MS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** How long, in milliseconds. */
export function ageMs(value: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(value.trim()) ?? [];
  if (count !== undefined) return Number(count) * (UNITS_MS[unit] ?? 0);
  throw new InvalidArgumentError("Give a time such as 90s, 10m, 2h or 30d.");
}

const SIZES: { readonly [unit: string]: number } = { KB: 1e3, MB: 1e6, GB: 1e9 };

/** A number of bytes. */
export function byteSize(value: string): number {
  const [, count, unit = ""] = /^(\d{1,6})(KB|MB|GB)$/.exec(value.trim().toUpperCase()) ?? [];
  if (count !== undefined) return Number(count) * (SIZES[unit] ?? 1);
  throw new InvalidArgumentError("Give a size such as 500MB or 2GB.");
}

/** A time that the hub understands. */
export function time(value: string): string {
  if (AGE.test(value)) return value;
  if (text(value) && /^\d{4}-\d\d/.test(value) && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString();
  throw new InvalidArgumentError("Give a time such as 2026-01-31T12:00Z, or an age such as 15m, 2h or 7d.");
}

function wholeNumber(value: string, { min, max, what }: { readonly min: number; readonly max: number; readonly what: string }): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new InvalidArgumentError(`It must be ${what}.`);
}

/** Text given on the command line, in a file (`@path`) or on stdin (`-`). */
export async function readText(given: string, stdin: AsyncIterable<unknown>): Promise<string> {
  if (given === "-") return readStream(stdin);
  return given.startsWith("@") ? readStream(createReadStream(given.slice(1))) : given;
}

// Limited while it is read, because a pipe or a device has no size.
async function readStream(source: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    size += chunks.at(-1)?.length ?? 0;
    if (size > MAX_FILE_BYTES) throw new RangeError(`it has more than ${MAX_FILE_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The object given with `--payload`: JSON, a file (`@path`) or stdin (`-`). */
export async function readPayload(given: string, { stdin }: Terminal, command: string): Promise<object> {
  const usage = (message: string, cause?: unknown) =>
    new CliError(message, { exitCode: EXIT.usage, fix: { run: `hookline ${command} --help` }, cause });
  const source = given === "-" ? "stdin" : given.startsWith("@") ? `"${given.slice(1)}"` : "--payload";
  const json = await readText(given, stdin).catch((cause: unknown) => {
    throw usage(`The payload cannot be read from ${source}: ${errorText(cause)}.`, cause);
  });
  let payload: unknown;
  try {
    payload = JSON.parse(json);
  } catch {
    // The parser's own message quotes the text, which may hold secrets.
    throw usage(`The payload in ${source} is not JSON.`);
  }
  if (typeof payload === "object" && payload !== null && !Array.isArray(payload)) return payload;
  throw usage(`The payload in ${source} must be a JSON object such as {"version":"1.2.3"}.`);
}
