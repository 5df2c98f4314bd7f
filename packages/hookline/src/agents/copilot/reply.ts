import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, because, contextOf, NOTHING, reasonOf, refusal, toldWith } from "../shared/hook-reply.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { outputText } from "../shared/output-text.js";
import { isChangedBeside, toolRewrite } from "../shared/rewrite.js";
import { type CopilotEvent, events } from "./events.js";
import { eventNamed, inOneSpelling } from "./spelling.js";
import { tools } from "./tools.js";

/**
 * A decision in Copilot CLI's format: fields at the top of the document, which it accepts under either spelling of the event's name. It accepts the
 * nested fields of Claude Code only for PreToolUse. A deny also uses exit code 2: the document is lost when anything else is printed on stdout.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  const event = eventNamed(native);
  if (event === undefined) return NOTHING;
  if (event === "preToolUse") return beforeTool(decision, asked);
  if (event === "permissionRequest") return permission(decision, asked);
  if (event === "userPromptSubmitted") return prompt(decision, asked);
  if (event === "agentStop") return finish(decision);
  if (event === "postToolUse" && decision.output !== undefined) return replaced(decision.output.value, decision);
  return told(event, decision);
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const { verdict } = decision;
  const { input, refused } = rewriteOf(decision, asked);
  const extra = contextFields(decision);
  if (verdict === "deny" || refused !== undefined) {
    const reason = verdict === "deny" ? reasonOf(decision) : (refused ?? "");
    return refusal(reason, { permissionDecision: "deny", permissionDecisionReason: reason, ...extra });
  }
  const permission = verdict === "pass" ? {} : { permissionDecision: verdict, ...because(decision) };
  return orNothing({ ...permission, ...(input !== undefined && { modifiedArgs: input }), ...extra });
}

/** An empty answer opens the dialog or, under --allow-all-tools, lets the call run, so an unanswered `ask` is a deny. */
function permission(decision: AgentDecision, asked: Translated): HookReply {
  const { verdict } = decision;
  const { input, refused } = rewriteOf(decision, asked);
  if (verdict === "allow" && input === undefined && refused === undefined) return answer({ behavior: "allow" });
  if (verdict === "pass" && input === undefined && refused === undefined) return NOTHING;
  const isNo = verdict === "deny" || verdict === "ask";
  const message = isNo ? reasonOf(decision) : (refused ?? "A rule changed this call, and Copilot CLI would run the unchanged one.");
  return refusal(message, { behavior: "deny", message });
}

function prompt(decision: AgentDecision, asked: Translated): HookReply {
  const { verdict } = decision;
  const text = isObject(decision.payload) ? decision.payload.prompt : undefined;
  const isRewritten = decision.modified && text !== asked.payload.prompt;
  const isChangedElsewhere = decision.modified && isChangedBeside(decision, asked, ["prompt"]);
  const isUntold = isChangedElsewhere || (isRewritten && (typeof text !== "string" || text === ""));
  // No person can be asked about a prompt, so an unanswered `ask` is a deny.
  if (verdict === "deny" || verdict === "ask" || isUntold) {
    const untold = isChangedElsewhere ? "A rule changed more than the text of this prompt." : "A rule removed all of this prompt.";
    const reason = verdict === "deny" || !isUntold ? reasonOf(decision) : untold;
    return refusal(reason, { decision: "block", reason });
  }
  return orNothing({ ...(isRewritten && { modifiedPrompt: text }), ...contextFields(decision) });
}

/** Copilot CLI ignores text without the object around it. */
function replaced(value: unknown, decision: AgentDecision): HookReply {
  return answer({ modifiedResult: { resultType: "success", textResultForLlm: outputText(value) }, ...contextFields(decision) });
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : answer({ decision: "block", reason });
}

/** Events that cannot be blocked pass a deny to the model as text. */
function told(event: CopilotEvent, decision: AgentDecision): HookReply {
  const can: readonly string[] = events[event].can;
  if (!can.includes("inject")) return NOTHING;
  const context = toldWith(decision);
  return context === undefined ? NOTHING : answer({ additionalContext: context });
}

function rewriteOf(decision: AgentDecision, asked: Translated): ReturnType<typeof toolRewrite> {
  return toolRewrite(tools, decision, asked, inOneSpelling(asked.payload.raw));
}

function contextFields({ injections }: AgentDecision): Json {
  const context = contextOf(injections);
  return context === undefined ? {} : { additionalContext: context };
}

function orNothing(document: Json): HookReply {
  return Object.keys(document).length === 0 ? NOTHING : answer(document);
}
