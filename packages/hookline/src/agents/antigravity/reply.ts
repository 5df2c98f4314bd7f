import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, NOTHING, reasonOf } from "../shared/hook-reply.js";
import { unacceptedRewrite } from "../shared/rewrite.js";
import { tools } from "./tools.js";
import { inCommonWords } from "./translate.js";

/**
 * A decision in Antigravity's format: a document alone, because its documentation names no exit codes. It may take the silence of a hook for a
 * failure, so a pass has to be said.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (native === "Stop") return finish(decision);
  if (native !== "PreToolUse") return NOTHING;
  // An unanswered `ask` is a deny.
  const isNo = decision.verdict === "deny" || decision.verdict === "ask";
  const reason = isNo ? reasonOf(decision) : unacceptedRewrite(tools, decision, asked, inCommonWords(asked.payload.raw));
  return answer(reason === undefined ? { decision: "allow" } : { decision: "deny", reason });
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : answer({ decision: "continue", reason });
}
