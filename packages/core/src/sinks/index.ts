export { type DecisionSummary, decodeEnvelope, type Envelope, type EnvelopeSource, encodeEnvelope } from "../catalog/envelope.js";
export { createDelivery, type Delivery, type DeliveryCounters } from "./deliver-in-order.js";
export { envelopeOf } from "./envelope-of.js";
export { createMemorySink, type MemorySink, type MemorySinkOptions } from "./memory.js";
export type { SendResult, Sink } from "./sink.js";
