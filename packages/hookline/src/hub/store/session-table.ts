import type { DatabaseSync } from "node:sqlite";
import type { SessionRow } from "../protocol.js";
import type { Row, RowUsage } from "./row.js";
import type { Cell } from "./tally.js";

// The table of sessions: what a batch adds to a session, how that is written, and how a session is read. `schema.ts` has its columns.

const AMOUNTS = ["inputTokens", "outputTokens", "costUsd"] as const;

type Usage = { -readonly [field in (typeof AMOUNTS)[number]]: RowUsage[field] };

/** What a batch adds to a session. */
export interface SessionTally extends Cell {
  /** Empty where no event has said it yet. */
  app: string;
  instance: string;
  firstAt: number;
  agent: string | null;
  parent: string | null;
  host: string | null;
  /** The latest model, and the first folder. */
  model: string | null;
  cwd: string | null;
  /** The first prompt. */
  title: string | null;
  readonly llm: Usage;
  readonly turn: Usage;
}

export function newSession({ at }: Row): SessionTally {
  const cell = { events: 0, denied: 0, asked: 0, lastAt: 0 };
  const unknown = { agent: null, parent: null, host: null, model: null, cwd: null, title: null };
  return { ...cell, ...unknown, app: "", instance: "", firstAt: at, llm: newUsage(), turn: newUsage() };
}

function newUsage(): Usage {
  return { inputTokens: null, outputTokens: null, costUsd: null };
}

/** Adds an event, except for what every cell counts. */
export function addToSession(session: SessionTally, row: Row): void {
  session.firstAt = Math.min(session.firstAt, row.at);
  session.app ||= row.sessionApp ?? "";
  session.instance = row.sessionInstance ?? session.instance;
  session.agent = row.agent ?? session.agent;
  session.parent ??= row.parent;
  session.host ??= row.host;
  session.model = row.model ?? session.model;
  session.cwd ??= row.cwd;
  session.title ??= row.title;
  if (row.usage === null) return;
  // An agent may report the same tokens by request and by turn.
  const sums = row.event.startsWith("llm:") ? session.llm : session.turn;
  for (const field of AMOUNTS) if (row.usage[field] !== null) sums[field] = (sums[field] ?? 0) + row.usage[field];
}

const USAGE = ["llm_in", "llm_out", "llm_cost", "turn_in", "turn_out", "turn_cost"];

export function createSessionWriter(database: DatabaseSync): (id: string, session: SessionTally) => void {
  const upsert = database.prepare(
    `INSERT INTO sessions (id, app, first_at, last_at, events, denied, asked, instance, agent, parent, host, model, cwd, title, ${USAGE.join(", ")})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
     first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at), events = events + excluded.events,
     denied = denied + excluded.denied, asked = asked + excluded.asked,
     app = CASE app WHEN '' THEN excluded.app ELSE app END,
     instance = CASE excluded.instance WHEN '' THEN instance ELSE excluded.instance END, agent = coalesce(excluded.agent, agent),
     parent = coalesce(parent, excluded.parent), host = coalesce(host, excluded.host),
     model = coalesce(excluded.model, model), cwd = coalesce(cwd, excluded.cwd), title = coalesce(title, excluded.title),
     ${USAGE.map((name) => `${name} = coalesce(${name} + excluded.${name}, ${name}, excluded.${name})`).join(", ")}`,
  );
  return (id, { app, firstAt, lastAt, events, denied, asked, instance, agent, parent, host, model, cwd, title, llm, turn }) => {
    const usage = [llm, turn].flatMap((sums) => AMOUNTS.map((field) => sums[field]));
    upsert.run(id, app, firstAt, lastAt, events, denied, asked, instance, agent, parent, host, model, cwd, title, ...usage);
  };
}

/** The tokens of requests; where the agent did not report them, those of turns. */
const COLUMNS = `id, app, instance AS source, agent, parent AS parentId, host, model, cwd, title, first_at AS firstAt, last_at AS lastAt, events, denied, asked,
  coalesce(llm_in, turn_in) AS inputTokens, coalesce(llm_out, turn_out) AS outputTokens, coalesce(llm_cost, turn_cost) AS costUsd`;

/** Which sessions: those that one session started, or those of a host of the fleet. */
export interface SessionChoice {
  readonly parent?: string;
  readonly host?: string;
  /** With an event from this time on, in milliseconds since 1970. */
  readonly since?: number;
  /** With an id that begins like this. */
  readonly begins?: string;
}

/** The sessions with the latest events, all or some of them. */
export function readSessions(database: DatabaseSync, limit: number, { parent, host, since, begins }: SessionChoice): SessionRow[] {
  const wanted = [
    ["parent = ?", parent],
    ["host = ?", host],
    ["last_at >= ?", since],
    ["id >= ?", begins],
    // No text comes after those that begin like this and before this one.
    ["id < ?", begins === undefined ? undefined : `${begins}\u{10ffff}`],
  ] as const;
  const given = wanted.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const where = given.length === 0 ? "" : `WHERE ${given.map(({ sql }) => sql).join(" AND ")}`;
  const values = given.map(({ value }) => value);
  const rows = database.prepare(`SELECT ${COLUMNS} FROM sessions ${where} ORDER BY last_at DESC LIMIT ?`).all(...values, limit);
  return rows.map(known);
}

export function readSession(database: DatabaseSync, id: string): SessionRow | undefined {
  const row = database.prepare(`SELECT ${COLUMNS} FROM sessions WHERE id = ?`).get(id);
  return row === undefined ? undefined : known(row);
}

/** Unknown fields are left out. */
function known(row: object): SessionRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as SessionRow;
}
