import { uptime } from "node:os";

/** Where a clock takes its times from, in milliseconds. */
export interface TimeSources {
  /** The clock of the machine, which a person or a time server can set. */
  readonly wall: () => number;
  /** Never jumps. It may stand still while the machine sleeps. */
  readonly steady: () => number;
  /** Never jumps, and goes on while the machine sleeps. Coarse. */
  readonly uptime: () => number;
}

/** A clock that is set forward or back changes neither how long ago something was nor where a day ends. */
export interface StateClock {
  now(): number;
  /** The local day, as `2026-11-17`. */
  day(): string;
  /** Time never runs back behind what was recorded, also not across a restart. */
  notBefore(at: number): void;
}

const JUMP_MS = 2_000;

const machineTime: TimeSources = { wall: Date.now, steady: () => performance.now(), uptime: () => uptime() * 1_000 };

export function createStateClock(sources: TimeSources = machineTime): StateClock {
  let time = sources.wall();
  let wall = time;
  let steady = sources.steady();
  let slept = sources.uptime() - steady;

  function now(): number {
    const [wallNow, steadyNow] = [sources.wall(), sources.steady()];
    let elapsed = steadyNow - steady;
    // The clock was set, or the machine has slept: only the uptime tells which.
    if (Math.abs(wallNow - wall - elapsed) > JUMP_MS) {
      const sleptNow = sources.uptime() - steadyNow;
      if (sleptNow - slept > JUMP_MS) elapsed += sleptNow - slept;
      slept = sleptNow;
    }
    wall = wallNow;
    steady = steadyNow;
    time += Math.max(0, elapsed);
    return Math.round(time);
  }

  return {
    now,
    day() {
      const date = new Date(now());
      const two = (part: number): string => String(part).padStart(2, "0");
      return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    },
    notBefore(at) {
      time = Math.max(time, at);
    },
  };
}
