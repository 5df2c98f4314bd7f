import { createHash } from "node:crypto";
import { constants, readFileSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { createEnvelope, sessionIn } from "@hookline/core/internal";
import { LineReader } from "@hookline/core/internal/wire";
import type { Envelope } from "@hookline/core/sinks";
import type { PastAgent } from "../../agents/agents.js";
import { isObject } from "../../agents/shared/native-payload.js";
import type { PastEvent, SessionReader, SessionRecord } from "../../agents/shared/sessions.js";
import { isDeeperThan, measureJson } from "../ingest/json-shape.js";

/** What was found in session files besides events. */
export interface ReadCounts {
  lines: number;
  /** Lines of a kind that this version of Hookline does not know, by kind. */
  readonly unknown: Map<string, number>;
  /** Lines that are not JSON, not UTF-8, too long or nested too deep, and events without a valid time. */
  unreadable: number;
  /** Events from before the time that was asked for. */
  old: number;
}

export function newReadCounts(): ReadCounts {
  return { lines: 0, unknown: new Map(), unreadable: 0, old: 0 };
}

const CHUNK_BYTES = 256 * 1024;
/** A line may hold a picture. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const LIMITS = { levels: 256, keys: 200_000, values: 2_000_000 };
const MAX_KINDS = 50;
const MAX_KIND = 60;
const MAX_BESIDE_BYTES = 4_096;

interface ReadOptions {
  readonly agent: PastAgent;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly counts: ReadCounts;
}

/** The events of one session file, chunk by chunk. A file that is hostile costs its lines, never the import. Throws if it cannot be opened. */
export function readSession(options: ReadOptions): AsyncGenerator<ReadPiece> {
  const { path } = options;
  const { sessions } = options.agent;
  const file = { path, beside: (relative: string) => readBeside(join(dirname(path), relative)) };
  const reader = sessions.open(file);
  const records = sessions.records?.(file);
  return records === undefined ? readLines(reader, options) : readRecords(records, reader, options);
}

interface ReadPiece {
  readonly bytes: number;
  readonly events: readonly Envelope[];
}

async function* readRecords(records: AsyncIterable<SessionRecord>, reader: SessionReader, options: ReadOptions): AsyncGenerator<ReadPiece> {
  const { counts } = options;
  for await (const record of records) {
    if ("unknown" in record) countUnknown(record.unknown, record.rows, counts);
    else {
      counts.lines++;
      const events = eventsIn(record.text, reader, counts).flatMap((past) => envelopeOf(past, reader, options) ?? []);
      yield { bytes: record.bytes, events };
    }
  }
}

async function* readLines(reader: SessionReader, options: ReadOptions): AsyncGenerator<ReadPiece> {
  const { path, counts } = options;
  await using file = await openPlainFile(path);
  let events: Envelope[] = [];
  const take = (past: readonly PastEvent[]): void => {
    for (const one of past) {
      const made = envelopeOf(one, reader, options);
      if (made !== undefined) events.push(made);
    }
  };
  const lines = new LineReader({
    maxBytes: MAX_LINE_BYTES,
    onFault: () => void counts.unreadable++,
    onLine(line) {
      counts.lines++;
      take(eventsIn(line, reader, counts));
    },
  });
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
    // The last line may have no end.
    lines.push(bytesRead === 0 ? Buffer.from("\n") : buffer.subarray(0, bytesRead));
    if (bytesRead === 0) take(reader.end?.() ?? []);
    yield { bytes: bytesRead, events };
    if (bytesRead === 0) return;
    events = [];
  }
}

/** Neither a link nor a pipe that took the file's place. */
async function openPlainFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error("it is not a file");
}

function readBeside(path: string): string | undefined {
  try {
    const { size } = statSync(path);
    return size > MAX_BESIDE_BYTES ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function eventsIn(line: string, reader: SessionReader, counts: ReadCounts): readonly PastEvent[] {
  try {
    if (isDeeperThan(line, LIMITS.levels) || measureJson(line, LIMITS).exceeds !== undefined) throw new RangeError("too deep");
    const record: unknown = JSON.parse(line);
    if (!isObject(record)) throw new TypeError("not an object");
    const events = reader.read(record);
    if (events !== undefined) return events;
    countUnknown(reader.kindOf?.(record) ?? (typeof record.type === "string" ? record.type : "(without a type)"), 1, counts);
  } catch {
    counts.unreadable++;
  }
  return [];
}

function countUnknown(name: string, records: number, counts: ReadCounts): void {
  const kind = name.slice(0, MAX_KIND);
  if (counts.unknown.has(kind) || counts.unknown.size < MAX_KINDS) counts.unknown.set(kind, (counts.unknown.get(kind) ?? 0) + records);
  else counts.unreadable += records;
}

const host = hostname();

function envelopeOf({ event, payload, at, key }: PastEvent, { version }: SessionReader, options: ReadOptions): Envelope | undefined {
  const { agent, path, since, counts } = options;
  const time = typeof at === "string" ? Date.parse(at) : typeof at === "number" ? at : Number.NaN;
  if (!(Math.abs(time) <= MAX_TIME)) counts.unreadable++;
  else if (time < since) counts.old++;
  else
    return createEnvelope({
      id: `import-${createHash("sha256").update(`${agent.id}\0${key}`).digest("hex").slice(0, 32)}`,
      at: new Date(time).toISOString(),
      event,
      source: { app: agent.id, host, pid: 0, instance: agent.id },
      session: sessionIn(payload),
      payload: { ...payload, imported: { file: path, ...(version !== undefined && { version }) } },
    });
  return undefined;
}

/** The year 9999: later years have another form in ISO 8601. */
const MAX_TIME = 253_402_300_799_999;
