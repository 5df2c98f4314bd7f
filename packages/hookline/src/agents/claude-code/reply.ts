import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, because, contextOf, NOTHING, reasonOf, refusal, specificTo, toldWith } from "../shared/hook-reply.js";
import { isObject } from "../shared/native-payload.js";
import { textRewrite, toolRewrite } from "../shared/rewrite.js";
import { type ClaudeEvent, events } from "./events.js";
import { claudeOutput } from "./tool-output.js";
import { tools } from "./tools.js";

/**
 * A decision as Claude Code hears it. A deny is said twice, in a document and by exit code 2 with stderr: the document alone is lost when
 * anything else lands on stdout, the exit code alone does not reach an http hook and cannot end the loop.
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
  // Without a permissionDecision the rewrite holds and Claude Code checks its permissions on it; "allow" would skip that.
  const permission = verdict === "pass" ? {} : { permissionDecision: verdict, ...because(decision) };
  const specific = { ...permission, ...(input !== undefined && { updatedInput: input }), ...extra };
  return Object.keys(specific).length === 0 ? NOTHING : answer(specificTo("PreToolUse", specific));
}

/** Only a document replaces an output: exit code 2 shows the model its text beside the original. */
function afterTool(decision: AgentDecision, asked: Translated): HookReply {
  if (decision.output === undefined) return told("PostToolUse", decision);
  const { tool_name: tool, tool_response: original } = isObject(asked.payload.raw) ? asked.payload.raw : {};
  const context = contextOf(decision.injections);
  const updated = claudeOutput(decision.output.value, { tool: String(tool), original });
  return answer(specificTo("PostToolUse", { updatedToolOutput: updated, ...(context !== undefined && { additionalContext: context }) }));
}

/** Exit code 2 says nothing here: the dialog would open. `ask` is what it does already. */
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

/** Prompts, slash commands and compaction: they go through as they are, or not at all. */
function text(event: ClaudeEvent, decision: AgentDecision, asked: Translated): HookReply {
  const { refused } = textRewrite(decision, asked);
  // Nobody can be asked about a prompt, so what was not settled is a no.
  if (decision.verdict === "deny" || decision.verdict === "ask" || refused !== undefined) {
    const reason = decision.verdict === "deny" || refused === undefined ? reasonOf(decision) : refused;
    return refusal(reason, { decision: "block", reason });
  }
  return event === "PreCompact" ? instructions(decision) : told(event, decision);
}

/** The one event that takes plain text, and no context in a document. */
function instructions({ injections }: AgentDecision): HookReply {
  const context = contextOf(injections);
  if (context === undefined) return NOTHING;
  // What begins like a document would be read as one.
  return { ...NOTHING, stdout: /^\s*[{[]/.test(context) ? `Note: ${context}` : context };
}

/** Where nothing can be stopped, a deny is told to the model. */
function told(event: ClaudeEvent, decision: AgentDecision): HookReply {
  if (!events[event].can.includes("inject")) return NOTHING;
  const context = toldWith(decision);
  return context === undefined ? NOTHING : answer(specificTo(event, { additionalContext: context }));
}

function stop({ verdict, endLoop }: AgentDecision, stopReason: string): object {
  // Only beside a deny: alone it ends the loop after the tool ran.
  return verdict === "deny" && endLoop ? { continue: false, stopReason } : {};
}

function decided(decision: object): HookReply {
  return answer(specificTo("PermissionRequest", { decision }));
}
