import type { Fix } from "@hookline/core";
import { inertText } from "@hookline/core/internal/text";
import type { AlarmReport } from "../alarms/alarms.js";
import type { Holder } from "../parts.js";
import type { ProcessRow } from "../protocol.js";

/** A request to operate that the hub refused. */
export interface RefusedAction {
  readonly who: Pick<Holder, "kind" | "agent" | "person">;
  /** The route, such as `POST /api/stop`. */
  readonly action: string;
  /** The part of the path that the route leaves open. */
  readonly target?: string | undefined;
  readonly reason: string;
  readonly fix?: Fix | undefined;
  /** The process that asked, if it is known. */
  readonly process?: ProcessRow | undefined;
}

const MAX_TARGET = 200;

/** A refusal as an alarm: what was tried, by whom, and why the hub did not do it. */
export function alarmOf({ who, action, target, reason, fix, process }: RefusedAction): AlarmReport {
  const name = nameOf(who);
  return {
    kind: "refused",
    text: `The hub refused ${action} to ${name.operator} with ${name.by}: ${reason}`,
    fix,
    process,
    ...(who.agent !== undefined && { agent: who.agent }),
    payload: { ...name, action, ...(target !== undefined && { target: inertText(target.slice(0, MAX_TARGET)) }), reason },
  };
}

/**
 * A process without a terminal operated while an attached agent runs: a program of the user, or one that the agent started and that has
 * left its parent. The operating system does not tell which.
 */
export function unattendedAlarm(action: string, process: ProcessRow | undefined, agents: readonly string[]): AlarmReport {
  return {
    kind: "operated",
    text: `A process without a terminal acted as the operator while ${agents.join(", ")} runs: ${action}`,
    fix: { run: "hookline protect on" },
    process,
    payload: { action },
  };
}

/** `operator`: who tried. `by`: how they were recognised. */
function nameOf({ kind, agent, person }: RefusedAction["who"]): { readonly operator: string; readonly by: string } {
  if (kind === "process") return { operator: "a process", by: "the token in hub.json" };
  if (kind === "agent") return { operator: agent ?? "an attached agent", by: "the key of attached agents" };
  if (person !== undefined) return { operator: `${person.name}, a person of the fleet`, by: `a login by ${person.by}` };
  if (kind === "dashboard") return { operator: "a dashboard", by: "a login by a link" };
  return { operator: "the operator", by: "the token in operator.json" };
}
