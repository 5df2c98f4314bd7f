/** Durations in buckets a quarter of a power of two wide, from 0.1 µs up: enough for percentiles within 20 %, in half a kilobyte. */
export class Durations {
  readonly #buckets = new Uint32Array(128);
  #count = 0;

  add(ms: number): void {
    const bucket = Math.floor(Math.log2(ms * 10_000 + 1) * 4);
    const index = Math.min(127, Math.max(0, bucket));
    this.#buckets[index] = (this.#buckets[index] as number) + 1;
    this.#count++;
  }

  percentile(fraction: number): number | undefined {
    if (this.#count === 0) return undefined;
    let left = Math.ceil(this.#count * fraction);
    for (let index = 0; index < 128; index++) {
      left -= this.#buckets[index] as number;
      if (left <= 0) return (2 ** ((index + 0.5) / 4) - 1) / 10_000;
    }
    return undefined;
  }
}
