import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, contextOf, NOTHING, reasonOf, refusal, specificTo, toldWith } from "../shared/hook-reply.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { outputText } from "../shared/output-text.js";
import { isChangedBeside, isSame, textRewrite, toolRewrite } from "../shared/rewrite.js";
import { events, type GeminiEvent } from "./events.js";
import { tools } from "./tools.js";

/**
 * A decision in Gemini CLI's format. A deny is a document and exit code 2 with stderr: the document is lost when anything else is printed on
 * stdout, and an exit code without text does not block. The reply never contains "allow", which skips no prompt here, or "ask", which would turn a
 * deny of the agent's own policy into a question.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (!Object.hasOwn(events, native)) return NOTHING;
  const event = native as GeminiEvent;
  if (event === "BeforeTool") return beforeTool(decision, asked);
  if (event === "BeforeAgent") return beforeAgent(decision, asked);
  if (event === "BeforeModel") return beforeModel(decision, asked);
  if (event === "AfterAgent") return finish(decision);
  if (event === "AfterTool" && decision.output !== undefined) return replaced(decision.output.value, decision);
  return told(event, decision);
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const { input, refused } = toolRewrite(tools, decision, asked);
  const no = refusedWith(decision, refused);
  if (no !== undefined) return no;
  // The whole input, because Gemini CLI replaces the old one with it.
  return input === undefined ? NOTHING : answer(specificTo("BeforeTool", { tool_input: input }));
}

function beforeAgent(decision: AgentDecision, asked: Translated): HookReply {
  return refusedWith(decision, textRewrite(decision, asked).refused) ?? told("BeforeAgent", decision);
}

function beforeModel(decision: AgentDecision, asked: Translated): HookReply {
  const [before, after] = [asked.payload.request, isObject(decision.payload) ? decision.payload.request : undefined];
  const isRewritten = decision.modified && !isSame(before, after);
  const isUntold = decision.modified && (isChangedBeside(decision, asked, ["request"]) || (isRewritten && !isSameShape(before, after)));
  const no = refusedWith(decision, isUntold ? UNTOLD : undefined);
  if (no !== undefined) return no;
  return isRewritten ? answer(specificTo("BeforeModel", { llm_request: after })) : NOTHING;
}

/** The reason of a deny replaces the output, as an error of the tool. There is no field for context beside it. */
function replaced(value: unknown, { injections }: AgentDecision): HookReply {
  const reason = contextOf([outputText(value), ...injections]) ?? "";
  return refusal(reason, { decision: "deny", reason });
}

const UNTOLD = "A rule changed more than the text of this request's messages, and Gemini CLI accepts no other change.";

/** Gemini CLI matches the messages by position. */
function isSameShape(before: unknown, after: unknown): after is Json {
  const [old, now] = [messagesOf(before), messagesOf(after)];
  return old !== undefined && old.length === now?.length;
}

function messagesOf(request: unknown): readonly unknown[] | undefined {
  return isObject(request) && Array.isArray(request.messages) ? request.messages : undefined;
}

/** This agent cannot ask without weakening its own policy, so an unanswered `ask` is a deny. */
function refusedWith(decision: AgentDecision, refused: string | undefined): HookReply | undefined {
  const { verdict, endLoop } = decision;
  if (verdict !== "deny" && verdict !== "ask" && refused === undefined) return undefined;
  const reason = verdict === "deny" || refused === undefined ? reasonOf(decision) : refused;
  return refusal(reason, { decision: "deny", reason, ...(verdict === "deny" && endLoop && { continue: false, stopReason: reason }) });
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : answer({ decision: "deny", reason });
}

/** Events that cannot be blocked pass a deny to the model as text. */
function told(event: GeminiEvent, decision: AgentDecision): HookReply {
  const can: readonly string[] = events[event].can;
  if (!can.includes("inject")) return NOTHING;
  const context = toldWith(decision);
  return context === undefined ? NOTHING : answer(specificTo(event, { additionalContext: context }));
}
