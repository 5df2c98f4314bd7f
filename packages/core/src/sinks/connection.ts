import type { SinkCounters } from "./_delivery/counters.js";

/** How a sink is doing. `retrying`: its peer is down and tried again. `failing`: the last batch was given up. */
export interface SinkHealth {
  readonly state: "ok" | "retrying" | "failing" | "closed";
  /** What the last batch that did not get through ran into. */
  readonly lastError?: string;
}

export interface ConnectionCounters extends SinkCounters {
  /** Not asked for by `events`; never accepted. */
  readonly filtered: number;
}

/** A sink on a bus. */
export interface SinkConnection {
  readonly name: string;
  readonly counters: ConnectionCounters;
  readonly health: SinkHealth;
  /** No room is left: under `overflow: "block"` the time to hold back. */
  readonly isFull: boolean;
  /** Resolves once all that happened before has been sent or dropped. */
  flush(): Promise<void>;
  /** Lets go of the bus, sends what it can within the deadline (default 5,000 ms), closes the sink and says what became of everything. */
  close(deadlineMs?: number): Promise<ConnectionCounters>;
}
