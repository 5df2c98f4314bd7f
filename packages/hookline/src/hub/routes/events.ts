import { upgradeEnvelope } from "@hookline/core/internal";
import { decodeEnvelope, type EnvelopeSource } from "@hookline/core/sinks";
import { z } from "zod";
import { shortSource } from "../connection/handshake.js";
import { JSON_TYPE } from "../http/answer.js";
import { wholeNumber } from "../http/read-input.js";
import { Refused } from "../http/refused.js";
import { isClaim } from "../ingest/agent-names.js";
import type { EventOrigin, EventsAnswer } from "../protocol.js";
import { type EventPage, type Store, type StoredEvent, withFields } from "../store/store.js";
import { filterQuery, readFilter } from "./filter-query.js";
import { route } from "./route.js";
import { contract, count, envelope, eventOrigin, limit } from "./schemas.js";

/** The text of all events in one answer. The first event is sent whatever its size. */
const MAX_LENGTH = 16 * 1024 * 1024;

const placedEvent = z
  .intersection(
    envelope,
    z.looseObject({
      place: count,
      host: z.string().exactOptional().describe("In a fleet's store: the host that sent the event, by the name of its credential."),
      imported: z.literal(true).exactOptional().describe("It was read from a session file of the agent: no guard saw it."),
      damaged: z
        .literal(true)
        .exactOptional()
        .describe("Its stored text is damaged: id, time, event, source, session and tool are known, the rest is lost."),
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
      .object({
        events: z.array(placedEvent),
        cursor: count.exactOptional().describe("For the next page; missing on the last one."),
        unindexed: count.exactOptional().describe("With `text`: so many of the latest events are not searched yet. Missing if all are."),
        indexedUntil: z.string().exactOptional().describe("With `unindexed`: the time of the last event that is searched."),
      })
      .register(contract, { id: "EventsAnswer" }),
  },
  async handle({ parts, query }) {
    const { limit: most, cursor } = query;
    const page = await parts.store.page(readFilter(query), { limit: most, ...(cursor !== undefined && { before: cursor }) });
    return { status: 200, type: JSON_TYPE, text: toJson(page, query.text === undefined ? {} : await unsearched(parts.store)) };
  },
});

type Unsearched = Pick<EventsAnswer, "unindexed" | "indexedUntil">;

/** What a text search cannot find yet. */
async function unsearched(store: Pick<Store, "stats">): Promise<Unsearched> {
  const { unindexed, indexedUntil } = await store.stats();
  if (unindexed === 0) return {};
  return { unindexed, ...(indexedUntil !== undefined && { indexedUntil: new Date(indexedUntil).toISOString() }) };
}

/** The events are stored as JSON, so their text is joined without parsing it. */
function toJson(page: EventPage, more: Unsearched): string {
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
  const rest = JSON.stringify({ ...(cursor !== undefined && { cursor }), ...more }).slice(1);
  return `{"events":[${rows.join(",")}]${rest === "}" ? "" : ","}${rest}`;
}

function eventJson(found: StoredEvent, provedBy: EventOrigin | undefined): string {
  const { event, source, decision } = upgradeEnvelope(decodeEnvelope(found.body));
  const origin = found.origin == null ? undefined : (JSON.parse(found.origin) as EventOrigin);
  const marks = {
    ...(isClaim({ event, source, ...(decision !== undefined && { decision }) }) && { claimed: true }),
    ...(origin !== undefined && { origin }),
    ...(provedBy !== undefined && { provedBy }),
    ...(origin !== undefined && isForAnother(origin, source) && { forAnother: true }),
  };
  const text = JSON.stringify(marks).slice(1);
  return `{"event":${withFields(found, { place: found.place })}${text === "}" ? text : `,${text}`}`;
}

/** Whether a process reports in another name than the one it connected with. */
function isForAnother({ way, app, instance }: EventOrigin, source: EnvelopeSource): boolean {
  const said = shortSource(source);
  return way === "connection" && (said.app !== app || said.instance !== instance);
}

export const event = route({
  method: "GET",
  path: "/api/events/:id",
  scope: "read",
  access: "read",
  summary: "Gives one event by its id, or by the beginning of its id",
  params: z.object({ id: z.string().describe("The event's id, or a beginning of at least six characters that no other id has.") }),
  answer: {
    description: "The event.",
    body: z
      .object({
        event: placedEvent.describe("`decision.trail` says what each handler did."),
        claimed: z
          .literal(true)
          .exactOptional()
          .describe("Only the process that reported the event says that a person, the hub or the policy decided."),
        origin: eventOrigin.exactOptional().describe("Missing for events of a fleet, and for those that older versions stored."),
        provedBy: eventOrigin
          .exactOptional()
          .describe("The event names an instance that another process connected as first: this one. Missing where there is no conflict."),
        forAnother: z
          .literal(true)
          .exactOptional()
          .describe("The event names another app or instance than its process connected with: the process reports it for another one."),
      })
      .register(contract, { id: "EventAnswer" }),
  },
  async handle({ parts, params: { id } }) {
    const whole = await wholeId(parts.store, id);
    const found = await parts.store.get(whole);
    if (found !== undefined) return { status: 200, type: JSON_TYPE, text: eventJson(found, await parts.store.provedBy(whole)) };
    const fix = "Retention may have removed it. Stored events: Live in the dashboard, or hookline tail --no-follow.";
    throw new Refused(404, "HL_NOT_FOUND", `There is no event with the id "${id.slice(0, 128)}".`, { fix });
  },
});

const LEAST_OF_ID = 6;
const NAMED = 5;

/** The only stored id that begins like this, or else what was given. Throws 409 for several, naming them. */
async function wholeId(store: Pick<Store, "idsThatBegin">, id: string): Promise<string> {
  if (id.length < LEAST_OF_ID) return id;
  const ids = await store.idsThatBegin(id, NAMED + 1);
  if (ids.length <= 1 || ids[0] === id) return ids[0] ?? id;
  const named = `${ids.slice(0, NAMED).join(", ")}${ids.length > NAMED ? ", …" : ""}`;
  throw new Refused(409, "HL_BAD_REQUEST", `Several events have an id that begins with "${id.slice(0, 128)}": ${named}.`, {
    fix: "Give more of it.",
  });
}
