import type { EventsAnswer, PlacedEvent } from "../../hub/protocol.js";
import type { HubClient } from "../hub-client.js";

const PAGE = 500;

/** The latest events that match, oldest first, at most so many. */
export async function readHistory(hub: HubClient, filter: URLSearchParams, most: number): Promise<readonly PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  for (let cursor: number | undefined; found.length < most; ) {
    const query = new URLSearchParams(filter);
    query.set("limit", String(Math.min(PAGE, most - found.length)));
    if (cursor !== undefined) query.set("cursor", String(cursor));
    const page = await hub.get<EventsAnswer>("/api/events", query);
    found.push(...page.events);
    cursor = page.cursor;
    if (cursor === undefined || page.events.length === 0) break;
  }
  return found.reverse();
}

/** The place of the newest event of all; 0 when there is none. */
export async function newestPlace(hub: HubClient): Promise<number> {
  const { events } = await hub.get<EventsAnswer>("/api/events", new URLSearchParams({ limit: "1" }));
  return events[0]?.place ?? 0;
}
