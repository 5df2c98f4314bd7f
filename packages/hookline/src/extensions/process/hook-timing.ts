import { compileEventFilter } from "@hookline/core/internal/sinks";
import { callTimeout } from "../call-deadline.js";
import type { HookSpec } from "../handler-source.js";

/** How an event is to be asked about. */
export interface HookTiming {
  /** 0 waits for ever. */
  readonly timeoutMs: number;
  readonly idempotent: boolean;
}

export function timingOf(hook: HookSpec): HookTiming {
  return { timeoutMs: callTimeout(hook), idempotent: hook.idempotent ?? false };
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
    idempotent: timings.every(({ idempotent }) => idempotent),
  };
}
