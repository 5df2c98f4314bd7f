import { useEffect, useMemo, useState } from "preact/hooks";
import { hub } from "../../api/calls.js";
import { Empty } from "../../parts/empty.js";
import { ExportMenu } from "../../parts/export-menu.js";
import { isNarrow } from "../../parts/narrow.js";
import { Clock } from "../../parts/time.js";
import { Trouble } from "../../parts/trouble.js";
import { ViewHead } from "../../parts/view-head.js";
import { hrefOf, params } from "../../state/location.js";
import { useLoaded } from "../../state/use-loaded.js";
import { durationText, pluralText } from "../../text/amounts.js";
import { inert } from "../../text/inert.js";
import { chooseEvent } from "../event/choose-event.js";
import { EventPanel } from "../event/event-panel.js";
import { rangeOf, type TimeRange, toRows } from "./span-tree.js";
import { SteerPanel } from "./steer-panel.js";
import { Waterfall } from "./waterfall.js";
import { ZoomButtons } from "./zoom-buttons.js";

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
          <ZoomButtons range={range} whole={whole} onZoom={setZoom} />
          <ExportMenu query={new URLSearchParams({ session }).toString()} />
        </ViewHead>
        <Trouble error={error} />
        <SteerPanel session={session} />
        {data !== undefined && spans.length === 0 ? (
          <Empty icon="sessions" title="Nothing to draw">
            <p>The hub knows no turns, tool calls or subagents of this session.</p>
          </Empty>
        ) : (
          <Waterfall rows={rows} range={range} origin={whole.from} chosen={chosen} onChoose={chooseEvent} onZoom={setZoom} />
        )}
      </section>
      {chosen !== undefined && <EventPanel id={chosen} onClose={() => chooseEvent(undefined)} />}
    </div>
  );
}
