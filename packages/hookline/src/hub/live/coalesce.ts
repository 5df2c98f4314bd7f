import type { Arrival, Live } from "../parts.js";
import { filterKey } from "./event-matcher.js";
import { largeFrame } from "./sse-frames.js";
import { timeSlices } from "./time-slices.js";

interface Watcher {
  readonly tell: (arrivals: readonly Arrival[]) => void;
  readonly onBehind: (() => void) | undefined;
}

interface Feed {
  waiting: (readonly Arrival[])[];
  readonly watchers: Set<Watcher>;
  readonly stop: () => void;
}

/**
 * Watching at a calmer pace: what is stored within a few milliseconds is told as one list, the same for all with the same filter. At 1,000
 * single appends a second, 100 streams are written to 50 times a second each, and not 1,000 times. After a silence nothing waits.
 */
export function coalesce(live: Pick<Live, "watch">, windowMs: number): Pick<Live, "watch"> {
  const feeds = new Map<string, Feed>();
  let lastFlush = 0;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    const waitMs = lastFlush + windowMs - performance.now();
    if (waitMs <= 0) void flush();
    else setTimeout(flush, waitMs);
  }

  async function flush(): Promise<void> {
    lastFlush = performance.now();
    await timeSlices.run(tellFeeds(feeds)).catch(warn);
    isScheduled = false;
    if ([...feeds.values()].some(({ waiting }) => waiting.length > 0)) schedule();
  }

  function feedOf(key: string, filter: Parameters<Live["watch"]>[0]): Feed {
    const known = feeds.get(key);
    if (known !== undefined) return known;
    const stop = live.watch(
      filter,
      (arrivals) => {
        feed.waiting.push(arrivals);
        schedule();
      },
      () => {
        for (const { onBehind } of feed.watchers) onBehind?.();
      },
    );
    const feed: Feed = { waiting: [], watchers: new Set(), stop };
    feeds.set(key, feed);
    return feed;
  }

  return {
    watch(filter, tell, onBehind) {
      const key = filterKey(filter);
      const feed = feedOf(key, filter);
      const watcher = { tell, onBehind };
      feed.watchers.add(watcher);
      return () => {
        if (!feed.watchers.delete(watcher) || feed.watchers.size > 0) return;
        feeds.delete(key);
        feed.stop();
      };
    },
  };
}

/** One watcher at a time: to hand megabytes to hundreds of sockets takes its time, too. */
function* tellFeeds(feeds: ReadonlyMap<string, Feed>): Iterable<void> {
  for (const feed of feeds.values()) {
    const lists = feed.waiting;
    feed.waiting = [];
    const [first] = lists;
    if (first === undefined) continue;
    const arrivals = lists.length === 1 ? first : lists.flat();
    for (const arrival of arrivals) if (largeFrame(arrival) !== undefined) yield;
    for (const { tell } of feed.watchers) {
      tell(arrivals);
      yield;
    }
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
