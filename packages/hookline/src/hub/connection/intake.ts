import type { Accepted, Ingest } from "../parts.js";

/** What may wait for the commit before it before the sender is asked to pause. */
const MAX_WAITING = 4_096;
const MAX_WAITING_CHARS = 8 * 1024 * 1024;

export interface IntakeOptions {
  readonly ingest: Pick<Ingest, "append">;
  /** So many more are settled. */
  readonly onSettled: (count: number) => void;
  /** Nothing more will be stored. */
  readonly onFailed: (error: unknown) => void;
  readonly onPressure: (isHigh: boolean) => void;
}

/**
 * Hands one sender's events to the store, one batch after the other: what comes while a batch is being written is the next. So the order
 * of a source holds even when the disk fails in between, and batches grow with the load.
 */
export function createIntake({ ingest, onSettled, onFailed, onPressure }: IntakeOptions) {
  let waiting: Accepted[] = [];
  let waitingChars = 0;
  /** Refused ones count as settled when those before them are. */
  let refused = 0;
  let isWriting = false;
  let isOver = false;
  let isPressed = false;

  function press(): void {
    const isHigh = waiting.length > MAX_WAITING || waitingChars > MAX_WAITING_CHARS;
    if (isHigh === isPressed) return;
    isPressed = isHigh;
    onPressure(isHigh);
  }

  async function write(): Promise<void> {
    isWriting = true;
    while (!isOver && (waiting.length > 0 || refused > 0)) {
      const batch = waiting;
      const count = batch.length + refused;
      [waiting, waitingChars, refused] = [[], 0, 0];
      press();
      try {
        if (batch.length > 0) await ingest.append(batch);
      } catch (error) {
        isOver = true;
        return onFailed(error);
      }
      onSettled(count);
    }
    isWriting = false;
  }

  return {
    add(event: Accepted): void {
      waiting.push(event);
      waitingChars += event.body.length;
    },
    refuse(): void {
      refused++;
    },
    /** What was added goes on its way. */
    go(): void {
      press();
      if (!isWriting && !isOver) void write();
    },
  };
}
