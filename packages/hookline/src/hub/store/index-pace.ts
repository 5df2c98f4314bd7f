/** Indexing waits for a pause of this length in what arrives … */
const PAUSE_MS = 50;
/** … but under a load without pauses does a little this often. */
const MAX_WAIT_MS = 2_000;

export interface IndexPace {
  /** Something was written. */
  disturb(): void;
  /** Indexes all there is, now. */
  run(): void;
  stop(): void;
}

/** Text is indexed while the store is idle, because appends must not wait for it; but it must not be delayed without limit. */
export function createIndexPace(step: () => boolean): IndexPace {
  let timer: NodeJS.Timeout | undefined;
  let turn: NodeJS.Immediate | undefined;
  let lastStepAt = performance.now();
  let isStopped = false;

  function rest(): void {
    clearTimeout(timer);
    clearImmediate(turn);
    [timer, turn] = [undefined, undefined];
  }

  function work(): void {
    rest();
    if (isStopped) return;
    lastStepAt = performance.now();
    if (step()) turn = setImmediate(work);
  }

  return {
    disturb() {
      if (isStopped) return;
      const isOverdue = performance.now() - lastStepAt > MAX_WAIT_MS;
      if (isOverdue && timer !== undefined) return;
      rest();
      timer = setTimeout(work, isOverdue ? 0 : PAUSE_MS);
    },
    run: work,
    stop() {
      isStopped = true;
      rest();
    },
  };
}
