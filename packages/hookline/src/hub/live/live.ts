import type { Arrival, Live } from "../parts.js";
import { charsOf, type EventFilter } from "../store/store.js";
import { createEventMatcher, filterKey } from "./event-matcher.js";
import { searchSlices } from "./time-slices.js";

interface Watcher {
  readonly tell: (arrivals: readonly Arrival[]) => void;
  readonly onBehind: (() => void) | undefined;
}

/** All watchers with the same filter. */
interface Group {
  readonly matches: ((arrival: Arrival) => boolean) | undefined;
  readonly isForText: boolean;
  readonly watchers: Set<Watcher>;
}

/** How much may wait to be searched for text … */
const MAX_BEHIND_CHARS = 32 * 1024 * 1024;
/** … where so many searches of an event, once it is folded, take as long as to fold it. */
const SEARCHES_PER_FOLD = 32;

/**
 * Tells watchers what was stored. Watchers with the same filter get the same list, so work on it is done once. Watchers
 * for text are told a little later: each event is searched once for all of them, while the hub is idle.
 */
export function createLive(maxBehindChars = MAX_BEHIND_CHARS): Live {
  const groups = new Map<string, Group>();
  let watchers = 0;
  let behindChars = 0;

  function groupOf(key: string, filter: EventFilter): Group {
    const group = groups.get(key) ?? { matches: createEventMatcher(filter), isForText: filter.text !== undefined, watchers: new Set() };
    groups.set(key, group);
    return group;
  }

  function search(arrivals: readonly Arrival[], searching: readonly Group[]): void {
    if (behindChars > maxBehindChars) return searching.forEach(giveUp);
    const chars = charsOf(arrivals) * (1 + searching.length / SEARCHES_PER_FOLD);
    behindChars += chars;
    void searchSlices.run(searchEach(arrivals, searching)).finally(() => {
      behindChars -= chars;
    });
  }

  return {
    publish(arrivals) {
      const searching: Group[] = [];
      for (const group of groups.values()) {
        if (group.isForText) searching.push(group);
        else tellAll(group, group.matches === undefined ? arrivals : arrivals.filter(group.matches));
      }
      if (searching.length > 0) search(arrivals, searching);
    },
    watch(filter, tell, onBehind) {
      const key = filterKey(filter);
      const group = groupOf(key, filter);
      const watcher = { tell, onBehind };
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

/** One event for one group at a time: the first of them folds it for the others. */
function* searchEach(arrivals: readonly Arrival[], groups: readonly Group[]): Iterable<void> {
  const found = groups.map((): Arrival[] => []);
  for (const arrival of arrivals) {
    for (const [index, { matches, watchers }] of groups.entries()) {
      if (watchers.size === 0) continue;
      if (matches === undefined || matches(arrival)) found[index]?.push(arrival);
      yield;
    }
  }
  for (const [index, group] of groups.entries()) tellAll(group, found[index] as Arrival[]);
}

function tellAll({ watchers }: Group, arrivals: readonly Arrival[]): void {
  if (arrivals.length > 0) for (const { tell } of watchers) callSafely(() => tell(arrivals));
}

function giveUp({ watchers }: Group): void {
  for (const { onBehind } of watchers) callSafely(() => onBehind?.());
}

// A watcher that fails is its own trouble: neither the commit nor the others hear of it.
function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
