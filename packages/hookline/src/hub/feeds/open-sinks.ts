import type { HookError } from "@hookline/core";
import type { SinkConfig } from "../../config/config.js";
import type { Live, SinkBoard } from "../parts.js";
import { Feed, type FeedOptions } from "./feed.js";

const CLOSE_MS = 5_000;

export interface OpenSinksOptions extends FeedOptions {
  readonly live: Pick<Live, "watch">;
}

export interface OpenSinks extends SinkBoard {
  /** Sends what it can within the deadline; the rest stays in the store. */
  close(deadlineMs?: number): Promise<void>;
}

/**
 * Feeds the sinks of `hookline.toml` from the store, each at its own pace. What is stored after this call reaches every sink; one that
 * cannot be opened is shown as failing and tried again.
 */
export function openSinks(sinks: readonly SinkConfig[], { live, onError, ...options }: OpenSinksOptions): OpenSinks {
  const feeds = sinks.map((sink) => new Feed(sink, { ...options, onError: quietly(onError) }));
  const unwatch = feeds.length === 0 ? (): void => {} : live.watch({}, (arrivals) => wake(arrivals.at(-1)?.place ?? 0));

  function wake(latest: number): void {
    for (const feed of feeds) feed.wake(latest);
  }

  return {
    list: () => feeds.map((feed) => feed.row),
    async close(deadlineMs = CLOSE_MS) {
      unwatch();
      await Promise.all(feeds.map((feed) => feed.close(deadlineMs)));
    },
  };
}

// A listener that throws has nobody left to tell.
function quietly(listen: (error: HookError) => void): (error: HookError) => void {
  return (error) => {
    try {
      listen(error);
    } catch {}
  };
}
