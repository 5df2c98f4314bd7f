import type { Arrival, Live } from "../parts.js";
import { filterKey } from "./filter-key.js";

type Watcher = (arrivals: readonly Arrival[]) => void;

interface Feed {
  waiting: (readonly Arrival[])[];
  readonly watchers: Set<{ readonly tell: Watcher }>;
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
    if (waitMs <= 0) setImmediate(flush);
    else setTimeout(flush, waitMs);
  }

  function flush(): void {
    isScheduled = false;
    lastFlush = performance.now();
    for (const feed of feeds.values()) {
      const lists = feed.waiting;
      feed.waiting = [];
      const [first] = lists;
      if (first === undefined) continue;
      const arrivals = lists.length === 1 ? first : lists.flat();
      for (const { tell } of feed.watchers) tell(arrivals);
    }
  }

  function feedOf(key: string, filter: Parameters<Live["watch"]>[0]): Feed {
    const known = feeds.get(key);
    if (known !== undefined) return known;
    const stop = live.watch(filter, (arrivals) => {
      feed.waiting.push(arrivals);
      schedule();
    });
    const feed: Feed = { waiting: [], watchers: new Set(), stop };
    feeds.set(key, feed);
    return feed;
  }

  return {
    watch(filter, tell) {
      const key = filterKey(filter);
      const feed = feedOf(key, filter);
      const watcher = { tell };
      feed.watchers.add(watcher);
      return () => {
        if (!feed.watchers.delete(watcher) || feed.watchers.size > 0) return;
        feeds.delete(key);
        feed.stop();
      };
    },
  };
}
