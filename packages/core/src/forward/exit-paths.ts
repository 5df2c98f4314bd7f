import { isMainThread } from "node:worker_threads";
import { flushAtExit, flushAtSignals } from "../sinks/connect/exit-flush.js";

export interface ExitPathOptions {
  readonly onSignals: boolean;
  /** The event loop is empty: resolves when there is nothing more to wait for, at the latest after a short while. */
  readonly linger: () => Promise<unknown> | undefined;
  /** The last chance: everything that is done must be done when it returns. */
  readonly leave: () => void;
}

/** Every way out of the process on which JavaScript still runs; returns how to stop. */
export function followExits({ onSignals, linger, leave }: ExitPathOptions): () => void {
  const beforeExit = (): void => void linger();
  process.on("beforeExit", beforeExit);
  const undo = [() => process.off("beforeExit", beforeExit), flushAtExit(leave)];
  // A worker hears of no signal. A host that handles it itself may go on, and needs nothing yet.
  if (onSignals && isMainThread) undo.push(flushAtSignals((isEnding) => isEnding && leave()));
  return () => {
    for (const step of undo.splice(0)) step();
  };
}
