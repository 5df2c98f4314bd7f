import { useEffect, useMemo, useState } from "preact/hooks";
import { hub } from "../../api/calls.js";
import { Button } from "../../parts/button.js";
import { Empty } from "../../parts/empty.js";
import { ExportMenu } from "../../parts/export-menu.js";
import { isNarrow } from "../../parts/narrow.js";
import { Clock } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { hrefOf, params } from "../../state/location.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { useLoaded } from "../../state/use-loaded.js";
import { durationText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { chooseEvent } from "../event/choose-event.js";
import { EventPanel } from "../event/event-panel.js";
import { rangeOf, type TimeRange, toRows } from "./span-tree.js";
import { SteerPanel } from "./steer-panel.js";
import { Waterfall } from "./waterfall.js";

const EVERY_MS = 5_000;
/** A long one is a few megabytes each time. */
const LARGE = { spans: 2_000, everyMs: 30_000 };

/** One session, from its first event to its last. */
export function Timeline({ session }: { readonly session: string }) {
  const [isLarge, setLarge] = useState(false);
  const { data, error } = useLoaded(() => hub.timeline(session), `timeline ${session}`, isLarge ? LARGE.everyMs : EVERY_MS);
  const spans = data?.spans ?? [];
  useEffect(() => setLarge(spans.length > LARGE.spans), [spans.length]);
  const rows = useMemo(() => toRows(spans), [data]);
  const whole = useMemo(() => rangeOf(spans), [data]);
  const [zoom, setZoom] = useState<TimeRange>();
  const range = zoom ?? whole;
  const chosen = params.value.get("id") ?? undefined;
  return (
    <div class={`split ${chosen === undefined ? "" : "is-split"}`}>
      <section class="view" hidden={isNarrow.value && chosen !== undefined}>
        <ViewHead
          title="Timeline"
          about={
            <>
              <a href={hrefOf("sessions")}>Sessions</a> / <span class="mono">{inert(session)}</span>
              {spans.length > 0 && (
                <>
                  {" "}
                  · began <Clock at={whole.from} isShort /> · {pluralText(spans.length, "span")} in {durationText(whole.to - whole.from)}
                </>
              )}
              {data?.isCut === true && ", and there are more"}
            </>
          }
        >
          <a class="button button-plain" href={hrefOf("live", { session })}>
            Its events
          </a>
          <a class="button button-plain" href={hrefOf("sessions", { compare: session })}>
            Compare…
          </a>
          <ZoomButtons range={range} whole={whole} onZoom={setZoom} />
          <ExportMenu query={new URLSearchParams({ session }).toString()} />
        </ViewHead>
        <Trouble error={error} />
        <SteerPanel session={session} />
        {data !== undefined && spans.length === 0 ? (
          <Empty icon="sessions" title="Nothing to draw">
            <p>The hub has no turns, tool calls or subagents for this session.</p>
          </Empty>
        ) : (
          <Waterfall rows={rows} range={range} origin={whole.from} chosen={chosen} onChoose={chooseEvent} onZoom={setZoom} />
        )}
      </section>
      {chosen !== undefined && <EventPanel id={chosen} onClose={() => chooseEvent(undefined)} />}
    </div>
  );
}

interface ZoomProps {
  readonly range: TimeRange;
  readonly whole: TimeRange;
  readonly onZoom: (range: TimeRange | undefined) => void;
}

function ZoomButtons({ range, whole, onZoom }: ZoomProps) {
  const scale = (factor: number) => {
    const middle = (range.from + range.to) / 2;
    const half = Math.max(0.5, ((range.to - range.from) / 2) * factor);
    if (half * 2 >= whole.to - whole.from) onZoom(undefined);
    else onZoom({ from: middle - half, to: middle + half });
  };
  const move = (share: number) => {
    const by = (range.to - range.from) * share;
    onZoom({ from: range.from + by, to: range.to + by });
  };
  useShortcuts("Timeline", [
    { keys: ["+", "="], label: "Closer", run: () => scale(0.5) },
    { keys: ["-"], label: "Further away", run: () => scale(2) },
    { keys: ["0"], label: "All of it", run: () => onZoom(undefined) },
    { keys: ["h", "ArrowLeft"], label: "Earlier", run: () => move(-0.25) },
    { keys: ["l", "ArrowRight"], label: "Later", run: () => move(0.25) },
  ]);
  return (
    <fieldset class="button-group" aria-label="Zoom">
      <Button label="Closer" onClick={() => scale(0.5)}>
        +
      </Button>
      <Button label="Further away" onClick={() => scale(2)}>
        −
      </Button>
      <Button onClick={() => onZoom(undefined)}>All</Button>
    </fieldset>
  );
}
