import { approvalEventId, isApprovalId, summarizePayload } from "@hookline/core/internal";
import { inertText } from "@hookline/core/internal/text";
import type { Envelope } from "@hookline/core/sinks";
import { HUB_APP } from "../ingest/own-source.js";
import type { AnsweredApproval, ProcessRow } from "../protocol.js";
import type { Store, StoredEvent } from "../store/store.js";
import { hashOf } from "./hash-of.js";

const PAGE = 100;
/** Of events read for one answer: agents report replies of their own, which are not answers to an approval. */
const MAX_PAGES = 10;
const MAX_ABOUT = 300;

/** What an event tells of an approval. It is whatever was stored. */
interface Told {
  readonly id?: unknown;
  readonly hash?: unknown;
  readonly event?: unknown;
  readonly eventId?: unknown;
  readonly verdict?: unknown;
  readonly by?: unknown;
  readonly reason?: unknown;
  readonly cause?: unknown;
  readonly given?: { readonly via?: unknown; readonly process?: unknown; readonly startedAt?: unknown };
  readonly factor?: unknown;
  readonly isEdited?: unknown;
  readonly isPresumed?: unknown;
  readonly always?: unknown;
  readonly askedAt?: unknown;
  readonly payload?: unknown;
  readonly source?: { readonly app?: unknown };
}

interface AnsweredPage {
  readonly answers: readonly AnsweredApproval[];
  readonly cursor?: number;
}

/** The answers to approvals, newest first, each with the question that it answers. */
export async function readAnswered(store: Pick<Store, "page" | "get">, limit: number, before?: number): Promise<AnsweredPage> {
  const answers: AnsweredApproval[] = [];
  let cursor = before;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await store.page({ events: ["permission:replied"] }, { limit: PAGE, ...(cursor !== undefined && { before: cursor }) });
    for (const event of page.events) {
      const answer = await answerIn(event, store);
      if (answer !== undefined) answers.push(answer);
      if (answers.length >= limit) return { answers, cursor: event.place };
    }
    cursor = page.cursor;
    if (cursor === undefined) return { answers };
  }
  return { answers, ...(cursor !== undefined && { cursor }) };
}

async function answerIn({ body }: StoredEvent, store: Pick<Store, "get">): Promise<AnsweredApproval | undefined> {
  const envelope = JSON.parse(body) as Envelope;
  const told = toldIn(envelope);
  const { id } = told;
  if (!isApprovalId(id) || (await isReplaced(envelope, told, store))) return undefined;
  const question = await questionOf(id, told, store);
  const { call, asked } = question;
  const askedAt = typeof asked?.askedAt === "number" ? asked.askedAt : undefined;
  const at = Date.parse(envelope.at);
  return {
    id,
    at,
    verdict: told.verdict === "allow" ? "allow" : "deny",
    event: textOf(told.event) ?? "",
    ...optional("eventId", textOf(told.eventId)),
    ...optional("by", textOf(told.by)),
    ...optional("reason", textOf(told.reason)),
    ...optional("cause", textOf(told.cause)),
    ...optional("via", textOf(told.given?.via)),
    ...processIn(told.given ?? {}),
    ...optional("factor", textOf(told.factor)),
    ...(told.isEdited === true && { isEdited: true }),
    ...(told.always === true && { always: true }),
    // The process alone says which person answered, and how: nothing here checks it.
    ...(envelope.source.app !== HUB_APP && { claimed: true }),
    ...optional("session", envelope.session?.id),
    ...optional("app", textOf(asked?.source?.app)),
    ...optional("askedBy", textOf(asked?.by)),
    ...optional("question", textOf(asked?.reason)),
    ...optional("about", call === undefined ? undefined : textOf(summarizePayload(call))),
    ...(askedAt !== undefined && { waitedMs: Math.max(0, at - askedAt) }),
  };
}

function processIn({ process, startedAt }: NonNullable<Told["given"]>): Pick<AnsweredApproval, "process" | "startedAt"> {
  const { pid, program, command, uid } = Object(process) as { readonly [Field in keyof ProcessRow]?: unknown };
  if (typeof pid !== "number") return {};
  return {
    process: {
      pid,
      ...optional("program", textOf(program)),
      ...optional("command", textOf(command)),
      ...(typeof uid === "number" && { uid }),
    },
    ...(typeof startedAt === "number" && { startedAt }),
  };
}

/** A reply that the hub presumed counts until there is a real one; one that a process reported, unless the hub has recorded one. */
async function isReplaced({ source }: Envelope, { id, isPresumed }: Told, store: Pick<Store, "get">): Promise<boolean> {
  const isOfHub = source.app === HUB_APP;
  if (isOfHub && isPresumed !== true) return false;
  const real = approvalEventId("permission:replied", id) ?? "";
  const stored = await Promise.all([real, `hub-${real}`].map((known) => store.get(known)));
  return stored.some((event) => event !== undefined && (isOfHub || (JSON.parse(event.body) as Envelope).source.app === HUB_APP));
}

interface Question {
  readonly asked?: Told;
  readonly call?: unknown;
}

/** The question with the same hash: a process can have stored another one under this id. */
async function questionOf(id: string, { hash }: Told, store: Pick<Store, "get">): Promise<Question> {
  const requested = approvalEventId("approval:requested", id) ?? "";
  const stored = await Promise.all([`hub-${requested}`, requested].map((known) => store.get(known)));
  for (const event of stored) {
    if (event === undefined) continue;
    const envelope = JSON.parse(event.body) as Envelope;
    const asked = toldIn(envelope);
    // The report of a process has neither hash nor time of its own.
    const { askedAt = Date.parse(envelope.at), source = envelope.source } = asked;
    if (hash === undefined || asked.hash === hash || hashOf(String(asked.event), asked.payload) === hash)
      return { asked: { ...asked, askedAt, source }, call: asked.payload };
  }
  return {};
}

function toldIn({ payload }: Envelope): Told {
  return Object((Object(payload) as { readonly approval?: unknown }).approval) as Told;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? inertText(value.slice(0, MAX_ABOUT)) : undefined;
}

function optional<Name extends string>(name: Name, value: string | undefined): { readonly [N in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: string });
}
