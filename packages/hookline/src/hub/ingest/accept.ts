import { HookError } from "@hookline/core";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import type { Accepted, Refusal } from "../parts.js";
import { isDeeperThan } from "./json-depth.js";
import { readEnvelope } from "./read-envelope.js";

/** The payload's 64 levels and the envelope around it. */
const MAX_DEPTH = 65;

/** Checks what comes from outside, a line of JSON, before anything else looks at it. Never throws. */
export function createAcceptor(instance: string): {
  line(line: string): Accepted | Refusal;
  envelope(envelope: Envelope): Accepted | Refusal;
} {
  function line(body: string): Accepted | Refusal {
    if (isDeeperThan(body, MAX_DEPTH)) return { code: "HL_TOO_DEEP", reason: "The event is nested deeper than 64 levels." };
    try {
      const envelope = readEnvelope(body);
      return envelope.hops.includes(instance) ? { code: "HL_LOOP", reason: "The event has been here before." } : { envelope, body };
    } catch (error) {
      return refusalOf(error);
    }
  }
  return { line, envelope: (envelope) => line(encodeEnvelope(envelope)) };
}

export function isRefusal(result: Accepted | Refusal): result is Refusal {
  return "code" in result;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof HookError) return { code: error.code, reason: error.message };
  return { code: "HL_BAD_ENVELOPE", reason: "This is no envelope." };
}
