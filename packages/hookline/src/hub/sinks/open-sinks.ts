import { quietly } from "@hookline/core/internal";
import type { SinkConfig } from "../../config/config.js";
import type { Live, Sinks } from "../parts.js";
import type { FeedOptions } from "./feed.js";
import { removeFromArchives } from "./remove-from-archives.js";
import { SinkSlot, type SlotOptions } from "./sink-slot.js";

const END_MS = 5_000;

export interface OpenSinksOptions extends FeedOptions, Partial<Pick<SlotOptions, "endMs">> {
  readonly live: Pick<Live, "watch">;
}

export interface OpenSinks extends Sinks {
  /**
   * Other sinks from now on. Those that stay the same, by name, run on untouched; a changed one goes on where it stood, after its
   * predecessor has ended; one that is gone sends what it can meanwhile.
   */
  adopt(next: readonly SinkConfig[]): void;
  /** Sends what it can within the deadline; the rest stays in the store. */
  close(deadlineMs?: number): Promise<void>;
}

/**
 * Feeds the sinks of `hookline.toml` from the store, each at its own pace. What is stored after this call reaches every sink; one that
 * cannot be opened is shown as failing and tried again.
 */
export function openSinks(sinks: readonly SinkConfig[], { live, onError, endMs = END_MS, ...options }: OpenSinksOptions): OpenSinks {
  // Also those that are gone: they may still be ending, and come back.
  const slots = new Map<string, SinkSlot>();
  let listed: readonly SinkSlot[] = [];
  let unwatch: (() => void) | undefined;
  let isClosed = false;

  function adopt(next: readonly SinkConfig[]): void {
    if (isClosed) return;
    const before = listed;
    listed = next.map(slotFor);
    for (const slot of before) if (!listed.includes(slot)) slot.leave();
    if (listed.length === 0) stopWatching();
    else unwatch ??= live.watch({}, (arrivals) => wake(arrivals.at(-1)?.place ?? 0));
  }

  function slotFor(sink: SinkConfig): SinkSlot {
    const slot = slots.get(sink.name) ?? new SinkSlot(sink, { ...options, endMs, onError: (error) => quietly(() => onError(error)) });
    slots.set(sink.name, slot);
    slot.adopt(sink);
    return slot;
  }

  function stopWatching(): void {
    unwatch?.();
    unwatch = undefined;
  }

  function wake(latest: number): void {
    for (const slot of listed) slot.wake(latest);
  }

  adopt(sinks);
  return {
    list: () => listed.map((slot) => slot.row),
    adopt,
    removeSessions: (sessions, signal) =>
      removeFromArchives(
        listed.flatMap(({ config }) => config ?? []),
        sessions,
        signal,
      ),
    async close(deadlineMs = endMs) {
      isClosed = true;
      stopWatching();
      await Promise.all([...slots.values()].map((slot) => slot.close(deadlineMs)));
    },
  };
}
