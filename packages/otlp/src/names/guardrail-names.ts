import type { DecisionStep, DecisionSummary } from "@hookline/core/sinks";
import { GEN_AI } from "./gen-ai.js";

/** What is said about one actor's part in a decision. */
interface GuardrailRun {
  readonly step: DecisionStep;
  readonly decision: DecisionSummary;
  readonly event: string;
  /** The id of the tool call, where it is about one. */
  readonly target: string | undefined;
}

type Attributes = { readonly [name: string]: string | number | boolean | undefined };

/** How the spans of decisions are named. */
export interface GuardrailNames {
  nameOf(run: GuardrailRun): string;
  attributesOf(run: GuardrailRun): Attributes;
}

/** Hookline's own names, which stay. */
const hookline: GuardrailNames = {
  nameOf: ({ step }) => `guard ${step.actor.name}`,
  attributesOf: ({ step, decision, event, target }) => ({
    "hookline.event": event,
    "hookline.guard.name": step.actor.name,
    "hookline.guard.kind": step.actor.kind,
    "hookline.guard.owner": step.actor.owner,
    "hookline.guard.stage": step.stage,
    "hookline.guard.action": step.action,
    "hookline.guard.reason": step.reason,
    "hookline.guard.failure": step.failure,
    "hookline.verdict": decision.verdict,
    [GEN_AI.toolCallId]: target,
  }),
};

/**
 * The names of the open proposal for guardrails: github.com/open-telemetry/semantic-conventions-genai/pull/427, as of August 2026. They may
 * change until it is merged, so they are used only with `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental`.
 */
const proposed: GuardrailNames = {
  nameOf: ({ step }) => `run_guardrail ${step.actor.name}`,
  attributesOf: ({ step, decision, event, target }) => ({
    [GEN_AI.operation]: "run_guardrail",
    "gen_ai.guardrail.component.name": step.actor.name,
    "gen_ai.guardrail.target.type": /:(result|after|transform|complete)$/.test(event) ? "output" : "input",
    "gen_ai.guardrail.target.subtype": /^(tool|permission|approval):/.test(event)
      ? "tool_call"
      : /^(llm|prompt|message|answer):/.test(event)
        ? "llm"
        : undefined,
    "gen_ai.guardrail.target.id": target,
    "gen_ai.guardrail.verdict.type": VERDICT_OF_ACTION[step.action],
    "gen_ai.guardrail.verdict.reason": step.reason,
    "gen_ai.guardrail.action.type": enforced(decision),
    "gen_ai.guardrail.security.content.modified": step.action === "modify" ? true : undefined,
    "gen_ai.guardrail.security.policy.id": step.actor.owner ?? step.actor.kind,
    "gen_ai.guardrail.security.policy.rule.id": step.actor.kind === "rule" ? step.actor.name : undefined,
  }),
};

/** An actor that failed has given no verdict. */
const VERDICT_OF_ACTION: { readonly [action: string]: string } = {
  pass: "allow",
  allow: "allow",
  handled: "allow",
  inject: "warn",
  remind: "warn",
  again: "warn",
  ask: "escalate",
  deny: "deny",
  modify: "modify",
  replace: "modify",
};

function enforced({ verdict, modified }: DecisionSummary): string {
  if (verdict === "deny") return "block";
  if (verdict === "ask") return "escalate";
  return modified ? "modify" : "allow";
}

export const guardrailNames: { readonly [choice in "hookline" | "proposed"]: GuardrailNames } = { hookline, proposed };
