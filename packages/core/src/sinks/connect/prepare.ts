import { messageOf } from "../../bus/describe-error.js";
import type { HookEvent, TapDispatch } from "../../bus/types.js";
import { type Envelope, MAX_ASKED_DEPTH } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import { redacted } from "../../redact/markers.js";
import { createRedactor, type RedactOptions } from "../../redact/redact.js";
import { copyJsonSafe } from "../../text/json-safe.js";
import { envelopeOf } from "../envelope-of.js";
import { recordedPayload } from "../recorded-payload.js";
import { type Capped, capPayload, cutTexts, dropCutEnds, holdsLongText, isBeyondCutting, truncatedMarker } from "./cap-payload.js";
import { hideInDecision } from "./hide-in-decision.js";

/** What an event may weigh outside its process, unless an option says otherwise. */
export const DEFAULT_MAX_PAYLOAD_BYTES = 256 * 1024;

export interface PrepareOptions extends RedactOptions {
  /** Default 256 KiB. */
  readonly maxPayloadBytes?: number;
  /** Its texts were cut with `cutForSearch` already. */
  readonly isCut?: boolean;
  readonly onError: (error: HookError) => void;
}

export interface Prepared {
  readonly envelope: Envelope;
  readonly bytes: number;
}

/** The event as it is now: a copy, because the agent may go on to change its payload. */
export function takeSnapshot(event: HookEvent, dispatch: TapDispatch, asked?: unknown): Envelope {
  const kept = asked === undefined ? undefined : copyJsonSafe(asked, { maxDepth: MAX_ASKED_DEPTH });
  const { session, ...rest } = envelopeOf(event, dispatch.decision, kept);
  // A payload's session may have more to it than its names, and getters that throw.
  const { id, parentId } = copyJsonSafe(session ?? {}) as { readonly id?: unknown; readonly parentId?: unknown };
  return {
    ...rest,
    ...(typeof id === "string" && { session: { id, ...(typeof parentId === "string" && { parentId }) } }),
    payload: copyJsonSafe(recordedPayload(event, dispatch)),
  };
}

// A text that will be cut anyway is not searched to its end: 10 MB would hold the event loop for 200 ms. Four times the cap leaves enough of
// it, however much the search takes away.
const SEARCHED = 4;

/** The payload itself, or a copy with its longest texts cut to what redaction searches. */
export function cutForSearch(payload: unknown, maxPayloadBytes: number = DEFAULT_MAX_PAYLOAD_BYTES): unknown {
  return holdsLongText(payload, maxPayloadBytes * SEARCHED) ? cutTexts(payload, maxPayloadBytes * SEARCHED) : payload;
}

/** Makes a payload fit to leave the process: without secrets, and within its size. */
export function createPayloadPreparer(options: PrepareOptions): (payload: unknown) => Capped {
  const { redactSecrets = true, maxPayloadBytes = DEFAULT_MAX_PAYLOAD_BYTES, isCut = false, onError } = options;
  const redactor = createRedactor({ ...options, redactText: redactSecrets }, onError);

  const maxSearched = maxPayloadBytes * SEARCHED;

  function redactPayload(payload: unknown): unknown {
    try {
      const cut = isCut ? payload : cutForSearch(payload, maxPayloadBytes);
      return isCut || cut !== payload ? dropCutEnds(redactor.payload(cut)) : redactor.payload(payload);
    } catch (cause) {
      onError(new HookError("HL_REDACT_FAILED", `A payload could not be redacted, so all of it is hidden: ${messageOf(cause)}`, { cause }));
      return redacted();
    }
  }

  /** Of plain data alone: getters and cycles are for the copy that redaction makes. */
  function marked(payload: unknown): Capped | undefined {
    try {
      return isBeyondCutting(payload, maxSearched) ? truncatedMarker(payload) : undefined;
    } catch {
      return undefined;
    }
  }

  return (payload) => marked(payload) ?? capPayload(redactPayload(payload), maxPayloadBytes);
}

/** The same for a whole envelope. */
export function createPreparer(options: PrepareOptions): (envelope: Envelope) => Prepared {
  const { redactSecrets = true } = options;
  const fit = createPayloadPreparer(options);
  return (envelope) => {
    const { payload, bytes } = fit(envelope.payload);
    const { decision } = envelope;
    if (decision === undefined) return { envelope: { ...envelope, payload }, bytes: bytes + FRAME_BYTES };
    const shown = redactSecrets ? hideInDecision(decision) : decision;
    if (decision.asked === undefined) return { envelope: { ...envelope, payload, decision: shown }, bytes: bytes + FRAME_BYTES };
    const asked = fit(decision.asked);
    const whole = { ...envelope, payload, decision: { ...shown, asked: asked.payload } };
    return { envelope: whole, bytes: bytes + asked.bytes + FRAME_BYTES };
  };
}

/** What an envelope weighs around its payload, about. */
const FRAME_BYTES = 320;
