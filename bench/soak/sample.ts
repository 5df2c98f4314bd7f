/** What was seen of a hub under a steady load, at one moment. */
export interface Sample {
  readonly minute: number;
  readonly rssMb: number;
  readonly descriptors: number;
  /** Milliseconds from the emit to the reader of the stream, p99 since the sample before. */
  readonly lagMs: number;
  readonly unindexed: number;
  readonly storeMb: number;
  /** Events that the hub has acknowledged, a second. */
  readonly perSecond: number;
}

export interface Trend {
  /** The median of the third of the samples after the warm-up, and that of the last third. */
  readonly early: number;
  readonly late: number;
}

/** The first third is warm-up: caches fill, and code is compiled. */
export function trendOf(samples: readonly Sample[], value: (sample: Sample) => number): Trend {
  const third = Math.floor(samples.length / 3);
  const median = (some: readonly Sample[]): number => some.map(value).sort((a, b) => a - b)[Math.floor(some.length / 2)] ?? Number.NaN;
  return { early: median(samples.slice(third, 2 * third)), late: median(samples.slice(2 * third)) };
}
