import type { EventFilter } from "../store/store.js";

/** The same text for filters that mean the same. */
export function filterKey({ events, session, source, tool, decision, since, until, text }: EventFilter): string {
  return JSON.stringify([events === undefined ? null : [...events].sort(), session, source, tool, decision, since, until, text]);
}
