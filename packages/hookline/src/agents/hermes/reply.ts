import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, NOTHING, reasonOf, refusal, toldWith } from "../shared/hook-reply.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { toolRewrite } from "../shared/rewrite.js";
import { tools } from "./tools.js";

/** A decision in Hermes' format. A deny is a document and exit code 2, which counts whatever is on stdout. */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (native === "pre_tool_call") return beforeTool(decision, asked);
  if (native === "pre_verify") return finish(decision);
  const context = native === "pre_llm_call" ? toldWith(decision) : undefined;
  return context === undefined ? NOTHING : answer({ context });
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const { input, refused } = toolRewrite(tools, decision, asked);
  // An unanswered `ask` is a deny.
  const isNo = decision.verdict === "deny" || decision.verdict === "ask";
  const reason = isNo ? reasonOf(decision) : (refused ?? omitted(input, asked));
  if (reason !== undefined) return refusal(reason, { action: "block", message: reason });
  return input === undefined ? NOTHING : answer({ action: "modify", args: input });
}

/** Hermes adds the new fields to those of the call, so a field cannot be taken away. */
function omitted(input: Json | undefined, { payload: { raw } }: Translated): string | undefined {
  const before = isObject(raw) && isObject(raw.tool_input) ? raw.tool_input : {};
  if (input === undefined || Object.keys(before).every((field) => Object.hasOwn(input, field))) return undefined;
  return "A rule removed a field of this call, and Hermes would keep it. Make the call without that field.";
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : answer({ action: "continue", message: reason });
}
