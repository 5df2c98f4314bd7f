import { bucketOf } from "@hookline/core/internal/text";
import { HandlerTally } from "./handler-tally.js";
import type { Row } from "./row.js";
import { addToSession, newSession, type SessionTally } from "./session-table.js";
import { addUsage, type UsageTally } from "./usage-table.js";

const MINUTE_MS = 60_000;
/** Names that only one event has must not make a second store of the rollup. */
const MAX_NAMES = 256;
const MAX_NAME = 200;
const OTHERS = "(others)";

/** What is counted by the minute, and under which names. */
export const ROLLUP_KINDS = ["app", "tool", "result", "rule", "latency"] as const;
export type RollupKind = (typeof ROLLUP_KINDS)[number];

/** The same, by the hour. */
export function byHour(kind: RollupKind): string {
  return `${kind}/hour`;
}

/** The minute in which its hour begins. */
export function hourOf(minute: number): number {
  return Math.floor(minute / 60) * 60;
}

export interface Cell {
  events: number;
  denied: number;
  asked: number;
  lastAt: number;
}

type Minute = { readonly [kind in RollupKind | "event"]: Map<string, Cell> } & { readonly handlers: HandlerTally };

/** What a batch adds to the rollups: one row per name and minute instead of one per event. */
export class Tally {
  readonly minutes = new Map<number, Minute>();
  readonly sessions = new Map<string, SessionTally>();
  readonly usage = new Map<string, UsageTally>();

  add(row: Row): void {
    const minute = known(this.minutes, Math.floor(row.at / MINUTE_MS), newMinute);
    count(known(minute.event, row.event, newCell), row);
    count(cellOf(minute.app, row.app), row);
    if (row.tool !== null) countCall(minute, row.tool, row);
    if (row.deniedBy !== null) cellOf(minute.rule, row.deniedBy).denied++;
    if (row.askedBy !== null) cellOf(minute.rule, row.askedBy).asked++;
    if (row.gateMs !== null) count(cellOf(minute.latency, String(bucketOf(row.gateMs))), row);
    if (row.steps !== null) minute.handlers.add(row.steps, row);
    if (row.session === null) return addUsage(this.usage, row);
    const session = known(this.sessions, row.session, () => newSession(row));
    count(session, row);
    addToSession(session, row);
    addUsage(this.usage, row, session);
  }
}

function count(cell: Cell, { at, verdict, isAsked }: Row): void {
  cell.events++;
  cell.lastAt = Math.max(cell.lastAt, at);
  if (verdict === "deny") cell.denied++;
  if (isAsked) cell.asked++;
}

/** A call is told of when it begins and when it has ended, or by one of the two alone. */
function countCall({ tool, result }: Minute, name: string, row: Row): void {
  if (row.event === "tool:before") count(cellOf(tool, name), row);
  else if (row.event === "tool:after") count(cellOf(result, name), row);
}

function cellOf(cells: Map<string, Cell>, name: string): Cell {
  const short = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
  return known(cells, cells.size >= MAX_NAMES && !cells.has(short) ? OTHERS : short, newCell);
}

function newMinute(): Minute {
  return {
    event: new Map(),
    app: new Map(),
    tool: new Map(),
    result: new Map(),
    rule: new Map(),
    latency: new Map(),
    handlers: new HandlerTally(),
  };
}

function newCell(): Cell {
  return { events: 0, denied: 0, asked: 0, lastAt: 0 };
}

function known<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
