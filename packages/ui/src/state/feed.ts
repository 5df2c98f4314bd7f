import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { PlacedEvent } from "../api/answers.js";
import { type ApiError, apiErrorOf } from "../api/api-error.js";
import { hub } from "../api/calls.js";
import { watchEvents } from "./connection.js";
import { type FeedRow, foldFlows, toRow } from "./feed-row.js";

export interface Feed {
  /** In the order of their places. */
  readonly rows: ReadonlySignal<readonly FeedRow[]>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly hasOlder: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<ApiError | undefined>;
  readonly isPaused: ReadonlySignal<boolean>;
  /** Events that came since it was paused. */
  readonly held: ReadonlySignal<number>;
  setPaused(isPaused: boolean): void;
  loadOlder(): void;
  close(): void;
}

const PAGE = 200;
/** The newest that are kept while the feed runs, and all that are kept at most: memory stays flat however long the page is open. */
const LIVE_ROWS = 5_000;
const ALL_ROWS = 20_000;
const HELD_ROWS = 5_000;
const FLUSH_MS = 100;
const RETRY_MS = 1_000;

/** Stored events that match, and those that come. */
export function openFeed(query: string): Feed {
  const rows = signal<readonly FeedRow[]>([]);
  const isLoading = signal(true);
  const hasOlder = signal(false);
  const error = signal<ApiError | undefined>(undefined);
  const isPaused = signal(false);
  const held = signal(0);
  const aborter = new AbortController();
  let taken: FeedRow[] = [];
  let plain: FeedRow[] = [];
  let cursor: number | undefined;
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let most = LIVE_ROWS;

  const show = (): void => {
    rows.value = foldFlows(plain);
  };
  const flush = (): void => {
    timer = undefined;
    if (isPaused.value) return;
    plain = plain.concat(taken);
    if (plain.length > most) {
      plain = plain.slice(-most);
      cursor = plain[0]?.place;
      hasOlder.value = true;
    }
    taken = [];
    batch(() => {
      held.value = 0;
      show();
    });
  };
  const take = (event: PlacedEvent): void => {
    taken.push(toRow(event));
    if (taken.length > HELD_ROWS) taken = taken.slice(-HELD_ROWS / 2);
    if (isPaused.value) held.value++;
    else timer ??= setTimeout(flush, FLUSH_MS);
  };
  const load = async (before: number | undefined): Promise<void> => {
    const at = before === undefined ? "" : `&cursor=${before}`;
    const { events, cursor: next } = await hub.events(`${query}&limit=${PAGE}${at}`, aborter.signal);
    const older = events.map(toRow).reverse();
    plain = older.concat(plain);
    cursor = next;
    batch(() => {
      hasOlder.value = next !== undefined && plain.length < ALL_ROWS;
      show();
    });
  };
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    isLoading.value = true;
    try {
      await work();
      error.value = undefined;
    } catch (thrown) {
      if (!aborter.signal.aborted) error.value = apiErrorOf(thrown);
    }
    isLoading.value = false;
  };

  const begin = async (): Promise<void> => {
    await guarded(async () => {
      await load(undefined);
      if (!aborter.signal.aborted) stop = watchEvents({ query, after: plain.at(-1)?.place ?? 0, onEvent: take });
    });
    const status = error.value?.status;
    // The hub may be on its way up. What it has refused, it will refuse again.
    if (status !== undefined && (status === 0 || status >= 500)) timer = setTimeout(() => void begin(), RETRY_MS);
  };
  void begin();

  return {
    rows,
    isLoading,
    hasOlder,
    error,
    isPaused,
    held,
    setPaused(value) {
      isPaused.value = value;
      if (!value) flush();
    },
    loadOlder() {
      if (isLoading.value || !hasOlder.value) return;
      most = ALL_ROWS;
      void guarded(() => load(cursor));
    },
    close() {
      aborter.abort();
      clearTimeout(timer);
      stop();
    },
  };
}
