import type { Row } from "./row.js";
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

/**
 * Appends that arrive close together share one transaction, and so one wait for the disk. An append that arrives while a batch is written is in
 * the next one, so batches grow with the load and with the slowness of the disk, and a single append does not wait.
 */
export function createGroupCommit(writer: ReturnType<typeof createWriter>, options: { readonly onCommit: () => void }) {
  let waiting: Waiting[] = [];
  let rows = 0;
  let turn: NodeJS.Immediate | undefined;

  function flush(): void {
    clearImmediate(turn);
    turn = undefined;
    const batch = waiting;
    waiting = [];
    rows = 0;
    if (batch.length === 0) return;
    commit(batch);
    options.onCommit();
  }

  /** One transaction for all; if it fails (a full disk), each alone, so that one too many does not lose the others. */
  function commit(batch: readonly Waiting[]): void {
    let places: number[];
    try {
      places = writer.write(
        batch.flatMap((append) => append.rows),
        marksOf(batch),
      );
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
      waiting.push({ rows: added, marks, done });
      rows += added.length;
      if (rows >= MAX_ROWS) flush();
      else turn ??= setImmediate(flush);
    },
    flush,
  };
}

function marksOf(batch: readonly Waiting[]): Marks | undefined {
  if (batch.every(({ marks }) => marks === undefined)) return undefined;
  return Object.assign({}, ...batch.map(({ marks }) => marks));
}
