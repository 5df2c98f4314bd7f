import type { DecisionSummary } from "../../catalog/envelope.js";
import { hideSecretsIn } from "../../redact/secret-shapes.js";

/** A decision without what looks like a secret in its reasons: guards like to quote what they refuse. */
export function hideInDecision(decision: DecisionSummary): DecisionSummary {
  const { reason, trail } = decision;
  return {
    ...decision,
    ...(reason !== undefined && { reason: hideSecretsIn(reason) }),
    ...(trail !== undefined && {
      trail: trail.map((step) => (step.reason === undefined ? step : { ...step, reason: hideSecretsIn(step.reason) })),
    }),
  };
}
