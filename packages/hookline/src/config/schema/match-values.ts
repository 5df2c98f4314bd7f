import { findEvent } from "@hookline/core";
import { compileEventFilter } from "@hookline/core/internal/sinks";
import { z } from "zod";
import { findPathProblems } from "../../rules/path-faults.js";
import { compileRuleMatch } from "../../rules/regex/rule-regex.js";
import { compileWhen } from "../../rules/when.js";
import { explained, refuse, text } from "./values.js";

/** An expression of docs/matching.md. */
export const match = z
  .string("must be a match expression")
  .superRefine((expression, context) => refuse(() => compileRuleMatch({ match: expression }), context));

export const tool = z
  .union([text, z.array(text)], "must be a tool's name, a glob, or a list of them")
  .superRefine((names, context) => refuse(() => compileRuleMatch({ tool: names }), context));

interface Written {
  readonly match?: unknown;
  readonly tool?: unknown;
  readonly set?: unknown;
  /** Whether it is the table of a rule, which can read facts of commands. */
  readonly hasFacts?: boolean;
}

/** Refuses paths that none of the table's events has. `events` are the valid ones. */
export function refusePaths({ match, tool, set, hasFacts }: Written, events: readonly string[], context: z.RefinementCtx): void {
  const written = { events, match, tool, set, hasFacts } as Parameters<typeof findPathProblems>[0];
  for (const { key, at, message, severity } of findPathProblems(written)) {
    if (severity === "warning") continue;
    const where = at === undefined ? "" : ` at character ${at + 1}`;
    context.addIssue(explained(`is wrong${where}: ${message}`, { path: key, at }));
  }
}

/** Refuses a `when` that is not an expression in CEL about the table's events. */
export function refuseWhen(when: unknown, events: readonly string[], context: z.RefinementCtx): void {
  if (typeof when === "string" && when !== "") refuse(() => compileWhen({ when, events }), context, ["when"]);
}

/** The valid names and patterns of an `event`. The others have already been reported. */
export function goodEvents(given: unknown): readonly string[] {
  const names = Array.isArray(given) ? given : [given];
  return names.filter((event): event is string => typeof event === "string" && (findEvent(event) !== undefined || isGoodPattern(event)));
}

function isGoodPattern(event: string): boolean {
  try {
    return event.includes("*") && compileEventFilter(event) !== undefined;
  } catch {
    return false;
  }
}

export const priority = z.number("must be a number").refine(Number.isFinite, "must be a number");
export const stage = z.enum(["rewrite", "guard", "observe"], 'must be "rewrite", "guard" or "observe"');
export const onFailure = z.enum(["open", "closed"], 'must be "open" or "closed"');
