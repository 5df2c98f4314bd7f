import { useMemo, useState } from "preact/hooks";
import type { SessionRow, TimelineSpan } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Empty } from "../../parts/empty.js";
import { isNarrow } from "../../parts/narrow.js";
import { SessionLink } from "../../parts/session-link.js";
import { TableBox } from "../../parts/table-box.js";
import { Trouble } from "../../parts/trouble.js";
import { useVirtual } from "../../parts/use-virtual.js";
import { VerdictMark } from "../../parts/verdict.js";
import { ViewHead } from "../../parts/view-head.js";
import { VirtualRows } from "../../parts/virtual-rows.js";
import { hrefOf } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { costText, countText, durationText, pluralText, shortCount } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { pairSpans, type SessionSums, type SpanPair, sumsOf } from "./paired-spans.js";

const HEIGHT = { wide: 26, narrow: 46 };
/** Gates and other moments differ in every run; what an agent did are its calls and subagents. */
const SHOWN_KINDS = new Set(["tool", "worker"]);

/** Two sessions side by side: their numbers, and what each did. */
export function Compare({ left, right }: { readonly left: string; readonly right: string }) {
  const { data, error } = useLoaded(() => loadBoth(left, right), `compare ${left} ${right}`);
  const [isOnlyDifferent, setOnlyDifferent] = useState(false);
  const pairs = useMemo(() => (data === undefined ? [] : pairSpans(data.spans[0], data.spans[1])), [data]);
  const shown = isOnlyDifferent ? pairs.filter(({ isSame }) => !isSame) : pairs;
  const differences = pairs.filter(({ isSame }) => !isSame).length;
  return (
    <section class="view">
      <ViewHead
        title="Compare"
        about={
          <>
            <a href={hrefOf("sessions")}>Sessions</a> / <SessionLink id={left} length={20} /> and <SessionLink id={right} length={20} />
          </>
        }
      >
        <label class="check">
          <input type="checkbox" checked={isOnlyDifferent} onChange={(event) => setOnlyDifferent(event.currentTarget.checked)} />
          Only differences
        </label>
        <a class="button button-plain" href={hrefOf("sessions", { session: right, with: left })}>
          Swap
        </a>
      </ViewHead>
      <Trouble error={error} />
      {data !== undefined && (
        <>
          <Numbers ids={[left, right]} rows={data.rows} sums={data.sums} />
          <p class="dim table-note">
            {differences === 0
              ? "Both did the same, in the same order."
              : `${pluralText(differences, "step")} of ${countText(pairs.length)} differ.`}
            {data.isCut && " A session is longer than what is compared here."}
          </p>
          <Steps pairs={shown} ids={[left, right]} />
        </>
      )}
      {data !== undefined && pairs.length === 0 && (
        <Empty icon="sessions" title="Nothing to compare">
          <p>Neither session has tool calls or subagents.</p>
        </Empty>
      )}
    </section>
  );
}

type Both<T> = readonly [left: T, right: T];

interface Loaded {
  readonly spans: Both<readonly TimelineSpan[]>;
  readonly sums: Both<SessionSums>;
  /** Of sessions that are not among the latest, only what their spans tell is known. */
  readonly rows: Both<SessionRow | undefined>;
  readonly isCut: boolean;
}

async function loadBoth(left: string, right: string): Promise<Loaded> {
  const [a, b, { sessions }] = await Promise.all([hub.timeline(left), hub.timeline(right), hub.sessions()]);
  const rowOf = (id: string): SessionRow | undefined => sessions.find((session) => session.id === id);
  const stepsOf = (spans: readonly TimelineSpan[]) => spans.filter(({ kind }) => SHOWN_KINDS.has(kind));
  return {
    spans: [stepsOf(a.spans), stepsOf(b.spans)],
    sums: [sumsOf(a.spans), sumsOf(b.spans)],
    rows: [rowOf(left), rowOf(right)],
    isCut: a.isCut || b.isCut,
  };
}

type Fact = readonly [label: string, textOf: (sums: SessionSums, row: SessionRow | undefined) => string];

