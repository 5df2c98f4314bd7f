import { z } from "zod";
import { actionOf, type RuleAction, ruleActions } from "../../rules/actions.js";
import { findPathFault } from "../../rules/assignments.js";
import { findPathProblems } from "../../rules/path-faults.js";
import { findFaults } from "../../rules/rule-faults.js";
import type { RuleConfig } from "../config.js";
import type { KeyPath } from "../positions/key-positions.js";
import type { Finding } from "../problem.js";
import { goodEvents, match, onFailure, priority, refusePaths, stage, tool } from "./match-values.js";
import { type Read, readTable } from "./read-table.js";
import { events, example, explained, flag, label, text } from "./values.js";

const set = z
  .record(z.string(), z.json("must be text, a number, true, false, a list or a table"), "must be a table of paths and values")
  .superRefine((assignments, context) => {
    const faults = Object.keys(assignments).map(findPathFault);
    if (faults.length === 0) context.addIssue(explained('must have a path, such as { "tool.input.command" = "…" }'));
    for (const fault of faults) if (fault !== undefined) context.addIssue(explained(`is wrong: ${fault}`));
  });

const examples = z.array(example, "must be a list of commands, prompts or payloads");

/** A `[[rule]]` table. */
export const ruleSchema = z
  .strictObject({
    name: label,
    description: text.optional(),
    enabled: flag.optional(),
    event: events.optional(),
    tool: tool.optional(),
    match: match.optional(),
    do: z.enum(
      ruleActions,
      `must be ${ruleActions
        .slice(0, -1)
        .map((action) => `"${action}"`)
        .join(", ")} or "${ruleActions.at(-1)}"`,
    ),
    message: text.optional(),
    set: set.optional(),
    find: text.optional(),
    with: z.string("must be text").optional(),
    stage: stage.optional(),
    priority: priority.optional(),
    onFailure: onFailure.optional(),
    examples: z.strictObject({ catches: examples, passes: examples }, "must be a table").partial().optional(),
  })
  .superRefine(({ event, ...rule }, context) => {
    const given = Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined)) as typeof rule;
    const events = event === undefined ? defaultEvents(rule.do) : goodEvents(event);
    for (const { key, message } of findFaults({ ...given, events } as Parameters<typeof findFaults>[0]))
      context.addIssue(explained(message, { path: [key] }));
    refusePaths(given, events, context);
  });

/** The events of a rule that names none. */
function defaultEvents(action: RuleAction): readonly string[] {
  return [actionOf(action).event];
}

/** Reads one `[[rule]]` table. A disabled one is kept, so that it can be listed. */
export function readRule(table: unknown, path: KeyPath): Read<Omit<RuleConfig, "file" | "line">> {
  const { value, findings } = readTable(ruleSchema, table, path);
  if (value === undefined) return { value, findings };
  const { event = defaultEvents(value.do), ...rest } = value;
  const given = Object.fromEntries(Object.entries(rest).filter(([, option]) => option !== undefined));
  const rule = { ...given, events: [...new Set(event)] } as unknown as Omit<RuleConfig, "file" | "line">;
  return { value: rule, findings, warnings: findPathWarnings(rule, path) };
}

function findPathWarnings(rule: Omit<RuleConfig, "file" | "line">, path: KeyPath): Finding[] {
  const unsure = findPathProblems(rule).filter(({ severity }) => severity === "warning");
  return unsure.map(({ key, message, at }) => ({ path: [...path, ...key], message, ...(at !== undefined && { at }) }));
}
