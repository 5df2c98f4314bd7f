import { encodeLine } from "../adapters/codewhale/line.js";
import { oneOf, type Rule } from "../bus/option-rules.js";
import { type Envelope, encodeEnvelope } from "../catalog/envelope.js";
import { encodeCloudEvent } from "./cloud-event.js";

/** How an envelope is written as a line: whole, as a CloudEvents event around it, or as codewhale's `{ at, event }`, which keeps time and event only. */
export type Encoding = "hookline" | "cloudevents" | "codewhale";

export const encoders: { readonly [encoding in Encoding]: (envelope: Envelope) => string } = {
  hookline: encodeEnvelope,
  cloudevents: encodeCloudEvent,
  codewhale: encodeLine,
};

export const encodingRule: Rule = oneOf(...(Object.keys(encoders) as Encoding[]));
