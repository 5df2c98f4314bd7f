import { allSinks, type OptionKind, type SinkDefinition, type SinkOption } from "@hookline/core/internal/sinks";
import { z } from "zod";
import { age, size, timeLimit, timeLimitOrNone } from "./amounts.js";
import { count, events, filePath, flag, label, redactPaths, secretText, text } from "./values.js";

const batch = z.strictObject({ maxCount: count, maxBytes: size, maxDelayMs: timeLimitOrNone }, "must be a table").partial();
const retry = z
  .strictObject({ maxAttempts: count, baseMs: timeLimit, maxMs: timeLimit, maxAfterMs: timeLimit }, "must be a table")
  .partial();

/** The options of every sink. */
const common = {
  type: z.string("must be the sink's type"),
  name: label.optional(),
  enabled: flag.optional(),
  events: events.optional(),
  redact: redactPaths.optional(),
  redactSecrets: flag.optional(),
  maxPayloadBytes: size.optional(),
  from: z.enum(["start", "end"], 'must be "start" or "end"').optional(),
  timeoutMs: timeLimit.optional(),
  batch: batch.optional(),
  retry: retry.optional(),
};

const url = secretText.refine((given) => typeof given !== "string" || isAddress(given), "must be an http or https address");
const headers = z.record(z.string(), secretText, 'must be a table of headers, such as { "x-team" = "agents" }');
const texts = z.record(
  z.string().min(1, "must have a name"),
  z.string("must be text"),
  'must be a table of texts, such as { team = "agents" }',
);
const secrets = z.union([secretText, z.array(secretText).min(1, "must not be empty")], "must be a secret, or a list of them");

/** The schema of each kind of option. */
const kinds: { readonly [kind in OptionKind]: (option: SinkOption) => z.ZodType } = {
  path: () => filePath,
  flag: () => flag,
  count: () => count,
  size: () => size,
  age: () => age,
  time: () => timeLimit,
  times: ({ members = [] }) =>
    z.strictObject(Object.fromEntries(members.map((member) => [member, timeLimit.optional()])), "must be a table"),
  choice: ({ choices = [] }) => z.enum(choices, `must be ${anyOf(choices)}`),
  text: () => text,
  address: () => url,
  secret: () => secretText,
  secrets: () => secrets,
  headers: () => headers,
  texts: () => texts,
};

const commonSchema = z.strictObject(common);

/** The options of every sink after reading. */
export type SinkTable = z.output<typeof commonSchema> & { readonly [option: string]: unknown };

/** One schema for each type: its options besides the common ones. */
export const sinkSchemas: { readonly [type: string]: z.ZodObject } = Object.fromEntries(
  allSinks.map(({ type, options }) => [type, z.strictObject({ ...common, ...shapeOf(options) })]),
);

/** The keys of a table for the options of its type. */
export function shapeOf(options: SinkDefinition["options"]): z.ZodRawShape {
  const written = Object.entries(options).flatMap(([key, option]): [string, z.ZodType][] => {
    if (option.kind === undefined) return [];
    const schema = kinds[option.kind](option);
    return [[key, option.isRequired === true ? schema : schema.optional()]];
  });
  return Object.fromEntries(written);
}

/** `"a", "b" or "c"` */
function anyOf(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  return [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)].join(" or ");
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
