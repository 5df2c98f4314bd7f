import { encodeLine } from "../adapters/codewhale/line.js";
import { oneOf } from "../bus/option-rules.js";
import { type Envelope, encodeEnvelope } from "../catalog/envelope.js";
import { encodeCloudEvent } from "./cloud-event.js";
import type { SinkOption } from "./sink-definition.js";

/** How an envelope is written as a line: whole, as a CloudEvents event around it, or as codewhale's `{ at, event }`, which keeps time and event only. */
export type Encoding = "hookline" | "cloudevents" | "codewhale";

export const encoders: { readonly [encoding in Encoding]: (envelope: Envelope) => string } = {
  hookline: encodeEnvelope,
  cloudevents: encodeCloudEvent,
  codewhale: encodeLine,
};

const names = Object.keys(encoders);

/** The option of every sink that writes envelopes as text. */
export const encodingOption: SinkOption = {
  ...oneOf(...names),
  kind: "choice",
  choices: names,
  what: '`"hookline"`: the whole event. `"cloudevents"`: a CloudEvents event around it. `"codewhale"`: its time and name alone.',
  default: '`"hookline"`',
};
