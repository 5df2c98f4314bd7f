import { readdirSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { isRefusal } from "../ingest/accept.js";
import type { Accepted, Ingest } from "../parts.js";
import { compareNames, isCollectable, keepBad, readSpool, removeSpool } from "./spool-file.js";

const PERIOD_MS = 1_000;

export interface SpoolCollector {
  readonly counters: { readonly files: number; readonly events: number; readonly bad: number };
  /** Resolves when everything that is there now has been taken. */
  collect(): Promise<void>;
  close(): Promise<void>;
}

export interface CollectOptions {
  readonly folder: string;
  readonly ingest: Pick<Ingest, "accept" | "append">;
  readonly onProblem: (text: string) => void;
}

/** Brings in what processes left on disk because they ended, or were killed, before the hub had it. */
export function collectSpool({ folder, ingest, onProblem }: CollectOptions): SpoolCollector {
  const counters = { files: 0, events: 0, bad: 0 };
  /** Said once each. */
  const complained = new Set<string>();
  let running: Promise<void> | undefined;
  let isClosed = false;

  async function collectAll(): Promise<void> {
    for (const name of names(folder)) {
      if (isClosed) return;
      if (!isCollectable(name)) continue;
      try {
        await collectFile(join(folder, name));
      } catch (error) {
        complain(name, error);
        // The others would not find room either.
        if (error instanceof HookError && error.code === "HL_DISK_FULL") return;
      }
    }
  }

  async function collectFile(path: string): Promise<void> {
    // Counted when the file is done with: one that is left where it is, for a full disk, is read again.
    const found = { events: 0, bad: 0 };
    for (const { lines, faults } of readSpool(path)) {
      const bad = faults.map((fault) => `{"fault":"${fault}"}`);
      const events = lines.flatMap((line) => accepted(line, bad));
      if (events.length > 0) await ingest.append(events);
      keepBad(path, bad, found.bad === 0);
      found.events += events.length;
      found.bad += bad.length;
    }
    removeSpool(path);
    counters.files++;
    counters.events += found.events;
    counters.bad += found.bad;
  }

  function accepted(line: string, bad: string[]): Accepted[] {
    const result = ingest.accept(line);
    if (!isRefusal(result)) return [result];
    // One that has been here before is stored already.
    if (result.code !== "HL_LOOP") bad.push(line);
    return [];
  }

  function complain(name: string, error: unknown): void {
    if (complained.has(name)) return;
    complained.add(name);
    onProblem(`The spool file "${join(folder, name)}" cannot be collected: ${error instanceof Error ? error.message : String(error)}`);
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

function names(folder: string): string[] {
  try {
    return readdirSync(folder).sort(compareNames);
  } catch {
    // Nobody has spooled anything yet.
    return [];
  }
}
