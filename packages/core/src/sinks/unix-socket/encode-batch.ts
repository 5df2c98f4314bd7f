import { type DecisionSummary, type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import { isOversize } from "./frames.js";

export interface EncodedBatch {
  readonly lines: readonly string[];
  /** How many go without their payload. */
  readonly cut: number;
}

/**
 * A line of at most `maxBytes` for each envelope. Where one is longer, what was asked before a rewrite goes first, then its payload
 * gives way to a marker with the size, then session and decision go.
 * `undefined` if even that does not help.
 */
export function encodeBatch(batch: readonly Envelope[], maxBytes: number): EncodedBatch | undefined {
  const lines: string[] = [];
  let cut = 0;
  for (const envelope of batch) {
    const whole = encodeEnvelope(envelope);
    const line = isOversize(whole, maxBytes) ? shorten(envelope, Buffer.byteLength(whole), maxBytes) : whole;
    if (line === undefined) return undefined;
    if (line !== whole) cut++;
    lines.push(line);
  }
  return { lines, cut };
}

function shorten(envelope: Envelope, byteLength: number, maxBytes: number): string | undefined {
  const { v, id, seq, at, event, source, session, hops } = envelope;
  const { asked, ...decided } = envelope.decision ?? {};
  const decision = envelope.decision === undefined ? undefined : (decided as DecisionSummary);
  const shorter = asked === undefined || decision === undefined ? [] : [{ ...envelope, decision }];
  const bare: Envelope = { v, id, seq, at, event, source, payload: { $hookline: "size", byteLength }, hops };
  const placed: Envelope = { ...bare, ...(session !== undefined && { session }), ...(decision !== undefined && { decision }) };
  return [...shorter, placed, bare].map(encodeEnvelope).find((line) => !isOversize(line, maxBytes));
}
