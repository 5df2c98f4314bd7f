import { compileMatch } from "@hookline/core";
import { z } from "zod";
import { linearRegex } from "../../rules/linear-regex.js";
import { timeLimitOrNone } from "./amounts.js";
import { events, filePath, flag, label, text } from "./values.js";

const match = z
  .string("must be a match expression")
  .superRefine((expression, context) => refuse(() => compileMatch({ match: expression }, linearRegex), context));
const tool = z
  .union([text, z.array(text)], "must be a tool's name, a glob, or a list of them")
  .superRefine((names, context) => refuse(() => compileMatch({ tool: names }, linearRegex), context));

/** What every hook takes, whatever stands behind it. */
const common = {
  name: label.optional(),
  enabled: flag.optional(),
  event: events,
  match: match.optional(),
  tool: tool.optional(),
  priority: z.number("must be a number").refine(Number.isFinite, "must be a number").optional(),
  stage: z.enum(["rewrite", "guard", "observe"], 'must be "rewrite", "guard" or "observe"').optional(),
  timeoutMs: timeLimitOrNone.optional(),
  onFailure: z.enum(["open", "closed"], 'must be "open" or "closed"').optional(),
};

/** By the key that says what stands behind a hook. */
export const hookSchemas = {
  module: z.strictObject({ ...common, module: filePath, export: text.optional() }).superRefine(({ stage, onFailure }, context) => {
    if (stage !== "observe" || onFailure !== "closed") return;
    const message = 'cannot be "closed" in stage "observe", which comes after the decision: leave it out, or use stage "guard"';
    context.addIssue({ code: "custom", path: ["onFailure"], message });
  }),
};

function refuse(compile: () => unknown, context: z.RefinementCtx): void {
  try {
    compile();
  } catch (error) {
    context.addIssue({ code: "custom", message: `is wrong: ${(error as Error).message}` });
  }
}
