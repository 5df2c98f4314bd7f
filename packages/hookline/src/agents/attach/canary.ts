import type { AgentDialect } from "../shared/definition.js";

/** A command that the hub always denies: an agent that receives this answer has reached the hub. */
const CANARY = "hookline-canary must be denied";

/** The hub's reason. A strict client that cannot reach the hub also denies, but with another reason. */
export const CANARY_REASON = "The hub has been reached: this canary is always denied.";

/** One event of an agent, as its hook receives it. */
export interface CanaryCall {
  readonly event: string;
  readonly payload: { readonly [key: string]: unknown };
}

/** A call of the agent's own shell, as its hook receives it. */
export function canaryCall({ events, tools, samples }: AgentDialect): CanaryCall {
  const [event = ""] = Object.entries(events).find(([, row]) => row.event === "tool:before") ?? [];
  const [shell = ""] = Object.keys(tools);
  const tool = { name: shell, input: { command: CANARY } };
  return { event, payload: samples.call(event, tool, { session: "hookline-canary", cwd: "/" }) };
}

/** Whether a translated event is the canary. */
export function isCanary(payload: { readonly [key: string]: unknown }): boolean {
  const { input } = (payload.tool ?? {}) as { readonly input?: { readonly command?: unknown } };
  return input?.command === CANARY;
}
