import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { answer, contextOf, NOTHING, reasonOf, refusal, toldWith } from "../shared/hook-reply.js";
import { isObject } from "../shared/native-payload.js";
import { toolRewrite } from "../shared/rewrite.js";
import { tools } from "./tools.js";
import { inCommonWords } from "./translate.js";

/**
 * A decision in Cline's format. A deny cancels the call, which ends the whole run: the model does not learn the reason. Cline ignores exit codes;
 * the one here is for `attach --check`.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (native === "PreToolUse") return beforeTool(decision, asked);
  const context = native === "PostToolUse" ? toldWith(decision) : undefined;
  return context === undefined ? NOTHING : answer({ contextModification: context });
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const { input, refused } = toolRewrite(tools, decision, asked, inCommonWords(asked.payload.raw));
  // An unanswered `ask` is a deny.
  const isNo = decision.verdict === "deny" || decision.verdict === "ask";
  const reason = isNo ? reasonOf(decision) : (refused ?? (input === undefined ? undefined : hiddenChange(input, asked)));
  if (reason !== undefined) return refusal(reason, { cancel: true, errorMessage: reason });
  const context = contextOf(decision.injections);
  const document = { ...(input !== undefined && { overrideInput: input }), ...(context !== undefined && { contextModification: context }) };
  return Object.keys(document).length === 0 ? NOTHING : answer(document);
}

/** The fields that Hookline adds for rules are not Cline's. */
function hiddenChange(input: { readonly [key: string]: unknown }, { payload }: Translated): string | undefined {
  const shown = isObject(payload.tool) && isObject(payload.tool.input) ? payload.tool.input : {};
  if (!("paths" in shown) || !("paths" in input)) return undefined;
  return "A rule changed a call that reads files, and Cline would read the files that the call names.";
}
