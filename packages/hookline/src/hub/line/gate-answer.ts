import type { Decision } from "@hookline/core";
import type { LineVerdict } from "@hookline/core/forward";

/** A decision as it goes back over the line: what nobody said is left out. */
export function verdictFrame(id: string, decision: Decision): LineVerdict {
  const { verdict, reason, by, cause, payload, modified, injections, reminders, endLoop } = decision;
  return {
    type: "verdict",
    id,
    decision: verdict,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    ...(modified && { payload }),
    ...(injections.length > 0 && { injections }),
    ...(reminders.length > 0 && { reminders: reminders.map(({ spec }) => spec) }),
    ...(endLoop && { endLoop: true as const }),
    ...(cause !== undefined && { cause: cause.code }),
  };
}
