import type { Arrival, Live } from "../parts.js";
import type { EventFilter } from "../store/store.js";
import { createEventMatcher } from "./event-matcher.js";
import { filterKey } from "./filter-key.js";

type Watcher = (arrivals: readonly Arrival[]) => void;

/** Everybody who watches with the same filter. */
interface Group {
  readonly matches: ((arrival: Arrival) => boolean) | undefined;
  readonly watchers: Set<{ readonly tell: Watcher }>;
}

/** Tells watchers what was stored. Those with the same filter get the very same list, so that what is made of it can be made once. */
export function createLive(): Live {
  const groups = new Map<string, Group>();
  let watchers = 0;

  function groupOf(key: string, filter: EventFilter): Group {
    const group = groups.get(key) ?? { matches: createEventMatcher(filter), watchers: new Set() };
    groups.set(key, group);
    return group;
  }

  return {
    publish(arrivals) {
      for (const { matches, watchers: own } of groups.values()) {
        const wanted = matches === undefined ? arrivals : arrivals.filter(matches);
        if (wanted.length > 0) for (const watcher of own) tellSafely(watcher.tell, wanted);
      }
    },
    watch(filter, onArrivals) {
      const key = filterKey(filter);
      const group = groupOf(key, filter);
      const watcher = { tell: onArrivals };
      group.watchers.add(watcher);
      watchers++;
      return () => {
        if (!group.watchers.delete(watcher)) return;
        watchers--;
        if (group.watchers.size === 0 && groups.get(key) === group) groups.delete(key);
      };
    },
    get watchers() {
      return watchers;
    },
  };
}

// A watcher that fails is its own trouble: neither the commit nor the others hear of it.
function tellSafely(tell: Watcher, arrivals: readonly Arrival[]): void {
  try {
    tell(arrivals);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
