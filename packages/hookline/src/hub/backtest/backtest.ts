import type { DatabaseSync } from "node:sqlite";
import { findEvent } from "@hookline/core";
import type { Rule } from "../../rules/rule.js";
import type { BacktestAnswer } from "../protocol.js";
import { openDatabase } from "../store/open-database.js";
import { createRests } from "./give-way.js";
import { readRecordedCall, saidByRules } from "./recorded-call.js";
import { createReport } from "./report.js";
import { createRuleTrial } from "./rule-trial.js";

export interface BacktestOptions {
  /** The file of the store. It is only read. */
  readonly store: string;
  readonly rules: readonly Rule[];
  /** Compares with what these rules say. Without it, with what the rules said when the call was made. */
  readonly before?: readonly Rule[];
  /** The names of the rules whose recorded answers count; all without it. */
  readonly names?: readonly string[];
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly until?: number;
  /** No more events than this, the newest. */
  readonly maxEvents?: number;
  /** How many examples of each kind of change. */
  readonly examples?: number;
  readonly onProgress?: (done: number, total: number) => void;
  /** Ends it early: the report then says that it is not complete. */
  readonly isStopped?: () => boolean;
}

/** Small, because nothing pauses while a page is read. */
const PAGE = 50;
const PROGRESS_EVENTS = 5_000;

/**
 * Sends the stored calls through rules, in the order of their times, and compares the answers. Reads the store page by page, and rests while a
 * hub writes to it: the hub is not held up.
 */
export function backtest(options: BacktestOptions): BacktestAnswer {
  const {
    rules,
    before,
    names,
    since,
    until = Number.MAX_SAFE_INTEGER,
    maxEvents,
    examples = 5,
    onProgress = () => {},
    isStopped = () => false,
  } = options;
  const isMeant = names === undefined ? () => true : (name: string) => names.includes(name);
  const database = openDatabase(options.store, { readOnly: true });
  const after = createRuleTrial(rules);
  const other = before === undefined ? undefined : createRuleTrial(before);
  try {
    const events = eventsIn(database).filter((event) => isGate(event) || after.needs(event) || other?.needs(event) === true);
    const range = { since: startOf(database, { events, since, maxEvents }), until };
    const total = countIn(database, events, range);
    const report = createReport(rules, examples);
    const isCall = (event: string): boolean => isGate(event) || after.covers(event) || other?.covers(event) === true;
    const rest = createRests(database);
    let done = 0;
    for (const body of bodiesIn(database, events, range)) {
      if (done % PROGRESS_EVENTS === 0) {
        onProgress(done, total);
        if (isStopped()) return report.answer({ isComplete: false, problems: after.problems, untried: after.untried });
      }
      done++;
      rest();
      const call = readRecordedCall(body);
      if (call === undefined) report.unreadable();
      else if (isCall(call.envelope.event))
        report.add(call, after, other?.judge(call) ?? { said: saidByRules(call.envelope.decision, isMeant), unsure: [] });
      else for (const trial of [after, other]) trial?.judge(call);
    }
    onProgress(done, done);
    return report.answer({ isComplete: true, problems: after.problems, untried: after.untried });
  } finally {
    after.close();
    other?.close();
    database.close();
  }
}

function isGate(event: string): boolean {
  return findEvent(event)?.spec.kind === "gate";
}

interface Range {
  readonly since: number;
  readonly until: number;
}

/** The names of all stored events: a step through the index for each. */
function eventsIn(database: DatabaseSync): string[] {
  const next = database.prepare("SELECT event FROM events WHERE event > ? ORDER BY event LIMIT 1");
  const names: string[] = [];
  for (let last = ""; ; ) {
    const found = next.get(last) as { readonly event: string } | undefined;
    if (found === undefined) return names;
    last = found.event;
    names.push(last);
  }
}

function oneOf(events: readonly string[]): string {
  return `event IN (${events.map(() => "?").join(", ")})`;
}

/** Later than `since` if there are too many events. */
export function startOf(
  database: DatabaseSync,
  { events, since, maxEvents }: { events: readonly string[]; since: number; maxEvents?: number | undefined },
): number {
  if (maxEvents === undefined) return since;
  const newest = database.prepare(
    `SELECT at FROM events INDEXED BY events_by_time WHERE ${oneOf(events)} AND at >= ? ORDER BY at DESC LIMIT 1 OFFSET ?`,
  );
  const found = newest.get(...events, since, maxEvents - 1) as { readonly at: number } | undefined;
  return found?.at ?? since;
}

const MINUTE_MS = 60_000;

/** From the counters, so about: minutes are counted whole, and retention does not touch them. */
function countIn(database: DatabaseSync, events: readonly string[], { since, until }: Range): number {
  const query = database.prepare(`SELECT total(count) AS count FROM counts WHERE ${oneOf(events)} AND minute >= ? AND minute <= ?`);
  const { count } = query.get(...events, Math.floor(since / MINUTE_MS), Math.floor(until / MINUTE_MS)) as { readonly count: number };
  return count;
}

/** Each page is a statement of its own: a snapshot that is held for a minute would make the writer's log grow. */
export function* bodiesIn(database: DatabaseSync, events: readonly string[], { since, until }: Range): Iterable<string> {
  const query = database.prepare(
    `SELECT at, place, body FROM events INDEXED BY events_by_time
     WHERE (at, place) > (?, ?) AND at < ? AND ${oneOf(events)} ORDER BY at, place LIMIT ${PAGE}`,
  );
  for (let from = { at: since - 1, place: Number.MAX_SAFE_INTEGER }; ; ) {
    const rows = query.all(from.at, from.place, until, ...events) as unknown as { at: number; place: number; body: string }[];
    for (const { body } of rows) yield body;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    from = last;
  }
}
