import { allSinks, DEFAULT_MAX_PAYLOAD_BYTES, type SinkDefinition } from "@hookline/core/internal/sinks";
import { didYouMean } from "@hookline/core/internal/text";
import type { FeedConfig, SecretText, SinkConfig } from "../config.js";
import { resolvePath } from "../config-path.js";
import type { KeyPath } from "../positions/key-positions.js";
import { show } from "./explain.js";
import { isTable, type Read, readTable } from "./read-table.js";
import { type SinkTable, sinkSchemas } from "./sink-schemas.js";

export interface SinkContext {
  /** The folder of the file: its paths are relative to it. */
  readonly folder: string;
  /** The paths of `[redact]`. */
  readonly redact: readonly string[];
}

/** Reads one `[[sink]]` table. Undefined without findings for a disabled one. */
export function readSink(table: unknown, path: KeyPath, context: SinkContext): Read<SinkConfig> {
  const type = isTable(table) ? table.type : undefined;
  const definition = allSinks.find((known) => known.type === type);
  const schema = definition && sinkSchemas[definition.type];
  if (definition === undefined || schema === undefined)
    return { value: undefined, findings: [{ path: [...path, "type"], message: wrongType(type) }] };
  const { value, findings } = readTable(schema, table, path);
  if (value === undefined || value.enabled === false) return { value: undefined, findings };
  const read = value as SinkTable;
  const options = optionsOf(definition, read, context);
  return { value: { ...feedOf(definition, read, context), type: definition.type, options }, findings };
}

function wrongType(type: unknown): string {
  const types = allSinks.map((known) => known.type);
  const list = `The types are ${types.join(", ")}.`;
  if (typeof type !== "string") return `"type" is missing or not text. ${list}`;
  return `There is no sink of type "${show(type)}".${didYouMean(type, types)} ${list}`;
}

function feedOf(definition: SinkDefinition, table: SinkTable, { redact }: SinkContext): FeedConfig {
  const { batch = {}, retry = {}, events } = table;
  return {
    name: table.name ?? table.type,
    ...(events !== undefined && { events }),
    redact: [...redact, ...(table.redact ?? [])],
    redactSecrets: table.redactSecrets ?? true,
    maxPayloadBytes: table.maxPayloadBytes ?? DEFAULT_MAX_PAYLOAD_BYTES,
    from: table.from ?? "end",
    timeoutMs: timeoutOf(definition, table),
    batch: {
      maxCount: Math.min(batch.maxCount ?? 500, 500),
      maxBytes: batch.maxBytes ?? 1_024 ** 2,
      maxDelayMs: batch.maxDelayMs ?? definition.gatherMs ?? 0,
    },
    retry: {
      maxAttempts: retry.maxAttempts ?? Number.POSITIVE_INFINITY,
      baseMs: retry.baseMs ?? 100,
      maxMs: retry.maxMs ?? 30_000,
      maxAfterMs: retry.maxAfterMs ?? 3_600_000,
    },
  };
}

/** Never less than the sink's own timeout for its peer. If the sink has its own `timeoutMs`, this one covers the whole delivery. */
function timeoutOf({ options }: SinkDefinition, table: SinkTable): number {
  const parts = Object.keys(options).filter((key) => options[key]?.isPartOfSend === true);
  const least = parts.reduce((sum, key) => sum + Number(table[key] ?? 0), 0);
  const asked = Object.hasOwn(options, "timeoutMs") ? undefined : table.timeoutMs;
  return Math.min(2 ** 31 - 1, asked ?? Math.max(30_000, least + 1_000));
}

/** The options of the type itself, without those of its delivery. */
export function optionsOf(
  { options }: Pick<SinkDefinition, "options">,
  table: { readonly [key: string]: unknown },
  { folder }: Pick<SinkContext, "folder">,
): SinkConfig["options"] {
  const own = Object.entries(options).filter(([key, { kind }]) => kind !== undefined && table[key] !== undefined);
  return Object.fromEntries(
    own.map(([key, { kind }]) => [key, kind === "path" ? resolvePath(folder, table[key] as string) : inFull(folder, table[key])]),
  );
}

/** Paths of secrets are relative to the file's folder, too. */
function inFull(folder: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inFull(folder, item));
  if (!isTable(value)) return value;
  if (typeof value.file === "string" && Object.keys(value).length === 1)
    return { file: resolvePath(folder, value.file) } satisfies SecretText;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inFull(folder, item)]));
}
