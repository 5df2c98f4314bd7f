import { z } from "zod";
import { timeLimitOrNone } from "./amounts.js";
import { match, onFailure, priority, stage, tool } from "./match-values.js";
import { events, filePath, flag, label, text } from "./values.js";

/** What every hook takes, whatever stands behind it. */
const common = {
  name: label.optional(),
  enabled: flag.optional(),
  event: events,
  match: match.optional(),
  tool: tool.optional(),
  priority: priority.optional(),
  stage: stage.optional(),
  timeoutMs: timeLimitOrNone.optional(),
  onFailure: onFailure.optional(),
};

/** By the key that says what stands behind a hook. */
export const hookSchemas = {
  module: z.strictObject({ ...common, module: filePath, export: text.optional() }).superRefine(({ stage, onFailure }, context) => {
    if (stage !== "observe" || onFailure !== "closed") return;
    const message = 'cannot be "closed" in stage "observe", which comes after the decision: leave it out, or use stage "guard"';
    context.addIssue({ code: "custom", path: ["onFailure"], message });
  }),
};
