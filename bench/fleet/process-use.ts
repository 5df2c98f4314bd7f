import { readFileSync } from "node:fs";

/** The clock ticks of /proc: 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;

/** How much of a processor a process has used since it began, in milliseconds. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** How much of the machine's memory it has now. */
export function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? Number.NaN);
}
