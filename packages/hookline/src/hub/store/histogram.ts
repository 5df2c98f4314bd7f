/** Four to the doubling: right to a fifth, as all times are here. */
const PER_DOUBLING = 4;
/** More would look exacter than it is. */
const DIGITS = 2;
const [MIN_MS, MAX_MS] = [0.001, 1e9];

/** How many fell into each bucket, by bucket. */
export type Histogram = readonly (readonly [bucket: number, count: number])[];

export function bucketOf(ms: number): number {
  return Math.round(Math.log2(Math.min(MAX_MS, Math.max(MIN_MS, ms))) * PER_DOUBLING);
}

/** No bucket is lower, and there are fewer than 200. */
export const FIRST_BUCKET = bucketOf(0);

/** The time that a share of all did not take longer than; null where there are none. */
export function quantile(histogram: Histogram, share: number): number | null {
  let left = share * histogram.reduce((sum, [, count]) => sum + count, 0);
  for (const [bucket, count] of histogram) {
    left -= count;
    if (left <= 0) return Number(middleOf(bucket).toPrecision(DIGITS));
  }
  return null;
}

/** As it stands in the database: `bucket:count`, with spaces between. Two of them, one after the other, are their sum. */
export function histogramText(counts: ReadonlyMap<number, number>): string {
  let text = "";
  for (const [bucket, count] of counts) text += text === "" ? `${bucket}:${count}` : ` ${bucket}:${count}`;
  return text;
}

export function readHistogram(text: string): Histogram {
  return [...countsIn(text)].sort(([a], [b]) => a - b);
}

export function sumOfHistograms(...texts: readonly string[]): string {
  return histogramText(countsIn(texts.join(" ")));
}

function countsIn(text: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const pair of text.split(" ")) {
    const colon = pair.indexOf(":");
    if (colon < 0) continue;
    const bucket = Number(pair.slice(0, colon));
    counts.set(bucket, (counts.get(bucket) ?? 0) + Number(pair.slice(colon + 1)));
  }
  return counts;
}

function middleOf(bucket: number): number {
  return 2 ** (bucket / PER_DOUBLING);
}
