/** Interleaved measuring: in every round each contender of a row is sampled once, so a slow moment of the machine hits them all. */
export interface Contender extends ContenderName {
  /** Runs so many operations in a tight loop; the checksum says what they did and keeps the compiler from removing them. */
  run(iterations: number): number | Promise<number>;
}

export interface ContenderName {
  readonly name: string;
  /** `ours` is judged, a `peer` competes, a `reference` explains. */
  readonly role: "ours" | "peer" | "reference";
}

export interface Row {
  readonly name: string;
  /** What one operation adds to the checksum: a contender that skips its work is an error, not a winner. */
  readonly checksum: number;
  readonly contenders: readonly Contender[];
}

export interface RowResult {
  readonly row: { readonly name: string; readonly contenders: readonly ContenderName[] };
  /** Nanoseconds per operation, one number per round, by contender. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
}

export interface MeasureOptions {
  readonly rounds: number;
  readonly sampleMs: number;
  readonly warmUpMs: number;
  readonly onRow?: (name: string) => void;
}

/** Warms up every contender of every row, then measures row by row. */
export async function measureRows(rows: readonly Row[], options: MeasureOptions): Promise<RowResult[]> {
  for (const row of rows) for (const contender of row.contenders) await verify(row, contender);
  await warmUp(rows, options.warmUpMs);
  const results: RowResult[] = [];
  for (const row of rows) {
    options.onRow?.(row.name);
    results.push(await measureRow(row, options));
  }
  return results;
}

/** Median nanoseconds per operation. */
export function nanoseconds(result: RowResult, contender: string): number {
  return median(samplesOf(result, contender));
}

/** Median of the per-round ratios: rounds are compared with themselves, never with a quieter moment. */
export function ratio(result: RowResult, contender: string, peer: string): number {
  return median(pairs(result, contender, peer).map(([mine, theirs]) => mine / theirs));
}

/** Median of the per-round differences, in nanoseconds. */
export function difference(result: RowResult, contender: string, baseline: string): number {
  return median(pairs(result, contender, baseline).map(([mine, theirs]) => mine - theirs));
}

/** Half the distance between the quartiles, relative to the median. */
export function spread(result: RowResult, contender: string): number {
  const sorted = ascending(samplesOf(result, contender));
  return (at(sorted, 0.75) - at(sorted, 0.25)) / 2 / at(sorted, 0.5);
}

export function fastestPeer(result: RowResult): string | undefined {
  const peers = result.row.contenders.filter(({ role }) => role === "peer").map(({ name }) => name);
  return peers.sort((a, b) => nanoseconds(result, a) - nanoseconds(result, b))[0];
}

export function median(values: readonly number[]): number {
  return at(ascending(values), 0.5);
}

async function verify(row: Row, contender: Contender): Promise<void> {
  const iterations = 24;
  const sum = await contender.run(iterations);
  if (sum !== row.checksum * iterations) {
    throw new Error(`"${contender.name}" in "${row.name}": checksum ${sum} instead of ${row.checksum * iterations}.`);
  }
}

// Short passes over everything come first: call sites have seen all their callees before the compiler specialises
// any of them. Otherwise whoever runs first is measured with its handlers inlined.
async function warmUp(rows: readonly Row[], warmUpMs: number): Promise<void> {
  for (const budgetMs of [0.1, 0.5, 2, warmUpMs / 3, warmUpMs / 3, warmUpMs / 3]) {
    for (const row of rows) for (const contender of row.contenders) await runFor(contender, budgetMs);
  }
}

async function runFor(contender: Contender, budgetMs: number): Promise<void> {
  const end = performance.now() + budgetMs;
  for (let iterations = 16; performance.now() < end; iterations = Math.min(iterations * 2, 4096)) await contender.run(iterations);
}

async function measureRow(row: Row, { rounds, sampleMs }: MeasureOptions): Promise<RowResult> {
  const iterations: number[] = [];
  for (const contender of row.contenders) iterations.push(await calibrate(contender, sampleMs));
  const samples = new Map<string, number[]>(row.contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < row.contenders.length; turn++) {
      const index = (round + turn) % row.contenders.length;
      const contender = row.contenders[index];
      if (contender) samples.get(contender.name)?.push(await sample(contender, iterations[index] ?? 1));
    }
  }
  return { row, samples };
}

async function calibrate(contender: Contender, sampleMs: number): Promise<number> {
  for (let iterations = 256; ; iterations *= 4) {
    const elapsedMs = ((await sample(contender, iterations)) * iterations) / 1e6;
    if (elapsedMs > sampleMs / 8) return Math.ceil((iterations * sampleMs) / elapsedMs);
  }
}

// The garbage of the contender before is collected before the clock starts.
async function sample(contender: Contender, iterations: number): Promise<number> {
  globalThis.gc?.({ type: "minor" });
  const start = performance.now();
  const sum = contender.run(iterations);
  if (typeof sum !== "number") await sum;
  return ((performance.now() - start) * 1e6) / iterations;
}

function pairs(result: RowResult, first: string, second: string): [number, number][] {
  const seconds = samplesOf(result, second);
  return samplesOf(result, first).map((value, round) => [value, seconds[round] ?? Number.NaN]);
}

function samplesOf({ row, samples }: RowResult, contender: string): readonly number[] {
  const found = samples.get(contender);
  if (!found) throw new Error(`No contender "${contender}" in "${row.name}".`);
  return found;
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}

/** The value at a quantile of a sorted list, between two neighbours where it falls between them. */
function at(sorted: readonly number[], quantile: number): number {
  const position = (sorted.length - 1) * quantile;
  const lower = sorted[Math.floor(position)] ?? Number.NaN;
  const upper = sorted[Math.ceil(position)] ?? Number.NaN;
  return lower + (upper - lower) * (position - Math.floor(position));
}
