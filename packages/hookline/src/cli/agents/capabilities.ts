import type { AgentDefinition, AgentPower } from "../../agents/shared/definition.js";

export interface CapabilityRow {
  readonly agent: string;
  /** The agent's own name of the event. */
  readonly native: string;
  readonly event: string;
  /** Where rules and hooks can do what the row says: transforms have an event of their own. */
  readonly events: readonly string[];
  readonly can: readonly string[];
  readonly note: string;
}

/** What an agent can make of an answer, event by event. Of one that is left alone no hook hears, so nothing can be done there. */
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

/** The transforms whose result the agent is given with the event stand before or after it, as they happen. */
function eventsOf(event: string, can: readonly AgentPower[]): readonly string[] {
  if (event === "prompt:submit") return [event, "prompt:build"];
  return can.includes("replace") ? ["tool:result", event] : [event];
}
