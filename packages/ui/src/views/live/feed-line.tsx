import { useRef } from "preact/hooks";
import { memo } from "../../parts/memo.js";
import { DamagedMark, ImportedMark } from "../../parts/record-mark.js";
import { Clock } from "../../parts/time.js";
import { VerdictMark } from "../../parts/verdict.js";
import type { FeedRow } from "../../state/feed-row.js";
import { countText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import type { ShownRow } from "./call-rows.js";

interface FeedLineProps {
  readonly row: FeedRow & Partial<Pick<ShownRow, "parts" | "isPart">>;
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
}

const ID_LENGTH = 12;

/** One event on one line: when, who, what, what was decided, what it is about. */
export const FeedLine = memo(({ row, isChosen, onChoose }: FeedLineProps) => {
  const pressed = useRef<string>(undefined);
  const {
    id,
    at,
    app,
    host,
    session,
    event,
    verdict,
    isModified,
    detail,
    why,
    count,
    isImported,
    isDamaged,
    parts = 0,
    isPart = false,
  } = row;
  return (
    <button
      type="button"
      class={`feed-line ${verdict === "deny" || verdict === "ask" ? `is-${verdict}` : ""} ${isPart ? "is-part" : ""}`}
      aria-current={isChosen ? "true" : undefined}
      onPointerDown={() => {
        pressed.current = id;
      }}
      // The button acts on the event it showed when it was pressed. Keys come without a press.
      onClick={({ detail: presses }) => onChoose(presses === 0 ? id : (pressed.current ?? id))}
    >
      <span class="feed-time mono dim">
        <Clock at={at} isShort />
      </span>
      <span class="feed-app">{app}</span>
      <span class="feed-session mono dim" title={inert(session)}>
        {session === "" ? "" : shortened(inert(session))}
      </span>
      <span class="feed-event">
        {parts > 0 ? "call" : event}
        {parts > 1 && <span class="count-mark">{pluralText(parts, "event")}</span>}
        {count > 1 && <span class="count-mark">×{countText(count)}</span>}
      </span>
      <span class="feed-verdict">
        {isDamaged ? <DamagedMark /> : isImported ? <ImportedMark /> : <VerdictMark verdict={verdict} isModified={isModified} />}
      </span>
      <span class="feed-detail">
        <span class="feed-from">{app}</span>
        {host !== "" && <span class="feed-host">{host}</span>}
        <bdi class="mono">{detail}</bdi>
        {why !== "" && <bdi class="feed-why">{why}</bdi>}
      </span>
    </button>
  );
});

/** Every command takes the beginning of an id. */
function shortened(id: string): string {
  return id.length <= ID_LENGTH ? id : `${id.slice(0, ID_LENGTH - 1)}…`;
}
