import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, NOTHING, reasonOf, refusal, toldWith } from "../shared/hook-reply.js";
import type { Json } from "../shared/native-payload.js";
import { type Rewrite, textRewrite, toolRewrite } from "../shared/rewrite.js";
import { type CursorEvent, events } from "./events.js";
import { tools } from "./tools.js";

/**
 * A decision in Cursor's format. Cursor takes the silence of a hook that may deny for a failure, so a pass has to be said. It says "allow", the only
 * word for it. A deny is also exit code 2, which counts whatever is on stdout.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (!Object.hasOwn(events, native)) return NOTHING;
  const event = native as CursorEvent;
  if (event === "preToolUse") return beforeTool(decision, asked);
  if (event === "subagentStart")
    return refused(decision, textRewrite(decision, asked), { permission: "deny" }) ?? answer({ permission: "allow" });
  if (event === "beforeSubmitPrompt")
    return refused(decision, textRewrite(decision, asked), { continue: false }) ?? answer({ continue: true });
  if (event === "stop") return finish(decision);
  return told(event, decision);
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const rewrite = toolRewrite(tools, decision, asked);
  const no = refused(decision, rewrite, { permission: "deny" });
  const { input } = rewrite;
  return no ?? answer({ permission: "allow", ...(input !== undefined && { updated_input: input }) });
}

/** Cursor does not enforce "ask" here, so an unanswered `ask` is a deny. */
function refused(decision: AgentDecision, { refused: why }: Rewrite, document: Json): HookReply | undefined {
  const isNo = decision.verdict === "deny" || decision.verdict === "ask";
  if (!isNo && why === undefined) return undefined;
  const reason = isNo ? reasonOf(decision) : (why ?? "");
  return refusal(reason, { ...document, user_message: reason, ...("permission" in document && { agent_message: reason }) });
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : answer({ followup_message: reason });
}

/** Events that cannot be blocked pass a deny to the model as text. */
function told(event: CursorEvent, decision: AgentDecision): HookReply {
  const can: readonly string[] = events[event].can;
  const context = can.includes("inject") ? toldWith(decision) : undefined;
  return context === undefined ? NOTHING : answer({ additional_context: context });
}
