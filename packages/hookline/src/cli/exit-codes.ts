/** The exit codes of the command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2, denied: 3, notRunning: 4 } as const;
