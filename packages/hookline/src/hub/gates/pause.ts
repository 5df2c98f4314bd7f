import type { Bus, Decision, TrailStep } from "@hookline/core";
import { isOfFleet } from "../../bundles/bundle-content.js";
import type { GuardPause } from "../protocol.js";

export const DEFAULT_PAUSE_MS = 10 * 60_000;
export const MAX_PAUSE_MS = 8 * 3_600_000;
/** What ends a pause, where no person does. */
const HUB = "hookline";
/** Of many guards that were not asked, so many are named. */
const MAX_NAMED = 64;

/** Whether the hub's guards are asked. A pause is in memory alone: after a restart they are. */
export interface Pause {
  /** Nothing while guards are asked. */
  current(): GuardPause | undefined;
  /** From now on no guard is asked, for at most 8 hours; takes the place of a pause there is. */
  begin(wanted: { readonly forMs: number; readonly by: string; readonly reason?: string | undefined }): GuardPause;
  /** Guards are asked again; false where they were. */
  end(by: string): boolean;
  /** Calls that were let through so far. */
  readonly calls: number;
  count(): void;
  close(): void;
}

export interface PauseOptions {
  /** Told of every beginning and every end. */
  readonly tell: (event: "guard:paused" | "guard:resumed", payload: object) => void;
}

export function createPause({ tell }: PauseOptions): Pause {
  let running: { readonly row: GuardPause; readonly untilMs: number; readonly endsAt: number; readonly timer: NodeJS.Timeout } | undefined;
  let calls = 0;

  function stop(by: string, reason: string): boolean {
    if (running === undefined) return false;
    clearTimeout(running.timer);
    const { until } = running.row;
    running = undefined;
    tell("guard:resumed", { by, reason, until });
    return true;
  }

  const expire = (): boolean => stop(HUB, "the time was up");

  return {
    current() {
      // By both clocks: one can be set back, the other stands still while the machine sleeps.
      if (running !== undefined && (Date.now() >= running.untilMs || performance.now() >= running.endsAt)) expire();
      return running?.row;
    },
    begin({ forMs, by, reason }) {
      clearTimeout(running?.timer);
      const lasts = Math.min(forMs, MAX_PAUSE_MS);
      const untilMs = Date.now() + lasts;
      const [since, until] = [Date.now(), untilMs].map((at) => new Date(at).toISOString()) as [string, string];
      const said = { by, until, ...(reason !== undefined && { reason }) };
      const row = { ...said, since };
      running = { row, untilMs, endsAt: performance.now() + lasts, timer: setTimeout(expire, lasts).unref() };
      tell("guard:paused", said);
      return row;
    },
    end: (by) => stop(by, "ended early"),
    get calls() {
      return calls;
    },
    count: () => void calls++,
    close: () => void stop(HUB, "the hub stopped"),
  };
}

/** What the hub's gates use of a bus. */
export type GateBus = Pick<Bus, "list" | "decide" | "transform">;

/**
 * A bus on which, during a pause, no guard is asked and every call passes. Observers and transforms go on. So do the guards of the fleet, on a
 * bus of their own: a user cannot pause them.
 */
export function withPause(bus: Bus, pause: Pick<Pause, "current" | "count">, fleet?: Pick<Bus, "decide" | "has">): GateBus {
  return {
    list: () => bus.list(),
    transform: (event, value, context) => bus.transform(event, value, context),
    decide(event, payload, options) {
      const paused = pause.current();
      if (paused === undefined) return bus.decide(event, payload, options);
      pause.count();
      if (options?.observers !== false) void bus.tellObservers(event, payload, true);
      const steps = [pausedStep(paused), ...notAsked(bus, event, payload)];
      if (fleet?.has(event) !== true) return letThrough(payload, steps);
      const decision = fleet.decide(event, payload, { ...options, observers: false });
      return decision instanceof Promise ? decision.then((one) => withSteps(one, steps)) : withSteps(decision, steps);
    },
  };
}

function withSteps<P>(decision: Decision<P>, steps: readonly TrailStep[]): Decision<P> {
  return { ...decision, trail: [...steps, ...decision.trail] };
}

/** `pass`, so that the agent still asks its user as it would without guards. */
function letThrough<P>(payload: P, trail: readonly TrailStep[]): Decision<P> {
  return { verdict: "pass", allowed: true, payload, modified: false, endLoop: false, injections: [], reminders: [], trail };
}

/** Whether no guard was asked for it. */
export function wasPaused({ verdict, trail }: Pick<Decision, "verdict" | "trail">): boolean {
  return verdict === "pass" && trail[0]?.action === "paused";
}

function pausedStep({ by, until, reason }: GuardPause): TrailStep {
  const why = `Guards are paused by ${by} until ${until}${reason === undefined ? "." : `: ${reason}`}`;
  return { actor: { kind: "policy", name: "pause" }, stage: "guard", round: 0, action: "paused", reason: why };
}

/** The guards that would have looked at this call, for the record. */
function notAsked(bus: Bus, event: string, payload: unknown): TrailStep[] {
  const guards = bus.matching(event, payload).filter(({ stage, owner }) => stage !== "observe" && !isOfFleet(owner));
  return guards.slice(0, MAX_NAMED).map(({ actor, stage }) => ({ actor, stage, round: 0, action: "paused" }));
}
