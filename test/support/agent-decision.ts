import type { AgentDecision, Translated } from "../../packages/hookline/src/agents/shared/definition.js";

/** A decision about a call: a pass, but for what is given. */
export function decisionAbout(about: Translated, over: Partial<AgentDecision> = {}): AgentDecision {
  return { verdict: "pass", payload: about.payload, modified: false, endLoop: false, injections: [], ...over };
}

/** A rewrite of the tool's input, as a rule makes it. */
export function rewritten(about: Translated, input: object, over: Partial<AgentDecision> = {}): AgentDecision {
  const { tool } = about.payload as { tool: object };
  return decisionAbout(about, { modified: true, payload: { ...about.payload, tool: { ...tool, input } }, ...over });
}
