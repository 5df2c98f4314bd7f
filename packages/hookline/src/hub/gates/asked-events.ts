import type { Envelope } from "@hookline/core/sinks";

/** A process that was cut off sends its events later than it asked about them. */
const MAX_IDS = 50_000;

/** The events that the hub's guards were asked about, so that they are not told again when these are stored. */
export interface AskedEvents {
  add(eventId: string): void;
  has(envelope: Envelope): boolean;
}

export function createAskedEvents(): AskedEvents {
  const ids = new Set<string>();
  return {
    add(eventId) {
      const [oldest] = ids;
      if (ids.size >= MAX_IDS && oldest !== undefined) ids.delete(oldest);
      ids.add(eventId);
    },
    // The trail says so of what a hub before this one was asked. The answer to an approval is not a step of its guards.
    has: ({ id, decision }) =>
      ids.has(id) || decision?.trail?.some(({ actor, stage }) => actor.at === "hub" && stage !== "approval") === true,
  };
}
