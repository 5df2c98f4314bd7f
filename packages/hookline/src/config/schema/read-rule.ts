import { findPathProblems } from "../../rules/path-faults.js";
import type { RuleConfig } from "../config.js";
import type { KeyPath } from "../positions/key-positions.js";
import type { Finding } from "../problem.js";
import { type Read, readTable } from "./read-table.js";
import { defaultEvents, ruleSchema } from "./rule-schema.js";

/** Reads one `[[rule]]` table. One that is switched off is kept, so that it can be listed. */
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
