import { z } from "zod";
import { json } from "../http/answer.js";
import { Refused, refusedAs } from "../http/refused.js";
import type { EraseAnswer, SessionsAnswer, SteerAnswer, TimelineAnswer } from "../protocol.js";
import type { Steer } from "../steering/operator-words.js";
import { readTimeline } from "../timeline/read-timeline.js";
import { readTime } from "./filter-query.js";
import { type Call, route } from "./route.js";
import { anyObject, contract, count, limit, milliseconds, verdict } from "./schemas.js";

const sessionRow = z
  .object({
    id: z.string(),
    app: z.string().describe("The agent; empty while only the hub has reported on the session."),
    source: z.string().describe("The agent's latest process; empty like `app`."),
    host: z.string().optional().describe("The host of the fleet that sent it."),
    agent: z.string().optional(),
    model: z.string().optional().describe("The model that it used last."),
    cwd: z.string().optional().describe("The folder that it began in."),
    title: z.string().optional().describe("Its first prompt, on one line."),
    parentId: z.string().optional().describe("The session that started it."),
    firstAt: count.describe("Milliseconds since 1970."),
    lastAt: count.describe("Milliseconds since 1970."),
    events: count,
    denied: count,
    asked: count.describe("How many calls a person was asked about."),
    inputTokens: count.optional().describe("As far as the agent reports it, like the next two."),
    outputTokens: count.optional(),
    costUsd: z.number().optional(),
  })
  .register(contract, { id: "SessionRow" });

export const sessions = route({
  method: "GET",
  path: "/api/sessions",
  scope: "read",
  access: "read",
  summary: "Lists sessions, those with the latest events first",
  query: z.strictObject({
    limit: limit(1_000, 100),
    host: z.string().exactOptional().describe("In a fleet's store: the sessions of this host."),
    begins: z.string().min(1).exactOptional().describe("Those with an id that begins like this."),
    since: z.string().exactOptional().describe("Those with an event from this time on, written as for `GET /api/events`."),
  }),
  answer: {
    description: "The sessions.",
    body: z.object({ sessions: z.array(sessionRow) }).register(contract, { id: "SessionsAnswer" }),
  },
  async handle({ parts, query }) {
    const { limit: most, host, begins } = query;
    const since = readTime("since", query.since, Date.now());
    const of = { ...(host !== undefined && { host }), ...(begins !== undefined && { begins }), ...(since !== undefined && { since }) };
    return json({ sessions: await parts.store.sessions(most, of) } satisfies SessionsAnswer);
  },
});

const params = z.object({ id: z.string().describe("The session's id.") });

const MAX_FAMILY = 10_000;
/** A large archive is read whole. The answer must come before the command gives up. */
const ARCHIVE_MS = 240_000;

export const eraseSession = route({
  method: "POST",
  path: "/api/sessions/:id/delete",
  scope: "approve",
  access: "operate",
  allows: ({ params: { id } }) => `Delete the session ${id}, and those that it started, for good.`,
  summary: "Deletes a session for good, with the sessions that it started",
  params,
  body: z.strictObject({ by: z.string().max(200).describe("The person, for the record.") }).register(contract, { id: "EraseRequest" }),
  answer: {
    description:
      "The events are gone from the store, its text index, its log and its counts. The chain says that they were deleted, and by whom.",
    body: z
      .object({
        sessions: z.array(z.string()),
        events: count,
        copies: z.array(z.string()).describe("Copies of the store that were deleted: they were made before an update."),
        elsewhere: z
          .array(z.object({ name: z.string(), files: count, fault: z.string().exactOptional() }))
          .describe("Archives that deleted their files of the sessions, or could not."),
        left: z.array(z.string()).describe("Sinks that have got events and cannot delete them."),
      })
      .register(contract, { id: "EraseAnswer" }),
  },
  async handle({ parts, params: { id }, body: { by } }) {
    const { store, sinks } = parts;
    const sessions = await store.family(id, MAX_FAMILY);
    if ((await store.session(id)) === undefined && sessions.length <= 1)
      throw new Refused(404, "HL_NOT_FOUND", `There is no session "${id.slice(0, 128)}".`, { fix: { run: "hookline sessions" } });
    let events = 0;
    for (const session of sessions) events += await store.erase({ session, by });
    const copies = await store.scrub();
    const elsewhere = await sinks.removeSessions(sessions, AbortSignal.timeout(ARCHIVE_MS));
    const archives = new Set(elsewhere.map(({ name }) => name));
    const left = sinks.list().flatMap(({ name, type }) => (archives.has(name) ? [] : [`${name} (${type})`]));
    return json({ sessions: [...sessions], events, copies: [...copies], elsewhere: [...elsewhere], left } satisfies EraseAnswer);
  },
});

const timelineSpan = z
  .object({
    id: z.string(),
    parentId: z.string().optional(),
    kind: z.enum(["turn", "tool", "worker", "gate", "other"]),
    name: z.string(),
    startAt: milliseconds.describe("Milliseconds since 1970."),
    endAt: milliseconds.optional().describe("Missing while it runs, and for a moment (`gate`, `other`)."),
    verdict: verdict.exactOptional(),
    status: z.string().optional(),
    gateMs: milliseconds.optional().describe("How long the guards took."),
    waitMs: milliseconds.optional().describe("How long it waited for a person."),
    detail: z.string().optional().describe("What a tool or a worker does, in one line of at most 120 characters."),
    asked: z.string().optional().describe("What the agent had asked for, like `detail`, if the call was rewritten since."),
    damaged: z.literal(true).exactOptional().describe("The stored text of its event is damaged."),
    eventId: z.string(),
  })
  .register(contract, { id: "TimelineSpan" });

