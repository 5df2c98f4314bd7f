import type { EventSpec, MatchObject } from "@hookline/core";
import { samplePayload } from "@hookline/core/internal";
import { toolFor } from "../../rules/example-event.js";
import type { RuleExample } from "../../rules/rule.js";
import { type Missing, type Senders, sendExample } from "../../rules/sender.js";
import { withContext } from "../policy/payload-context.js";

/** An event that a guard must not let pass. */
export interface Canary {
  readonly event: string;
  readonly payload: object;
  /** As its author wrote it. */
  readonly sent: RuleExample;
  /** The attached agent that would send it so. */
  readonly agent?: string;
}

/** What a guard is sent. */
export interface CanarySet {
  readonly canaries: readonly Canary[];
  /** The agents that have no tool it is for, and why. */
  readonly missing: readonly Missing[];
  /** No attached agent, and no process that was seen, has a tool it is for. */
  readonly isUnreachable: boolean;
}

interface Target {
  readonly event: string;
  readonly tool?: string | readonly string[] | undefined;
  readonly match?: string | MatchObject | undefined;
  /** The folder it must come from, for a project's guard. */
  readonly project?: string | undefined;
}

/** By this a hook can tell a canary from a call. */
const SESSION = { id: "selftest" };

/** Each example as every attached agent would send it. */
export function canariesOf(examples: readonly RuleExample[], target: Target, senders: Senders): CanarySet {
  const { project: cwd, ...rest } = target;
  const sent = examples.map((example) => ({ example, ...sendExample({ ...rest, cwd, example }, senders) }));
  const canaries = sent.flatMap(({ example, arrivals }) =>
    arrivals.map(({ agent, payload }) => ({
      event: target.event,
      payload: withContext(payload, { session: SESSION, cwd }) as object,
      sent: example,
      ...(agent !== undefined && { agent }),
    })),
  );
  const reached = new Set(canaries.map(({ agent }) => agent));
  const missing = sent.flatMap((one) => one.missing.filter(({ agent }) => !reached.has(agent)));
  return { canaries, missing: firstOfEach(missing), isUnreachable: sent.length > 0 && sent.every((one) => one.isUnreachable) };
}

/** For what denies whatever comes. */
export function sampleCanaries(target: Target, senders: Senders): CanarySet {
  const { event } = target;
  const label = `a sample of ${event}`;
  const { tool, prompt } = samplePayload(event) as {
    readonly tool?: { readonly input: { readonly command: string } };
    readonly prompt?: string;
  };
  const text = tool?.input.command ?? prompt;
  const set = text === undefined ? undefined : canariesOf([text], target, senders);
  const isSent = set?.canaries.some(({ agent }) => agent !== undefined) ?? false;
  return {
    canaries: isSent && set !== undefined ? set.canaries.map((canary) => ({ ...canary, sent: label })) : [sampleAsWritten(target, label)],
    missing: set?.missing ?? [],
    isUnreachable: set?.isUnreachable ?? false,
  };
}

function sampleAsWritten({ event, tool, project }: Target, label: string): Canary {
  const sample = samplePayload(event);
  const call = sample.tool === undefined ? {} : { tool: { ...(sample.tool as object), name: toolFor(tool) } };
  const payload = { ...sample, ...call, session: SESSION, ...(project !== undefined && { cwd: project }) };
  return { event, payload, sent: label };
}

function firstOfEach(missing: readonly Missing[]): readonly Missing[] {
  return [...new Map(missing.toReversed().map((one) => [one.agent, one])).values()].toReversed();
}

/** Whether an event can be decided that way. */
export function takes(outcome: "block" | "ask"): (spec: EventSpec) => boolean {
  return ({ kind, outcomes }) => kind === "gate" && outcomes.includes(outcome);
}
