import { type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import { encodeCloudEvent } from "./cloud-event.js";

export interface BodyFormat {
  /** One request for a whole batch, as a JSON array, or one for each event. */
  readonly mode: "batch" | "single";
  readonly encoding: "hookline" | "cloudevents";
}

/** What one request carries: in mode `single` a batch is one envelope. */
export function encodeBody(batch: readonly Envelope[], { mode, encoding }: BodyFormat): Buffer {
  const encode = encoding === "cloudevents" ? encodeCloudEvent : encodeEnvelope;
  const text = batch.map((envelope) => encode(envelope)).join(",");
  return Buffer.from(mode === "batch" ? `[${text}]` : text);
}

export function contentTypeOf({ mode, encoding }: BodyFormat): string {
  if (encoding === "hookline") return "application/json";
  return `application/cloudevents${mode === "batch" ? "-batch" : ""}+json; charset=utf-8`;
}

/** The batches of the requests that a batch becomes. */
export function requestsOf(batch: readonly Envelope[], { mode }: BodyFormat): (readonly Envelope[])[] {
  if (mode === "single") return batch.map((envelope) => [envelope]);
  return batch.length === 0 ? [] : [batch];
}
