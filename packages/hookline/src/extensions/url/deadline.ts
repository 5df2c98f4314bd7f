import { HookError } from "@hookline/core";

// Beyond it Node's timers fire at once.
const LONGEST_MS = 2_147_483_647;

export interface Deadline {
  /** Aborted with a HookError when the time is up. */
  readonly signal: AbortSignal;
  clear(): void;
}

/** From now; 0 is never. */
export function createDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController();
  const message = `It did not answer within ${timeoutMs} ms. Make it faster, or raise \`timeoutMs\`.`;
  const expire = () => controller.abort(new HookError("HL_TIMEOUT", message, { failure: "timeout" }));
  const timer = timeoutMs === 0 ? undefined : setTimeout(expire, Math.min(timeoutMs, LONGEST_MS));
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
