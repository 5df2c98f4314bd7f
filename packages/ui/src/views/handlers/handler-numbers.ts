import type { HandlerRow } from "../../api/answers.js";

/** What the line of a handler shows. */
export interface HandlerNumbers {
  /** No decision tells of it, so its process's own counters have to do, which have no window. */
  readonly isSinceStart: boolean;
  readonly calls: number;
  readonly denied: number;
  readonly failed: number;
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
}

export function numbersOf({ window, stats }: HandlerRow): HandlerNumbers {
  if (window !== undefined) {
    const { calls, denied, failed, p50Ms, p95Ms, p99Ms } = window;
    return { isSinceStart: false, calls, denied, failed, p50Ms, p95Ms, p99Ms };
  }
  const { calls = 0, denies = 0, failures = 0, p50Ms, p99Ms } = stats ?? {};
  return { isSinceStart: true, calls, denied: denies, failed: failures, p50Ms, p95Ms: undefined, p99Ms };
}
