import { COARSE_MS, coarseMonotonic, coarseTick, endOverdueReading, ref, unref, whenStale } from "./clock.js";

/**
 * All pending handler calls of the process in one list, swept by one timer that aims at the earliest deadline.
 * A `setTimeout` per call costs 410–630 ns; rewriting a record's deadline costs a few.
 */
export abstract class InFlight {
  deadline = 0;
  /** What the coarse clock showed when the deadline was counted from it; 0 when it was not. */
  countedFrom = 0;
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
/** The timer keeps the process alive. */
let isHeld = false;
let releases = 0;
/** Holding and releasing costs 75 ns a gate. In a burst of more gates than this within a tick, the tick releases: the process may live 0.1 s longer. */
const MAX_RELEASES = 50;
let sweepAt = Number.POSITIVE_INFINITY;

function watch(record: InFlight, deadline: number): void {
  record.deadline = deadline;
  if (!record.isWatched) link(record);
  if (deadline < sweepAt) schedule(deadline);
}

/** Timeouts of this many ms and more are counted from the coarse clock: never early, at most `COARSE_MS` late. */
export const COARSE_FROM_MS = 1_000;
/** How old the coarse clock may be while the event loop runs freely, and a timer's own inexactness. */
const COARSE_SLACK_MS = COARSE_MS + 2;

/** Watches a record for so long from now; 0 means no limit. */
export function watchFor(record: InFlight, timeoutMs: number): void {
  if (timeoutMs <= 0) return unwatch(record);
  const isCoarse = timeoutMs >= COARSE_FROM_MS;
  record.countedFrom = isCoarse ? coarseMonotonic() : 0;
  watch(record, isCoarse ? record.countedFrom + timeoutMs + COARSE_SLACK_MS : performance.now() + timeoutMs);
}

export function unwatch(record: InFlight): void {
  if (!record.isWatched) return;
  record.isWatched = false;
  if (record.before === null) head = record.after;
  else record.before.after = record.after;
  if (record.after !== null) record.after.before = record.before;
  record.before = record.after = null;
  if (!record.keepsAlive || --keepAlive > 0) return;
  if (releases++ < MAX_RELEASES) release();
  else coarseTick();
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
  if (record.keepsAlive && keepAlive++ === 0 && !isHeld) {
    isHeld = true;
    ref(timer);
  }
}

function release(): void {
  isHeld = false;
  unref(timer);
}

whenStale((readAt) => {
  releases = 0;
  if (isHeld && keepAlive === 0) release();
  postpone(readAt, performance.now() - readAt - COARSE_SLACK_MS);
});

/** The event loop was blocked and the coarse clock stood still: what was counted from it was counted from too early. */
function postpone(countedFrom: number, lateMs: number): void {
  if (lateMs <= 0) return;
  for (let record = head; record !== null; record = record.after) if (record.countedFrom === countedFrom) record.deadline += lateMs;
}

function schedule(deadline: number): void {
  clearTimeout(timer);
  sweepAt = deadline;
  const delay = Math.min(LONGEST_MS, Math.max(1, Math.ceil(deadline - performance.now())));
  timer = setTimeout(sweep, delay);
  if (!isHeld) unref(timer);
}

function sweep(): void {
  sweepAt = Number.POSITIVE_INFINITY;
  const now = performance.now();
  endOverdueReading(now);
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
