import { readdirSync, rmSync } from "node:fs";
import { errorText, HookError } from "@hookline/core";
import { isRefusal } from "../ingest/accept.js";
import { openOrigin } from "../ingest/origins.js";
import type { Accepted, Ingest } from "../parts.js";
import { compareNames, keepBad, readSpool, removeSpool, type SinkPosition, type SpoolFile, spoolFileNamed } from "./spool-file.js";
import { type SpoolWriters, socketPathOf, type WriterState, writerOfSocket } from "./spool-writers.js";

const PERIOD_MS = 1_000;
/** A process that lives is given so many looks to attach: what it brings itself need not be read from the disk. */
const PATIENT_LOOKS = 5;

export interface SpoolCollector {
  readonly counters: { readonly files: number; readonly events: number; readonly bad: number };
  /** Resolves when everything that is there now has been taken. */
  collect(): Promise<void>;
  close(): Promise<void>;
}

export interface CollectOptions {
  readonly folder: string;
  readonly ingest: Pick<Ingest, "accept" | "append">;
  readonly writers: SpoolWriters;
  readonly onProblem: (text: string) => void;
}

/**
 * Brings in what processes left on disk because they ended, were killed or cannot reach the hub. A file is removed only when no process can
 * write to it any more: it is finished, or its writer is dead. Other files are read where they are; events that the hub has are passed over.
 */
export function collectSpool({ folder, ingest, writers, onProblem }: CollectOptions): SpoolCollector {
  const counters = { files: 0, events: 0, bad: 0 };
  const origin = openOrigin("spool");
  const bookmarks = new Map<string, SinkPosition>();
  /** By writer: how often it was found alive and not on the line. */
  const looks = new Map<string, number>();
  /** Dead writers' sockets without a file, at the last look. A writer has its socket before its file. */
  let unused: ReadonlySet<string> = new Set();
  /** Said once each. */
  const complained = new Set<string>();
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function collectAll(): Promise<void> {
    const found = names(folder);
    const files = found.flatMap((name) => spoolFileNamed(folder, name) ?? []);
    const states = await statesOf(files, found);
    for (const file of files) {
      if (isClosed) return;
      try {
        await collectFile(file, file.isFinished ? "dead" : (states.get(file.writer) ?? "unknown"));
      } catch (error) {
        // It was handed over, or is settled, since the look.
        if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
        complain(file, error);
        // The others would not find room either.
        if (error instanceof HookError && error.code === "HL_DISK_FULL") return;
      }
    }
    removeSockets(states);
    for (const stem of bookmarks.keys()) if (!files.some((file) => file.stem === stem)) bookmarks.delete(stem);
  }

  /** Before any file is read: what a dead writer wrote is then all there. */
  async function statesOf(files: readonly SpoolFile[], found: readonly string[]): Promise<Map<string, WriterState>> {
    const live = files.flatMap(({ isFinished, writer }) => (isFinished ? [] : [writer]));
    const all = new Set([...live, ...found.flatMap((name) => writerOfSocket(name) ?? [])]);
    const states = new Map(await Promise.all([...all].map(async (writer) => [writer, await writers.stateOf(writer)] as const)));
    for (const [writer, state] of states) if (state === "alive") looks.set(writer, (looks.get(writer) ?? 0) + 1);
    for (const writer of looks.keys()) if (states.get(writer) !== "alive") looks.delete(writer);
    return states;
  }

  async function collectFile(file: SpoolFile, state: WriterState): Promise<void> {
    if (state === "attached" || (state === "alive" && (looks.get(file.writer) ?? 0) <= PATIENT_LOOKS)) return;
    await read(file);
    if (state === "unknown") return complain(file, new Error(UNKNOWN));
    if (state === "alive") return;
    removeSpool(file.path);
    bookmarks.delete(file.stem);
    counters.files++;
  }

  async function read(file: SpoolFile): Promise<void> {
    const from = bookmarks.get(file.stem);
    // Counted when the file is done with: one that is left where it is, for a full disk, is read again.
    const taken = { events: 0, bad: 0 };
    const parts = readSpool(file.path, from);
    let part = parts.next();
    for (; part.done !== true; part = parts.next()) {
      const bad = part.value.faults.map((fault) => `{"fault":"${fault}"}`);
      const events = part.value.lines.flatMap((line) => accepted(line, bad));
      try {
        if (events.length > 0) await ingest.append(events);
      } catch (error) {
        // Closes the file, then throws the error here.
        parts.throw(error);
      }
      keepBad(file, bad, from === undefined && taken.bad === 0);
      taken.events += events.length;
      taken.bad += bad.length;
    }
    bookmarks.set(file.stem, part.value);
    counters.events += taken.events;
    counters.bad += taken.bad;
  }

  function accepted(line: string, bad: string[]): Accepted[] {
    const result = ingest.accept(line, origin);
    if (!isRefusal(result)) return [result];
    // One that has been here before is stored already.
    if (result.code !== "HL_LOOP") bad.push(line);
    return [];
  }

  /** Sockets of writers that are dead and have no file left. */
  function removeSockets(states: ReadonlyMap<string, WriterState>): void {
    const inUse = new Set(names(folder).flatMap((name) => spoolFileNamed(folder, name)?.writer ?? []));
    const dead = new Set([...states].flatMap(([writer, state]) => (state === "dead" && !inUse.has(writer) ? [writer] : [])));
    for (const writer of dead) if (unused.has(writer)) rmSync(socketPathOf(folder, writer), { force: true });
    unused = dead;
  }

  function complain({ path }: SpoolFile, error: unknown): void {
    if (complained.has(path)) return;
    complained.add(path);
    onProblem(`The spool file "${path}" cannot be collected: ${errorText(error)}`);
  }

  function collect(): Promise<void> {
    running ??= collectAll().finally(() => {
      running = undefined;
    });
    return running;
  }

  const timer = setInterval(() => void collect(), PERIOD_MS).unref();
  return {
    counters,
    collect,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}

const UNKNOWN =
  "its events are stored, but nothing shows whether its process still writes to it. Remove it when that process has ended; hookline doctor has the command";

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort(compareNames);
  } catch {
    // No process has spooled anything yet.
    return [];
  }
}
