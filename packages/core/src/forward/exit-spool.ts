import { closeSync, constants, existsSync, fchmodSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import type { Ledger } from "./ledger.js";
import type { LineWriter } from "./line-writer.js";
import type { Outgoing } from "./outgoing.js";
import { openSpool, spoolBytes, withSpoolName } from "./spool-folder.js";

export interface ExitSpoolOptions {
  readonly folder: string;
  readonly instance: string;
  readonly maxBytes: number;
  readonly ledger: Ledger;
  readonly writeLine: LineWriter;
  readonly report: (error: HookError) => void;
}

const CHUNK_CHARS = 1024 * 1024;

/** Writes events to a file of the spool before it returns, and counts what became of each. Nothing to write leaves no file. Never throws. */
export function spoolAtExit(items: readonly Outgoing[], options: ExitSpoolOptions): void {
  const { folder, instance, ledger, report } = options;
  if (items.length === 0) return;
  let written = 0;
  try {
    const spool = openSpool(folder);
    const lines = linesWithin(options.maxBytes - spoolBytes(spool), items, options);
    if (lines.length === 0) return;
    written = lines.length;
    withSpoolName(instance, (name) => writeWhole(spool, name, lines));
    ledger.spooled += written;
  } catch (cause) {
    const lost = written === 0 ? items.length : written;
    ledger.drop("spool_failed", lost);
    report(
      new HookError("HL_SPOOL_FAILED", `${lost} events could not be written to the spool in "${folder}": ${messageOf(cause)}.`, { cause }),
    );
  }
}

/** The lines, oldest first, as far as there is room for them; the rest is counted. */
function linesWithin(room: number, items: readonly Outgoing[], { ledger, writeLine }: ExitSpoolOptions): string[] {
  const lines: string[] = [];
  let left = room;
  for (const item of items) {
    const line = writeLine(item);
    if (line === undefined) {
      ledger.drop("oversize");
      continue;
    }
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) ledger.drop("spool_full");
    else lines.push(line);
  }
  return lines;
}

/** Under another name until it is whole, so that no hub collects half of it. */
function writeWhole(spool: string, name: string, lines: readonly string[]): void {
  const path = join(spool, `${name}.ndjson`);
  const temporary = join(spool, `.${name}.ndjson.tmp`);
  if (existsSync(path)) throw Object.assign(new Error(`"${path}" is there already`), { code: "EEXIST" });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(temporary, flags, 0o600);
  try {
    fchmodSync(fd, 0o600);
    for (const chunk of chunksOf(lines)) for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function* chunksOf(lines: readonly string[]): Generator<Buffer> {
  let text = "";
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < CHUNK_CHARS) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}
