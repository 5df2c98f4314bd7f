import { batch, type ReadonlySignal, signal, untracked } from "@preact/signals";
import type { PlacedEvent } from "../api/answers.js";
import { type ApiError, apiErrorOf } from "../api/api-error.js";
import { hub } from "../api/calls.js";
import { addRows } from "./add-rows.js";
import { watchEvents } from "./connection.js";
import { type FeedRow, foldFlows, toRow } from "./feed-row.js";
import { keepShown, lastShown } from "./last-shown.js";
import { createPace } from "./pace.js";

export interface Feed {
  /** In the order of their places; those of a session in that of their times. */
  readonly rows: ReadonlySignal<readonly FeedRow[]>;
  readonly isLoading: ReadonlySignal<boolean>;
  readonly hasOlder: ReadonlySignal<boolean>;
  readonly error: ReadonlySignal<ApiError | undefined>;
  readonly isPaused: ReadonlySignal<boolean>;
  /** Events that came since it was opened: all of them, whatever is shown. */
  readonly received: ReadonlySignal<number>;
  /** Those of them that came since it was paused. */
  readonly held: ReadonlySignal<number>;
  /** How many of the latest stored events a search for words could not look at, and the time up to which it did. */
  readonly unsearched: ReadonlySignal<Unsearched | undefined>;
  setPaused(isPaused: boolean): void;
  loadOlder(): void;
  close(): void;
}

interface Unsearched {
  readonly count: number;
  readonly until: string | undefined;
}

const PAGE = 200;
/** The newest that are kept while the feed runs, and all that are kept at most: memory stays flat however long the page is open. */
const LIVE_ROWS = 5_000;
const ALL_ROWS = 20_000;
const HELD_ROWS = 5_000;
const RETRY_MS = 1_000;
/** Kept of a feed that is closed, for when it is opened again while the hub is away. */
const KEPT_ROWS = 1_000;

/** Stored events that match, and those that come. */
export function openFeed(query: string): Feed {
  const key = `feed ${query}`;
  const rows = signal(untracked(() => lastShown<readonly FeedRow[]>(key)) ?? []);
  const isLoading = signal(true);
  const hasOlder = signal(false);
  const error = signal<ApiError | undefined>(undefined);
  const isPaused = signal(false);
  const received = signal(0);
  const held = signal(0);
  const unsearched = signal<Unsearched | undefined>(undefined);
  const aborter = new AbortController();
  const isByTime = new URLSearchParams(query).has("session");
  let taken: FeedRow[] = [];
  /** Of those that were taken the first are not kept any more. */
  let isTorn = false;
  let arrived = 0;
  let shown = 0;
  let cursor: number | undefined;
  let stop = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let most = LIVE_ROWS;

  const flush = (): void => {
    // What was given up of it may belong anywhere.
    if (isByTime && isTorn) return startOver();
    const added = addRows(rows.value, taken, { most, isTorn, isByTime, hasOlder: hasOlder.value });
    if (added.cursor !== undefined) {
      cursor = added.cursor;
      hasOlder.value = true;
    }
    rows.value = added.rows;
    taken = [];
    isTorn = false;
    shown = arrived;
  };
  const tell = (): void =>
    batch(() => {
      if (!isPaused.value) flush();
      received.value = arrived;
      held.value = arrived - shown;
    });
  const pace = createPace(tell);
  const take = (event: PlacedEvent): void => {
    taken.push(toRow(event));
    arrived++;
    if (taken.length > HELD_ROWS) {
      taken = taken.slice(-HELD_ROWS / 2);
      isTorn = true;
    }
    pace.ask();
  };
  const load = async (before: number | undefined): Promise<number> => {
    const at = before === undefined ? "" : `&cursor=${before}`;
    const { events, cursor: next, unindexed, indexedUntil } = await hub.events(`${query}&limit=${PAGE}${at}`, aborter.signal);
    cursor = next;
    batch(() => {
      unsearched.value = unindexed === undefined ? undefined : { count: unindexed, until: indexedUntil };
      rows.value = foldFlows([...events.map(toRow).reverse(), ...(before === undefined ? [] : rows.value)]);
      hasOlder.value = next !== undefined && rows.value.length < ALL_ROWS;
    });
    return Math.max(0, ...events.map(({ place }) => place));
  };
  const guarded = async (work: () => Promise<unknown>): Promise<void> => {
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
      const after = await load(undefined);
      if (!aborter.signal.aborted) stop = watchEvents({ query, after, onEvent: take, onFarBehind: startOver });
    });
    const status = error.value?.status;
    // Only the failed request may tell that the hub is away.
    if (status === 0 && rows.value.length === 0) rows.value = lastShown<readonly FeedRow[]>(key) ?? [];
    // The hub may be on its way up. What it has refused, it will refuse again.
    if (status !== undefined && (status === 0 || status >= 500)) timer = setTimeout(() => void begin(), RETRY_MS);
  };
  const startOver = (): void => {
    stop();
    taken = [];
    isTorn = false;
    shown = arrived;
    // What is shown stays until the hub has answered, which may be away.
    void begin();
  };
  void begin();

  return {
    rows,
    isLoading,
    hasOlder,
    error,
    isPaused,
    received,
    held,
    unsearched,
    setPaused(value) {
      isPaused.value = value;
      tell();
    },
    loadOlder() {
      if (isLoading.value || !hasOlder.value) return;
      most = ALL_ROWS;
      void guarded(() => load(cursor));
    },
    close() {
      if (rows.value.length > 0) keepShown(key, rows.value.slice(-KEPT_ROWS));
      aborter.abort();
      clearTimeout(timer);
      pace.stop();
      stop();
    },
  };
}
