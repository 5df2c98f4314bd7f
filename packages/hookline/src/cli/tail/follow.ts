import { setTimeout as sleep } from "node:timers/promises";
import { createParser } from "eventsource-parser";
import { type EventsAnswer, type PlacedEvent, STREAM_EVENTS } from "../../hub/protocol.js";
import { connectHub, type HubClient, Refusal } from "../hub-client.js";
import type { Terminal } from "../terminal.js";

const LOOK_EVERY_MS = 200;

export interface Following {
  readonly filter: URLSearchParams;
  /** The position of the last event that was shown, or after which the stream starts. */
  readonly after: number;
  readonly onEvent: (event: PlacedEvent) => void;
}

/** Shows events as they arrive, without end. If the hub stops, waits for it and resumes the stream where it ended. */
export async function follow(first: HubClient, { filter, after, onEvent }: Following, terminal: Terminal): Promise<never> {
  let hub = first;
  let place = after;
  for (;;) {
    try {
      for await (const event of streamFrom(hub, filter, place)) {
        // A restart may send positions again that were already shown.
        if (event.place <= place) continue;
        place = event.place;
        onEvent(event);
      }
    } catch (error) {
      if (error instanceof Refusal && isFinal(error.status)) throw error;
    }
    hub = await reconnect(hub, terminal);
    const newest = await newestPlace(hub).catch(() => place);
    if (newest >= place) continue;
    terminal.say("The hub now uses another store; its events are shown from the start.");
    place = 0;
  }
}

/** The events behind a position, until the hub ends the stream. */
export async function* streamFrom(hub: HubClient, filter: URLSearchParams, place: number): AsyncGenerator<PlacedEvent> {
  const abort = new AbortController();
  try {
    const path = filter.size === 0 ? "/api/stream" : `/api/stream?${filter}`;
    const response = await hub.stream(path, { "last-event-id": String(place) }, abort.signal);
    const arrived: PlacedEvent[] = [];
    const parser = createParser({
      onEvent({ event, id, data }) {
        if (event === STREAM_EVENTS.hook && id !== undefined)
          arrived.push({ ...(JSON.parse(data) as Omit<PlacedEvent, "place">), place: Number(id) });
      },
    });
    for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
      parser.feed(chunk);
      yield* arrived.splice(0);
    }
  } finally {
    abort.abort();
  }
}

/** A wrong request stays wrong, so it is not repeated. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 429;
}

async function reconnect({ file }: HubClient, { env, say, paintTalk }: Terminal): Promise<HubClient> {
  let hasSaid = false;
  for (;;) {
    // Also before the first attempt, so that a hub that ends every stream at once is not asked in a tight loop.
    await sleep(LOOK_EVERY_MS);
    const hub = await connectHub(env).catch(() => undefined);
    if (hub !== undefined) {
      if (hub.file.instance !== file.instance)
        say(paintTalk("dim", `The hub is back (process ${hub.file.pid}); continuing where it stopped.`));
      return hub;
    }
    if (!hasSaid) say(paintTalk("dim", "The hub has stopped. Waiting until it is back …"));
    hasSaid = true;
  }
}

const PAGE = 500;

/** What a text search has not looked at: the latest events, while many arrive. */
export type Unsearched = Pick<EventsAnswer, "unindexed" | "indexedUntil">;

/** The latest matching events, oldest first, at most so many. */
export async function readHistory(
  hub: HubClient,
  filter: URLSearchParams,
  most: number,
  onUnsearched: (left: Unsearched) => void = () => {},
): Promise<readonly PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  for (let cursor: number | undefined; found.length < most; ) {
    const query = new URLSearchParams(filter);
    query.set("limit", String(Math.min(PAGE, most - found.length)));
    if (cursor !== undefined) query.set("cursor", String(cursor));
    const page = await hub.get<EventsAnswer>("/api/events", query);
    if (cursor === undefined && page.unindexed !== undefined) onUnsearched(page);
    found.push(...page.events);
    cursor = page.cursor;
    if (cursor === undefined || page.events.length === 0) break;
  }
  return found.reverse();
}

/** The position of the newest event; 0 if there are no events. */
export async function newestPlace(hub: HubClient): Promise<number> {
  const { events } = await hub.get<EventsAnswer>("/api/events", new URLSearchParams({ limit: "1" }));
  return events[0]?.place ?? 0;
}