export const timeline = route({
  method: "GET",
  path: "/api/sessions/:id/timeline",
  scope: "read",
  access: "read",
  summary: "Shows a session as spans: its turns, tool calls and workers, and what is in them",
  params,
  query: z.strictObject({ limit: limit(10_000, 10_000) }),
  answer: {
    description: "The spans, in the order of their starts.",
    body: z
      .object({ session: z.string(), spans: z.array(timelineSpan), isCut: z.boolean().describe("There are more spans.") })
      .register(contract, { id: "TimelineAnswer" }),
  },
  async handle({ parts, params: { id }, query }) {
    return json((await readTimeline(parts.store, id, query.limit)) satisfies TimelineAnswer);
  },
});

/** A text of 8,000 characters in JSON, each of them escaped, and the other fields. */
const MAX_STEER_BYTES = 128 * 1_024;
const author = {
  by: z.string().default("a person").describe("The name for the record."),
  via: z.literal("cli").exactOptional().describe("Sent by the command line."),
};
const steerAnswer = {
  description: "The message was recorded, and is on its way.",
  body: z
    .object({
      id: z.string().describe("Each `session:steer` event about it has this id."),
      status: z
        .enum(["sent", "waiting", "dropped"])
        .describe("`sent` to the session's process, or `waiting` for the attached agent's next event."),
      agent: z.string().describe("The agent that is told."),
    })
    .register(contract, { id: "SteerAnswer" }),
};
const statuses = { HL_NOT_FOUND: 404, HL_NOT_LIVE: 409, HL_BAD_REQUEST: 400, HL_BAD_REMINDER: 400 };

export const injectMessage = route({
  method: "POST",
  path: "/api/sessions/:id/inject",
  scope: "approve",
  access: "operate",
  allows: ({ params: { id }, body: { text } }) => `Put this message into the session ${id}: ${text}`,
  summary: "Puts a message of the operator into a live session",
  params,
  maxBytes: MAX_STEER_BYTES,
  body: z
    .strictObject({
      text: z.string().describe("At most 8,000 characters."),
      interrupt: z.boolean().default(false).describe("Blocks the session's next tool call or checkpoint, with the text as the reason."),
      ...author,
    })
    .register(contract, { id: "InjectRequest" }),
  answer: steerAnswer,
  handle(call) {
    const { text, interrupt } = call.body;
    return steer(call, { kind: "inject", text, interrupt, ...authorOf(call) });
  },
});

const turnsError = "must be a whole number of turns above 0.";

export const remindSession = route({
  method: "POST",
  path: "/api/sessions/:id/remind",
  scope: "approve",
  access: "operate",
  allows: ({ params: { id }, body: { body } }) => `Put this reminder into the session ${id}: ${body}`,
  summary: "Puts a reminder of the operator into a live session",
  params,
  maxBytes: MAX_STEER_BYTES,
  body: z
    .strictObject({
      body: z.string().describe("At most 8,000 characters."),
      tags: z.array(z.string()).exactOptional(),
      dedupeKey: z.string().exactOptional().describe("A later reminder with the same key replaces this one."),
      ttlTurns: z.int({ error: turnsError }).min(1, { error: turnsError }).exactOptional().describe("How many turns it lasts."),
      preserveOnCompact: z.boolean().exactOptional(),
      propagate: z.enum(["all", "session", "none"]).exactOptional(),
      roleHint: z.enum(["system", "developer", "user_block", "ephemeral_cache"]).exactOptional(),
      ...author,
    })
    .register(contract, { id: "RemindRequest" }),
  answer: steerAnswer,
  handle(call) {
    const { body: text, by: _by, via: _via, ...reminder } = call.body;
    return steer(call, { kind: "remind", text, reminder, ...authorOf(call) });
  },
});

type SteerCall = Call<{ readonly id: string }, unknown, { readonly by: string; readonly via?: "cli" }>;

async function steer({ parts, params: { id } }: SteerCall, order: Steer) {
  return json((await refusedAs(statuses, parts.steering.steer(id, order))) satisfies SteerAnswer);
}

/** The hub recognises a dashboard by its login. Several programs share the operator's token, so they say themselves which one sends. */
function authorOf({ holder, body: { by, via } }: SteerCall): Pick<Steer, "by" | "via"> {
  return { by, via: holder.kind === "dashboard" ? "dashboard" : (via ?? "api") };
}

/** The payload of a `session:steer` event. */
export const steerRecord = z
  .object({
    id: z.string(),
    kind: z.enum(["inject", "remind"]),
    text: z.string(),
    reminder: anyObject.exactOptional(),
    interrupt: z.literal(true).exactOptional(),
    by: z.string(),
    via: z.enum(["cli", "api", "dashboard"]),
    agent: z.string(),
    status: z.enum(["waiting", "sent", "delivered", "dropped"]),
    reason: z.string().optional().describe("Why it was dropped."),
  })
  .describe("A `session:steer` event has this payload.")
  .register(contract, { id: "SteerRecord" });
