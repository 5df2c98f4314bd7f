import type { Envelope } from "../catalog/envelope.js";
import { HookError } from "../catalog/errors.js";
import type { SendResult } from "../wire/connection.js";

export type { SendResult };

/** Somewhere envelopes go. */
export interface Sink {
  readonly name: string;
  send(batch: readonly Envelope[], signal: AbortSignal): Promise<SendResult>;
  close(): Promise<void>;
  /** Told of a batch that was tried as often as it may be and will not be sent: the last chance to keep it somewhere. */
  gaveUp?(batch: readonly Envelope[], cause: unknown): void;
}

/** A sink that can also deliver before it returns: what it is given survives `process.exit`. */
export interface SyncSink extends Sink {
  sendSync(batch: readonly Envelope[]): SendResult;
}

/** What a sink answers once it is closed. */
export function closedResult(name: string): SendResult {
  return { status: "failed", cause: new HookError("HL_SINK_CLOSED", `The sink "${name}" is closed.`) };
}
