import type { CDPSession, Page } from "playwright-core";

/** What the page's thread did for a while, in milliseconds. */
export interface Smoothness {
  /** Tasks of 50 ms or more. */
  readonly tasks: readonly number[];
  readonly longest: number;
  readonly frame: { readonly p50: number; readonly p99: number; readonly worst: number };
  /** How much processor time its thread took of a second: what it does, however busy the machine is. */
  readonly cpuMs: number;
}

export async function watchOver(page: Page, act: () => Promise<unknown>): Promise<Smoothness> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const [begun, before] = [performance.now(), await threadSeconds(session)];
  await page.evaluate("probe.start()");
  await act();
  const cpuMs = (((await threadSeconds(session)) - before) * 1_000_000) / (performance.now() - begun);
  await session.detach();
  const { gaps, tasks } = await page.evaluate<{ readonly gaps: number[]; readonly tasks: number[] }>("probe.stop()");
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { tasks, longest: Math.max(0, ...tasks), frame: { p50: at(0.5), p99: at(0.99), worst: at(1) }, cpuMs };
}

async function threadSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
}

export function tasksText({ tasks, longest }: Smoothness): string {
  return tasks.length === 0 ? "none of 50 ms" : `longest ${longest.toFixed(0)} ms, ${tasks.length} of 50 ms or more`;
}

export function framesText({ frame: { p50, p99, worst } }: Smoothness): string {
  return `a frame every ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
}

export function cpuText({ cpuMs }: Smoothness): string {
  return `${cpuMs.toFixed(0)} ms of a second`;
}

/** Megabytes that are still in use after everything else was thrown away. That takes its time, which is not the page's. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const from = await page.evaluate<number>("probe.now()");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await page.evaluate(`probe.leaveOut(${from})`);
  await session.detach();
  return usedSize / 2 ** 20;
}
