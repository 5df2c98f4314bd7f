/** Does a piece of the work and yields, again and again: no piece should take longer than a few milliseconds. */
type Pieces = Iterable<void>;

interface TimeSlices {
  /** Resolves when all of it is done; rejects with what it throws. */
  run(pieces: Pieces): Promise<void>;
}

/** After this time, requests and incoming events come first. */
const SLICE_MS = 5;

/** Work that can wait, in the order it came: a little of it in each turn of the event loop, so that no decision and no event waits long. */
function createTimeSlices(sliceMs = SLICE_MS): TimeSlices {
  const waiting: Task[] = [];
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(work);
  }

  function work(): void {
    const end = performance.now() + sliceMs;
    for (let [task] = waiting; task !== undefined; [task] = waiting) {
      if (isDone(task)) waiting.shift();
      if (performance.now() >= end) break;
    }
    isScheduled = false;
    schedule();
  }

  return {
    run: (pieces) =>
      new Promise((resolve, reject) => {
        waiting.push({ pieces: pieces[Symbol.iterator](), resolve, reject });
        schedule();
      }),
  };
}

/** There is one event loop, so all who work on it share its turns. */
export const timeSlices = createTimeSlices();
/** Searching has turns of its own: however many texts are looked for, streams without one do not wait for that. */
export const searchSlices = createTimeSlices();

interface Task {
  readonly pieces: Iterator<void>;
  resolve(): void;
  reject(error: unknown): void;
}

function isDone({ pieces, resolve, reject }: Task): boolean {
  try {
    if (pieces.next().done !== true) return false;
    resolve();
  } catch (error) {
    reject(error);
  }
  return true;
}
