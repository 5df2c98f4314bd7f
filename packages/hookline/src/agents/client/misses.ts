import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";

/** Calls of an agent that did not reach the hub, for one reason. */
export interface MissTotal {
  readonly agent: string;
  /** As a client records it: see `Miss`. */
  readonly reason: string;
  readonly count: number;
  /** The last time, according to the client. */
  readonly lastAt: string;
}

const TOTALS = "misses.json";

/** All misses so far, in the order of their first occurrence. `folder`: `attach` in the state folder. */
export function readMissTotals(folder: string): readonly MissTotal[] {
  return added(readKept(folder), readMisses(folder));
}

/** Adds what the clients recorded to the totals, so that their file does not grow. Only the hub may call this: there is only one hub. */
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

/** A call that did not reach the hub: the agent continued or, under `--strict`, was denied. */
export interface Miss {
  readonly at: string;
  readonly agent: string;
  readonly event: string;
  /** `connect`, `time`, `status`, `broken`, `size`, `answer`, `seal`, `key`, `socket`, `nonce`, `stdin`, `event`, `client` or `cut`. */
  readonly reason: string;
}

const LOG = "misses.log";

/** What the clients have recorded so far. */
export function readMisses(folder: string): readonly Miss[] {
  return parse(join(folder, LOG));
}

/** The same, and empties the file. A client that is writing at this moment may lose its line. */
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
    // The command of a client that did not run knows no time.
    return reason === "" || more.length > 0 ? [] : [{ at: at === "-" ? new Date().toISOString() : at, agent, event, reason }];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
