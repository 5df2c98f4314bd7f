import { type RefusedCalls, readRefusedCalls, withRefusedCall, writeRefusedCalls } from "../../agents/attach/refused-calls.js";

export interface RefusedCounter {
  count(call: Omit<RefusedCalls, "count" | "lastAt">): void;
  close(): void;
}

/** A file is written only so often, however many calls arrive. */
const WRITE_MS = 1_000;

/** Keeps what `hookline doctor` says about calls that the hub could not judge. `folder`: `attach` in the state folder. */
export function createRefusedCounter(folder: string, onProblem: (text: string) => void): RefusedCounter {
  let rows = readRefusedCalls(folder);
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    try {
      writeRefusedCalls(folder, rows);
    } catch (error) {
      onProblem(`The calls that could not be judged were not counted: ${(error as Error).message}`);
    }
  }

  return {
    count(call) {
      rows = withRefusedCall(rows, { ...call, lastAt: new Date().toISOString() });
      timer ??= setTimeout(write, WRITE_MS).unref();
    },
    close: () => void (timer !== undefined && write()),
  };
}
