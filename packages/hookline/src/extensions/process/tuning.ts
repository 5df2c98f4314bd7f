/** The times and bounds of a process extension. Tests make them short; the defaults are what the documentation says. */
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
  /** After so long without a crash the restarts count from zero again. */
  readonly stableAfterMs: number;
  /** After so long the next event gives one that has failed another chance. */
  readonly retryAfterMs: number;
  /** So many timeouts in a row without a sign of life, and the process is taken for hung. */
  readonly maxSilentTimeouts: number;
  /** So many malformed frames in a row, and the process is ended. */
  readonly maxFaultsInRow: number;
  readonly maxInFlight: number;
  /** What may wait in its stdin. */
  readonly maxQueuedBytes: number;
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
