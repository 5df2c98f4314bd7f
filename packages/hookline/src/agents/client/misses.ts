import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";

/** Calls of an agent that the hub was not asked about, for one reason. */
export interface MissTotal {
  readonly agent: string;
  /** As a client notes it: see `Miss`. */
  readonly reason: string;
  readonly count: number;
  /** When it happened last, as the client said. */
  readonly lastAt: string;
}

const TOTALS = "misses.json";

/** All so far, in the order in which they first came. `folder`: `attach` in the state folder. */
export function readMissTotals(folder: string): readonly MissTotal[] {
  return added(readKept(folder), readMisses(folder));
}

/** Takes what the clients noted into the totals, so that their file does not grow. For the hub alone: there is only one. */
export function collectMissTotals(folder: string): readonly MissTotal[] {
  const fresh = collectMisses(folder);
  const totals = added(readKept(folder), fresh);
  if (fresh.length > 0) replacePrivately(folder, TOTALS, `${JSON.stringify(totals, undefined, 2)}\n`);
  return totals;
}

function added(known: readonly MissTotal[], misses: readonly Miss[]): MissTotal[] {
  const totals = new Map(known.map((total) => [keyOf(total), total]));
  for (const { at, agent, reason } of misses) {
    const key = keyOf({ agent, reason });
    totals.set(key, { agent, reason, count: (totals.get(key)?.count ?? 0) + 1, lastAt: at });
  }
  return [...totals.values()];
}

function keyOf({ agent, reason }: Pick<MissTotal, "agent" | "reason">): string {
  return `${agent} ${reason}`;
}

function readKept(folder: string): MissTotal[] {
  try {
    const kept: unknown = JSON.parse(readFileSync(join(folder, TOTALS), "utf8"));
    return Array.isArray(kept) ? kept.filter(isTotal) : [];
  } catch {
    return [];
  }
}

function isTotal(value: unknown): value is MissTotal {
  const { agent, reason, count, lastAt } = (value ?? {}) as { readonly [key: string]: unknown };
  return [agent, reason, lastAt].every((text) => typeof text === "string") && Number.isSafeInteger(count);
}

/** A call that the hub was not asked about: the agent went on, or under `--strict` was told no. */
export interface Miss {
  readonly at: string;
  readonly agent: string;
  readonly event: string;
  /** `curl-<exit code>`, `key`, `stdin`, `seal`, `answer`, `size`, `event` or `cut`. */
  readonly reason: string;
}

const LOG = "misses.log";

/** What the clients noted so far. */
export function readMisses(folder: string): readonly Miss[] {
  return parse(join(folder, LOG));
}

/** The same, and the file starts anew. A client that is writing at this moment may lose its line. */
export function collectMisses(folder: string): readonly Miss[] {
  const aside = join(folder, `${LOG}.${process.pid}`);
  try {
    renameSync(join(folder, LOG), aside);
  } catch {
    return [];
  }
  const misses = parse(aside);
  rmSync(aside, { force: true });
  return misses;
}

function parse(path: string): Miss[] {
  const lines = read(path).split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    const [at = "", agent = "", event = "", reason = "", ...more] = line.split(" ");
    return reason === "" || more.length > 0 ? [] : [{ at, agent, event, reason }];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
