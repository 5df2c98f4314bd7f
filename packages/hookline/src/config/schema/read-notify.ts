import { didYouMean } from "@hookline/core/internal/text";
import { z } from "zod";
import { allTargets } from "../../notify/all-targets.js";
import { type QuietHours, readTimeOfDay } from "../../notify/quiet-hours.js";
import { compileTemplate } from "../../notify/template.js";
import type { NotifyConfig } from "../config.js";
import type { KeyPath } from "../positions/key-positions.js";
import { timeLimit } from "./amounts.js";
import { show } from "./explain.js";
import { optionsOf, type SinkContext } from "./read-sink.js";
import { isTable, type Read, readTable } from "./read-table.js";
import { shapeOf } from "./sink-schemas.js";
import { events, flag, label, redactPaths, refuse, text } from "./values.js";

const TIME = 'must be a time of day such as "22:30"';
const timeOfDay = z.string(TIME).refine((given) => readTimeOfDay(given) !== undefined, TIME);
const timeZone = text.refine(isTimeZone, 'must be a time zone such as "Europe/Berlin"');

/** The keys of every `[[notify]]`. */
const common = {
  type: z.string("must be the target's type"),
  name: label.optional(),
  enabled: flag.optional(),
  approvals: flag.optional(),
  events: events.optional(),
  after: timeLimit.optional(),
  digest: timeLimit.optional(),
  quietHours: z.strictObject({ from: timeOfDay, to: timeOfDay, timeZone: timeZone.optional() }, "must be a table").optional(),
  redact: redactPaths.optional(),
};
const commonSchema = z.strictObject(common);
type NotifyTable = z.output<typeof commonSchema> & { readonly [option: string]: unknown };

/** One schema for each type: its options besides the common ones. */
export const notifySchemas: { readonly [type: string]: z.ZodObject } = Object.fromEntries(
  allTargets.map(({ type, options }) => [type, z.strictObject({ ...common, ...shapeOf(options) })]),
);

/** Reads one `[[notify]]` table. Undefined without findings for a disabled one. */
export function readNotify(table: unknown, path: KeyPath, context: SinkContext): Read<NotifyConfig> {
  const type = isTable(table) ? table.type : undefined;
  const target = allTargets.find((known) => known.type === type);
  const schema = target && notifySchemas[target.type];
  if (target === undefined || schema === undefined)
    return { value: undefined, findings: [{ path: [...path, "type"], message: wrongType(type) }] };
  const { value, findings } = readTable(schema.superRefine(checkTogether), table, path);
  if (value === undefined || value.enabled === false) return { value: undefined, findings };
  const read = value as NotifyTable;
  return {
    findings,
    value: {
      name: read.name ?? read.type,
      type: target.type,
      approvals: read.approvals ?? read.events === undefined,
      events: read.events ?? [],
      afterMs: read.after ?? 0,
      digestMs: read.digest ?? 0,
      ...(read.quietHours !== undefined && { quietHours: quietHoursOf(read.quietHours) }),
      redact: [...context.redact, ...(read.redact ?? [])],
      options: optionsOf(target, read, context),
    },
  };
}

function quietHoursOf({ from, to, timeZone }: NonNullable<NotifyTable["quietHours"]>): QuietHours {
  return { from: readTimeOfDay(from) ?? 0, to: readTimeOfDay(to) ?? 0, ...(timeZone !== undefined && { timeZone }) };
}

/** What no key can be wrong about alone. */
function checkTogether(table: { readonly [key: string]: unknown }, context: z.RefinementCtx): void {
  if (table.after !== undefined && table.approvals === false)
    context.addIssue({ code: "custom", path: ["after"], message: 'is for questions, and "approvals" is false here' });
  if (table.digest !== undefined && table.events === undefined)
    context.addIssue({ code: "custom", path: ["digest"], message: 'gathers events, so it needs "events"' });
  const { body } = table;
  if (table.type === "webhook" && typeof body === "string") refuse(() => compileTemplate(body, "text"), context, ["body"]);
}

function wrongType(type: unknown): string {
  const types = allTargets.map((known) => known.type);
  const list = `The types are ${types.join(", ")}.`;
  if (typeof type !== "string") return `"type" is missing or not text. ${list}`;
  return `There is no notification of type "${show(type)}".${didYouMean(type, types)} ${list}`;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
