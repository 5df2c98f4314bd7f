/** `off`: switched off by HOOKLINE_FORWARD or HOOKLINE, or on a bus that is off. `waiting`: there is no hub. */
export type HubConnectionState = "off" | "waiting" | "connecting" | "attached" | "closed";

/** Why an accepted event never reached the hub. */
export type ForwardDropReason = "queue_full" | "oversize" | "refused" | "loop" | "spool_full" | "spool_failed";

/** At all times `accepted` is `acked`, `spooled`, `pending` and everything in `dropped` together. */
export interface HubConnectionCounters {
  /** Taken from the bus, each with a number of its own. */
  readonly accepted: number;
  /** On the hub's disk. */
  readonly acked: number;
  /** Waiting, or on their way and not acknowledged. */
  readonly pending: number;
  /** By reason; only reasons that have occurred are there. */
  readonly dropped: { readonly [R in ForwardDropReason]?: number };
  /** Left on disk for the hub to collect, on the way out. */
  readonly spooled: number;
  /** How often it attached after the first time. */
  readonly reconnects: number;
  /** The last number given. */
  readonly seq: number;
  readonly gates: GateCounters;
}

/** The counters of the hub's gates. */
export interface GateCounters {
  readonly asked: number;
  readonly answered: number;
  /** No answer in time, a lost hub, or one that cannot be understood. */
  readonly failed: number;
  /** Verdicts that no question waited for: late, duplicate or unsolicited. */
  readonly stray: number;
}

/** The connection of a bus to the hub. `connectToHub` returns it. */
export interface HubConnection {
  readonly state: HubConnectionState;
  readonly counters: HubConnectionCounters;
  /** Resolves once all that happened before is acknowledged or dropped, with true; with false when the time (default 5,000 ms) is up. */
  flush(timeoutMs?: number): Promise<boolean>;
  /** Lets go of the bus, sends what it can within the deadline (default 200 ms) and spools the rest. */
  close(deadlineMs?: number): Promise<HubConnectionCounters>;
}
