import type { TimelineSpan as Span } from "../../api/answers.js";
import { VerdictMark } from "../../parts/verdict.js";
import { durationText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import type { SpanRow, TimeRange } from "./span-tree.js";

interface SpanLineProps {
  readonly row: SpanRow;
  readonly range: TimeRange;
  readonly isChosen: boolean;
  readonly onChoose: (eventId: string) => void;
}

const DEEPEST = 12;
const SHOWN_GATE_MS = 1;

/** A span: its name by its depth, its bar by its time; the time at gates stands apart at the bar's beginning. */
export function SpanLine({ row: { span, depth }, range, isChosen, onChoose }: SpanLineProps) {
  const { kind, name, startAt, endAt, verdict = "", status, gateMs = 0, eventId } = span;
  return (
    <button type="button" class="span-line" aria-current={isChosen ? "true" : undefined} onClick={() => onChoose(eventId)}>
      <span class="span-name" style={{ paddingInlineStart: `${Math.min(depth, DEEPEST) * 14}px` }}>
        <span class="span-kind">{kind === "worker" ? "subagent" : kind}</span> <bdi>{inert(name)}</bdi>
      </span>
      <span class="span-track">{isMoment(span) ? <Moment span={span} range={range} /> : <Bar span={span} range={range} />}</span>
      <span class="span-time mono">
        {endAt !== undefined ? durationText(endAt - startAt) : isMoment(span) ? "" : "running"}
        {verdict !== "" && verdict !== "pass" && <VerdictMark verdict={verdict} />}
        {gateMs >= SHOWN_GATE_MS && kind !== "gate" && <span class="dim">gate {durationText(gateMs)}</span>}
        {status !== undefined && status !== "ok" && verdict !== "deny" && <span class="dim"> {inert(status)}</span>}
      </span>
    </button>
  );
}

interface DrawnProps {
  readonly span: Span;
  readonly range: TimeRange;
}

function Bar({ span: { kind, startAt, endAt, verdict, gateMs = 0 }, range }: DrawnProps) {
  const length = (endAt ?? range.to) - startAt;
  const gateShare = Math.min(1, gateMs / Math.max(length, 0.001));
  return (
    <span
      class={`span-bar bar-${kind} ${verdict === "deny" ? "is-deny" : ""}`}
      style={{ left: percent(startAt - range.from, range), width: percent(length, range) }}
    >
      {gateMs > 0 && kind !== "gate" && <span class="bar-gate span-gate" style={{ width: `${gateShare * 100}%` }} />}
    </span>
  );
}

function Moment({ span: { kind, startAt }, range }: DrawnProps) {
  return <span class={`span-moment bar-${kind}`} style={{ left: percent(startAt - range.from, range) }} />;
}

/** Gates and single events have no end; what else has none goes on. */
function isMoment({ kind, endAt }: Span): boolean {
  return endAt === undefined && (kind === "gate" || kind === "other");
}

function percent(ms: number, { from, to }: TimeRange): string {
  return `${((ms / (to - from)) * 100).toFixed(3)}%`;
}
