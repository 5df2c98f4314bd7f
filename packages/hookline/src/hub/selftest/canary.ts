import type { EventSpec } from "@hookline/core";
import { samplePayload } from "../../extensions/samples.js";
import { payloadFor, toolFor } from "../../rules/example-event.js";
import type { RuleExample } from "../../rules/rule.js";
import { fillIn } from "../policies/fill-in.js";

/** An event that a guard must not let pass. */
export interface Canary {
  readonly event: string;
  readonly payload: object;
  /** As its author wrote it. */
  readonly sent: RuleExample;
}

interface Target {
  readonly event: string;
  readonly tool?: string | readonly string[] | undefined;
  /** The folder it must come from, for a project's guard. */
  readonly project?: string | undefined;
}

/** By this a hook can tell a canary from a call. */
const SESSION = { id: "selftest" };

export function canaryOf(example: RuleExample, { event, tool, project }: Target): Canary {
  const payload = fillIn(payloadFor(event, example, tool), { session: SESSION, cwd: project }) as object;
  return { event, payload, sent: example };
}

/** For what denies whatever comes. */
export function sampleCanary({ event, tool, project }: Target): Canary {
  const sample = samplePayload(event);
  const call = sample.tool === undefined ? {} : { tool: { ...(sample.tool as object), name: toolFor(tool) } };
  const payload = { ...sample, ...call, session: SESSION, ...(project !== undefined && { cwd: project }) };
  return { event, payload, sent: `a sample of ${event}` };
}

/** Whether an event can be decided that way. */
export function takes(outcome: "block" | "ask"): (spec: EventSpec) => boolean {
  return ({ kind, outcomes }) => kind === "gate" && outcomes.includes(outcome);
}
