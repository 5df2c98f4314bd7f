// For Hookline's own packages, without promises: the parts of the sinks that the hub uses for itself.

export { checkOptions } from "../bus/option-rules.js";
export { allSinks } from "../sinks/all-sinks.js";
export { compileEventFilter } from "../sinks/connect/event-filter.js";
export {
  createPayloadPreparer,
  createPreparer as createEnvelopePreparer,
  cutForSearch,
  DEFAULT_MAX_PAYLOAD_BYTES,
} from "../sinks/connect/prepare.js";
export { envelopeOf } from "../sinks/envelope-of.js";
export { type OtlpSinkOptions, otlpOptions } from "../sinks/otlp/otlp-options.js";
export { formatTraceparent, parseTraceparent, spanIdOf, type TraceContext, traceIdOf } from "../sinks/otlp/trace-context.js";
export { closedResult } from "../sinks/sink.js";
export type { OptionKind, SinkDefinition, SinkOption } from "../sinks/sink-definition.js";
export { guardLookup } from "../sinks/webhook/guarded-lookup.js";
export { createCredentialHider } from "../sinks/webhook/hide-credentials.js";
export { createInFlight } from "../sinks/webhook/in-flight.js";
export { readRetryAfter, resultOfAnswer, resultOfError, type Subject } from "../sinks/webhook/outcome.js";
export { type Answer, createPoster, type Message as PostMessage, type Poster } from "../sinks/webhook/post.js";
export { type DeadLetterLine, readDeadLetters } from "../sinks/webhook/read-dead-letters.js";
export { redeliver } from "../sinks/webhook/redeliver.js";
export { parseTarget, type Target, type TargetErrors, type TargetRules } from "../sinks/webhook/target.js";
export { stepsOf, summaryOf as summarizeDecision } from "../wire/decision-summary.js";
