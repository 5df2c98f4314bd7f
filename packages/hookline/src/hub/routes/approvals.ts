import { HookError } from "@hookline/core";
import { z } from "zod";
import { readAnswered } from "../approvals/answered.js";
import { withoutSecrets } from "../approvals/approval-row.js";
import type { AnswerGiven, ApprovalAnswer } from "../approvals/approvals.js";
import type { Operator } from "../auth/operator.js";
import { json } from "../http/answer.js";
import { wholeNumber } from "../http/read-input.js";
import { Refused, refusedWith } from "../http/refused.js";
import type { Holder } from "../parts.js";
import type { AlwaysAnswer, AnswerApprovalAnswer, AnsweredAnswer, ApprovalsAnswer, ForgetAnswer, PendingApproval } from "../protocol.js";
import { route } from "./route.js";
import { actor, contract, count, envelopeSource, limit, noFields, processRow, session } from "./schemas.js";

const pendingApproval = z
  .object({
    id: z.string().describe("The id of the question, also in the events that tell of it."),
    event: z.string(),
    eventId: z.string().describe("The id of the event that waits."),
    session: session.exactOptional(),
    source: envelopeSource.exactOptional(),
    cwd: z.string().exactOptional().describe("The folder of the process, or the one that its call names."),
    payload: z.unknown().describe("What would run."),
    asked: z.unknown().exactOptional().describe("What the agent asked for, if a guard rewrote it."),
    hash: z.string().describe("The hash of what would run. An answer must name it."),
    by: z.string().describe("The name of the guard that asks."),
    actor,
    reason: z.string().exactOptional().describe("At most 4,000 characters; a longer one is cut, and says so."),
    asks: z
      .array(z.object({ by: z.string(), actor, reason: z.string().exactOptional() }))
      .exactOptional()
      .describe("All guards that ask, if there are several."),
    pins: z
      .array(z.string())
      .exactOptional()
      .describe("Of a tool call: the fields that `always` would pin, which are all but those of the session, the call's id and the time."),
    askedAt: count.describe("Milliseconds since 1970."),
    expiresAt: count.describe("Milliseconds since 1970."),
  })
  .describe("A call that waits for a person.")
  .register(contract, { id: "PendingApproval" });

export const approvals = route({
  method: "GET",
  path: "/api/approvals",
  scope: "read",
  access: "read",
  summary: "Lists the calls that wait for a person",
  query: z.strictObject({
    limit: limit(1_000, 100),
    cursor: wholeNumber(1).exactOptional().describe("The `cursor` of the page before."),
  }),
  answer: {
    description: "A page of the calls, the oldest first.",
    body: z
      .object({
        approvals: z.array(pendingApproval),
        waiting: count.describe("How many calls wait, on all pages."),
        cursor: count.exactOptional().describe("For the next page; missing on the last one. Long calls make a page shorter than `limit`."),
      })
      .register(contract, { id: "ApprovalsAnswer" }),
  },
  // An approver must see exactly what will run, including secrets. A reader sees what is stored of other events.
  async handle({ parts, query, holder: { scopes } }) {
    const page = parts.approvals.page(query.limit, query.cursor);
    if (scopes.has("approve")) return json(page satisfies ApprovalsAnswer);
    const approvals = await Promise.all(page.approvals.map((row) => withoutSecrets(row, parts.preparer)));
    return json({ ...page, approvals } satisfies ApprovalsAnswer);
  },
});

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_TEXT = 4_000;
const textError = `must be text of at most ${MAX_TEXT} characters.`;
const text = z.string({ error: textError }).max(MAX_TEXT, { error: textError });

