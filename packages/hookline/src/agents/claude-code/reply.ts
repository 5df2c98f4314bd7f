import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, because, contextOf, NOTHING, reasonOf, refusal, specificTo, toldWith } from "../shared/hook-reply.js";
import { isObject } from "../shared/native-payload.js";
import { textRewrite, toolRewrite } from "../shared/rewrite.js";
import { type ClaudeEvent, events } from "./events.js";
import { claudeOutput } from "./tool-output.js";
import { tools } from "./tools.js";

/**
 * A decision in Claude Code's format. A deny is sent twice, as a document and as exit code 2 with stderr: the document is lost when anything else
 * is printed on stdout, and the exit code does not reach an http hook and cannot end the loop.
 */
export function reply(native: string, decision: AgentDecision, asked: Translated): HookReply {
  if (!Object.hasOwn(events, native)) return NOTHING;
  const event = native as ClaudeEvent;
  if (event === "PreToolUse") return beforeTool(decision, asked);
  if (event === "PostToolUse") return afterTool(decision, asked);
  if (event === "PermissionRequest") return permission(decision, asked);
  if (event === "Stop") return finish(decision);
  if (events[event].can.includes("block")) return text(event, decision, asked);
  return told(event, decision);
}

function beforeTool(decision: AgentDecision, asked: Translated): HookReply {
  const { verdict } = decision;
  const { input, refused } = toolRewrite(tools, decision, asked);
  const context = contextOf(decision.injections);
  const extra = context === undefined ? {} : { additionalContext: context };
  if (verdict === "deny" || refused !== undefined) {
    const reason = verdict === "deny" ? reasonOf(decision) : (refused ?? "");
    const specific = { permissionDecision: "deny", permissionDecisionReason: reason, ...extra };
    return refusal(reason, { ...stop(decision, reason), ...specificTo("PreToolUse", specific) });
  }
  // Without a permissionDecision, Claude Code applies the rewrite and checks its permissions on it. "allow" would skip that check.
  const permission = verdict === "pass" ? {} : { permissionDecision: verdict, ...because(decision) };
  const specific = { ...permission, ...(input !== undefined && { updatedInput: input }), ...extra };
  return Object.keys(specific).length === 0 ? NOTHING : answer(specificTo("PreToolUse", specific));
}

/** Only a document replaces an output: exit code 2 shows the model its text beside the original output. */
function afterTool(decision: AgentDecision, asked: Translated): HookReply {
  if (decision.output === undefined) return told("PostToolUse", decision);
  const { tool_name: tool, tool_response: original } = isObject(asked.payload.raw) ? asked.payload.raw : {};
  const context = contextOf(decision.injections);
  const updated = claudeOutput(decision.output.value, { tool: String(tool), original });
  return answer(specificTo("PostToolUse", { updatedToolOutput: updated, ...(context !== undefined && { additionalContext: context }) }));
}

/** Exit code 2 has no effect here: the dialog would open. `ask` is the default anyway. */
function permission(decision: AgentDecision, asked: Translated): HookReply {
  const { verdict, endLoop } = decision;
  const { input, refused } = toolRewrite(tools, decision, asked);
  const isUntold = refused !== undefined || (input !== undefined && verdict !== "allow");
  if (verdict === "deny" || isUntold) {
    const message =
      verdict === "deny" ? reasonOf(decision) : (refused ?? "A rule changed this call, and the dialog would ask about the unchanged one.");
    return decided({ behavior: "deny", message, ...(verdict === "deny" && endLoop && { interrupt: true }) });
  }
  return verdict === "allow" ? decided({ behavior: "allow", ...(input !== undefined && { updatedInput: input }) }) : NOTHING;
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : refusal(reason, { decision: "block", reason });
}

/** Prompts, slash commands and compaction pass unchanged, or not at all. */
function text(event: ClaudeEvent, decision: AgentDecision, asked: Translated): HookReply {
  const { refused } = textRewrite(decision, asked);
  // No person can be asked about a prompt, so an unanswered `ask` is a deny.
  if (decision.verdict === "deny" || decision.verdict === "ask" || refused !== undefined) {
    const reason = decision.verdict === "deny" || refused === undefined ? reasonOf(decision) : refused;
    return refusal(reason, { decision: "block", reason });
  }
  return event === "PreCompact" ? instructions(decision) : told(event, decision);
}

/** The only event that takes plain text, and no context in a document. */
function instructions({ injections }: AgentDecision): HookReply {
  const context = contextOf(injections);
  if (context === undefined) return NOTHING;
  // Text that begins like a document would be parsed as one.
  return { ...NOTHING, stdout: /^\s*[{[]/.test(context) ? `Note: ${context}` : context };
}

/** Events that cannot be blocked pass a deny to the model as text. */
function told(event: ClaudeEvent, decision: AgentDecision): HookReply {
  if (!events[event].can.includes("inject")) return NOTHING;
  const context = toldWith(decision);
  return context === undefined ? NOTHING : answer(specificTo(event, { additionalContext: context }));
}

function stop({ verdict, endLoop }: AgentDecision, stopReason: string): object {
  // Only beside a deny: alone, it ends the loop after the tool ran.
  return verdict === "deny" && endLoop ? { continue: false, stopReason } : {};
}

function decided(decision: object): HookReply {
  return answer(specificTo("PermissionRequest", { decision }));
}
