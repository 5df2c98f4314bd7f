import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, NOTHING, reasonOf, refusal, specificTo, toldWith } from "../shared/hook-reply.js";
import { textRewrite, unacceptedRewrite } from "../shared/rewrite.js";
import { events, type QwenEvent } from "./events.js";
import { tools } from "./tools.js";

/**
 * A decision in Qwen Code's format: Claude Code's documents. A deny is a document and exit code 2 with stderr: an exit code without text does not
 * block, and the document is lost when anything else is printed on stdout. It ignores a new input, so a rewrite is a deny.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (!Object.hasOwn(events, native)) return NOTHING;
  const event = native as QwenEvent;
  if (event === "PreToolUse") return beforeTool(decision, asked);
  if (event === "UserPromptSubmit") return prompt(decision, asked);
  if (event === "Stop") return finish(decision);
  return told(event, decision);
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const reason = isNo(decision) ? reasonOf(decision) : unacceptedRewrite(tools, decision, asked);
  if (reason === undefined) return NOTHING;
  return refusal(reason, specificTo("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: reason }));
}

function prompt(decision: AgentDecision, asked: Translated): HookReply {
  const reason = isNo(decision) ? reasonOf(decision) : textRewrite(decision, asked).refused;
  return reason === undefined ? told("UserPromptSubmit", decision) : refusal(reason, { decision: "block", reason });
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : refusal(reason, { decision: "block", reason });
}

/** Events that cannot be blocked pass a deny to the model as text. */
function told(event: QwenEvent, decision: AgentDecision): HookReply {
  const can: readonly string[] = events[event].can;
  const context = can.includes("inject") ? toldWith(decision) : undefined;
  return context === undefined ? NOTHING : answer(specificTo(event, { additionalContext: context }));
}

/** An unanswered `ask` is a deny. */
function isNo({ verdict }: AgentDecision): boolean {
  return verdict === "deny" || verdict === "ask";
}