export const answerApproval = route({
  method: "POST",
  path: "/api/approvals/:id",
  scope: "approve",
  access: "operate",
  fromPhone: true,
  summary: "Answers a call that waits for a person",
  params: z.object({ id: z.string().describe("The approval's id.") }),
  maxBytes: MAX_ANSWER_BYTES,
  body: z
    .strictObject({
      verdict: z.enum(["allow", "deny"]),
      hash: z
        .string({ error: "must be the hash that GET /api/approvals shows." })
        .describe("The hash of the call that the approver saw. The answer counts for that call only."),
      reason: text.exactOptional(),
      by: text.exactOptional().describe("The name for the record."),
      payload: z.unknown().exactOptional().describe("Runs in place of the call. Every guard checks it again."),
      always: z.boolean().default(false).describe("Allows the same call from now on without asking."),
    })
    .refine(({ verdict, payload }) => verdict === "allow" || payload === undefined, {
      path: ["payload"],
      error: 'is for "allow": a denied call does not run.',
    })
    .refine(({ verdict, payload, always }) => !always || (verdict === "allow" && payload === undefined), {
      path: ["always"],
      error: 'is for "allow" without a "payload": it allows exactly what was shown.',
    })
    .register(contract, { id: "AnswerApprovalRequest" }),
  answer: {
    description: "The answer counts: it is the first one, and for the call that was shown.",
    body: z.object({ verdict: z.enum(["allow", "deny"]) }).register(contract, { id: "AnswerApprovalAnswer" }),
  },
  // A call that no longer waits is refused before a person confirms the answer.
  allows: ({ parts, params: { id }, body: { verdict, hash, payload, always } }) =>
    refusing(() => answerText(parts.approvals.find(id, hash), { verdict, payload, always })),
  async handle({ parts, params: { id }, holder, operate, body, factor }) {
    const given = givenBy(holder, await operate());
    return refusing(() => {
      parts.approvals.answer(id, { ...body, factor, given } satisfies ApprovalAnswer);
      return json({ verdict: body.verdict } satisfies AnswerApprovalAnswer);
    });
  },
});

/** By what the hub knows of the connection. */
function givenBy({ kind, isPhone }: Holder, { process, startedAt, hasTerminal, address }: Operator): AnswerGiven {
  const byProcess = hasTerminal === undefined ? "api" : hasTerminal ? "terminal" : "program";
  return {
    via: isPhone === true ? "phone" : kind === "dashboard" ? "dashboard" : byProcess,
    ...(process !== undefined && { process }),
    ...(startedAt !== undefined && { startedAt }),
    ...(address !== undefined && { address }),
  };
}

function refusing<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    throw refusedWith(error.code === "HL_BAD_REQUEST" ? 400 : 409, error);
  }
}

const MAX_SHOWN = 400;

/** What the answer lets happen. The hash of the whole call is part of what the person confirms. */
function answerText(row: PendingApproval, { verdict, payload, always }: Pick<ApprovalAnswer, "verdict" | "payload" | "always">): string {
  const { tool } = Object(payload ?? row.payload) as { readonly tool?: { readonly name?: unknown; readonly input?: unknown } };
  const what = tool === undefined ? row.event : `${String(tool.name)} ${JSON.stringify(tool.input) ?? ""}`;
  const shown = what.length > MAX_SHOWN ? `${what.slice(0, MAX_SHOWN)}… (${what.length} characters)` : what;
  const verb =
    verdict === "deny" ? "Deny" : always === true ? "Allow now and always from now on" : payload === undefined ? "Allow" : "Edit and allow";
  return `${verb}, as ${row.by} asked${row.source === undefined ? "" : ` for ${row.source.app}`}: ${shown}`;
}

