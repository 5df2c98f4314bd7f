import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import type { DatabaseSync } from "node:sqlite";

/** The clocks that tell when an event arrived. */
export interface ArrivalClock {
  /** Milliseconds since 1970, as far as the machine knows. */
  wall(): number;
  /** Milliseconds since the machine was started. It cannot be set, and it goes on while the machine sleeps. */
  uptime(): number;
  /** Names the start of the machine that `uptime` counts from. */
  readonly boot: string;
}

export interface Arrivals {
  /** Events from this place on are arriving, within the transaction that stores them. */
  add(place: number): void;
  /** A transaction was rolled back. */
  forget(): void;
  /** The first place whose event arrived after a time; everything before it arrived earlier. */
  firstAfter(time: number): number;
  /** Removes what says when events arrived that are gone. */
  prune(first: number): void;
}

const EVERY_MS = 60_000;
/** Clocks that are corrected bit by bit are not set. */
const STEP_MS = 60_000;
/** A machine that says it is earlier does not know the time yet. */
const EARLIEST = Date.UTC(2025, 0, 1);

/**
 * When events arrived, by the minute, for retention. An event's own time is that of its sender, and may be anything. If the machine's clock is set
 * while it runs, because it was wrong when it started, what arrived since the start arrived at another time than was noted: those times are
 * corrected.
 */
export function createArrivals(database: DatabaseSync, clock: ArrivalClock = systemClock()): Arrivals {
  const insert = database.prepare("INSERT OR IGNORE INTO arrivals (place, at, boot, uptime) VALUES (?, ?, ?, ?)");
  const latest = database.prepare("SELECT at, uptime FROM arrivals WHERE boot = ? ORDER BY place DESC LIMIT 1");
  const correct = database.prepare("UPDATE arrivals SET at = at + ? WHERE boot = ?");
  const firstYoung = database.prepare(`SELECT min(place) AS place FROM arrivals WHERE at > ? AND at >= ${EARLIEST}`);
  // Times that cannot be right say nothing: what arrived then is as young as what came after it.
  const lastKnown = database.prepare(`SELECT max(place) AS place FROM arrivals WHERE at >= ${EARLIEST} AND place < ?`);
  const nextTo = database.prepare("SELECT min(place) AS place FROM arrivals WHERE place > ?");
  const prune = database.prepare("DELETE FROM arrivals WHERE place < (SELECT max(place) FROM arrivals WHERE place <= ?)");
  const placeIn = (row: unknown): number | null => (row as { readonly place: number | null }).place;
  let noted = Number.NEGATIVE_INFINITY;

  function followClock(): void {
    const last = latest.get(clock.boot) as { readonly at: number; readonly uptime: number } | undefined;
    if (last === undefined) return;
    const step = Math.round(clock.wall() - last.at - (clock.uptime() - last.uptime));
    if (Math.abs(step) >= STEP_MS) correct.run(step, clock.boot);
  }

  return {
    add(place) {
      const now = clock.uptime();
      if (now - noted < EVERY_MS) return;
      followClock();
      insert.run(place, Math.round(clock.wall()), clock.boot, Math.round(now));
      noted = now;
    },
    forget() {
      noted = Number.NEGATIVE_INFINITY;
    },
    firstAfter(time) {
      followClock();
      const young = placeIn(firstYoung.get(time)) ?? Number.MAX_SAFE_INTEGER;
      const old = placeIn(lastKnown.get(young));
      if (old === null) return 0;
      return placeIn(nextTo.get(old)) ?? Number.MAX_SAFE_INTEGER;
    },
    prune: (first) => void prune.run(first),
  };
}

function systemClock(): ArrivalClock {
  return { wall: () => Date.now(), uptime: () => uptime() * 1_000, boot: bootId() };
}

/** Where the system does not name it, this process stands for it. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomUUID();
  }
}
