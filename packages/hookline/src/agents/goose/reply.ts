import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, NOTHING, reasonOf, refusal } from "../shared/hook-reply.js";
import { unacceptedRewrite } from "../shared/rewrite.js";
import { tools } from "./tools.js";

/**
 * A decision in the format that newer versions of Goose document: exit code 2 with the reason on stderr, before a call and at the end of a turn.
 * Goose 1.34 runs the call whatever its hook says.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (native === "Stop") return denied(againReason(decision));
  if (native !== "PreToolUse") return NOTHING;
  // An unanswered `ask` is a deny.
  const isNo = decision.verdict === "deny" || decision.verdict === "ask";
  return denied(isNo ? reasonOf(decision) : unacceptedRewrite(tools, decision, asked));
}

function denied(reason: string | undefined): HookReply {
  return reason === undefined ? NOTHING : refusal(reason);
}
