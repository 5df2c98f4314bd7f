import type { RuleConfig } from "../config.js";
import type { KeyPath } from "../positions/key-positions.js";
import { type Read, readTable } from "./read-table.js";
import { DEFAULT_EVENTS, ruleSchema } from "./rule-schema.js";

/** Reads one `[[rule]]` table. One that is switched off is kept, so that it can be listed. */
export function readRule(table: unknown, path: KeyPath): Read<Omit<RuleConfig, "file" | "line">> {
  const { value, findings } = readTable(ruleSchema, table, path);
  if (value === undefined) return { value, findings };
  const { event = DEFAULT_EVENTS, ...rest } = value;
  const given = Object.fromEntries(Object.entries(rest).filter(([, option]) => option !== undefined));
  return { value: { ...given, events: [...new Set(event)] } as unknown as Omit<RuleConfig, "file" | "line">, findings };
}
