import { z } from "zod";
import { compileRuleMatch } from "../../rules/regex/rule-regex.js";
import { refuse } from "./refuse.js";
import { text } from "./values.js";

/** An expression of docs/matching.md. */
export const match = z
  .string("must be a match expression")
  .superRefine((expression, context) => refuse(() => compileRuleMatch({ match: expression }), context));

export const tool = z
  .union([text, z.array(text)], "must be a tool's name, a glob, or a list of them")
  .superRefine((names, context) => refuse(() => compileRuleMatch({ tool: names }), context));

export const priority = z.number("must be a number").refine(Number.isFinite, "must be a number");
export const stage = z.enum(["rewrite", "guard", "observe"], 'must be "rewrite", "guard" or "observe"');
export const onFailure = z.enum(["open", "closed"], 'must be "open" or "closed"');
