import type { DatabaseSync } from "node:sqlite";
import { excessOf, forgetRemoved, makeRoom, type Retained, type RetentionLimits, retainSome, usedBytes } from "./retention.js";
import type { Row } from "./row.js";

/** The log may take this share of the limit before it is folded in; what is stored may pass the limit by the second share before appends wait. */
const LOG_SHARE = 0.03;
const HARD_SHARE = 0.03;
/** One transaction's share of the limit: the log holds it, and so does the file, before anything is removed. */
const BATCH_SHARE = 0.03;
const MAX_LOG_PAGES = 4_000;
const MAX_BATCH_CHARS = 8 * 1024 * 1024;
/** An event takes this many bytes beside its text: columns and indexes. */
const ROW_BYTES = 700;
/** Free pages are used again; only what is more than this share is given back to the file system. */
const SPARE_SHARE = 0.1;
const MIN_SPARE_BYTES = 4 * 1024 * 1024;
const VACUUM_PAGES = 256;
/** By age, it is enough to look from time to time. */
const AGE_MS = 60_000;
/** About as many events as are deleted in 10 ms. */
const CHUNK = 250;

export interface KeepWithin {
  /** Keeps within other limits from now on. */
  adopt(limits: RetentionLimits): void;
  /** Before rows are written: removes older events if the rows would not fit, and says whether it did. */
  makeRoom(rows: readonly Row[]): boolean;
  /** Does a little of what is to be done; false when there is no more. */
  step(): boolean;
  /** How much text is written in one transaction. */
  readonly batchChars: number;
}

/**
 * Keeps the store's files within their limit, as events are appended: what is over it goes between two appends, and if they come faster than that,
 * before the next one. Pages that become free are used again, or given back if there are many.
 */
export function keepWithin(retained: Retained): KeepWithin {
  const { database } = retained;
  const canShrink = readPragma(database, "auto_vacuum") === 2;
  const pageSize = readPragma(database, "page_size");
  const free = database.prepare("PRAGMA freelist_count");
  let limits: RetentionLimits = {};
  let nextAge = Number.NEGATIVE_INFINITY;
  /** Events were deleted, and what was counted of them has not followed yet. */
  let isBehind = false;
  let isShrinking = false;
  let batchChars = MAX_BATCH_CHARS;

  function removeSome(): boolean {
    const isAgeDue = limits.maxAgeMs !== undefined && performance.now() >= nextAge;
    const { maxBytes, maxAgeMs } = limits;
    const due = { ...(maxBytes !== undefined && { maxBytes }), ...(isAgeDue && maxAgeMs !== undefined && { maxAgeMs }) };
    if (!isAgeDue && excessOf(database, due) <= 0) return false;
    if (retainSome(retained, due, CHUNK) > 0) return true;
    isBehind = false;
    if (isAgeDue) nextAge = performance.now() + AGE_MS;
    return false;
  }

  function shrinkSome(): boolean {
    if (!canShrink) return false;
    const { maxBytes = Number.POSITIVE_INFINITY } = limits;
    const spare = Math.max(Math.min(MIN_SPARE_BYTES, SPARE_SHARE * maxBytes), SPARE_SHARE * usedBytes(database));
    const bytes = (free.get() as { freelist_count: number }).freelist_count * pageSize;
    isShrinking = bytes > (isShrinking ? spare / 2 : spare);
    if (isShrinking) database.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    return isShrinking;
  }

  return {
    adopt(next) {
      limits = next;
      nextAge = Number.NEGATIVE_INFINITY;
      const { maxBytes = Number.POSITIVE_INFINITY } = next;
      batchChars = Math.min(MAX_BATCH_CHARS, maxBytes * BATCH_SHARE);
      const pages = Math.max(1, Math.floor(Math.min(MAX_LOG_PAGES, (maxBytes * LOG_SHARE) / pageSize)));
      database.exec(`PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = ${Math.ceil(2 * pages * pageSize)}`);
    },
    makeRoom(rows) {
      const { maxBytes } = limits;
      if (maxBytes === undefined) return false;
      const room = maxBytes * (1 + HARD_SHARE) - bytesOf(rows);
      if (excessOf(database, { maxBytes: room }) <= 0) return false;
      isBehind = true;
      makeRoom(retained, room, CHUNK);
      return true;
    },
    step() {
      if (removeSome()) {
        isBehind = true;
        return true;
      }
      if (isBehind) {
        forgetRemoved(retained, limits);
        isBehind = false;
        return true;
      }
      return shrinkSome();
    },
    get batchChars() {
      return batchChars;
    },
  };
}

function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((bytes, { body }) => bytes + ROW_BYTES + (body.length < 65_536 ? body.length * 1.5 : Buffer.byteLength(body)), 0);
}

function readPragma(database: DatabaseSync, name: string): number {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] as number;
}
