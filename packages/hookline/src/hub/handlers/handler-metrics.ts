import type { HandlerStats } from "@hookline/core";
import { type Histogram, msOf } from "@hookline/core/internal/text";
import { type Buckets, family, histogramFamily, type Labels, type Sample } from "../http/prometheus-text.js";
import type { HubParts } from "../parts.js";
import type { HandlerTotals } from "../store/handler-reader.js";
import { storedName } from "../store/handler-steps.js";
import { HUB } from "../store/handler-tally.js";

/** A project's hooks choose their names, and every name is a series that Prometheus keeps. */
const MAX_HANDLERS = 200;
const OTHERS: Labels = { owner: "", handler: "(others)" };
const BOUNDS = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];
const MINUTE_MS = 60_000;

type Counted = Pick<HandlerStats, "calls" | "failures" | "timeouts" | "denies">;

/** What the handlers of the hub did. The names that come first get series of their own and keep them; the others share one. */
export function createHandlerMetrics({ bus, counts, store }: Pick<HubParts, "bus" | "counts" | "store">) {
  const named = new Map<string, Labels>();

  function labelsOf(owner: string, handler: string): Labels {
    const key = JSON.stringify([owner, handler]);
    const known = named.get(key);
    if (known !== undefined || named.size >= MAX_HANDLERS) return known ?? OTHERS;
    const labels = { owner, handler };
    named.set(key, labels);
    return labels;
  }

  return {
    async families(): Promise<string[]> {
      const registered = bus
        .stats()
        .map((row) => ({ row: counts.add(row), labels: labelsOf(storedName(row.owner ?? ""), storedName(row.name)) }));
      // Since midnight: sums over all time would fall when retention removes the oldest. A counter may begin again at 0.
      const [fromMinute, untilMinute] = [minuteOf(new Date().setHours(0, 0, 0, 0)), minuteOf(Date.now())];
      const totals = await store.handlers({ app: HUB, fromMinute, untilMinute }).catch(() => undefined);
      const stored = totals?.filter(({ calls }) => calls > 0).map((row) => ({ row, labels: labelsOf(row.owner, row.handler) }));
      return [...counterFamilies(byLabels(registered)), ...(stored === undefined ? [] : storedFamilies(byLabels(stored)))];
    },
  };
}

function counterFamilies(groups: Map<Labels, Counted[]>): string[] {
  const each = (field: keyof Counted) => samplesOf(groups, (row) => row[field]);
  return [
    family("hookline_handler_calls_total", "counter", "Calls of the hub's handlers.", each("calls")),
    family("hookline_handler_failures_total", "counter", "Calls of the hub's handlers that failed.", each("failures")),
    family("hookline_handler_timeouts_total", "counter", "Calls of the hub's handlers that took too long.", each("timeouts")),
    family("hookline_handler_denies_total", "counter", "Calls that the hub's handlers denied.", each("denies")),
  ];
}

function storedFamilies(groups: Map<Labels, HandlerTotals[]>): string[] {
  const asked = samplesOf(groups, (row) => row.asked);
  const times = [...groups].map(([labels, rows]) =>
    bucketsOf(
      labels,
      rows.flatMap((row) => row.times),
    ),
  );
  return [
    family("hookline_handler_asked_total", "counter", "Calls that the hub's handlers asked a person about, since midnight.", asked),
    histogramFamily("hookline_handler_duration_seconds", "How long the hub's guards took, since midnight, right to 20 %.", times),
  ];
}

function bucketsOf(labels: Labels, times: Histogram): Buckets {
  const seconds = times.map(([bucket, count]) => [msOf(bucket) / 1_000, count] as const);
  const countOf = (list: typeof seconds) => list.reduce((sum, [, count]) => sum + count, 0);
  return {
    labels,
    upTo: BOUNDS.map((bound) => [bound, countOf(seconds.filter(([middle]) => middle <= bound))]),
    count: countOf(seconds),
    sum: seconds.reduce((sum, [middle, count]) => sum + middle * count, 0),
  };
}

function samplesOf<Row>(groups: Map<Labels, Row[]>, count: (row: Row) => number): Sample[] {
  return [...groups].map(([labels, rows]) => [rows.reduce((sum, row) => sum + count(row), 0), labels]);
}

function byLabels<Row>(rows: readonly { readonly row: Row; readonly labels: Labels }[]): Map<Labels, Row[]> {
  const groups = new Map<Labels, Row[]>();
  for (const { row, labels } of rows) groups.set(labels, [...(groups.get(labels) ?? []), row]);
  return groups;
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}
