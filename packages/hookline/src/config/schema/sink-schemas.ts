import { z } from "zod";
import { age, size, timeLimit, timeLimitOrNone } from "./amounts.js";
import { count, events, filePath, flag, label, redactPaths, secretText } from "./values.js";

const batch = z.strictObject({ maxCount: count, maxBytes: size, maxDelayMs: timeLimitOrNone }, "must be a table").partial();
const retry = z
  .strictObject({ maxAttempts: count, baseMs: timeLimit, maxMs: timeLimit, maxAfterMs: timeLimit }, "must be a table")
  .partial();

/** What every sink takes. */
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

const backoff = z.strictObject({ baseMs: timeLimit, maxMs: timeLimit }, "must be a table").partial();
const url = secretText.refine((given) => typeof given !== "string" || isAddress(given), "must be an http or https address");
const headers = z.record(z.string(), secretText, 'must be a table of headers, such as { "x-team" = "agents" }');

const encoding = z.enum(["hookline", "cloudevents", "codewhale"], 'must be "hookline", "cloudevents" or "codewhale"').optional();

/** One schema for each type: what it takes besides what all take. */
export const sinkSchemas = {
  jsonl: z.strictObject({
    ...common,
    path: filePath.optional(),
    encoding,
    fsync: flag.optional(),
    maxBytes: size.optional(),
    maxAgeMs: age.optional(),
    gzip: flag.optional(),
    keep: count.optional(),
  }),
  webhook: z.strictObject({
    ...common,
    url,
    secret: z.union([secretText, z.array(secretText).min(1, "must not be empty")], "must be a secret, or a list of them").optional(),
    headers: headers.optional(),
    mode: z.enum(["batch", "single"], 'must be "batch" or "single"').optional(),
    encoding,
    closeTimeoutMs: timeLimit.optional(),
    deadLetter: filePath.optional(),
    allowPrivate: flag.optional(),
    allowHttp: flag.optional(),
  }),
  "unix-socket": z.strictObject({
    ...common,
    path: filePath.optional(),
    encoding,
    ackTimeoutMs: timeLimit.optional(),
    sendTimeoutMs: timeLimit.optional(),
    closeTimeoutMs: timeLimit.optional(),
    stallTimeoutMs: timeLimit.optional(),
    connectTimeoutMs: timeLimit.optional(),
    maxFrameBytes: size.optional(),
    maxPendingBytes: size.optional(),
    backoff: backoff.optional(),
  }),
  stdout: z.strictObject({ ...common, encoding }),
  memory: z.strictObject({ ...common, limit: count.optional() }),
};

export type SinkType = keyof typeof sinkSchemas;
export type SinkTable<T extends SinkType> = z.output<(typeof sinkSchemas)[T]>;

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
