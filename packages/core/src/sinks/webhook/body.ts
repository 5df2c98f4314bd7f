import type { Envelope } from "../../catalog/envelope.js";
import { type Encoding, encoders } from "../encoding.js";

export interface BodyFormat {
  /** One request for a whole batch, as a JSON array, or one for each event. */
  readonly mode: "batch" | "single";
  readonly encoding: Encoding;
}

/** What one request carries: in mode `single` a batch is one envelope. */
export function encodeBody(batch: readonly Envelope[], { mode, encoding }: BodyFormat): Buffer {
  const text = batch.map((envelope) => encoders[encoding](envelope)).join(",");
  return Buffer.from(mode === "batch" ? `[${text}]` : text);
}

export function contentTypeOf({ mode, encoding }: BodyFormat): string {
  if (encoding !== "cloudevents") return "application/json";
  return `application/cloudevents${mode === "batch" ? "-batch" : ""}+json; charset=utf-8`;
}

/** The batches of the requests that a batch becomes. */
export function requestsOf(batch: readonly Envelope[], { mode }: BodyFormat): (readonly Envelope[])[] {
  if (mode === "single") return batch.map((envelope) => [envelope]);
  return batch.length === 0 ? [] : [batch];
}
