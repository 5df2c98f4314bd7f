// For Hookline's own packages, without promises: the parts of the sinks that the hub uses for itself.

export { allSinks } from "../sinks/all-sinks.js";
export { compileEventFilter } from "../sinks/connect/event-filter.js";
export {
  createPayloadPreparer,
  createPreparer as createEnvelopePreparer,
  cutForSearch,
  DEFAULT_MAX_PAYLOAD_BYTES,
} from "../sinks/connect/prepare.js";
export { envelopeOf } from "../sinks/envelope-of.js";
export type { OptionKind, SinkDefinition, SinkOption } from "../sinks/sink-definition.js";
export { guardLookup } from "../sinks/webhook/guarded-lookup.js";
export { createCredentialHider } from "../sinks/webhook/hide-credentials.js";
export { type DeadLetterLine, readDeadLetters } from "../sinks/webhook/read-dead-letters.js";
export { redeliver } from "../sinks/webhook/redeliver.js";
export { parseTarget, type Target } from "../sinks/webhook/target.js";
export { stepsOf, summaryOf as summarizeDecision } from "../wire/decision-summary.js";
