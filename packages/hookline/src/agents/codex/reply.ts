import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { answer, contextOf, NOTHING, reasonOf, refusal } from "../shared/hook-reply.js";
import { outputText } from "../shared/output-text.js";
import { textRewrite } from "../shared/rewrite.js";
import { type CodexEvent, events } from "./events.js";
import { codexRewrite } from "./rewrite.js";

/**
 * A decision as Codex hears it. A deny is exit code 2 with the reason on stderr and nothing else: a document is dropped, and the tool runs,
 * for one unknown field, an empty reason, `continue: false` or a stray line; the exit code holds whatever is on stdout.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (!Object.hasOwn(events, native)) return NOTHING;
  const event = native as CodexEvent;
  if (event === "PreToolUse") return beforeTool(decision, asked);
  if (event === "PostToolUse" && decision.output !== undefined) return replaced(decision.output.value, decision);
  if (event === "PermissionRequest") return permission(decision, asked);
  if (event === "UserPromptSubmit") return prompt(decision, asked);
  if (event === "PreCompact") return compaction(decision, asked);
  if (event === "Stop") return finish(decision);
  return told(event, decision);
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const { input, refused } = codexRewrite(decision, asked);
  if (isNo(decision)) return denied(decision);
  if (refused !== undefined) return refusal(refused);
  const context = contextOf(decision.injections);
  const extra = context === undefined ? {} : { additionalContext: context };
  // A rewrite is read only beside "allow", which here skips no prompt: Codex still asks, about the rewritten call. Alone it is an error.
  const rewrite = input === undefined ? {} : { permissionDecision: "allow", updatedInput: input };
  const specific = { ...rewrite, ...extra };
  return Object.keys(specific).length === 0 ? NOTHING : answer(specificTo("PreToolUse", specific));
}

/** What a hook that blocks after the call says takes the place of the output. A document could say the context apart, and be dropped. */
function replaced(value: unknown, { injections }: AgentDecision): HookReply {
  return refusal(contextOf([outputText(value), ...injections]) ?? "");
}

/** Codex asks anyway: `ask` and `pass` leave it to that. A rewrite cannot be told here. */
function permission(decision: AgentDecision, asked: Translated): HookReply {
  if (decision.verdict === "deny") return denied(decision);
  const { input, refused } = codexRewrite(decision, asked);
  if (input !== undefined || refused !== undefined)
    return refusal(refused ?? "A rule changed this call, and Codex would ask about the unchanged one.");
  return decision.verdict === "allow" ? answer(specificTo("PermissionRequest", { decision: { behavior: "allow" } })) : NOTHING;
}

function prompt(decision: AgentDecision, asked: Translated): HookReply {
  const { refused } = textRewrite(decision, asked);
  if (isNo(decision)) return denied(decision);
  return refused === undefined ? told("UserPromptSubmit", decision) : refusal(refused);
}

/** Exit code 2 is no answer here. This ends the turn as well: Codex cannot go on without room. */
function compaction(decision: AgentDecision, asked: Translated): HookReply {
  const { refused } = textRewrite(decision, asked);
  if (isNo(decision)) return answer({ continue: false, stopReason: reasonOf(decision) });
  return refused === undefined ? NOTHING : answer({ continue: false, stopReason: refused });
}

function finish({ again, reason }: AgentDecision): HookReply {
  if (again === undefined) return NOTHING;
  return refusal([again.reason, reason].find((text) => text !== undefined && text.trim() !== "") ?? "Not finished yet: go on.");
}

/** Where nothing can be stopped, a deny is told to the model. */
function told(event: CodexEvent, decision: AgentDecision): HookReply {
  if (!events[event].can.includes("inject")) return NOTHING;
  const context = contextOf([...(decision.verdict === "deny" ? [reasonOf(decision)] : []), ...decision.injections]);
  return context === undefined ? NOTHING : answer(specificTo(event, { additionalContext: context }));
}

/** What nobody settled is a no: Codex runs a tool whose hook says "ask". */
function isNo({ verdict }: AgentDecision): boolean {
  return verdict === "deny" || verdict === "ask";
}

function denied(decision: AgentDecision): HookReply {
  return refusal(contextOf([reasonOf(decision), ...decision.injections]) ?? "");
}

function specificTo(hookEventName: CodexEvent, fields: object): object {
  return { hookSpecificOutput: { hookEventName, ...fields } };
}
