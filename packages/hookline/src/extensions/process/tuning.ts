/** The times and limits of a process extension. Tests shorten them; the documentation lists the defaults. */
export interface Tuning {
  /** From the spawn to the answer to `initialize`. */
  readonly startTimeoutMs: number;
  /** From `shutdown` to SIGTERM. */
  readonly shutdownTimeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly killAfterMs: number;
  readonly maxRestarts: number;
  readonly restartBaseMs: number;
  readonly restartMaxMs: number;
  /** After this time without a crash the restarts count from zero again. */
  readonly stableAfterMs: number;
  /** After this time the next event starts a failed extension again. */
  readonly retryAfterMs: number;
  /** After this many timeouts in a row without any output, the process counts as hung. */
  readonly maxSilentTimeouts: number;
  /** After this many malformed frames in a row, the process is ended. */
  readonly maxFaultsInRow: number;
  readonly maxInFlight: number;
  /** The limit of unread bytes in its stdin. */
  readonly maxQueuedBytes: number;
  /** The limit of a frame that it writes. */
  readonly maxFrameBytes: number;
  readonly stderrBytes: number;
}

export const defaultTuning: Tuning = {
  startTimeoutMs: 10_000,
  shutdownTimeoutMs: 2_000,
  killAfterMs: 500,
  maxRestarts: 3,
  restartBaseMs: 250,
  restartMaxMs: 5_000,
  stableAfterMs: 60_000,
  retryAfterMs: 60_000,
  maxSilentTimeouts: 3,
  maxFaultsInRow: 64,
  maxInFlight: 1_024,
  maxQueuedBytes: 16 * 1024 * 1024,
  maxFrameBytes: 4 * 1024 * 1024,
  stderrBytes: 64 * 1024,
};
