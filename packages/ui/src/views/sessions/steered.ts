import type { EventsAnswer, SteerRecord } from "../../api/answers.js";

/** Something that was put into a session: when it was sent, and what is known of it last. */
export interface Steered {
  readonly at: number;
  readonly record: SteerRecord;
}

/** What was sent, the latest first, of events of which the newest is the first. */
export function steeredIn(events: EventsAnswer["events"]): readonly Steered[] {
  const byId = new Map<string, Steered>();
  for (const { at, payload } of events) {
    const record = payload as SteerRecord;
    byId.set(record.id, { at: Date.parse(at), record: byId.get(record.id)?.record ?? record });
  }
  return [...byId.values()].sort((a, b) => b.at - a.at);
}
