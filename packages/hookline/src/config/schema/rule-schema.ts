import { z } from "zod";
import { actionOf, type RuleAction, ruleActions } from "../../rules/actions.js";
import { findPathFault } from "../../rules/assignments.js";
import { findConditionFaults, setsOfRule } from "../../rules/command/condition.js";
import { findPathProblems } from "../../rules/path-faults.js";
import { RULE_MODES } from "../../rules/rule.js";
import { findFaults } from "../../rules/rule-faults.js";
import { countedPer, MAX_COUNT } from "../../rules/state/state-condition.js";
import { toolsOf } from "../../rules/tool-sets.js";
import type { RuleConfig } from "../config.js";
import type { KeyPath } from "../positions/key-positions.js";
import type { Finding } from "../problem.js";
import { age } from "./amounts.js";
import { goodEvents, match, onFailure, priority, refusePaths, refuseWhen, stage, tool } from "./match-values.js";
import { type Read, readTable } from "./read-table.js";
import { count, events, example, explained, flag, label, text } from "./values.js";

const set = z
  .record(z.string(), z.json("must be text, a number, true, false, a list or a table"), "must be a table of paths and values")
  .superRefine((assignments, context) => {
    const faults = Object.keys(assignments).map(findPathFault);
    if (faults.length === 0) context.addIssue(explained('must have a path, such as { "tool.input.command" = "…" }'));
    for (const fault of faults) if (fault !== undefined) context.addIssue(explained(`is wrong: ${fault}`));
  });

const texts = z.union([text, z.array(text)], "must be text or a list of texts");
/** The keys are checked together with the names of programs, options and sets: `findConditionFaults`. */
const commandTable = z.record(
  z.string(),
  z.union([texts, flag], "must be text, a list of texts, or true or false"),
  "must be a table of facts",
);
const command = z.union([commandTable, z.array(commandTable)], "must be a table of facts, or a list of such tables");

const packLabel = z.string().regex(/^[a-z0-9-]{1,40}@[\d.]{5,20}$/, "must be a name and a version such as acme-safe@1.2.0");
const matches = count.max(MAX_COUNT, `must be a whole number from 1 to ${MAX_COUNT}`);

const examples = z.array(example, "must be a list of commands, prompts or payloads");

/** A `[[rule]]` table. */
export const ruleSchema = z
  .strictObject({
    name: label,
    description: text.optional(),
    enabled: flag.optional(),
    mode: z.enum(RULE_MODES, `must be ${RULE_MODES.map((mode) => `"${mode}"`).join(" or ")}`).optional(),
    event: events.optional(),
    tool: tool.optional(),
    match: match.optional(),
    when: text.optional(),
    command: command.optional(),
    path: texts.optional(),
    host: texts.optional(),
    secret: texts.optional(),
    from: z.literal("another-server", 'must be "another-server"').optional(),
    fields: z.array(text, "must be a list of the names of fields").optional(),
    answers: label.optional(),
    unknown: z.enum(["ask", "match", "pass"], 'must be "ask", "match" or "pass"').optional(),
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
    pack: packLabel.optional(),
    count: matches.optional(),
    within: age.optional(),
    per: z.enum(countedPer, 'must be "session", "agent", "project" or "day"').optional(),
    after: label.optional(),
    repeats: matches.optional(),
    budget: z
      .strictObject(
        { tokens: count, costUsd: z.number("must be a number above 0").positive("must be a number above 0") },
        "must be a table",
      )
      .partial()
      .optional(),
    examples: z.strictObject({ catches: examples, passes: examples }, "must be a table").partial().optional(),
  })
  .superRefine(({ event, ...rule }, context) => {
    const given = Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined)) as typeof rule;
    const events = event === undefined ? defaultEvents(rule.do) : goodEvents(event);
    for (const { key, message } of findFaults({ ...given, events } as Parameters<typeof findFaults>[0]))
      context.addIssue(explained(message, { path: [key] }));
    refusePaths({ ...given, hasFacts: true }, events, context);
    refuseWhen(given.when, events, context);
  });

/** The events of a rule that names none. */
function defaultEvents(action: RuleAction): readonly string[] {
  return [actionOf(action).event];
}

/** The table `[paths]`. A set that is wrong makes the rules that name it wrong: without its paths they would guard less. */
interface GivenSets {
  readonly [name: string]: readonly string[] | "wrong";
}

/** Reads one `[[rule]]` table. A disabled one is kept, so that it can be listed. */
export function readRule(table: unknown, path: KeyPath, sets: GivenSets = {}): Read<Omit<RuleConfig, "file" | "line">> {
  const { value, findings } = readTable(ruleSchema, table, path);
  if (value === undefined) return { value, findings };
  const { event = defaultEvents(value.do), ...rest } = value;
  const given = Object.fromEntries(Object.entries(rest).filter(([, option]) => option !== undefined));
  const named = setsOfRule(given as Parameters<typeof setsOfRule>[0]).filter((name) => Object.hasOwn(sets, name));
  const wrong = named.find((name) => sets[name] === "wrong");
  if (wrong !== undefined)
    return { value: undefined, findings: [{ path, message: `The set "@${wrong}" in [paths] is wrong, so the rule cannot be used.` }] };
  // A rule carries what it names, so that a changed set is a changed rule: the policy that was accepted stays in force.
  const own = named.length > 0 && { sets: Object.fromEntries(named.map((name) => [name, sets[name]])) };
  const faults = findConditionFaults({ ...given, ...own } as unknown as Omit<RuleConfig, "file" | "line">);
  if (faults.length > 0) return { value: undefined, findings: faults.map((fault) => conditionFinding(fault, path)) };
  const tools = value.tool !== undefined && { tool: toolsOf(value.tool) };
  const rule = { ...given, ...own, ...tools, events: [...new Set(event)] } as unknown as Omit<RuleConfig, "file" | "line">;
  return { value: rule, findings, warnings: findPathWarnings(rule, path) };
}

function conditionFinding({ path: below, message }: { readonly path: KeyPath; readonly message: string }, path: KeyPath): Finding {
  const name = below.findLast((key) => typeof key === "string");
  return { path: [...path, ...below], message: `"${name}" ${message}${/[.?]$/.test(message) ? "" : "."}` };
}

function findPathWarnings(rule: Omit<RuleConfig, "file" | "line">, path: KeyPath): Finding[] {
  const unsure = findPathProblems({ ...rule, hasFacts: true }).filter(({ severity }) => severity === "warning");
  return unsure.map(({ key, message, at }) => ({ path: [...path, ...key], message, ...(at !== undefined && { at }) }));
}
