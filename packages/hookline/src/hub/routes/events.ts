import { upgradeEnvelope } from "@hookline/core/internal";
import { decodeEnvelope } from "@hookline/core/sinks";
import { z } from "zod";
import { JSON_TYPE } from "../http/answer.js";
import { wholeNumber } from "../http/read-input.js";
import { Refused } from "../http/refused.js";
import { isClaim } from "../ingest/agent-names.js";
import { type EventPage, type StoredEvent, withFields } from "../store/store.js";
import { filterQuery, readFilter } from "./filter-query.js";
import { route } from "./route.js";
import { contract, count, envelope, limit } from "./schemas.js";

/** The text of all events in one answer. The first event is sent whatever its size. */
const MAX_LENGTH = 16 * 1024 * 1024;

const placedEvent = z
  .intersection(
    envelope,
    z.looseObject({
      place: count,
      host: z.string().exactOptional().describe("In a fleet's store: the host that sent the event, by the name of its credential."),
    }),
  )
  .describe("An event and its place in the store. Later events have higher places.")
  .register(contract, { id: "PlacedEvent" });

export const events = route({
  method: "GET",
  path: "/api/events",
  scope: "read",
  access: "read",
  summary: "Lists stored events, newest first",
  query: z.strictObject({
    ...filterQuery,
    limit: limit(1_000, 100),
    cursor: wholeNumber(1).exactOptional().describe("The `cursor` of the page before."),
  }),
  answer: {
    description: "A page of events.",
    body: z
      .object({ events: z.array(placedEvent), cursor: count.exactOptional().describe("For the next page; missing on the last one.") })
      .register(contract, { id: "EventsAnswer" }),
  },
  async handle({ parts, query }) {
    const { limit: most, cursor } = query;
    const page = await parts.store.page(readFilter(query), { limit: most, ...(cursor !== undefined && { before: cursor }) });
    return { status: 200, type: JSON_TYPE, text: toJson(page) };
  },
});

/** The events are stored as JSON, so their text is joined without parsing it. */
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
    rows.push(withFields(row, { place: row.place }));
  }
  return `{"events":[${rows.join(",")}]${cursor === undefined ? "" : `,"cursor":${cursor}`}}`;
}

function hasClaim({ body }: StoredEvent): boolean {
  return isClaim(upgradeEnvelope(decodeEnvelope(body)));
}

export const event = route({
  method: "GET",
  path: "/api/events/:id",
  scope: "read",
  access: "read",
  summary: "Gives one event by its id",
  params: z.object({ id: z.string().describe("The event's id.") }),
  answer: {
    description: "The event.",
    body: z
      .object({
        event: placedEvent.describe("`decision.trail` says what each handler did."),
        claimed: z
          .literal(true)
          .exactOptional()
          .describe("Only the process that reported the event says that a person, the hub or the policy decided."),
      })
      .register(contract, { id: "EventAnswer" }),
  },
  async handle({ parts, params: { id } }) {
    const found = await parts.store.get(id);
    if (found !== undefined)
      return {
        status: 200,
        type: JSON_TYPE,
        text: `{"event":${withFields(found, { place: found.place })}${hasClaim(found) ? ',"claimed":true' : ""}}`,
      };
    const fix = "Retention may have removed it. Stored events: Live in the dashboard, or hookline tail --no-follow.";
    throw new Refused(404, "HL_NOT_FOUND", `There is no event with the id "${id.slice(0, 128)}".`, { fix });
  },
});
