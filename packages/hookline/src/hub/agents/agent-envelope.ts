import { hostname } from "node:os";
import { createEnvelope, sessionIn } from "@hookline/core/internal";
import type { Envelope, EnvelopeSource } from "@hookline/core/sinks";
import type { AgentDialect, Translated } from "../../agents/shared/definition.js";
import { newId } from "../ingest/new-id.js";

const host = hostname();

export function sourceOf({ id }: AgentDialect): EnvelopeSource {
  return { app: id, host, pid: 0, instance: id };
}

/** What the hub knows about an event besides the agent's payload. */
export interface Circumstances extends Pick<Envelope, "at" | "decision">, Partial<Pick<Envelope, "id">> {
  /** The decided payload, if guards rewrote it. */
  readonly payload?: unknown;
}

/** An event of an attached agent in its stored form. */
export function envelopeOf(
  dialect: AgentDialect,
  asked: Translated,
  { id = newId(), at, payload = asked.payload, decision }: Circumstances,
): Envelope {
  return createEnvelope({ id, at, event: asked.event, source: sourceOf(dialect), session: sessionIn(asked.payload), payload, decision });
}
