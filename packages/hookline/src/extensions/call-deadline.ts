import { HookError } from "@hookline/core";
import { ANSWER_MARGIN_MS, DEFAULT_HANDLER_TIMEOUT_MS } from "@hookline/core/internal";
import type { HookSpec } from "./handler-source.js";

// Node's timers fire at once beyond this value.
const LONGEST_MS = 2_147_483_647;

/** How long one call of a hook may take; 0 means no limit. */
export function callTimeout(
  hook: Pick<HookSpec, "timeoutMs"> | undefined,
  source: { readonly timeoutMs?: number | undefined } = {},
): number {
  return hook?.timeoutMs ?? source.timeoutMs ?? DEFAULT_HANDLER_TIMEOUT_MS;
}

/** How long the bus waits for it. The source enforces the deadline itself, because it knows why there is no answer. */
export function busTimeout(hook: Pick<HookSpec, "timeoutMs">): number {
  if (hook.timeoutMs === 0) return hook.timeoutMs;
  return callTimeout(hook) + ANSWER_MARGIN_MS;
}

export interface Deadline {
  /** Aborted with a HookError when the time is up. */
  readonly signal: AbortSignal;
  clear(): void;
  /** Keeps the deadline, but does not keep the process alive. */
  unref(): void;
}

/** Starts now; 0 means no deadline. */
export function createDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController();
  const message = `It did not answer within ${timeoutMs} ms.`;
  const fix = "Make it faster, or raise `timeoutMs`.";
  const expire = () => controller.abort(new HookError("HL_TIMEOUT", message, { fix, failure: "timeout" }));
  const timer = timeoutMs === 0 ? undefined : setTimeout(expire, Math.min(timeoutMs, LONGEST_MS));
  return { signal: controller.signal, clear: () => clearTimeout(timer), unref: () => void timer?.unref() };
}
