import { compileEventFilter } from "@hookline/core/internal/sinks";
import type { HookSpec } from "../handler-source.js";
import { DEFAULT_TIMEOUT_MS } from "./tuning.js";

/** How an event is to be asked about. */
export interface HookTiming {
  /** 0 waits for ever. */
  readonly timeoutMs: number;
  /** The limit that the hook was given, for messages: ours is a little shorter. */
  readonly limitMs: number;
  readonly idempotent: boolean;
}

/** So much earlier than the bus we give up, so that the cause in the record is ours, which knows more. */
const HEAD_START_MS = 50;

export function timingOf({ timeoutMs = DEFAULT_TIMEOUT_MS, idempotent = false }: HookSpec): HookTiming {
  return { timeoutMs: timeoutMs === 0 ? 0 : Math.max(timeoutMs - HEAD_START_MS, timeoutMs * 0.9), limitMs: timeoutMs, idempotent };
}

/** Finds the timing of an event whose hook is not named: the most patient that fits, and asked twice only if every one may be. */
export function createTimings(hooks: readonly HookSpec[]): (event: string) => HookTiming {
  const rules = hooks.map((hook) => ({ covers: compileEventFilter(hook.event), timing: timingOf(hook) }));
  const known = new Map<string, HookTiming>();
  return (event) => {
    const seen = known.get(event);
    if (seen !== undefined) return seen;
    const timing = merge(rules.filter(({ covers }) => covers(event)).map((rule) => rule.timing));
    // Custom names come from outside; a cache of them all would grow for ever.
    if (known.size < 1_000) known.set(event, timing);
    return timing;
  };
}

function merge(timings: readonly HookTiming[]): HookTiming {
  if (timings.length === 0) return timingOf({ event: "*" });
  const waitsForEver = timings.some(({ timeoutMs }) => timeoutMs === 0);
  return {
    timeoutMs: waitsForEver ? 0 : Math.max(...timings.map(({ timeoutMs }) => timeoutMs)),
    limitMs: waitsForEver ? 0 : Math.max(...timings.map(({ limitMs }) => limitMs)),
    idempotent: timings.every(({ idempotent }) => idempotent),
  };
}
