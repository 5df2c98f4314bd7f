import { messageOf } from "../../bus/describe-error.js";
import type { Decision, HookEvent } from "../../bus/types.js";
import type { Envelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import { copyJsonSafe } from "../../catalog/json-safe.js";
import { redacted } from "../../redact/markers.js";
import { createRedactor, type RedactOptions } from "../../redact/redact.js";
import { envelopeOf } from "../envelope-of.js";
import { capPayload, cutTexts, dropCutEnds, holdsLongText } from "./cap-payload.js";
import { hideInDecision } from "./hide-in-decision.js";

export interface PrepareOptions extends RedactOptions {
  readonly maxPayloadBytes: number;
  readonly onError: (error: HookError) => void;
}

export interface Prepared {
  readonly envelope: Envelope;
  readonly bytes: number;
}

/** The event as it is now: a copy, because the agent may go on to change its payload. */
export function takeSnapshot(event: HookEvent, decision: Decision | undefined): Envelope {
  const { session, ...rest } = envelopeOf(event, decision);
  // A payload's session may have more to it than its names, and getters that throw.
  const { id, parentId } = copyJsonSafe(session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  return {
    ...rest,
    ...(typeof id === "string" && { session: { id, ...(typeof parentId === "string" && { parentId }) } }),
    payload: copyJsonSafe(rest.payload),
  };
}

/** Makes an envelope fit to leave the process: without secrets, and within its size. */
export function createPreparer(options: PrepareOptions): (envelope: Envelope) => Prepared {
  const { redactSecrets = true, maxPayloadBytes, onError } = options;
  const redactor = createRedactor({ ...options, redactText: redactSecrets }, onError);

  // A text that will be cut anyway is not searched to its end: 10 MB would hold the event loop for 200 ms. Four times the cap leaves
  // enough of it, however much the search takes away.
  const maxSearched = maxPayloadBytes * 4;

  function redactPayload(payload: unknown): unknown {
    try {
      if (!holdsLongText(payload, maxSearched)) return redactor.payload(payload);
      return dropCutEnds(redactor.payload(cutTexts(payload, maxSearched)));
    } catch (cause) {
      onError(new HookError("HL_REDACT_FAILED", `A payload could not be redacted, so all of it is hidden: ${messageOf(cause)}`, { cause }));
      return redacted();
    }
  }

  return (envelope) => {
    const { payload, bytes } = capPayload(redactPayload(envelope.payload), maxPayloadBytes);
    const { decision } = envelope;
    const shown = decision === undefined || !redactSecrets ? decision : hideInDecision(decision);
    return { envelope: { ...envelope, payload, ...(shown !== undefined && { decision: shown }) }, bytes: bytes + FRAME_BYTES };
  };
}

/** What an envelope weighs around its payload, about. */
const FRAME_BYTES = 320;
