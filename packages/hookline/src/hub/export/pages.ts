import type { EventFilter, Store, StoredEvent, TimeFilter, TimePlace } from "../store/store.js";

export const PAGE = 200;

/** Stored events, page by page: never more than a page of them is in memory. */
export interface Pages {
  next(limit: number): Promise<readonly StoredEvent[]>;
  hasNext(): boolean;
  /** Whether the store has more than these pages give. */
  hasMore(): boolean;
}

type Pageable = Pick<Store, "page" | "inTime" | "after">;

/** By place, or those of sessions by their times. */
export function newestFirst(store: Pageable, filter: EventFilter | TimeFilter): Pages {
  return "sessions" in filter ? byTime(store, filter) : byPlace(store, filter);
}

function byPlace(store: Pageable, filter: EventFilter): Pages {
  let before: number | undefined;
  const hasNext = (): boolean => before !== undefined;
  return {
    async next(limit) {
      const { events, cursor } = await store.page(filter, { limit, ...(before !== undefined && { before }) });
      before = cursor;
      return events;
    },
    hasNext,
    hasMore: hasNext,
  };
}

function byTime(store: Pageable, filter: TimeFilter): Pages {
  let from: TimePlace | undefined;
  const hasNext = (): boolean => from !== undefined;
  return {
    async next(limit) {
      const { events, next } = await store.inTime(filter, { order: "newest", limit, from });
      from = next;
      return events;
    },
    hasNext,
    hasMore: hasNext,
  };
}

/** The newest `limit` of them, the oldest of these first. They are looked through twice: the first time only to find where to begin. */
export async function inReadingOrder(store: Pageable, filter: EventFilter | TimeFilter, limit: number): Promise<Pages> {
  const back = newestFirst(store, filter);
  let [count, newest] = [0, 0];
  let oldest: StoredEvent | undefined;
  do {
    const events = await back.next(Math.min(PAGE, limit - count));
    if (count === 0) newest = events[0]?.place ?? 0;
    count += events.length;
    oldest = events.at(-1) ?? oldest;
  } while (back.hasNext() && count < limit);
  const forth =
    oldest === undefined
      ? nothing()
      : "sessions" in filter
        ? fromTime(store, filter, oldest)
        : fromPlace(store, filter, [oldest.place, newest]);
  return { ...forth, hasMore: back.hasMore };
}

function nothing(): Omit<Pages, "hasMore"> {
  return { next: async () => [], hasNext: () => false };
}

/** Up to the newest that was there: what comes meanwhile is not part of it. */
function fromPlace(store: Pageable, filter: EventFilter, [first, last]: readonly [number, number]): Omit<Pages, "hasMore"> {
  let before = first - 1;
  return {
    async next(limit) {
      const events = (await store.after(before, filter, limit)).filter(({ place }) => place <= last);
      before = events.at(-1)?.place ?? last;
      return events;
    },
    hasNext: () => before < last,
  };
}

function fromTime(store: Pageable, filter: TimeFilter, { place, at = 0 }: StoredEvent): Omit<Pages, "hasMore"> {
  // By time and place, beginning after the place before.
  let from: TimePlace | undefined = { at, place: place - 1 };
  return {
    async next(limit) {
      const { events, next } = await store.inTime(filter, { order: "oldest", limit, from });
      from = next;
      return events;
    },
    hasNext: () => from !== undefined,
  };
}