const UNKNOWN = "–";
const FACTS: readonly Fact[] = [
  ["Agent", (_, row) => inert(row?.agent ?? row?.app ?? "") || UNKNOWN],
  ["Model", (_, row) => inert(row?.model ?? "") || UNKNOWN],
  ["Lasted", ({ lastedMs }) => durationText(lastedMs)],
  ["Tool calls", ({ calls }) => countText(calls)],
  ["Denied", ({ denied }) => countText(denied)],
  ["Asked", ({ asked }) => countText(asked)],
  ["Rewritten", ({ rewritten }) => countText(rewritten)],
  ["Failed", ({ failed }) => countText(failed)],
  ["Time in tools", ({ inToolsMs }) => durationText(inToolsMs)],
  ["Waited", ({ waitedMs }) => durationText(waitedMs)],
  ["Tokens in / out", (_, row) => (row?.inputTokens === undefined ? UNKNOWN : tokensOf(row))],
  ["Cost", (_, row) => (row?.costUsd === undefined ? UNKNOWN : costText(row.costUsd))],
];

function tokensOf({ inputTokens = 0, outputTokens = 0 }: SessionRow): string {
  return `${shortCount(inputTokens)} / ${shortCount(outputTokens)}`;
}

interface NumbersProps {
  readonly ids: Both<string>;
  readonly rows: Both<SessionRow | undefined>;
  readonly sums: Both<SessionSums>;
}

/** One row for each session: what differs stands below each other. */
function Numbers({ ids, rows, sums }: NumbersProps) {
  const cells = FACTS.map(([, textOf]) => [textOf(sums[0], rows[0]), textOf(sums[1], rows[1])] as const);
  return (
    <TableBox label="Both sessions in numbers">
      <thead>
        <tr>
          <th>Session</th>
          {FACTS.map(([label]) => (
            <th key={label}>{label}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ids.map((id, side) => (
          <tr key={side}>
            <th scope="row">
              <SessionLink id={id} length={20} />
            </th>
            {cells.map((both, at) => (
              <td key={FACTS[at]?.[0]} class={`brief ${both[0] === both[1] ? "dim" : "is-different"}`} title={both[side]}>
                {both[side]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}

const idOf = ({ left, right }: SpanPair): string => `${left?.id ?? ""} ${right?.id ?? ""}`;

function Steps({ pairs, ids }: { readonly pairs: readonly SpanPair[]; readonly ids: Both<string> }) {
  const virtual = useVirtual({ count: pairs.length, rowHeight: isNarrow.value ? HEIGHT.narrow : HEIGHT.wide });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="feed pairs" ref={virtual.scroller} tabIndex={0} aria-label="What both sessions did, side by side">
      <VirtualRows
        rows={pairs}
        virtual={virtual}
        idOf={idOf}
        draw={({ left, right, isSame }) => (
          <div class={`pair ${isSame ? "" : "is-different"}`}>
            <Step span={left} session={ids[0]} other={right} />
            <Step span={right} session={ids[1]} other={left} />
          </div>
        )}
      />
    </section>
  );
}

interface StepProps {
  readonly span: TimelineSpan | undefined;
  readonly session: string;
  readonly other: TimelineSpan | undefined;
}

function Step({ span, session, other }: StepProps) {
  if (span === undefined) return <span class="pair-none dim">{other === undefined ? "" : "not here"}</span>;
  const { name, detail = "", verdict = "", asked, startAt, endAt, eventId } = span;
  const text = `${inert(name)} ${inert(detail)}`.trim();
  return (
    <span class="pair-step">
      <a href={hrefOf("sessions", { session, id: eventId })} title={asked === undefined ? text : `${text}, instead of ${inert(asked)}`}>
        <bdi>{inert(name)}</bdi> <bdi class="span-detail">{inert(detail)}</bdi>
      </a>
      <VerdictMark verdict={verdict === "pass" ? "" : verdict} isModified={asked !== undefined} />
      <span class="dim mono">{endAt === undefined ? "" : durationText(endAt - startAt)}</span>
    </span>
  );
}
