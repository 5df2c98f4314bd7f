const PER_DOUBLING = 4;
/** More digits would suggest an accuracy that the buckets do not have. */
const DIGITS = 2;
const [MIN_MS, MAX_MS] = [0.0001, 1e9];

const word = new DataView(new ArrayBuffer(8));
/** Where the buckets between two powers of two begin: the upper 20 bits of the mantissa of 2^⅛, 2^⅜, 2^⅝ and 2^⅞. */
const [FIRST, SECOND, THIRD, FOURTH] = [1, 3, 5, 7].map((eighths) => mantissaOf(2 ** (eighths / 8))) as [number, number, number, number];

/** The counts of the buckets that are not empty, the lowest bucket first. */
export type Histogram = readonly (readonly [bucket: number, count: number])[];

/** The bucket of a duration: `log2(ms) * 4`, rounded. The store keeps these numbers, so the scale cannot change. */
export function bucketOf(ms: number): number {
  word.setFloat64(0, ms > MIN_MS ? Math.min(ms, MAX_MS) : MIN_MS);
  // The bits of the number take 3 ns. A logarithm takes 11 ns or more, longer than some of the calls that the bus counts.
  const bits = word.getInt32(0);
  const mantissa = bits & 0xfffff;
  const part = mantissa < SECOND ? (mantissa < FIRST ? 0 : 1) : mantissa < THIRD ? 2 : mantissa < FOURTH ? 3 : 4;
  return ((bits >> 20) - 1023) * PER_DOUBLING + part;
}

/** The lowest bucket. */
export const FIRST_BUCKET = bucketOf(0);
const BUCKETS = bucketOf(MAX_MS) - FIRST_BUCKET + 1;

/** The duration that a share of all durations does not exceed, right to 20 %; null for an empty histogram. */
export function quantile(histogram: Histogram, share: number): number | null {
  let left = share * histogram.reduce((sum, [, count]) => sum + count, 0);
  for (const [bucket, count] of histogram) {
    left -= count;
    if (left <= 0) return msOf(bucket);
  }
  return null;
}

/** The middle of a bucket, in milliseconds. */
export function msOf(bucket: number): number {
  return Number((2 ** (bucket / PER_DOUBLING)).toPrecision(DIGITS));
}

/** A histogram to count in. It allocates nothing after it was made. */
export class Durations {
  readonly #counts = new Uint32Array(BUCKETS);

  add(ms: number): void {
    const index = bucketOf(ms) - FIRST_BUCKET;
    this.#counts[index] = (this.#counts[index] as number) + 1;
  }

  quantile(share: number): number | undefined {
    const counted = Array.from(this.#counts, (count, index) => [index + FIRST_BUCKET, count] as const);
    return (
      quantile(
        counted.filter(([, count]) => count > 0),
        share,
      ) ?? undefined
    );
  }
}

/** A histogram as the store keeps it: `bucket:count`, separated by spaces. The texts of two histograms, joined by a space, are their sum. */
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

/** The first without the second. */
export function differenceOfHistograms(whole: string, part: string): string {
  const counts = countsIn(whole);
  for (const [bucket, count] of countsIn(part)) {
    const left = (counts.get(bucket) ?? 0) - count;
    if (left > 0) counts.set(bucket, left);
    else counts.delete(bucket);
  }
  return histogramText(counts);
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

function mantissaOf(value: number): number {
  word.setFloat64(0, value);
  return word.getInt32(0) & 0xfffff;
}
