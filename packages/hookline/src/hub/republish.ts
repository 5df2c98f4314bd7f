import { type Bus, findEvent } from "@hookline/core";
import { republish } from "@hookline/core/forward";
import type { Envelope } from "@hookline/core/sinks";
import type { Arrival } from "./parts.js";

/** What may wait for slow handlers; what comes on top is left out and counted. */
const MAX_WAITING = 10_000;
/** Dispatches whose handlers have not finished. */
const MAX_OPEN = 64;
/** In one turn of the event loop, so that ingest and live clients get theirs. */
const MAX_PER_TURN = 64;

interface RepublisherOptions {
  readonly locate?: (envelope: Envelope) => Envelope;
  /** Whether the hub's guards were asked about this event before it happened. */
  readonly wasAsked?: (envelope: Envelope) => boolean;
}

export interface Republisher {
  /** Takes what has been stored and returns at once. */
  publish(arrivals: readonly Arrival[]): void;
  readonly counters: { readonly published: number; readonly dropped: number; readonly waiting: number };
}

/**
 * Shows the hub's handlers what has arrived, each event once, with what `locate` knows of its place. Guards that were asked about an event are
 * not told of it again; where they were not, they are told like everybody else, and a verdict of theirs comes too late.
 */
export function createRepublisher(
  bus: Bus,
  { locate = (envelope) => envelope, wasAsked = () => false }: RepublisherOptions = {},
): Republisher {
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
    const pending = republish(bus, locate(envelope), wasAsked(envelope) ? "observers" : "all");
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
        if (!concerns(bus, arrival.envelope.event)) continue;
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

/** A transform has no value left to rewrite once its event is stored. */
function concerns(bus: Bus, event: string): boolean {
  return bus.has(event) && findEvent(event)?.spec.kind !== "transform";
}
