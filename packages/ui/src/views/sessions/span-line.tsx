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
const SHOWN_MS = 1;

/** A span: its name by its depth, its bar by its time; the time at gates and for a person stands apart at the bar's beginning. */
export const SpanLine = memo(({ row: { span, depth, isOver }, range, isChosen, onChoose }: SpanLineProps) => {
  const { kind, name, detail = "", asked, eventId } = span;
  const [shownKind, shownName, shownDetail] = [kind === "worker" ? "subagent" : kind, inert(name), inert(detail)];
  const before = asked === undefined ? "" : `, instead of ${inert(asked)}`;
  return (
    <button type="button" class="span-line" aria-current={isChosen ? "true" : undefined} onClick={() => onChoose(eventId)}>
      <span
        class="span-name"
        style={{ paddingInlineStart: `${Math.min(depth, DEEPEST) * 14}px` }}
        title={`${shownKind} ${shownName} ${shownDetail}${before}`.trim()}
      >
        <span class="span-kind">{shownKind}</span> <bdi>{shownName}</bdi> {detail !== "" && <bdi class="span-detail">{shownDetail}</bdi>}
        {asked !== undefined && <Original text={asked} />}
      </span>
      <span class="span-track">
        <Drawn span={span} range={range} />
      </span>
      <Facts span={span} isOver={isOver} />
    </button>
  );
});

/** What the agent had asked for, after what it was rewritten to. */
function Original({ text }: { readonly text: string }) {
  return (
    <span class="span-detail span-asked">
      <span class="span-rewritten"> rewritten from </span>
      <del>
        <bdi>{inert(text)}</bdi>
      </del>
    </span>
  );
}

/** How long it took, what was decided, how much of it was waiting for a person or at gates, and how it ended if not well. */
function Facts({ span, isOver }: Pick<SpanRow, "span" | "isOver">) {
  const { kind, startAt, endAt, verdict = "", status = "ok", gateMs = 0, waitMs = 0, damaged } = span;
  const lasted = endAt !== undefined ? durationText(endAt - startAt) : isMoment(span) ? "" : isOver ? "no end" : "running";
  const decided = verdict === "pass" ? "" : verdict;
  const gate = gateMs >= SHOWN_MS && kind !== "gate" ? `gate ${durationText(gateMs)}` : "";
  const waited = waitMs >= SHOWN_MS ? `waited ${durationText(waitMs)}` : "";
  const ended = damaged === true ? "damaged" : status === "ok" || verdict === "deny" ? "" : inert(status);
  return (
    <span class="span-time mono" title={[lasted, decided, waited, gate, ended].filter((part) => part !== "").join(" · ")}>
      {lasted !== "" && <span class="span-lasted">{lasted}</span>}
      <VerdictMark verdict={decided} />
      {waited + gate !== "" && <span class="dim span-waited">{waited || gate}</span>}
      {ended !== "" && <span class="dim span-ended">{ended}</span>}
    </span>
  );
}

interface DrawnProps {
  readonly span: Span;
  readonly range: TimeRange;
}

function Drawn({ span, range }: DrawnProps) {
  const { startAt, endAt = isMoment(span) ? startAt : range.to } = span;
  if (endAt < range.from) return <span class="span-away">← earlier</span>;
  if (startAt > range.to) return <span class="span-away is-later">later →</span>;
  return isMoment(span) ? <Moment span={span} range={range} /> : <Bar span={span} range={range} />;
}

function Bar({ span: { kind, startAt, endAt, verdict, gateMs = 0, waitMs = 0 }, range }: DrawnProps) {
  const length = Math.max((endAt ?? range.to) - startAt, 0.001);
  const gate = Math.min(1, gateMs / length);
  const wait = Math.min(1 - gate, waitMs / length);
  return (
    <span
      class={`span-bar bar-${kind} ${verdict === "deny" ? "is-deny" : ""}`}
      style={{ left: percent(startAt - range.from, range), width: percent(length, range) }}
    >
      {gate > 0 && <span class="bar-gate" style={{ width: `${gate * 100}%` }} />}
      {wait > 0 && <span class="bar-person" style={{ width: `${wait * 100}%` }} />}
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
