// For Hookline's own packages, without promises: names here change in any release. Like the main entry, this one loads no `node:` module.

export { readOutcomes } from "../bus/answers.js";
export { approvalEventId, isApprovalId, newApprovalId, replyOf, reportingApprover } from "../bus/approval.js";
export { createIdSource } from "../bus/event-id.js";
export { findHiddenVerdict, findRewriteKey, findVerdictKey } from "../bus/plain-shape.js";
export { ANSWER_MARGIN_MS, DEFAULT_APPROVAL_TIMEOUT_MS, DEFAULT_HANDLER_TIMEOUT_MS } from "../bus/time-limits.js";
export { withheld, withheldValue } from "../bus/withheld.js";
export { readActor } from "../catalog/actor.js";
export { createEnvelope, sessionIn } from "../catalog/envelope.js";
export { upgradeEnvelope } from "../catalog/envelope-v1.js";
export { fixText, quietly, withFix } from "../catalog/errors.js";
export { families, providerEvents } from "../catalog/events.js";
export { resolveEvent, spellingsOf } from "../catalog/names.js";
export { isOutcome } from "../catalog/outcomes.js";
export { checkPath, type PathFault } from "../catalog/payload-paths.js";
export { summarizeInput, summarizePayload } from "../catalog/payload-summary.js";
export { samplePayload, samplePayloads, sampleValues } from "../catalog/samples.js";
export { compileMatch, type PathUse, type Predicate, pathsIn } from "../match/compile.js";
export { compileGlob } from "../match/glob.js";
export { compilePath, type Reader } from "../match/path.js";
export { requiredTexts, type TextCondition } from "../match/required-texts.js";
export { toText } from "../match/text.js";
export { compileToolScope, type ToolNames } from "../match/tool-scope.js";
export { compileRedaction } from "../redact/paths.js";
export { secretNames, secretNamesIn } from "../redact/secret-shapes.js";
export { compileWords, OTHER, type WordTable } from "../redact/word-table.js";
