import type { AgentDialect } from "../shared/definition.js";

/** A command that the hub denies whatever its rules are: who gets that answer has reached it. */
const CANARY = "hookline-canary must be denied";

/** How the hub says so. A strict client that has not reached it denies, too, in other words. */
export const CANARY_REASON = "The hub has been reached: this canary is always denied.";

/** One of an agent's events, as its hook gets it. */
export interface CanaryCall {
  readonly event: string;
  readonly payload: { readonly [key: string]: unknown };
}

/** A call of the agent's own shell, as its hook is told of one. */
export function canaryCall({ events, tools, samples }: AgentDialect): CanaryCall {
  const [event = ""] = Object.entries(events).find(([, row]) => row.event === "tool:before") ?? [];
  const [shell = ""] = Object.keys(tools);
  const tool = { name: shell, input: { command: CANARY } };
  return { event, payload: samples.call(event, tool, { session: "hookline-canary", cwd: "/" }) };
}

/** Whether an event of ours, translated, is the canary. */
export function isCanary(payload: { readonly [key: string]: unknown }): boolean {
  const { input } = (payload.tool ?? {}) as { readonly input?: { readonly command?: unknown } };
  return input?.command === CANARY;
}
