import type { AgentDefinition, AgentPower } from "../../agents/shared/definition.js";

export interface CapabilityRow {
  readonly agent: string;
  /** The agent's own name of the event. */
  readonly native: string;
  readonly event: string;
  /** The events at which rules and hooks can do what the row says. Transforms have an event of their own. */
  readonly events: readonly string[];
  readonly can: readonly string[];
  readonly note: string;
}

/** What an agent can do with an answer, event by event. Hooks do not receive ignored events, so nothing can be done there. */
export function capabilityRows({ id, events }: AgentDefinition): CapabilityRow[] {
  return Object.entries(events).map(([native, { event, can, leftAlone }]) => ({
    agent: id,
    native,
    event,
    events: leftAlone === undefined ? eventsOf(event, can) : [event],
    can: leftAlone === undefined ? can : [],
    note: leftAlone === undefined ? "" : `left alone: ${leftAlone}`,
  }));
}

/** Transforms whose result the agent gets with the event are listed before or after it, in the order in which they run. */
function eventsOf(event: string, can: readonly AgentPower[]): readonly string[] {
  if (event === "prompt:submit") return [event, "prompt:build"];
  return can.includes("replace") ? ["tool:result", event] : [event];
}
