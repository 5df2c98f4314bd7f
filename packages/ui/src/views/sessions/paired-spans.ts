import { diffLines } from "../../../../core/src/text/line-diff.js";
import type { TimelineSpan as Span } from "../../api/answers.js";

/** A line of two sessions side by side. One side is missing where only the other session has the step. */
export interface SpanPair {
  readonly left?: Span;
  readonly right?: Span;
  /** Both did the same, and it was decided alike. */
  readonly isSame: boolean;
}

/** The steps of two sessions beside each other, along what they have in common. What one has instead of the other's stands in one line. */
export function pairSpans(left: readonly Span[], right: readonly Span[]): readonly SpanPair[] {
  const pairs: SpanPair[] = [];
  const gone: Span[] = [];
  const fresh: Span[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(gone.length, fresh.length); at++)
      pairs.push({ ...sided("left", gone[at]), ...sided("right", fresh[at]), isSame: false });
    gone.length = 0;
    fresh.length = 0;
  };
  let [a, b] = [0, 0];
  for (const { kind } of diffLines(left.map(textOf), right.map(textOf))) {
    const [old, next] = [left[a], right[b]];
    if (kind !== "new") a++;
    if (kind !== "gone") b++;
    if (kind === "gone" && old !== undefined) gone.push(old);
    else if (kind === "new" && next !== undefined) fresh.push(next);
    else if (old !== undefined && next !== undefined) {
      flush();
      pairs.push({ left: old, right: next, isSame: true });
    }
  }
  flush();
  return pairs;
}

function sided(side: "left" | "right", span: Span | undefined): { readonly left?: Span; readonly right?: Span } {
  return span === undefined ? {} : { [side]: span };
}

/** What a step is, without its time: two runs of one task never take the same. */
function textOf({ kind, name, detail = "", verdict, status = "" }: Span): string {
  return [kind, name, detail, verdict === "deny" ? "deny" : "", status === "ok" ? "" : status].join(" ").replaceAll("\n", " ");
}

/** What a session did, in numbers. */
export interface SessionSums {
  readonly calls: number;
  readonly denied: number;
  readonly asked: number;
  readonly rewritten: number;
  readonly failed: number;
  readonly lastedMs: number;
  readonly inToolsMs: number;
  readonly waitedMs: number;
}

export function sumsOf(spans: readonly Span[]): SessionSums {
  const tools = spans.filter(({ kind }) => kind === "tool");
  const sum = (value: (span: Span) => number): number => tools.reduce((total, span) => total + value(span), 0);
  const starts = spans.map(({ startAt }) => startAt);
  const ends = spans.map(({ startAt, endAt = startAt }) => endAt);
  return {
    calls: tools.length,
    denied: tools.filter(({ verdict }) => verdict === "deny").length,
    asked: tools.filter(({ waitMs = 0 }) => waitMs > 0).length,
    rewritten: tools.filter(({ asked }) => asked !== undefined).length,
    failed: tools.filter(({ status }) => status === "error" || status === "failed").length,
    lastedMs: spans.length === 0 ? 0 : reduceMost(ends, Math.max) - reduceMost(starts, Math.min),
    inToolsMs: sum(({ startAt, endAt = startAt, gateMs = 0, waitMs = 0 }) => Math.max(0, endAt - startAt - gateMs - waitMs)),
    waitedMs: sum(({ waitMs = 0 }) => waitMs),
  };
}

/** Not spread into a call: there may be ten thousand. */
function reduceMost(values: readonly number[], pick: (a: number, b: number) => number): number {
  return values.reduce((most, value) => pick(most, value), values[0] ?? 0);
}
