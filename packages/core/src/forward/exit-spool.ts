import { isMainThread } from "node:worker_threads";
import { messageOf } from "../bus/describe-error.js";
import { HookError } from "../catalog/errors.js";
import { flushAtExit, flushAtSignals } from "../sinks/connect/exit-flush.js";
import { countText } from "../text/count-text.js";
import type { Ledger } from "./ledger.js";
import type { LineWriter } from "./line-writer.js";
import type { Outgoing } from "./outgoing.js";
import { Segment } from "./segment.js";
import { openSpool, spoolBytes } from "./spool-folder.js";
import type { SpoolWriter } from "./spool-writer.js";

export interface ExitSpoolOptions {
  readonly writer: SpoolWriter;
  readonly maxBytes: number;
  readonly ledger: Ledger;
  readonly writeLine: LineWriter;
  readonly report: (error: HookError) => void;
}

const CHUNK_CHARS = 1024 * 1024;

/** Writes events to a file of the spool before it returns, and counts what became of each. Nothing to write leaves no file. Never throws. */
export function spoolAtExit(items: readonly Outgoing[], options: ExitSpoolOptions): void {
  const { writer, ledger, report } = options;
  if (items.length === 0) return;
  let written = 0;
  try {
    const lines = linesWithin(options.maxBytes - spoolBytes(openSpool(writer.folder)), items, options);
    if (lines.length === 0) return;
    written = lines.length;
    writeWhole(writer, lines);
    ledger.spooled += written;
  } catch (cause) {
    const lost = written === 0 ? items.length : written;
    ledger.drop("spool_failed", lost);
    report(
      new HookError(
        "HL_SPOOL_FAILED",
        `${countText(lost, "event")} could not be written to the spool in "${writer.folder}": ${messageOf(cause)}.`,
        {
          cause,
        },
      ),
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

/** Not handed over until it is whole: until then no hub removes it. */
function writeWhole(writer: SpoolWriter, lines: readonly string[]): void {
  const segment = writer.begin((spool, name) => new Segment(spool, name));
  try {
    for (const chunk of chunksOf(lines)) segment.append(chunk);
    segment.handOver();
  } catch (error) {
    segment.remove();
    throw error;
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

export interface ExitPathOptions {
  readonly onSignals: boolean;
  /** The event loop is empty: resolves when there is nothing more to wait for, at the latest after a short while. */
  readonly linger: () => Promise<unknown> | undefined;
  /** The last chance: everything that is done must be done when it returns. */
  readonly leave: () => void;
}

/** Every way out of the process on which JavaScript still runs; returns how to stop. */
export function followExits({ onSignals, linger, leave }: ExitPathOptions): () => void {
  const beforeExit = (): void => void linger();
  process.on("beforeExit", beforeExit);
  const undo = [() => process.off("beforeExit", beforeExit), flushAtExit(leave)];
  // A worker hears of no signal. A host that handles it itself may go on, and needs nothing yet.
  if (onSignals && isMainThread) undo.push(flushAtSignals((isEnding) => isEnding && leave()));
  return () => {
    for (const step of undo.splice(0)) step();
  };
}
