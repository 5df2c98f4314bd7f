import { ACTOR_KINDS } from "./actor.js";
import { AT_PATTERN, EVENT_PATTERN, ID_PATTERN, INSTANCE_PATTERN, MAX_HOPS, MAX_TRAIL, VERDICTS } from "./envelope.js";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
const instance = { type: "string", pattern: INSTANCE_PATTERN } as const;

const actor = {
  type: "object",
  description: "The guard, rule, hook, person or hub that acted. `at` says where, if not in the process that the event comes from.",
  required: ["kind", "name"],
  properties: { kind: { enum: ACTOR_KINDS }, name: text, owner: text, at: text },
} as const;

const step = {
  type: "object",
  required: ["actor", "stage", "round", "action"],
  properties: {
    actor,
    stage: text,
    round: { ...count, description: "0 at first sight; counts the times it looked again after a rewrite." },
    action: { ...text, description: "Such as pass, deny, no-match or failed." },
    reason: text,
    failure: text,
    durationMs: { type: "number", minimum: 0, description: "Missing where the time was not taken." },
  },
} as const;

/** The envelope as JSON Schema, for those who write one in another language. Fields it does not name are ignored. */
export const envelopeSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "urn:hookline:envelope:2",
  title: "Hookline envelope",
  description:
    "One event on its way: the same shape on every transport. The hub also accepts version 1, in which a step names its handler instead of its actor.",
  type: "object",
  required: ["v", "id", "seq", "at", "event", "source", "payload", "hops"],
  properties: {
    v: { const: 2 },
    id: { type: "string", pattern: ID_PATTERN, description: "Unique; within one instance, sorts in the order of creation." },
    seq: { ...count, description: "Counts per source instance from 1; 0 until the forwarder has numbered it." },
    at: { type: "string", pattern: AT_PATTERN, description: "ISO 8601 in UTC with milliseconds." },
    event: { type: "string", pattern: EVENT_PATTERN, description: "The event's canonical name." },
    source: {
      type: "object",
      description: "Which process it comes from.",
      required: ["app", "host", "pid", "instance"],
      properties: {
        app: text,
        host: { ...text, description: "Empty where it is not known." },
        pid: { ...count, description: "0 where there is none." },
        instance,
      },
    },
    session: { type: "object", required: ["id"], properties: { id: text, parentId: text } },
    payload: { description: 'Any JSON. An object with "$hookline" stands for a value JSON cannot carry.' },
    decision: {
      type: "object",
      description: "What came of a gate.",
      required: ["verdict", "modified", "endLoop"],
      properties: {
        verdict: { enum: VERDICTS },
        reason: text,
        by: { ...text, description: "The name of the actor that decided." },
        actor,
        cause: { ...text, description: "The code of what failed, when the verdict is a failure's." },
        modified: flag,
        endLoop: flag,
        trail: { type: "array", maxItems: MAX_TRAIL, items: step, description: "What each actor did, in order." },
        asked: { description: "The payload as it was asked about, where it was rewritten since." },
      },
    },
    hops: { type: "array", maxItems: MAX_HOPS, items: instance, description: "The instances it has passed." },
  },
} as const;
