import { didYouMean } from "@hookline/core/internal";
import type { FeedConfig, SecretText, SinkConfig } from "../config.js";
import { resolvePath } from "../config-path.js";
import type { KeyPath } from "../positions/key-positions.js";
import { show } from "./explain.js";
import { isTable, type Read, readTable } from "./read-table.js";
import { type SinkTable, type SinkType, sinkSchemas } from "./sink-schemas.js";

export interface SinkContext {
  /** Of the file: paths in it are relative to that. */
  readonly folder: string;
  /** Of `[redact]`. */
  readonly redact: readonly string[];
}

/** Reads one `[[sink]]` table; nothing without findings for one that is switched off. */
export function readSink(table: unknown, path: KeyPath, context: SinkContext): Read<SinkConfig> {
  const type = isTable(table) ? table.type : undefined;
  if (!isSinkType(type)) return { value: undefined, findings: [{ path: [...path, "type"], message: wrongType(type) }] };
  const { value, findings } = readTable(sinkSchemas[type], table, path);
  if (value === undefined || value.enabled === false) return { value: undefined, findings };
  return { value: { ...feedOf(value, context), ...optionsOf(type, value, context) } as SinkConfig, findings };
}

function isSinkType(type: unknown): type is SinkType {
  return typeof type === "string" && Object.hasOwn(sinkSchemas, type);
}

function wrongType(type: unknown): string {
  const types = Object.keys(sinkSchemas);
  const list = `The types are ${types.join(", ")}.`;
  if (typeof type !== "string") return `"type" is missing or no text. ${list}`;
  return `There is no sink of type "${show(type)}".${didYouMean(type, types)} ${list}`;
}

type AnyTable = SinkTable<SinkType>;

function feedOf(table: AnyTable, { redact }: SinkContext): FeedConfig {
  const { batch = {}, retry = {}, events } = table;
  return {
    name: table.name ?? table.type,
    ...(events !== undefined && { events }),
    redact: [...redact, ...(table.redact ?? [])],
    redactSecrets: table.redactSecrets ?? true,
    maxPayloadBytes: table.maxPayloadBytes ?? 256 * 1_024,
    from: table.from ?? "end",
    timeoutMs: timeoutOf(table),
    batch: { maxCount: Math.min(batch.maxCount ?? 500, 500), maxBytes: batch.maxBytes ?? 1_024 ** 2, maxDelayMs: batch.maxDelayMs ?? 0 },
    retry: {
      maxAttempts: retry.maxAttempts ?? Number.POSITIVE_INFINITY,
      baseMs: retry.baseMs ?? 100,
      maxMs: retry.maxMs ?? 30_000,
      maxAfterMs: retry.maxAfterMs ?? 3_600_000,
    },
  };
}

/** Never less than what the sink gives its own peer. */
function timeoutOf(table: AnyTable): number {
  const own = table as { sendTimeoutMs?: number; ackTimeoutMs?: number };
  const least = table.type === "webhook" ? (table.timeoutMs ?? 0) : (own.sendTimeoutMs ?? 0) + (own.ackTimeoutMs ?? 0);
  const asked = table.type === "webhook" ? undefined : table.timeoutMs;
  return Math.min(2 ** 31 - 1, asked ?? Math.max(30_000, least + 1_000));
}

/** What is the feed's, and not the sink's own. */
const feedKeys = new Set([
  "type",
  "name",
  "enabled",
  "events",
  "redact",
  "redactSecrets",
  "maxPayloadBytes",
  "from",
  "timeoutMs",
  "batch",
  "retry",
]);

function optionsOf(type: SinkType, table: AnyTable, { folder }: SinkContext): { readonly type: SinkType; readonly options: object } {
  const own = Object.entries(table).filter(([key, value]) => value !== undefined && (!feedKeys.has(key) || keepsTimeout(type, key)));
  const options = own.map(([key, value]) => [key, pathKeys.has(key) ? resolvePath(folder, value as string) : inFull(folder, value)]);
  return { type, options: Object.fromEntries(options) as object };
}

const pathKeys = new Set(["path", "deadLetter"]);

// Of a webhook it is the limit of one request.
function keepsTimeout(type: SinkType, key: string): boolean {
  return type === "webhook" && key === "timeoutMs";
}

/** Secrets in files are found from the file's folder, too. */
function inFull(folder: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inFull(folder, item));
  if (!isTable(value)) return value;
  if (typeof value.file === "string" && Object.keys(value).length === 1)
    return { file: resolvePath(folder, value.file) } satisfies SecretText;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inFull(folder, item)]));
}