const answeredApproval = z
  .object({
    id: z.string().describe("The id of the question."),
    at: count.describe("When it was answered, in milliseconds since 1970."),
    verdict: z.enum(["allow", "deny"]),
    by: z.string().exactOptional().describe("The person, or the name of what answered."),
    reason: z.string().exactOptional(),
    cause: z.string().exactOptional().describe("Why there was no answer: the code of the error. The call was denied."),
    via: z
      .string()
      .exactOptional()
      .describe(
        "How it was given, as the hub knows it of the connection: `dashboard`, `phone`, `terminal`, `program` (a process without a terminal), `api` (the hub cannot tell) or `fleet`.",
      ),
    process: processRow.exactOptional().describe("The process that gave it: of the dashboard, the browser."),
    startedAt: count.exactOptional().describe("When that process started, in milliseconds since 1970."),
    factor: z.string().exactOptional().describe("How the person confirmed it under `hookline protect`."),
    isEdited: z.literal(true).exactOptional().describe("Another call ran instead."),
    always: z.literal(true).exactOptional().describe("Also for every such call afterwards, or because of an earlier answer."),
    claimed: z.literal(true).exactOptional().describe("Only a process says who answered, and how: the hub has no answer of its own."),
    event: z.string(),
    eventId: z.string().exactOptional().describe("The event that waited: its trail has the whole decision."),
    session: z.string().exactOptional(),
    app: z.string().exactOptional().describe("The agent that asked."),
    askedBy: z.string().exactOptional().describe("The guard that asked."),
    question: z.string().exactOptional().describe("The reason that the guard gave."),
    about: z.string().exactOptional().describe("The call in one line, without its secrets. Missing if the question is not in the record."),
    waitedMs: count.exactOptional(),
  })
  .describe("An answer to a call that waited for a person.")
  .register(contract, { id: "AnsweredApproval" });

export const answeredApprovals = route({
  method: "GET",
  path: "/api/approvals/answered",
  scope: "read",
  access: "read",
  summary: "Lists the answers that were given, newest first",
  query: z.strictObject({
    limit: limit(200, 50),
    cursor: wholeNumber(1).exactOptional().describe("The `cursor` of the page before."),
  }),
  answer: {
    description: "A page of answers, each with its question.",
    body: z
      .object({ answers: z.array(answeredApproval), cursor: count.exactOptional().describe("For the next page; missing on the last one.") })
      .register(contract, { id: "AnsweredAnswer" }),
  },
  handle: async ({ parts, query }) => json((await readAnswered(parts.store, query.limit, query.cursor)) satisfies AnsweredAnswer),
});

const alwaysAllowedRow = z
  .object({
    hash: z.string(),
    event: z.string(),
    tool: z.string(),
    by: z.string().describe("The guard that asked."),
    input: z.string().describe("The tool's input without its secrets."),
    pinned: z.string().describe("All that must be the same, as JSON without its secrets."),
    cwd: z.string().exactOptional(),
    allowedBy: z.string(),
    at: count.describe("Milliseconds since 1970."),
  })
  .describe("A call that a person has allowed for good.")
  .register(contract, { id: "AlwaysAllowed" });

export const alwaysAllowed = route({
  method: "GET",
  path: "/api/approvals/always",
  scope: "read",
  access: "read",
  summary: "Lists the calls that a person has allowed for good",
  answer: {
    description: "The calls, the oldest first.",
    body: z.object({ always: z.array(alwaysAllowedRow) }).register(contract, { id: "AlwaysAnswer" }),
  },
  handle: ({ parts }) => json({ always: parts.alwaysAllow.list() } satisfies AlwaysAnswer),
});

export const forgetAllowed = route({
  method: "POST",
  path: "/api/approvals/always/:hash/forget",
  scope: "approve",
  access: "operate",
  allows: ({ parts, params: { hash } }) => {
    const row = parts.alwaysAllow.list().find((known) => known.hash === hash);
    return `No longer allow without asking: ${row === undefined ? hash : `${row.tool} ${row.input}`}`;
  },
  summary: "Withdraws such a permission: the next such call waits for a person again",
  params: z.object({ hash: z.string().describe("The `hash` of the list.") }),
  body: noFields,
  answer: {
    description: "The permission is withdrawn.",
    body: z.object({ forgotten: z.literal(true) }).register(contract, { id: "ForgetAnswer" }),
  },
  handle({ parts, params: { hash } }) {
    if (parts.alwaysAllow.forget(hash)) return json({ forgotten: true } satisfies ForgetAnswer);
    throw new Refused(404, "HL_NOT_FOUND", "No call with this hash is permanently allowed.", {
      fix: "GET /api/approvals/always lists them.",
    });
  },
});
