import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { NOTHING, reasonOf, refusal, toldWith } from "../shared/hook-reply.js";
import { textRewrite, unacceptedRewrite } from "../shared/rewrite.js";
import { events, type KiroEvent } from "./events.js";
import { tools } from "./tools.js";

/**
 * A decision in Kiro's format: exit code 2 with the reason on stderr, or text on stdout, which reaches the model where a session begins and with a
 * prompt. It accepts no rewrite, so one is a deny.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (!Object.hasOwn(events, native)) return NOTHING;
  const can: readonly string[] = events[native as KiroEvent].can;
  // An unanswered `ask` is a deny.
  const isNo = decision.verdict === "deny" || decision.verdict === "ask";
  const reason = !can.includes("block") ? undefined : isNo ? reasonOf(decision) : changed(native, decision, asked);
  if (reason !== undefined) return refusal(reason);
  const context = can.includes("inject") ? toldWith(decision) : undefined;
  return context === undefined ? NOTHING : { stdout: context, stderr: "", exitCode: 0 };
}

function changed(native: string, decision: AgentDecision, asked: Translated): string | undefined {
  return native === "PreToolUse" ? unacceptedRewrite(tools, decision, asked) : textRewrite(decision, asked).refused;
}
