/** A command that the hub denies whatever its rules are: who gets that answer has reached it. */
const CANARY = "hookline-canary must be denied";

/** How the hub says so. A strict client that has not reached it denies, too, in other words. */
export const CANARY_REASON = "The hub has been reached: this canary is always denied.";

/** One of an agent's events, as its hook gets it. */
export interface CanaryCall {
  readonly event: string;
  readonly payload: { readonly [key: string]: unknown };
}

const session = { session_id: "hookline-canary", cwd: "/" };

export function claudeCanary(event: string, tool: string): CanaryCall {
  return { event, payload: { ...session, hook_event_name: event, tool_name: tool, tool_input: { command: CANARY } } };
}

export function copilotCanary(event: string): CanaryCall {
  return { event, payload: { sessionId: session.session_id, cwd: session.cwd, toolName: "bash", toolArgs: { command: CANARY } } };
}

/** Whether an event of ours, translated, is the canary. */
export function isCanary(payload: { readonly [key: string]: unknown }): boolean {
  const { input } = (payload.tool ?? {}) as { readonly input?: { readonly command?: unknown } };
  return input?.command === CANARY;
}
