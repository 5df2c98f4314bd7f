import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { NOTHING, reasonOf, refusal } from "../shared/hook-reply.js";
import { textRewrite, unacceptedRewrite } from "../shared/rewrite.js";
import { events } from "./events.js";
import { tools } from "./tools.js";
import { inCommonWords } from "./translate.js";

/** A decision in Windsurf's format: exit code 2 with the reason on stderr, or nothing. It accepts no rewrite, so one is a deny. */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  const can: readonly string[] = Object.hasOwn(events, native) ? events[native as keyof typeof events].can : [];
  if (!can.includes("block")) return NOTHING;
  // An unanswered `ask` is a deny.
  const isNo = decision.verdict === "deny" || decision.verdict === "ask";
  const reason = isNo ? reasonOf(decision) : changed(native, decision, asked);
  return reason === undefined ? NOTHING : refusal(reason);
}

function changed(native: string, decision: AgentDecision, asked: Translated): string | undefined {
  if (native === "pre_user_prompt") return textRewrite(decision, asked).refused;
  return unacceptedRewrite(tools, decision, asked, inCommonWords(asked.payload.raw));
}
