import type { TimelineSpan as Span } from "../../api/answers.js";
import { memo } from "../../parts/memo.js";
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
export const SpanLine = memo(({ row: { span, depth }, range, isChosen, onChoose }: SpanLineProps) => {
  const { kind, name, detail = "", eventId } = span;
  const [shownKind, shownName, shownDetail] = [kind === "worker" ? "subagent" : kind, inert(name), inert(detail)];
  return (
    <button type="button" class="span-line" aria-current={isChosen ? "true" : undefined} onClick={() => onChoose(eventId)}>
      <span
        class="span-name"
        style={{ paddingInlineStart: `${Math.min(depth, DEEPEST) * 14}px` }}
        title={`${shownKind} ${shownName} ${shownDetail}`.trim()}
      >
        <span class="span-kind">{shownKind}</span> <bdi>{shownName}</bdi> {detail !== "" && <bdi class="span-detail">{shownDetail}</bdi>}
      </span>
      <span class="span-track">{isMoment(span) ? <Moment span={span} range={range} /> : <Bar span={span} range={range} />}</span>
      <Facts span={span} />
    </button>
  );
});

/** How long it took, what was decided, how much of it was waiting at gates, and how it ended if not well. */
function Facts({ span }: { readonly span: Span }) {
  const { kind, startAt, endAt, verdict = "", status = "ok", gateMs = 0 } = span;
  const lasted = endAt !== undefined ? durationText(endAt - startAt) : isMoment(span) ? "" : "running";
  const decided = verdict === "pass" ? "" : verdict;
  const waited = gateMs >= SHOWN_GATE_MS && kind !== "gate" ? `gate ${durationText(gateMs)}` : "";
  const ended = status === "ok" || verdict === "deny" ? "" : inert(status);
  return (
    <span class="span-time mono" title={[lasted, decided, waited, ended].filter((part) => part !== "").join(" · ")}>
      {lasted !== "" && <span class="span-lasted">{lasted}</span>}
      <VerdictMark verdict={decided} />
      {waited !== "" && <span class="dim span-waited">{waited}</span>}
      {ended !== "" && <span class="dim span-ended">{ended}</span>}
    </span>
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
