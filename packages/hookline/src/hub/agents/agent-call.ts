import { type AgentDialect, findNative, type Translated } from "../../agents/shared/definition.js";
import type { ContentFault } from "./call-fault.js";

/** One call of an agent's hook. */
export interface AgentCall {
  readonly dialect: AgentDialect;
  /** The event, by the agent's own name. */
  readonly native: string;
  readonly payload: unknown;
  /** Why the content cannot be judged; `payload` then holds only its plain fields. */
  readonly fault?: ContentFault;
}

/** One translated call of an agent's hook. */
export interface AskedCall {
  readonly dialect: AgentDialect;
  readonly native: string;
  readonly asked: Translated;
}

/** The agent that runs the hook, which may differ from the one that the hook was written for. */
export function senderOf({ dialect, payload }: AgentCall, dialects: readonly AgentDialect[]): AgentDialect {
  const isSender = ({ runsHooksOf: other }: AgentDialect): boolean => other?.agent === dialect.id && other.isSender(payload);
  return dialects.find(isSender) ?? dialect;
}

/** Translates a call that may be malformed. */
export function translateSafely(dialect: AgentDialect, { native, payload }: AgentCall): Translated {
  try {
    return dialect.translate(native, payload);
  } catch {
    return bareEvent(dialect, native);
  }
}

/** An event of which only the name is known. */
export function bareEvent(dialect: AgentDialect, native: string): Translated {
  const event = findNative(dialect, native)?.event.replace("*", "unknown") ?? `${dialect.id}:unknown`;
  return { event, payload: { agent: { platform: dialect.id } } };
}
