import { z } from "zod";
import { json } from "../http/answer.js";
import { refusedAs } from "../http/refused.js";
import type { SessionsAnswer, SteerAnswer, TimelineAnswer } from "../protocol.js";
import type { Steer } from "../steering/operator-words.js";
import { readTimeline } from "../timeline/read-timeline.js";
import { type Call, route } from "./route.js";
import { anyObject, contract, count, limit, milliseconds, verdict } from "./schemas.js";

const sessionRow = z
  .object({
    id: z.string(),
    app: z.string().describe("The agent; empty while only the hub has reported on the session."),
    source: z.string().describe("The agent's latest process; empty like `app`."),
    host: z.string().optional().describe("The host of the fleet that sent it."),
    agent: z.string().optional(),
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
  }),
  answer: {
    description: "The sessions.",
    body: z.object({ sessions: z.array(sessionRow) }).register(contract, { id: "SessionsAnswer" }),
  },
  async handle({ parts, query }) {
    const { limit: most, ...of } = query;
    return json({ sessions: await parts.store.sessions(most, of) } satisfies SessionsAnswer);
  },
});

const params = z.object({ id: z.string().describe("The session's id.") });

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
