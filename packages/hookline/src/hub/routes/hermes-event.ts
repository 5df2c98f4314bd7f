import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { createEnvelope, findOne } from "@hookline/core/internal";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import { badRequest } from "../http/refused.js";
import { newId } from "../ingest/new-id.js";
import type { HermesFrame } from "../protocol.js";

type Context = { readonly [key: string]: unknown };

const MAX_NAME = 256;
const INSTANCE = /^[A-Za-z0-9_-]{1,64}$/;
const EARLIEST = Date.parse("2000-01-01T00:00:00Z");
const LATEST = Date.parse("2100-01-01T00:00:00Z");
const host = hostname();

/** An event as Hermes sends it, as an envelope. An event is never lost for its name: one the catalogue does not know becomes `hermes:<name>`. */
export function fromHermes({ event_type: type, context: given, src }: HermesFrame, place: string): Envelope {
  if (typeof type !== "string" || type.trim() === "" || type.length > MAX_NAME)
    throw badRequest(`${place}: "event_type" must be a name of 1 to ${MAX_NAME} characters.`);
  const context = contextOf(given, place);
  const from = context._forwarded_from;
  return createEnvelope({
    id: newId(),
    at: new Date(timeOf(context) ?? Date.now()).toISOString(),
    event: nameOf(type),
    source: sourceOf(src),
    session: sessionOf(context),
    payload: Object.fromEntries(Object.entries(context).filter(([key]) => !key.startsWith("_forwarded"))),
    hops: typeof from === "string" && INSTANCE.test(from) ? [from] : [],
  });
}

function contextOf(given: unknown, place: string): Context {
  if (given === undefined) return {};
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Context;
  throw badRequest(`${place}: "context" must be an object. Nothing was stored.`);
}

// Without colons, because a name of ours in a namespace of ours that is not in the catalogue would be refused.
function nameOf(type: string): string {
  return findOne(type)?.name ?? `hermes:${type.replace(/[\s:*\p{Cc}\p{Cs}]+/gu, ".")}`;
}

function sessionOf({ session_id: id, session, parent_session_id: parent }: Context): { id: string; parentId?: string } | undefined {
  const { id: inner, parentId } = (typeof session === "object" && session !== null ? session : {}) as { id?: unknown; parentId?: unknown };
  const found = [id, inner, session].find(isName);
  const above = [parent, parentId].find(isName);
  return found === undefined ? undefined : { id: found, ...(above !== undefined && { parentId: above }) };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 1_024;
}

/** Seconds as Python's `time.time()` gives them, milliseconds, or text. What no clock of today says is not taken for a time. */
function timeOf({ timestamp, ts, at }: Context): number | undefined {
  const given = timestamp ?? ts ?? at;
  const time =
    typeof given === "string" ? Date.parse(given) : typeof given === "number" ? (given < 1e11 ? given * 1_000 : given) : Number.NaN;
  return time >= EARLIEST && time < LATEST ? time : undefined;
}

function sourceOf(src: unknown): EnvelopeSource {
  const app = isName(src) ? src : "?";
  const instance = INSTANCE.test(app) ? app : `${app.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 40)}-${digestOf(app)}`;
  return { app, host, pid: 0, instance };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
