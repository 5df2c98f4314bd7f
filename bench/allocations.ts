import { Session } from "node:inspector";
import { type Contender, median } from "./measure.ts";

/** What one operation leaves on the heap. */
export interface Allocation {
  readonly contender: string;
  readonly role: Contender["role"];
  readonly bytes: number;
  readonly objects: number;
}

export interface AllocationRow {
  readonly name: string;
  readonly contenders: readonly SynchronousContender[];
}

export interface AllocationResult {
  readonly row: AllocationRow;
  readonly allocations: readonly Allocation[];
}

interface SynchronousContender extends Contender {
  run(iterations: number): number;
}

const countedIterations = 20_000;
// Well below the smallest young generation (1 MB), so that nothing is collected while bytes are counted.
const byteBudget = 128 * 1024;

/** Bytes and objects per operation, in optimised code. */
export function measureAllocations(row: AllocationRow, warmUpMs: number): AllocationResult {
  for (const contender of row.contenders) warmUp(contender, warmUpMs);
  const allocations = row.contenders.map((contender) => ({
    contender: contender.name,
    role: contender.role,
    bytes: bytesPerOperation(contender),
    objects: objectsPerOperation(contender),
  }));
  return { row, allocations };
}

export function allocationOf(result: AllocationResult, contender: string): Allocation {
  const found = result.allocations.find((allocation) => allocation.contender === contender);
  if (!found) throw new Error(`No contender "${contender}" in "${result.row.name}".`);
  return found;
}

function warmUp(contender: SynchronousContender, budgetMs: number): void {
  const end = performance.now() + budgetMs;
  while (performance.now() < end) contender.run(2000);
}

function bytesPerOperation(contender: SynchronousContender): number {
  const estimate = heapGrowth(contender, 500) / 500;
  const iterations = Math.max(100, Math.min(countedIterations, Math.floor(byteBudget / Math.max(1, estimate))));
  const samples = Array.from({ length: 9 }, () => (heapGrowth(contender, iterations) - heapGrowth(idle, iterations)) / iterations);
  return Math.max(0, median(samples));
}

const idle: SynchronousContender = { name: "idle", role: "reference", run: () => 0 };

function heapGrowth(contender: SynchronousContender, iterations: number): number {
  if (!globalThis.gc) throw new Error("Allocations need `node --expose-gc`; `npm run bench` passes it.");
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  contender.run(iterations);
  return process.memoryUsage().heapUsed - before;
}

// V8's sampling profiler with an interval of one byte records every allocation, also those of optimised code.
function objectsPerOperation(contender: SynchronousContender): number {
  using profiler = openProfiler();
  profiler.start();
  contender.run(countedIterations);
  return profiler.stop().samples.length / countedIterations;
}

function openProfiler() {
  const session = new Session();
  session.connect();
  return {
    start: () =>
      session.post("HeapProfiler.startSampling", {
        samplingInterval: 1,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      }),
    stop: () => stopSampling(session),
    [Symbol.dispose]: () => session.disconnect(),
  };
}

// `samples` is missing from the types of Node.
interface Profile {
  readonly samples: readonly unknown[];
}

function stopSampling(session: Session): Profile {
  let profile: Profile | undefined;
  // The callback of an in-process session is called before `post` returns.
  session.post("HeapProfiler.stopSampling", (_error, answer) => {
    profile = answer?.profile as unknown as Profile;
  });
  if (!profile) throw new Error("The heap profiler gave no profile.");
  return profile;
}
