import { JSON_TYPE } from "../http/answer.js";
import type { EventPage, StoredEvent } from "../store/store.js";
import { filterQuery, readFilter } from "./filter-query.js";
import { readCount } from "./read-query.js";
import type { Route } from "./route.js";
import { count, list, object, placedEvent } from "./schemas.js";

const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;
/** Of events in one answer. The first one is given whatever it takes. */
const MAX_LENGTH = 16 * 1024 * 1024;

export const events: Route = {
  method: "GET",
  path: "/api/events",
  scope: "read",
  summary: "Stored events, newest first",
  query: {
    ...filterQuery,
    limit: { description: "How many at most.", schema: { type: "integer", minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT } },
    cursor: { description: "Where the page before ended.", schema: { type: "integer", minimum: 1 } },
  },
  response: {
    description: "A page of them. Without a cursor there are no more.",
    schema: object({ events: list(placedEvent), "cursor?": count }),
  },
  async handle({ parts, query }) {
    const filter = readFilter(query);
    const limit = readCount(query, "limit", { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT;
    const before = readCount(query, "cursor", { min: 1, max: Number.MAX_SAFE_INTEGER });
    const page = await parts.store.page(filter, { limit, ...(before !== undefined && { before }) });
    return { status: 200, type: JSON_TYPE, text: toJson(page) };
  },
};

/** The events are JSON already, and are not parsed to be written again. */
function toJson(page: EventPage): string {
  const rows: string[] = [];
  let length = 0;
  let { cursor } = page;
  for (const [index, row] of page.events.entries()) {
    length += row.body.length;
    if (index > 0 && length > MAX_LENGTH) {
      cursor = page.events[index - 1]?.place;
      break;
    }
    rows.push(withPlace(row));
  }
  return `{"events":[${rows.join(",")}]${cursor === undefined ? "" : `,"cursor":${cursor}`}}`;
}

/** An event's JSON with its place. At the end, where it counts even if the sender wrote one of its own. */
export function withPlace({ place, body }: StoredEvent): string {
  return `${body.slice(0, body.lastIndexOf("}"))},"place":${place}}`;
}
