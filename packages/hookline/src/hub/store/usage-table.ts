import type { DatabaseSync } from "node:sqlite";
import { type Row, type RowUsage, USAGE_FIELDS } from "./row.js";

// Tokens and money by quarter of an hour, session, model and folder. A quarter, because every time zone differs from UTC by whole quarters,
// so days of any zone can be added up. `schema.ts` has the columns.

const QUARTER_MS = 900_000;
/** Without a limit of age, usage is kept longer than events: a year's costs take up little. */
const KEPT_QUARTERS = 400 * 96;

const COLUMNS = ["input", "output", "cache_read", "cache_write", "reasoning", "cost"];
const KEY = "quarter, session, app, model, cwd, way, is_priced";

/** What a batch adds to a row of the table. */
export interface UsageTally {
  readonly row: Row;
  requests: number;
  readonly sums: { -readonly [field in keyof RowUsage]: number | null };
}

/** What was used in a slice of time. An unknown number is null, an unknown name is empty. */
export interface UsageRow extends RowUsage {
  /** Which of the slices that were asked for. */
  readonly slice: number;
  readonly session: string;
  readonly app: string;
  readonly model: string;
  readonly cwd: string;
  /** An agent may report the same tokens by request and by turn. */
  readonly way: "request" | "turn";
  readonly requests: number;
}

export interface UsageFound {
  readonly rows: readonly UsageRow[];
  /** Sessions that were active and have reported nothing, by agent. */
  readonly silent: readonly { readonly app: string; readonly sessions: number }[];
}

type Surroundings = Pick<Row, "model" | "cwd">;

/** Adds the usage of an event to a batch's. `session`: what is known of its session by then. */
export function addUsage(tallies: Map<string, UsageTally>, event: Row, session: Surroundings = event): void {
  const { usage } = event;
  if (usage === null) return;
  const row = { ...event, model: event.model ?? session.model, cwd: event.cwd ?? session.cwd };
  const key = JSON.stringify([quarterOf(row.at), row.session, row.app, row.model, row.cwd, wayOf(row), usage.costUsd !== null]);
  let tally = tallies.get(key);
  if (tally === undefined) {
    tally = { row, requests: 0, sums: { ...usage } };
    tallies.set(key, tally);
  } else for (const field of USAGE_FIELDS) if (usage[field] !== null) tally.sums[field] = (tally.sums[field] ?? 0) + usage[field];
  tally.requests++;
}

/** Where an event does not name its model or folder, the session's are taken: so sessions are written first. */
export function createUsageWriter(database: DatabaseSync): (tally: UsageTally) => void {
  const upsert = database.prepare(
    `INSERT INTO usage (${KEY}, requests, ${COLUMNS.join(", ")})
     VALUES (?1, ?2, ?3, coalesce(?4, (SELECT model FROM sessions WHERE id = ?2), ''), coalesce(?5, (SELECT cwd FROM sessions WHERE id = ?2), ''),
       ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
     ON CONFLICT (${KEY}) DO UPDATE SET requests = requests + excluded.requests,
     ${COLUMNS.map((name) => `${name} = coalesce(${name} + excluded.${name}, ${name}, excluded.${name})`).join(", ")}`,
  );
  return ({ row, requests, sums }) => {
    const amounts = USAGE_FIELDS.map((field) => sums[field]);
    const key = [quarterOf(row.at), row.session ?? "", row.app, row.model, row.cwd, wayOf(row), Number(sums.costUsd !== null)];
    upsert.run(...key, requests, ...amounts);
  };
}

/** `bounds`: the slices' ends in milliseconds since 1970, the beginning of the first one before them. */
export function readUsage(database: DatabaseSync, bounds: readonly number[]): UsageFound {
  const sums = COLUMNS.map((name, index) => `sum(${name}) AS ${USAGE_FIELDS[index]}`).join(", ");
  const query = database.prepare(
    `SELECT ?1 AS slice, session, app, model, cwd, way, sum(requests) AS requests, ${sums} FROM usage
     WHERE quarter >= ?2 AND quarter < ?3 GROUP BY session, app, model, cwd, way, is_priced`,
  );
  const ends = bounds.map((at) => Math.ceil(at / QUARTER_MS));
  const rows = ends.slice(1).flatMap((end, slice) => query.all(slice, slice === 0 ? quarterOf(bounds[0] ?? 0) : (ends[slice] ?? 0), end));
  const silent = database
    .prepare(
      `SELECT app, count(*) AS sessions FROM sessions WHERE last_at >= ?1 AND first_at < ?2 AND app <> ''
       AND NOT EXISTS (SELECT 1 FROM usage WHERE usage.session = sessions.id) GROUP BY app ORDER BY 2 DESC`,
    )
    .all(bounds[0] ?? 0, bounds.at(-1) ?? 0);
  return { rows: rows as unknown as UsageRow[], silent: silent as unknown as UsageFound["silent"] };
}

/** `before`: events of earlier times are not kept. */
export function forgetUsage(database: DatabaseSync, before: number | undefined, now: number): void {
  const oldest = before === undefined ? quarterOf(now) - KEPT_QUARTERS : quarterOf(before);
  database.prepare("DELETE FROM usage WHERE quarter < ?").run(oldest);
}

function quarterOf(at: number): number {
  return Math.floor(at / QUARTER_MS);
}

function wayOf({ event }: Row): UsageRow["way"] {
  return event.startsWith("llm:") ? "request" : "turn";
}
