import type { HookError } from "../catalog/errors.js";

const QUIET_MS = 60_000;

/** Tells a listener of each kind of error at most once a minute, with the number that was kept quiet meanwhile. Never throws. */
export function createQuietReports(listen: (error: HookError) => void, now: () => number = () => performance.now()) {
  const kinds = new Map<string, { quietUntil: number; suppressed: number }>();

  return function report(error: HookError): void {
    const kind = kinds.get(error.code);
    if (kind !== undefined && now() < kind.quietUntil) {
      kind.suppressed++;
      return;
    }
    const suppressed = kind?.suppressed ?? 0;
    if (suppressed > 0) error.note = `(${suppressed} more of this kind in between)`;
    kinds.set(error.code, { quietUntil: now() + QUIET_MS, suppressed: 0 });
    try {
      listen(error);
    } catch {
      // A listener that throws has nobody left to tell.
    }
  };
}
