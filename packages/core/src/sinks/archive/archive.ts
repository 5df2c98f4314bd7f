import { promisify } from "node:util";
import { gzip as gzipText } from "node:zlib";
import { messageOf } from "../../bus/describe-error.js";
import { checkOptions, filePath, flag, label, oneOf, text } from "../../bus/option-rules.js";
import { type Envelope, encodeEnvelope } from "../../catalog/envelope.js";
import { HookError } from "../../catalog/errors.js";
import { closedResult, type SendResult, type Sink } from "../sink.js";
import { defineSink, type SinkOptionTable } from "../sink-definition.js";
import { filesOf, sessionFolder } from "./archive-names.js";
import type { ArchivePlace } from "./archive-place.js";
import { createFolderPlace } from "./folder-place.js";
import { parquetOf } from "./parquet.js";
import { createS3Place } from "./s3-place.js";

/** Options of `createArchiveSink`. Give `path`, or the options of S3. */
export interface ArchiveSinkOptions {
  readonly name?: string;
  /** A folder. */
  readonly path?: string;
  /** The address of an S3-compatible service. */
  readonly endpoint?: string;
  readonly bucket?: string;
  readonly region?: string;
  readonly prefix?: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  /** The periods that files are sorted by, in UTC. Default `day`. */
  readonly by?: "day" | "hour";
  /** Default `jsonl`. */
  readonly format?: "jsonl" | "parquet";
  /** Whether JSONL is compressed. Default `true`. */
  readonly gzip?: boolean;
}

/** A sink that keeps events for years, one file for each session and batch. */
export interface ArchiveSink extends Sink {
  /** Deletes every file of a session, and resolves with their number. Rejects if some may be left; then call it again. */
  removeSession(session: string, signal?: AbortSignal): Promise<number>;
}

const compress = promisify(gzipText);

/** Archives batches as JSONL or Parquet, in a folder or in S3: `createArchiveSink({ path: "/var/archive" })`. */
export function createArchiveSink(options: ArchiveSinkOptions): ArchiveSink {
  checkOptions("createArchiveSink", options, archiveOptions);
  const { name = "archive", by = "day", format = "jsonl", gzip = true } = options;
  const place = placeOf(options);
  const storing = new Set<Promise<void>>();
  let isClosed = false;

  async function encoded(events: readonly Envelope[]): Promise<readonly [ending: string, bytes: Buffer]> {
    if (format === "parquet") return ["parquet", await parquetOf(events)];
    const lines = events.map((event) => `${encodeEnvelope(event)}\n`).join("");
    return gzip ? ["jsonl.gz", await compress(lines)] : ["jsonl", Buffer.from(lines)];
  }

  async function store(batch: readonly Envelope[], signal: AbortSignal): Promise<void> {
    for (const file of filesOf(batch, by)) {
      signal.throwIfAborted();
      const [ending, bytes] = await encoded(file.events);
      await place.put(`${file.name}.${ending}`, bytes, signal);
    }
  }

  return {
    name,
    async send(batch, signal): Promise<SendResult> {
      if (isClosed) return closedResult(name);
      const stored = store(batch, signal);
      storing.add(stored);
      try {
        await stored;
        return { status: "sent" };
      } catch (cause) {
        const error =
          cause instanceof HookError ? cause : new HookError("HL_SINK_IO", `The archive "${name}" failed: ${messageOf(cause)}`, { cause });
        return { status: error.code === "HL_WEBHOOK_TARGET" ? "failed" : "retry", cause: error };
      } finally {
        storing.delete(stored);
      }
    },
    async removeSession(session, signal = new AbortController().signal) {
      let removed = 0;
      for (const period of await place.periods(signal)) removed += await place.removeFolder(`${period}/${sessionFolder(session)}`, signal);
      return removed;
    },
    async close() {
      isClosed = true;
      place.close();
      // A send that its caller has given up may still write its last file.
      await Promise.allSettled(storing);
    },
  };
}

function placeOf(options: ArchiveSinkOptions): ArchivePlace {
  const { path, endpoint, bucket, region = "us-east-1", prefix = "", accessKeyId, secretAccessKey, sessionToken } = options;
  if (path !== undefined && endpoint === undefined) return createFolderPlace(path);
  if (path !== undefined || endpoint === undefined || bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined)
    throw new HookError(
      "HL_BAD_OPTION",
      'createArchiveSink: give "path", or "endpoint", "bucket", "accessKeyId" and "secretAccessKey" of an S3-compatible service.',
    );
  return createS3Place({ endpoint, bucket, region, prefix, accessKeyId, secretAccessKey, sessionToken });
}

const archiveOptions: SinkOptionTable<ArchiveSinkOptions> = {
  name: label,
  path: { ...filePath, kind: "path", what: "A folder.", default: "none: S3" },
  endpoint: {
    ...text,
    kind: "address",
    isSecret: true,
    what: "The address of S3 or of a compatible service, without the bucket: `https://s3.eu-central-1.amazonaws.com`.",
    default: "none: a folder",
  },
  bucket: { ...text, kind: "text", what: "The bucket.", default: "required with `endpoint`" },
  region: { ...text, kind: "text", what: "Its region.", default: "`us-east-1`" },
  prefix: { ...text, kind: "text", what: "The beginning of every name in the bucket.", default: "none" },
  accessKeyId: { ...text, kind: "secret", isSecret: true, what: "The key.", default: "required with `endpoint`" },
  secretAccessKey: { ...text, kind: "secret", isSecret: true, what: "Its secret.", default: "required with `endpoint`" },
  sessionToken: { ...text, kind: "secret", isSecret: true, what: "The token of temporary keys.", default: "none" },
  by: { ...oneOf("day", "hour"), kind: "choice", choices: ["day", "hour"], what: "How files are sorted, in UTC.", default: '`"day"`' },
  format: {
    ...oneOf("jsonl", "parquet"),
    kind: "choice",
    choices: ["jsonl", "parquet"],
    what: '`"parquet"`: tables for DuckDB, Spark and the like. It needs the package `hyparquet-writer`.',
    default: '`"jsonl"`',
  },
  gzip: { ...flag, kind: "flag", what: "Whether JSONL is compressed.", default: "`true`" },
};

export const archiveSink = defineSink<ArchiveSinkOptions>({
  type: "archive",
  what: "Keeps events as JSONL or Parquet in a folder or in S3, sorted by day and session, so that one session can be deleted.",
  options: archiveOptions,
  // Each batch is a file for each session: few files are better.
  gatherMs: 60_000,
  create: createArchiveSink,
});
