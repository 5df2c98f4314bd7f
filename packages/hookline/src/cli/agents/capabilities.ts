import type { AgentProgram } from "../../agents/attach/programs.js";

export interface CapabilityRow {
  readonly agent: string;
  /** The agent's own name of the event. */
  readonly native: string;
  readonly event: string;
  readonly can: readonly string[];
  readonly note: string;
}

/** What an agent can make of an answer, event by event. Of one that is left alone no hook hears, so nothing can be done there. */
export function capabilityRows({ dialect: { id, events } }: AgentProgram): CapabilityRow[] {
  return Object.entries(events).map(([native, { event, can, leftAlone }]) => ({
    agent: id,
    native,
    event,
    can: leftAlone === undefined ? can : [],
    note: leftAlone === undefined ? "" : `left alone: ${leftAlone}`,
  }));
}
