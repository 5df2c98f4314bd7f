import type { DecisionSummary, EnvelopeSource } from "../catalog/envelope.js";
import type { HookError } from "../catalog/errors.js";
import { mayHoldSecret } from "../redact/may-hold-secret.js";
import type { RedactOptions } from "../redact/redact.js";
import { hideInDecision } from "../sinks/connect/hide-in-decision.js";
import { createPayloadPreparer } from "../sinks/connect/prepare.js";
import { isOversize } from "../wire/frames.js";
import { MAX_LINE_BYTES } from "../wire/hub-protocol.js";
import type { Outgoing, Taken } from "./outgoing.js";

export interface LineWriterOptions extends RedactOptions {
  readonly source: EnvelopeSource;
  readonly maxPayloadBytes: number;
  readonly onError: (error: HookError) => void;
}

/** Makes the line an event leaves as: without secrets, within its size, as `encodeEnvelope` writes it. Nothing for one too long for a line. */
export type LineWriter = (item: Outgoing) => string | undefined;

export function createLineWriter(options: LineWriterOptions): LineWriter {
  const { redact, redactSecrets = true, maxPayloadBytes, source } = options;
  const prepare = createPayloadPreparer(options);
  const isPlain = redact === undefined || (Array.isArray(redact) && redact.length === 0);
  const sourceText = JSON.stringify(source);
  const ownHops = JSON.stringify([source.instance]);

  function fit(payload: string): string {
    const isShort = payload.length <= maxPayloadBytes && !isOversize(payload, maxPayloadBytes);
    if (isShort && isPlain && !(redactSecrets && mayHoldSecret(payload))) return payload;
    return JSON.stringify(prepare(JSON.parse(payload)).payload);
  }

  function decisionOf(decision: DecisionSummary, asked: string | undefined): string {
    const text = JSON.stringify(redactSecrets ? hideInDecision(decision) : decision);
    return asked === undefined ? text : `${text.slice(0, -1)},"asked":${fit(asked)}}`;
  }

  function write(taken: Taken, seq: number, asked = taken.asked): string {
    const { id, at, event, session, decision, hops } = taken;
    const head = `{"v":2,"id":"${id}","seq":${seq},"at":"${timeText(at)}","event":${nameText(event)},"source":${sourceText}`;
    const place = session === undefined ? "" : `,"session":${sessionText(session)}`;
    const decided = decision === undefined ? "" : `,"decision":${decisionOf(decision, asked)}`;
    const passed = hops === undefined ? ownHops : JSON.stringify([...hops, source.instance]);
    return `${head}${place},"payload":${fit(taken.payload)}${decided},"hops":${passed}}`;
  }

  return (item) => {
    const { taken } = item;
    if (taken !== undefined) {
      item.line = write(taken, item.order);
      // The decision is kept, even if the payload before it cannot be.
      if (taken.asked !== undefined && isOversize(item.line, MAX_LINE_BYTES)) item.line = write(taken, item.order, TOO_MUCH);
      item.taken = undefined;
    }
    return item.line === undefined || isOversize(item.line, MAX_LINE_BYTES) ? undefined : item.line;
  };
}

const TOO_MUCH = '{"$hookline":"size"}';

const nameTexts = new Map<string, string>();
const MAX_NAMES = 1_000;

// Names of events come again and again; names of an open namespace are without end.
function nameText(event: string): string {
  const known = nameTexts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(event);
  if (nameTexts.size < MAX_NAMES) nameTexts.set(event, text);
  return text;
}

let knownSession = "";
let knownSessionText = "";

// Most sessions have no parent, and the id of the event before.
function sessionText(session: NonNullable<Taken["session"]>): string {
  if (session.parentId !== undefined) return JSON.stringify(session);
  if (session.id !== knownSession) {
    knownSession = session.id;
    knownSessionText = JSON.stringify(session);
  }
  return knownSessionText;
}

let knownTime = Number.NaN;
let knownText = "";

// Most events share their millisecond with the one before: 20 ns instead of 250.
function timeText(at: number): string {
  if (at !== knownTime) {
    knownTime = at;
    knownText = new Date(at).toISOString();
  }
  return knownText;
}
