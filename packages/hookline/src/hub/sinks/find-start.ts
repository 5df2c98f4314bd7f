import type { Store } from "../store/store.js";

export type FeedStore = Pick<Store, "after" | "cursor" | "setCursor" | "lastPlace">;

export interface Start {
  /** After this place it goes on. */
  readonly place: number;
  /** It was there before, and this is where it had got to. */
  readonly isSaved: boolean;
  /** The newest event there is. */
  readonly latest: number;
}

/**
 * Where a sink begins: where it left off or, if it is new, after the newest event or before the oldest. All is asked at once, and the store
 * answers in order, so that whatever is appended after this call comes after the place.
 */
export async function findStart(store: FeedStore, key: string, from: "start" | "end"): Promise<Start> {
  const [saved, latest, [oldest]] = await Promise.all([store.cursor(key), store.lastPlace(), store.after(0, {}, 1)]);
  if (saved !== undefined) return { place: saved, isSaved: true, latest };
  const place = from === "start" && oldest !== undefined ? oldest.place - 1 : latest;
  return { place, isSaved: false, latest };
}
