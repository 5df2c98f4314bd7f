import type { HandlerTimes } from "../../../../hookline/src/hub/protocol.js";
import type { HandlerRow } from "../../api/answers.js";

/** What the line of a handler shows. */
export interface HandlerNumbers {
  /** No decision tells of it, so its process's own counters have to do, which have no window. */
  readonly isSinceStart: boolean;
  readonly calls: number;
  readonly denied: number;
  /** Unknown where only the process's own counters tell of it. */
  readonly asked: number | undefined;
  readonly failed: number;
  readonly times: HandlerTimes;
}

export function numbersOf({ window, stats }: HandlerRow): HandlerNumbers {
  if (window !== undefined) {
    const { calls, denied, asked, failed } = window;
    return { isSinceStart: false, calls, denied, asked, failed, times: window };
  }
  const { calls = 0, denies = 0, failures = 0 } = stats ?? {};
  return { isSinceStart: true, calls, denied: denies, asked: undefined, failed: failures, times: stats ?? {} };
}
