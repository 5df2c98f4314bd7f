import { useEffect, useMemo } from "preact/hooks";
import { Button } from "../../parts/button.js";
import { Command } from "../../parts/command.js";
import { DemoButton } from "../../parts/demo-button.js";
import { Empty } from "../../parts/empty.js";
import { isNarrow } from "../../parts/narrow.js";
import { Trouble } from "../../parts/trouble.js";
import { isAway } from "../../state/connection.js";
import { type Feed, openFeed } from "../../state/feed.js";
import { filter, filterQuery, isFiltered, setFilter } from "../../state/filter.js";
import { filterLine, parseFilter } from "../../state/filter-line.js";
import { params } from "../../state/location.js";
import { order } from "../../state/settings.js";
import { chooseEvent } from "../event/choose-event.js";
import { EventPanel } from "../event/event-panel.js";
import { FeedList } from "./feed-list.js";
import { isByCall } from "./is-by-call.js";
import { LiveHead } from "./live-head.js";

/** All events as they come, and one of them in full. */
export function LiveView() {
  const query = filterQuery.value;
  const feed = useMemo(() => openFeed(query), [query]);
  useEffect(() => () => feed.close(), [feed]);
  const chosen = params.value.get("id") ?? undefined;
  return (
    <div class={`split ${chosen === undefined ? "" : "is-split"}`}>
      <section class="view" hidden={isNarrow.value && chosen !== undefined}>
        <LiveHead feed={feed} />
        <Trouble error={isSaid(feed) ? undefined : feed.error.value} />
        <Rows feed={feed} chosen={chosen} />
      </section>
      {chosen !== undefined && <EventPanel id={chosen} onClose={() => chooseEvent(undefined)} />}
    </div>
  );
}

/** That the hub is away, the page says already. */
function isSaid({ error, rows }: Feed): boolean {
  return isAway.value && error.value?.status === 0 && rows.value.length > 0;
}

/** What is drawn again whenever something comes: nothing else is. */
function Rows({ feed, chosen }: { readonly feed: Feed; readonly chosen: string | undefined }) {
  const rows = feed.rows.value;
  if (rows.length === 0 && !feed.isLoading.value && feed.error.value === undefined) return <NothingYet />;
  return (
    <FeedList
      rows={rows}
      isByCall={isByCall.value}
      order={order.value}
      chosen={chosen}
      onChoose={chooseEvent}
      hasOlder={feed.hasOlder.value}
      onOlder={feed.loadOlder}
    />
  );
}

function NothingYet() {
  if (isFiltered.value)
    return (
      <Empty icon="search" title="No event matches">
        <p>
          Nothing stored matches <code class="command">{filterLine(filter.value)}</code>. What comes and matches will appear here.
        </p>
        <Button onClick={() => setFilter(parseFilter(""))}>Clear the filter</Button>
      </Empty>
    );
  return (
    <Empty icon="live" title="No events yet">
      <p>
        Attach the agents of this machine: <Command>hookline start</Command>, or in your own agent call <Command>connectToHub(bus)</Command>
        .
      </p>
      <DemoButton />
    </Empty>
  );
}
