import type { Attributes } from "../trace/span-record.js";

export interface Instrument {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** The upper bounds of a histogram's buckets. Without them it is a counter. */
  readonly boundaries?: readonly number[];
}

/** The counts of one combination of attributes. */
export interface Point {
  readonly attributes: Attributes;
  readonly startMs: number;
  readonly sum: number;
  readonly count: number;
  readonly counts: readonly number[];
}

export interface Measured {
  readonly instrument: Instrument;
  readonly points: readonly Point[];
}

export interface Collected {
  readonly measured: readonly Measured[];
  /** To be called when they have arrived. */
  sent(): void;
}

/** More combinations of an instrument's attributes are counted as one, as OpenTelemetry has it. */
const MAX_SERIES = 1_000;
const OVERFLOW: Attributes = { "otel.metric.overflow": true };

class Series {
  readonly attributes: Attributes;
  readonly startMs: number;
  total: Sums;
  /** What the receiver has. */
  sent: Sums;

  constructor(attributes: Attributes, size: number, startMs: number) {
    this.attributes = attributes;
    this.startMs = startMs;
    this.total = { sum: 0, count: 0, counts: Array<number>(size).fill(0), atMs: startMs };
    this.sent = this.total;
  }
}

interface Sums {
  readonly sum: number;
  readonly count: number;
  readonly counts: readonly number[];
  readonly atMs: number;
}

/** Adds up measurements until they are sent, within bounds. */
export class Meter {
  readonly #isDelta: boolean;
  readonly #instruments = new Map<Instrument, Map<string, Series>>();

  constructor(temporality: "cumulative" | "delta") {
    this.#isDelta = temporality === "delta";
  }

  record(instrument: Instrument, value: number, attributes: Attributes): void {
    const series = this.#seriesOf(instrument, attributes);
    const { sum, count, counts } = series.total;
    const bucket = (instrument.boundaries ?? []).findIndex((bound) => value <= bound);
    const added = counts.length === 0 ? counts : counts.with(bucket === -1 ? counts.length - 1 : bucket, (counts.at(bucket) ?? 0) + 1);
    series.total = { sum: sum + value, count: count + 1, counts: added, atMs: Date.now() };
  }

  /** What has changed since it was last sent. */
  collect(): Collected {
    const changed = [...this.#instruments].map(([instrument, all]) => ({
      instrument,
      series: [...all.values()].filter(({ total, sent }) => total !== sent),
    }));
    const given = changed.flatMap(({ series }) => series.map((one) => [one, one.total] as const));
    const measured = changed.flatMap(({ instrument, series }) =>
      series.length === 0 ? [] : [{ instrument, points: series.map((one) => this.#pointOf(one)) }],
    );
    return {
      measured,
      sent() {
        for (const [series, total] of given) series.sent = total;
      },
    };
  }

  #pointOf({ attributes, startMs, total, sent }: Series): Point {
    if (!this.#isDelta) return { ...total, attributes, startMs };
    return {
      attributes,
      startMs: sent.atMs,
      sum: total.sum - sent.sum,
      count: total.count - sent.count,
      counts: total.counts.map((count, index) => count - (sent.counts[index] ?? 0)),
    };
  }

  #seriesOf(instrument: Instrument, attributes: Attributes): Series {
    const all = this.#instruments.get(instrument) ?? new Map<string, Series>();
    this.#instruments.set(instrument, all);
    const key = JSON.stringify(attributes);
    if (!all.has(key) && all.size >= MAX_SERIES) return this.#add(all, JSON.stringify(OVERFLOW), OVERFLOW, instrument);
    return this.#add(all, key, attributes, instrument);
  }

  #add(all: Map<string, Series>, key: string, attributes: Attributes, { boundaries }: Instrument): Series {
    const series = all.get(key) ?? new Series(attributes, boundaries === undefined ? 0 : boundaries.length + 1, Date.now());
    all.set(key, series);
    return series;
  }
}
