import type { DecisionSummary, Envelope } from "../../catalog/envelope.js";
import { isOversize } from "../../wire/frames.js";
import { type Encoding, encoders } from "../encoding.js";

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
export function encodeBatch(batch: readonly Envelope[], maxBytes: number, encoding: Encoding = "hookline"): EncodedBatch | undefined {
  const encode = encoders[encoding];
  const lines: string[] = [];
  let cut = 0;
  for (const envelope of batch) {
    const whole = encode(envelope);
    const line = isOversize(whole, maxBytes)
      ? shortened(envelope, Buffer.byteLength(whole))
          .map(encode)
          .find((text) => !isOversize(text, maxBytes))
      : whole;
    if (line === undefined) return undefined;
    if (line !== whole) cut++;
    lines.push(line);
  }
  return { lines, cut };
}

/** Ever shorter. */
function shortened(envelope: Envelope, byteLength: number): Envelope[] {
  const { v, id, seq, at, event, source, session, hops } = envelope;
  const { asked, ...decided } = envelope.decision ?? {};
  const decision = envelope.decision === undefined ? undefined : (decided as DecisionSummary);
  const shorter = asked === undefined || decision === undefined ? [] : [{ ...envelope, decision }];
  const bare: Envelope = { v, id, seq, at, event, source, payload: { $hookline: "size", byteLength }, hops };
  const placed: Envelope = { ...bare, ...(session !== undefined && { session }), ...(decision !== undefined && { decision }) };
  return [...shorter, placed, bare];
}
