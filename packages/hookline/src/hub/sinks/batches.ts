import type { HookError } from "@hookline/core";
import { upgradeEnvelope } from "@hookline/core/internal";
import { compileEventFilter, createEnvelopePreparer } from "@hookline/core/internal/sinks";
import type { Envelope } from "@hookline/core/sinks";
import type { FeedConfig } from "../../config/config.js";
import type { StoredEvent } from "../store/store.js";

export interface FeedBatch {
  /** None, where everything up to the place was filtered out. */
  readonly envelopes: readonly Envelope[];
  /** The last place it covers. */
  readonly upTo: number;
}

export type BatchMaker = (rows: readonly StoredEvent[]) => AsyncGenerator<FeedBatch, void, undefined>;

/** So long at a time: redacting large payloads must not keep the hub from answering. */
const SLICE_MS = 8;

/** Makes batches for a sink: the events it wants, without secrets, within its size limits. Throws for an invalid filter or path. */
export function createBatchMaker(config: FeedConfig, onError: (error: HookError) => void, onUnreadable: () => void): BatchMaker {
  const { events, redact, redactSecrets, maxPayloadBytes, batch } = config;
  const wants = compileEventFilter(events);
  const prepare = createEnvelopePreparer({ redact, redactSecrets, maxPayloadBytes, onError });

  function read(row: StoredEvent): Envelope | undefined {
    // Imported events stay on this machine.
    if (row.imported === 1) return undefined;
    try {
      // It was checked when it came in, so it is only parsed.
      const envelope = upgradeEnvelope(JSON.parse(row.body) as Envelope);
      return wants(envelope.event) ? envelope : undefined;
    } catch {
      onUnreadable();
      return undefined;
    }
  }

  return async function* batches(rows) {
    let envelopes: Envelope[] = [];
    let bytes = 0;
    let upTo = 0;
    let sliceEnd = performance.now() + SLICE_MS;
    for (const row of rows) {
      const wanted = read(row);
      const prepared = wanted && prepare(wanted);
      if (
        prepared !== undefined &&
        envelopes.length > 0 &&
        (envelopes.length >= batch.maxCount || bytes + prepared.bytes > batch.maxBytes)
      ) {
        yield { envelopes, upTo };
        envelopes = [];
        bytes = 0;
      }
      if (prepared !== undefined) envelopes.push(prepared.envelope);
      bytes += prepared?.bytes ?? 0;
      upTo = row.place;
      if (performance.now() < sliceEnd) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      sliceEnd = performance.now() + SLICE_MS;
    }
    if (rows.length > 0) yield { envelopes, upTo };
  };
}

const MOST = 500;
const FIRST = 16;
const MAX_BYTES = 8 * 1_024 ** 2;

/** How many events to read at a time: many small ones, few large ones. An event may have 4 MiB, and several sinks may read at once. */
export class ReadSize {
  #next = FIRST;

  get next(): number {
    return this.#next;
  }

  learn(rows: readonly StoredEvent[]): void {
    const bytes = rows.reduce((sum, { body }) => sum + body.length, 0);
    const fitting = bytes <= MAX_BYTES ? this.#next * 2 : Math.floor((rows.length * MAX_BYTES) / bytes);
    this.#next = Math.max(1, Math.min(MOST, fitting));
  }
}
