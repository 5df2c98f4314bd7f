import type { TimelineSpan as Span } from "../../api/answers.js";

/** A span with its depth below the session, in the order of a tree that is read from the top. */
export interface SpanRow {
  readonly span: Span;
  readonly depth: number;
  /** The session ended later: what has no end then will get none. */
  readonly isOver: boolean;
}

/** Children below their parents, by the time they began. What names a parent that is not there stands at the top. */
export function toRows(spans: readonly Span[]): readonly SpanRow[] {
  const known = new Set(spans.map(({ id }) => id));
  const children = new Map<string, Span[]>();
  for (const span of spans.toSorted((a, b) => a.startAt - b.startAt)) {
    const parent = span.parentId !== undefined && known.has(span.parentId) && span.parentId !== span.id ? span.parentId : "";
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [span]);
    else list.push(span);
  }
  const ends = (children.get("") ?? []).filter(({ name }) => name === "session:end");
  return walk(children, spans.length, ends.at(-1)?.startAt ?? Number.NEGATIVE_INFINITY);
}

/** Without recursion: a chain may be as deep as it is long. Spans that are their own ancestors are never reached. */
function walk(children: ReadonlyMap<string, readonly Span[]>, most: number, overAt: number): SpanRow[] {
  const rows: SpanRow[] = [];
  const waiting = rowsOf(children.get(""), 0, overAt);
  while (waiting.length > 0 && rows.length < most) {
    const row = waiting.pop();
    if (row === undefined) break;
    rows.push(row);
    waiting.push(...rowsOf(children.get(row.span.id), row.depth + 1, overAt));
  }
  return rows;
}

function rowsOf(spans: readonly Span[] | undefined, depth: number, overAt: number): SpanRow[] {
  return (spans ?? []).map((span) => ({ span, depth, isOver: span.startAt <= overAt })).reverse();
}

export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** From the first beginning to the last end. */
export function rangeOf(spans: readonly Span[]): TimeRange {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { startAt, waitMs = 0, endAt = startAt + waitMs } of spans) {
    from = Math.min(from, startAt);
    to = Math.max(to, endAt);
  }
  return Number.isFinite(from) ? { from, to: Math.max(to, from + 1) } : { from: 0, to: 1 };
}
