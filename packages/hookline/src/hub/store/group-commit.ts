import type { Row } from "./row.js";
import { charsOf } from "./store.js";
import type { createWriter, Marks } from "./writer.js";

/** The place of each row, 0 for one that was there already. */
type Done = (error: unknown, places: readonly number[] | undefined) => void;
interface Waiting {
  readonly rows: readonly Row[];
  readonly marks: Marks | undefined;
  readonly done: Done;
}

/** A batch is closed after this many rows, or once everything that has arrived is in it. */
const MAX_ROWS = 1_000;
/** After a batch of so many rows, more are on their way: the next one waits for them a moment. */
const MANY_ROWS = 100;
const GATHER_MS = 5;
/** The same after so many rows in such a stretch of time, however small their batches are. */
const FLOW = { rows: 50, ms: 50 };

interface GroupOptions {
  /** Called before rows are written. */
  readonly makeRoom: (rows: readonly Row[]) => void;
  /** How much text one transaction may have. */
  readonly maxChars: () => number;
  readonly onCommit: (rows: number) => void;
}

/**
 * Appends that arrive close together share one transaction, and so one wait for the disk. An append that arrives while a batch is written is in
 * the next one, so batches grow with the load and with the slowness of the disk, and a single append does not wait. Under load a batch waits a
 * moment: each transaction writes the ends of all indexes and the counters once, which costs as much as a hundred rows.
 */
export function createGroupCommit(writer: ReturnType<typeof createWriter>, options: GroupOptions) {
  let waiting: Waiting[] = [];
  let rows = 0;
  let chars = 0;
  let turn: NodeJS.Immediate | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLoaded = false;
  let isFlowing = false;
  let stretch = { start: Number.NEGATIVE_INFINITY, rows: 0 };

  function flush(): void {
    clearImmediate(turn);
    clearTimeout(timer);
    [turn, timer] = [undefined, undefined];
    const [batch, count] = [waiting, rows];
    isLoaded = flows(count) || count >= MANY_ROWS;
    waiting = [];
    rows = 0;
    chars = 0;
    if (batch.length === 0) return;
    commit(batch);
    options.onCommit(count);
  }

  /** Whether so many rows came in the last whole stretch of time; `count` more are counted in this one. */
  function flows(count: number): boolean {
    const now = performance.now();
    const elapsed = now - stretch.start;
    if (elapsed >= FLOW.ms) {
      isFlowing = stretch.rows >= FLOW.rows && elapsed < 2 * FLOW.ms;
      stretch = { start: now, rows: 0 };
    }
    stretch.rows += count;
    return isFlowing;
  }

  /** One transaction for all; if it fails (a full disk), each alone, so that one too many does not lose the others. */
  function commit(batch: readonly Waiting[]): void {
    let places: number[];
    try {
      const [first] = batch;
      const all = batch.length === 1 && first !== undefined ? first.rows : batch.flatMap((append) => append.rows);
      options.makeRoom(all);
      places = writer.write(all, marksOf(batch));
    } catch (error) {
      if (batch.length === 1) return batch[0]?.done(error, undefined);
      for (const append of batch) commit([append]);
      return;
    }
    let next = 0;
    for (const { rows: own, done } of batch) {
      done(undefined, places.slice(next, next + own.length));
      next += own.length;
    }
  }

  return {
    append(added: readonly Row[], marks: Marks | undefined, done: Done): void {
      const size = charsOf(added);
      // What has waited is written first, so that a transaction has no more than the limit or one append.
      if (chars > 0 && chars + size > options.maxChars()) flush();
      waiting.push({ rows: added, marks, done });
      rows += added.length;
      chars += size;
      if (rows >= MAX_ROWS || chars >= options.maxChars()) flush();
      else if (isLoaded) timer ??= setTimeout(flush, GATHER_MS);
      else turn ??= setImmediate(flush);
    },
    flush,
  };
}

function marksOf(batch: readonly Waiting[]): Marks | undefined {
  if (batch.every(({ marks }) => marks === undefined)) return undefined;
  return Object.assign({}, ...batch.map(({ marks }) => marks));
}
