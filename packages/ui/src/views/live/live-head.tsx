import { Button } from "../../parts/button.js";
import { ExportMenu } from "../../parts/export-menu.js";
import { ViewHead } from "../../parts/view-head.js";
import type { Feed } from "../../state/feed.js";
import { filter, filterQuery, isFiltered } from "../../state/filter.js";
import { order, rowsOfLive } from "../../state/settings.js";
import { useShortcuts } from "../../state/shortcuts.js";
import { countText, pluralText } from "../../text/amounts.js";
import { exactText } from "../../text/times.js";
import { FilterBar } from "./filter-bar.js";
import { isByCall } from "./is-by-call.js";
import { matchesText } from "./matches-text.js";

interface FeedProps {
  readonly feed: Feed;
}

export function LiveHead({ feed }: FeedProps) {
  const isPaused = feed.isPaused.value;
  const toggle = () => feed.setPaused(!isPaused);
  const turn = () => {
    order.value = order.value === "newest" ? "tail" : "newest";
  };
  const turnRows = () => {
    rowsOfLive.value = rowsOfLive.value === "calls" ? "all" : "calls";
  };
  useShortcuts("Live", [
    { keys: ["e"], label: "One row for each call, or every event", run: turnRows },
    { keys: ["p", " "], label: "Pause or resume", run: toggle },
    { keys: ["o"], label: "Order: newest first, or last", run: turn },
  ]);
  return (
    <>
      <ViewHead title="Live" about={<Counts feed={feed} />}>
        <Button icon={isPaused ? "play" : "pause"} isPressed={isPaused} keyHint="p" onClick={toggle}>
          {isPaused ? "Resume" : "Pause"}
        </Button>
        <Button onClick={turn} title="Where new events appear" keyHint="o">
          {order.value === "newest" ? "Order: newest first" : "Order: newest last"}
        </Button>
        {filter.value.event.length === 0 && (
          <Button onClick={turnRows} title="One row for each call, or every event" keyHint="e" isPressed={!isByCall.value}>
            Every event
          </Button>
        )}
        <ExportMenu query={filterQuery.value} />
      </ViewHead>
      <FilterBar />
      <NotSearched feed={feed} />
      {isPaused && (
        <button type="button" class="held" onClick={toggle}>
          Paused. <Held feed={feed} /> since. Click to resume.
        </button>
      )}
    </>
  );
}

/** New events are searched as they come: only stored ones can be missing. */
function NotSearched({ feed }: FeedProps) {
  const left = feed.unsearched.value;
  if (left === undefined) return null;
  const until = left.until === undefined ? "" : ` Complete up to ${exactText(Date.parse(left.until))}.`;
  return (
    <p class="dim" role="status">
      {`The latest ${pluralText(left.count, "stored event")} cannot be found by words yet: more arrive than are indexed.${until}`}
    </p>
  );
}

function Counts({ feed }: FeedProps) {
  return (
    <>
      {isFiltered.value && <Found feed={feed} />} <Received feed={feed} />
    </>
  );
}

/** Counts change many times a second: each is drawn alone. */
function Found({ feed }: FeedProps) {
  const count = feed.rows.value.reduce((sum, row) => sum + row.count, 0);
  if (count === 0) return null;
  return <span>{matchesText(count, feed.hasOlder.value)}</span>;
}

function Received({ feed }: FeedProps) {
  const count = feed.received.value;
  return count === 0 ? null : (
    <span class="feed-count" title="Since you opened this view">
      {countText(count)} new
    </span>
  );
}

function Held({ feed }: FeedProps) {
  return <>{pluralText(feed.held.value, "new event")}</>;
}
