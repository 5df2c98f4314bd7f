import type { Store } from "../store/store.js";

const SAVE_EVERY_MS = 1_000;

/** How far a sink has got, kept in the store. What a crash takes back of it is sent again, under the same ids. */
export class SinkPosition {
  #place: number;
  #saved: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  readonly #store: Pick<Store, "setCursor">;
  readonly #key: string;

  constructor(store: Pick<Store, "setCursor">, key: string, start: { readonly place: number; readonly isSaved: boolean }) {
    this.#store = store;
    this.#key = key;
    this.#place = start.place;
    this.#saved = start.isSaved ? start.place : undefined;
  }

  get place(): number {
    return this.#place;
  }

  advance(place: number): void {
    this.#place = place;
    this.#timer ??= setTimeout(() => void this.save(), SAVE_EVERY_MS).unref();
  }

  /** Resolves when it is in the store, or could not be put there; then it is tried again with the next second. */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    const place = this.#place;
    if (place === this.#saved) return;
    try {
      await this.#store.setCursor(this.#key, place);
      this.#saved = place;
    } catch {
      // A full disk. The events themselves are safe, and the sink may get some of them twice.
      this.#timer ??= setTimeout(() => void this.save(), SAVE_EVERY_MS).unref();
    }
  }

  async close(): Promise<void> {
    await this.save();
    clearTimeout(this.#timer);
  }
}

export type FeedStore = Pick<Store, "after" | "cursor" | "setCursor" | "lastPlace">;

interface Start {
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
