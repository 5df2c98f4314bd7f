import type { AppendResult } from "./store.js";
import type { createWriter, Row } from "./writer.js";

type Done = (error: unknown, result: AppendResult | undefined) => void;
interface Waiting {
  readonly rows: readonly Row[];
  readonly done: Done;
}

/** A batch is closed after this many rows or milliseconds, whichever comes first. */
const MAX_ROWS = 1_000;
const MAX_DELAY_MS = 5;

/** Appends that come close together share one transaction, and so one wait for the disk. */
export function createGroupCommit(writer: ReturnType<typeof createWriter>, options: { readonly onIdle: () => void }) {
  let waiting: Waiting[] = [];
  let rows = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    rows = 0;
    if (batch.length === 0) return;
    commit(batch);
    setImmediate(options.onIdle);
  }

  /** One transaction for all; if it fails (a full disk), each alone, so that one too many does not lose the others. */
  function commit(batch: readonly Waiting[]): void {
    let places: number[];
    try {
      places = writer.write(batch.flatMap((append) => append.rows));
    } catch (error) {
      if (batch.length === 1) return batch[0]?.done(error, undefined);
      for (const append of batch) commit([append]);
      return;
    }
    let next = 0;
    for (const { rows: own, done } of batch) {
      const stored = places.slice(next, next + own.length).filter((place) => place > 0);
      next += own.length;
      done(undefined, { stored, duplicates: own.length - stored.length });
    }
  }

  return {
    append(added: readonly Row[], done: Done): void {
      waiting.push({ rows: added, done });
      rows += added.length;
      if (rows >= MAX_ROWS) flush();
      else timer ??= setTimeout(flush, MAX_DELAY_MS);
    },
    flush,
    get isBusy(): boolean {
      return waiting.length > 0;
    },
  };
}
