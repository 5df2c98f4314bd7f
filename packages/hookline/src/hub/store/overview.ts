import type { DatabaseSync } from "node:sqlite";
import { quantile } from "@hookline/core/internal/text";
import type { OverviewAnswer } from "../protocol.js";
import { byHour, type RollupKind } from "./tally.js";

const MINUTE_MS = 60_000;
const TOP = 10;

/** Whole minutes since 1970, and how many of them are one step. From an hour up, steps begin on the hour. */
export interface OverviewRange {
  readonly fromMinute: number;
  readonly stepMinutes: number;
  readonly steps: number;
}

interface Named {
  readonly name: string;
  readonly events: number;
  readonly denied: number;
  readonly asked: number;
  readonly lastAt: number;
}

/** What the store knows of it: whether an agent is online, it does not. */
export interface StoredOverview extends Omit<OverviewAnswer, "agents"> {
  readonly agents: readonly Omit<OverviewAnswer["agents"][number], "online">[];
}

/** What went on by the minute, from the rollup alone: as fast with a million events as with none. */
export function readOverview(database: DatabaseSync, { fromMinute, stepMinutes, steps }: OverviewRange): StoredOverview {
  const until = fromMinute + steps * stepMinutes;
  const bounds = [fromMinute, until];
  const table = (kind: RollupKind): string => (stepMinutes >= 60 ? byHour(kind) : kind);
  const step = `(minute - ${fromMinute}) / ${stepMinutes}`;

  function named(kind: RollupKind, order: string, limit: number): Named[] {
    const sums = "name, sum(events) AS events, sum(denied) AS denied, sum(asked) AS asked, max(last_at) AS lastAt";
    const query = `SELECT ${sums} FROM rollup WHERE kind = ? AND minute >= ? AND minute < ? GROUP BY name HAVING ${order} > 0 ORDER BY ${order} DESC LIMIT ?`;
    return database.prepare(query).all(table(kind), ...bounds, limit) as unknown as Named[];
  }

  /** If an agent reports only the ends of calls, or only their starts, these are counted. */
  function calls(): OverviewAnswer["topTools"] {
    const each =
      "SELECT name, sum(events) AS events, sum(denied) AS denied FROM rollup WHERE kind IN (?, ?) AND minute >= ? AND minute < ? GROUP BY kind, name";
    const query = `SELECT name AS tool, max(events) AS count, max(denied) AS denied FROM (${each}) GROUP BY 1 ORDER BY 2 DESC LIMIT ${TOP}`;
    return database.prepare(query).all(table("tool"), table("result"), ...bounds) as unknown as OverviewAnswer["topTools"];
  }

  const series = { events: zeros(steps), denied: zeros(steps), asked: zeros(steps) };
  const sums = `SELECT ${step} AS step, sum(events) AS events, sum(denied) AS denied, sum(asked) AS asked FROM rollup`;
  for (const row of database.prepare(`${sums} WHERE kind = ? AND minute >= ? AND minute < ? GROUP BY 1`).iterate(table("app"), ...bounds)) {
    const { step: at, events, denied, asked } = row as Record<"step" | keyof typeof series, number>;
    series.events[at] = events;
    series.denied[at] = denied;
    series.asked[at] = asked;
  }
  return {
    from: fromMinute * MINUTE_MS,
    stepMs: stepMinutes * MINUTE_MS,
    series,
    latency: readLatency(database, { kind: table("latency"), step, steps, bounds }),
    topTools: calls(),
    topRules: named("rule", "sum(denied) + sum(asked)", TOP).map(({ name, denied, asked }) => ({ rule: name, denied, asked })),
    agents: named("app", "max(last_at)", 100).map(({ name, lastAt, events }) => ({ app: name, lastAt, events })),
  };
}

/** Names that only one call has must not fill an answer. */
const MAX_TOOLS = 1_000;

/** The tools that there were calls of, those of late first: from the hours alone. */
export function readTools(database: DatabaseSync): string[] {
  const query = "SELECT name FROM rollup WHERE kind IN (?, ?) GROUP BY name ORDER BY max(last_at) DESC LIMIT ?";
  const rows = database.prepare(query).all(byHour("tool"), byHour("result"), MAX_TOOLS) as unknown as Pick<Named, "name">[];
  return rows.map(({ name }) => name);
}

interface LatencyRange {
  readonly kind: string;
  readonly step: string;
  readonly steps: number;
  readonly bounds: readonly number[];
}

function readLatency(database: DatabaseSync, { kind, step, steps, bounds }: LatencyRange): OverviewAnswer["latency"] {
  const query = `SELECT ${step} AS step, CAST(name AS INTEGER) AS bucket, sum(events) AS count FROM rollup WHERE kind = ? AND minute >= ? AND minute < ? GROUP BY 1, 2 ORDER BY 1, 2`;
  const buckets = Array.from({ length: steps }, (): [bucket: number, count: number][] => []);
  for (const row of database.prepare(query).iterate(kind, ...bounds)) {
    const { step: at, bucket, count } = row as Record<"step" | "bucket" | "count", number>;
    buckets[at]?.push([bucket, count]);
  }
  const times = (share: number): (number | null)[] => buckets.map((found) => quantile(found, share));
  return { p50Ms: times(0.5), p95Ms: times(0.95), p99Ms: times(0.99) };
}

function zeros(length: number): number[] {
  return Array.from({ length }, () => 0);
}
