import { useEffect, useState } from "preact/hooks";
import type { PlacedEvent } from "../../api/answers.js";
import { hub } from "../../api/calls.js";
import { Button } from "../../parts/button.js";
import { Diff } from "../../parts/diff.js";
import { JsonTree } from "../../parts/json-tree.js";
import { isNarrow } from "../../parts/narrow.js";
import { RawJson } from "../../parts/raw-json.js";
import { Tabs } from "../../parts/tabs.js";
import { VerdictMark } from "../../parts/verdict.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { useLoaded } from "../../state/use-loaded.js";
import { summaryOf } from "../../text/event-summary.js";
import { jsonText } from "../../text/foreign.js";
import { inert } from "../../text/inert.js";
import { EventFacts } from "./event-facts.js";
import { Trail } from "./trail.js";

export interface EventDetailProps {
  readonly event: PlacedEvent;
  /** The hub has it, and may know the handlers that looked at it. */
  readonly isStored?: boolean;
  readonly onClose: () => void;
}

const NOT_STORED = Promise.resolve(undefined);

/** All that is known of one event. */
export function EventDetail({ event, isStored = false, onClose }: EventDetailProps) {
  const { decision, payload } = event;
  // Where it is all that is seen, it is the page's heading.
  const Heading = isNarrow.value ? "h1" : "h2";
  const trail = decision?.trail ?? [];
  const asked = decision?.asked;
  const tabs = [
    { id: "payload", label: "Payload" },
    ...(decision === undefined ? [] : [{ id: "trail", label: `Trail ${trail.length}` }]),
    ...(asked !== undefined ? [{ id: "changes", label: "Changes" }] : []),
    { id: "raw", label: "Raw" },
  ];
  const { data: stored } = useLoaded(() => (isStored ? hub.event(event.id) : NOT_STORED), `marks ${event.id}`);
  const about = inert(summaryOf(payload));
  const isRefused = decision?.verdict === "deny" || decision?.verdict === "ask";
  const [tab, setTab] = useState(asked !== undefined ? "changes" : isRefused ? "trail" : "payload");
  useShortcuts("Event", [
    ...tabs.map(({ id, label }, at) => ({
      keys: [String(at + 1)],
      label: `${label.replace(/ \d+$/, "")} of the event`,
      run: () => setTab(id),
    })),
    { keys: ["Escape"], label: "Close the event", run: onClose, isAlways: true },
  ]);
  return (
    <aside class="panel" aria-label="Event">
      <header class="panel-head">
        <Heading class="mono">{inert(event.event)}</Heading>
        <VerdictMark verdict={decision?.verdict ?? ""} isModified={decision?.modified === true} />
        <Button icon="close" kind="quiet" label="Close the event" onClick={onClose} />
      </header>
      {about !== "" && (
        <p class="panel-about mono">
          <bdi>{about}</bdi>
        </p>
      )}
      {decision?.reason !== undefined && (
        <p class={`said said-${decision.verdict}`}>
          <bdi>{inert(decision.reason)}</bdi>
          {decision.by !== undefined && <span class="dim"> — {inert(decision.by)}</span>}
        </p>
      )}
      <EventFacts event={event} stored={stored} />
      <div class="panel-bar">
        <Tabs tabs={tabs} current={tab} onChoose={setTab} label="Parts of the event" />
        <CopyButton text={() => jsonText(tab === "payload" ? payload : event, 2)} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div class="panel-body" role="tabpanel" aria-label={tab} tabIndex={0} onKeyDown={scrollHere}>
        {tab === "payload" && <JsonTree value={payload} />}
        {tab === "trail" && <Trail event={event} isStored={isStored} isClaimed={stored?.claimed === true} />}
        {tab === "changes" && <Diff before={asked} after={payload} label="What was rewritten" />}
        {tab === "raw" && <RawJson value={event} label="The envelope" />}
      </div>
    </aside>
  );
}

/** Arrows scroll what has the focus; the list beside it stays where it is. */
function scrollHere(event: KeyboardEvent): void {
  if (/^Arrow(Up|Down)$/.test(event.key)) event.stopPropagation();
}

const SHOWN_MS = 1_500;

function CopyButton({ text, label = "Copy" }: { readonly text: () => string; readonly label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed"),
    );
  };
  return (
    <Button icon={said === "Copied" ? "allow" : "copy"} kind="quiet" onClick={copy}>
      <span aria-live="polite">{said === "" ? label : said}</span>
    </Button>
  );
}
