import { type Bus, findEvent } from "@hookline/core";
import { republish } from "@hookline/core/forward";
import { compileEventFilter, type Envelope } from "@hookline/core/sinks";
import type { Arrival } from "./parts.js";

/** What may wait for slow handlers; what comes on top is left out and counted. */
const MAX_WAITING = 10_000;
/** Dispatches whose handlers have not finished. */
const MAX_OPEN = 64;
/** In one turn of the event loop, so that ingest and live clients get theirs. */
const MAX_PER_TURN = 64;

export interface Republisher {
  /** Takes what has been stored and returns at once. */
  publish(arrivals: readonly Arrival[]): void;
  readonly counters: { readonly published: number; readonly dropped: number; readonly waiting: number };
}

/** Shows the hub's handlers what has arrived, with what `locate` knows of its place. Guards are asked before the call, not told after it: events they decide on are left out. */
export function createRepublisher(bus: Bus, locate: (envelope: Envelope) => Envelope = (envelope) => envelope): Republisher {
  const waiting: Arrival[] = [];
  let [published, dropped, open] = [0, 0, 0];
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || open >= MAX_OPEN) return;
    isScheduled = true;
    setImmediate(run);
  }

  function run(): void {
    isScheduled = false;
    for (const arrival of waiting.splice(0, Math.min(MAX_PER_TURN, MAX_OPEN - open))) dispatch(arrival);
    schedule();
  }

  function dispatch({ envelope }: Arrival): void {
    published++;
    const pending = republish(bus, locate(envelope));
    if (pending === undefined) return;
    open++;
    void pending.finally(() => {
      open--;
      schedule();
    });
  }

  return {
    publish(arrivals) {
      // Nothing at all is the usual case.
      if (bus.count() === 0) return;
      for (const arrival of arrivals) {
        if (!isForObservers(bus, arrival.envelope.event)) continue;
        if (waiting.length < MAX_WAITING) waiting.push(arrival);
        else dropped++;
      }
      schedule();
    },
    get counters() {
      return { published, dropped, waiting: waiting.length };
    },
  };
}

function isForObservers(bus: Bus, event: string): boolean {
  if (!bus.has(event)) return false;
  return findEvent(event)?.spec.kind === "observe" || bus.list().every((row) => row.stage === "observe" || !covers(row.event, event));
}

function covers(pattern: string, event: string): boolean {
  return pattern === event || (pattern.includes("*") && compileEventFilter(pattern)(event));
}
