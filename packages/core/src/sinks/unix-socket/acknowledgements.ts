import type { Envelope } from "../../catalog/envelope.js";
import type { NdjsonConnection } from "../../wire/connection.js";
import type { Frame } from "../../wire/frames.js";
import type { SendResult } from "../sink.js";

/** A batch the listener has not acknowledged yet. */
export interface Expected {
  readonly result: Promise<SendResult>;
  /** The first result counts. */
  settle(result: SendResult): void;
}

interface Waiting extends Expected {
  readonly ids: ReadonlySet<string>;
  readonly lastId: string | undefined;
}

/**
 * Reads `{"type":"ack","id":…}` frames: an acknowledgement holds for its envelope and every one sent before it.
 * Call what it gives back before writing a batch, for the answer may come before the write is over.
 */
export function createAcknowledgements(connection: NdjsonConnection): (batch: readonly Envelope[]) => Expected {
  const waiting = new Set<Waiting>();

  connection.onFrame((frame) => {
    const id = idOf(frame);
    const found = id === undefined ? undefined : [...waiting].find(({ ids }) => ids.has(id));
    if (found === undefined) return false;
    for (const earlier of waiting) {
      if (earlier !== found || found.lastId === id) earlier.settle({ status: "sent" });
      if (earlier === found) break;
    }
    return true;
  });
  connection.onState((state, cause) => {
    if (state === "down" || state === "closed") for (const { settle } of waiting) settle({ status: "retry", cause });
  });

  return function expect(batch) {
    let resolve: (result: SendResult) => void = () => {};
    const result = new Promise<SendResult>((onResult) => {
      resolve = onResult;
    });
    const release = connection.hold();
    const entry: Waiting = { ids: new Set(batch.map(({ id }) => id)), lastId: batch.at(-1)?.id, result, settle };
    function settle(outcome: SendResult): void {
      waiting.delete(entry);
      release();
      resolve(outcome);
    }
    waiting.add(entry);
    return entry;
  };
}

function idOf({ type, id }: Frame): string | undefined {
  return type === "ack" && typeof id === "string" ? id : undefined;
}
