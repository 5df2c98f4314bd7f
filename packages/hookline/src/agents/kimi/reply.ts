import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, NOTHING, reasonOf, refusal, toldWith } from "../shared/hook-reply.js";
import { textRewrite, unacceptedRewrite } from "../shared/rewrite.js";
import { events } from "./events.js";
import { tools } from "./tools.js";

/**
 * A decision in Kimi Code's format. A deny is exit code 2 with the reason on stderr: that counts at every event that can be blocked, a document
 * does not count for a prompt. It ignores a new input, so a rewrite is a deny.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (!Object.hasOwn(events, native)) return NOTHING;
  if (native === "PreToolUse") return denied(isNo(decision) ? reasonOf(decision) : unacceptedRewrite(tools, decision, asked));
  if (native === "UserPromptSubmit") return prompt(decision, asked);
  return native === "Stop" ? denied(againReason(decision)) : NOTHING;
}

function prompt(decision: AgentDecision, asked: Translated): HookReply {
  const reason = isNo(decision) ? reasonOf(decision) : textRewrite(decision, asked).refused;
  if (reason !== undefined) return refusal(reason);
  const message = toldWith(decision);
  return message === undefined ? NOTHING : answer({ message });
}

function denied(reason: string | undefined): HookReply {
  return reason === undefined ? NOTHING : refusal(reason);
}

/** An unanswered `ask` is a deny. */
function isNo({ verdict }: AgentDecision): boolean {
  return verdict === "deny" || verdict === "ask";
}
