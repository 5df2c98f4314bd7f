import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const TASK = "ThreadControllerImpl::RunTask";

/** Adds the processor time of the longest task of the page's thread: the same number on a machine that has other work. */
export async function withLongest<T>(browser: Browser, page: Page, act: () => Promise<T>): Promise<T & { readonly longestCpuMs: number }> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  const result = await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const placeOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const mains = new Set(traceEvents.filter(({ ph, args }) => ph === "M" && args?.name === "CrRendererMain").map(placeOf));
  const tasks = traceEvents.filter((event) => event.name === TASK && mains.has(placeOf(event)));
  return { ...result, longestCpuMs: tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1_000 };
}
