import { compileMatch } from "@hookline/core/internal";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import { didYouMean } from "@hookline/core/internal/text";
import { z } from "zod";
import { timeLimitOrNone } from "../config/schema/amounts.js";
import { example, explained, flag, label, refuse, text } from "../config/schema/values.js";
import { everyPermission } from "../rules/default-failure.js";
import { linearRegex } from "../rules/linear-regex.js";

export const permissionList = z
  .array(z.string("must be the name of a permission"), "must be a list of permissions")
  .superRefine((names, context) => {
    for (const [index, name] of names.entries())
      if (!everyPermission.includes(name))
        context.addIssue(explained(`has '${name}', which is not a permission.${didYouMean(name, everyPermission)}`, { path: [index] }));
  });

export const eventName = z.string("must be an event's name or a pattern").superRefine((name, context) => {
  refuse(() => compileEventFilter(name), context);
});

/** The keys of a hook besides its event, in every kind of manifest. */
export const hookFields = {
  match: z
    .union([z.string(), z.record(z.string(), z.unknown())], "must be a match expression or an object of conditions")
    .superRefine((match, context) => refuse(() => compileMatch({ match }, linearRegex), context))
    .optional(),
  tool: z
    .union([text, z.array(text)], "must be a tool's name, a glob, or a list of them")
    .superRefine((tool, context) => refuse(() => compileMatch({ tool }, linearRegex), context))
    .optional(),
  priority: z.number("must be a number").refine(Number.isFinite, "must be a number").optional(),
  stage: z.enum(["rewrite", "guard", "observe"], 'must be "rewrite", "guard" or "observe"').optional(),
  timeoutMs: timeLimitOrNone.optional(),
  onFailure: z.enum(["open", "closed"], 'must be "open" or "closed"').optional(),
  idempotent: flag.optional(),
  canary: example.optional(),
};

export const hookName = label;

/** A stage after the decision cannot deny. */
export function checkStage(hook: { readonly stage?: unknown; readonly onFailure?: unknown }, context: z.RefinementCtx): void {
  if (hook.stage !== "observe" || hook.onFailure !== "closed") return;
  const message = 'cannot be "closed" in stage "observe", which comes after the decision: leave it out, or use stage "guard"';
  context.addIssue(explained(message, { path: ["onFailure"] }));
}

/** Removes undefined keys, as exact optional types require. */
export function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
