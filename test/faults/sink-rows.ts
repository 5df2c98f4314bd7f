import type { Judge } from "./judge.ts";
import type { StoredRow } from "./store-rows.ts";

/** An event as a sink got it. */
export interface SinkRow {
  readonly id: string;
  /** Its payload as JSON, or a hash of that: the same text for the same payload. */
  readonly payload: string;
}

/** Compares what a sink got with the store: nothing is missing, nothing is made up, and what came twice is the same both times. */
export function judgeSink(judge: Judge, sink: string, got: readonly SinkRow[], stored: readonly SinkRow[]): void {
  const inStore = new Map(stored.map(({ id, payload }) => [id, payload]));
  const inSink = new Set(got.map(({ id }) => id));
  judge.look(
    "I1",
    stored.length,
    stored.flatMap(({ id }) => (inSink.has(id) ? [] : [`${sink}: ${id} is stored and did not arrive`])),
  );
  const unknown = [...inSink].filter((id) => !inStore.has(id));
  judge.look(
    "I2",
    inSink.size,
    unknown.length === 0 ? [] : [`${sink}: ${unknown.length} events are not in the store, such as ${unknown[0]}`],
  );
  judge.look(
    "I5",
    got.length,
    got.flatMap(({ id, payload }) => (inStore.get(id) === payload || !inStore.has(id) ? [] : [`${sink}: ${id} differs from the store`])),
  );
}

/** What every sink must have got, in the shape that sinks are compared in. */
export function expectedOf(rows: readonly StoredRow[], textOf: (payload: unknown) => string = JSON.stringify): SinkRow[] {
  return rows.map(({ id, payload }) => ({ id, payload: textOf(payload) }));
}
