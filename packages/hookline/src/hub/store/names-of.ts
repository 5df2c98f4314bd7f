import type { DatabaseSync } from "node:sqlite";
import { crossesColons, type EventFilter } from "./store.js";

/** With more, one query for each would take longer than sorting what they have together. */
const MAX_NAMES = 64;

/** The names of stored events that a filter asks for, where it asks for nothing but names; not of too many. A step through the index each. */
export function namesOf(database: DatabaseSync, { events, ...rest }: EventFilter): readonly string[] | undefined {
  if (events === undefined || events.includes("*") || Object.values(rest).some((value) => value !== undefined)) return undefined;
  if (!events.some((event) => event.endsWith(":*"))) return undefined;
  const next = database.prepare("SELECT event FROM events WHERE event > ? AND event < ? ORDER BY event LIMIT 1");
  const names = new Set<string>();
  for (const event of events) {
    if (!event.endsWith(":*")) names.add(event);
    else
      for (const name of within(event)) {
        names.add(name);
        if (names.size > MAX_NAMES) return undefined;
      }
  }
  return [...names];

  function* within(pattern: string): Iterable<string> {
    const prefix = pattern.slice(0, -1);
    for (let last = prefix; ; ) {
      const found = next.get(last, `${prefix}\u{10ffff}`) as { readonly event: string } | undefined;
      if (found === undefined) return;
      last = found.event;
      if (crossesColons(pattern) || !last.slice(prefix.length).includes(":")) yield last;
    }
  }
}
