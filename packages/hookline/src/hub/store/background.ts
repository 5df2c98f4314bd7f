/** Work waits for a pause of this length in what arrives … */
const PAUSE_MS = 50;
/** … but under a load without pauses it rests so many times as long as it worked: the longer, the more rows arrive at once. */
const REST = { least: 2, most: 20, rows: 100 };

export interface Background {
  /** So many rows were written. */
  disturb(rows: number): void;
  /** Does all there is, now. */
  run(): void;
  stop(): void;
}

/**
 * What can wait is done while the store is idle, because appends must not wait for it: `step` does a little and says whether there is more. Under a
 * load it gets a share of the time, so it is not delayed without limit.
 */
export function createBackground(step: () => boolean): Background {
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  let lastRowsAt = Number.NEGATIVE_INFINITY;
  let lastRows = 0;
  let isStopped = false;

  function rest(): void {
    clearTimeout(timer);
    clearImmediate(turn);
    [timer, turn] = [undefined, undefined];
  }

  function work(): void {
    rest();
    if (isStopped) return;
    const start = performance.now();
    if (!step()) return;
    const took = performance.now() - start;
    const isIdle = start - lastRowsAt >= PAUSE_MS;
    if (isIdle) turn = setImmediate(work);
    else timer = setTimeout(work, took * Math.min(REST.most, REST.least + lastRows / REST.rows));
  }

  return {
    disturb(rows) {
      lastRowsAt = performance.now();
      lastRows = rows;
      if (isStopped || timer !== undefined) return;
      rest();
      timer = setTimeout(work, PAUSE_MS);
    },
    run: work,
    stop() {
      isStopped = true;
      rest();
    },
  };
}
