import { type Bus, type Effects, findEvent } from "@hookline/core";
import { republish } from "@hookline/core/forward";
import type { Envelope } from "@hookline/core/sinks";
import type { Arrival } from "../parts.js";

/** What may wait for slow handlers; what comes on top is left out and counted. */
const MAX_WAITING = 10_000;
/** Dispatches whose handlers have not finished. */
const MAX_OPEN = 64;
/** Events that were told before they were stored. */
const MAX_TOLD = 10_000;
/** In one turn of the event loop, so that ingest and live clients get theirs. */
const MAX_PER_TURN = 64;

interface RepublisherOptions {
  readonly locate?: (envelope: Envelope) => Envelope;
  /** Whether the hub's guards were asked about this event before it happened. */
  readonly wasAsked?: (envelope: Envelope) => boolean;
  /** Hears what the handlers leave for the model of the event's agent. */
  readonly onEffects?: (envelope: Envelope, effects: Effects) => void;
}

export interface Republisher {
  /** Takes what has been stored and returns at once. */
  publish(arrivals: readonly Arrival[]): void;
  /** Shows it to the handlers now, for a caller that can pass on at once what they leave; `publish` then leaves it out. Never rejects. */
  tell(envelope: Envelope): Promise<Effects>;
  readonly counters: { readonly published: number; readonly dropped: number; readonly waiting: number };
}

/**
 * Shows the hub's handlers what has arrived, each event once, with what `locate` knows of its place. Guards that were asked about an event are
 * not told of it again. If they were not asked, they are told like all other handlers, and their verdict comes too late.
 */
export function createRepublisher(
  bus: Bus,
  { locate = (envelope) => envelope, wasAsked = () => false, onEffects = () => {} }: RepublisherOptions = {},
): Republisher {
  const waiting: Arrival[] = [];
  let [published, dropped, open] = [0, 0, 0];
  let isScheduled = false;
  const told = new Set<string>();

  /** All handlers of a transform have had its value, those that only look as well. */
  function isTransformed(envelope: Envelope): boolean {
    return findEvent(envelope.event)?.spec.kind === "transform" && wasAsked(envelope);
  }

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
    const effects = show(envelope);
    if (!(effects instanceof Promise)) return onEffects(envelope, effects);
    open++;
    void effects
      .then((late) => onEffects(envelope, late))
      .finally(() => {
        open--;
        schedule();
      });
  }

  function show(envelope: Envelope): Effects | Promise<Effects> {
    published++;
    return republish(bus, locate(envelope), wasAsked(envelope));
  }

  return {
    publish(arrivals) {
      // Nothing at all is the usual case.
      if (bus.count() === 0) return;
      for (const arrival of arrivals) {
        if (!bus.has(arrival.envelope.event) || told.delete(arrival.envelope.id) || isTransformed(arrival.envelope)) continue;
        if (waiting.length < MAX_WAITING) waiting.push(arrival);
        else dropped++;
      }
      schedule();
    },
    async tell(envelope) {
      const [oldest] = told;
      if (told.size >= MAX_TOLD && oldest !== undefined) told.delete(oldest);
      told.add(envelope.id);
      return bus.has(envelope.event) ? show(envelope) : NO_EFFECTS;
    },
    get counters() {
      return { published, dropped, waiting: waiting.length };
    },
  };
}

const NO_EFFECTS: Effects = { injections: [], reminders: [] };
