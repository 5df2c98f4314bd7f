import { isDeepStrictEqual } from "node:util";
import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, contextOf, NOTHING, reasonOf, refusal, specificTo, toldWith } from "../shared/hook-reply.js";
import { isObject } from "../shared/native-payload.js";
import { outputText } from "../shared/output-text.js";
import { type Rewrite, textRewrite, toolRewrite } from "../shared/rewrite.js";
import { type CodexEvent, events } from "./events.js";
import { COMMAND_TOOLS, tools } from "./tools.js";

/**
 * A decision in Codex's format. A deny is exit code 2 with the reason on stderr and nothing else. Codex drops a document, and runs the tool, for
 * one unknown field, an empty reason, `continue: false` or a stray line. The exit code counts whatever is on stdout.
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
  // Codex reads a rewrite only beside "allow", which skips no prompt here: Codex still asks, about the rewritten call. A rewrite alone is an error.
  const rewrite = input === undefined ? {} : { permissionDecision: "allow", updatedInput: input };
  const specific = { ...rewrite, ...extra };
  return Object.keys(specific).length === 0 ? NOTHING : answer(specificTo("PreToolUse", specific));
}

/** The text of a hook that blocks after the call replaces the output. A document could carry the context separately, but Codex might drop it. */
function replaced(value: unknown, { injections }: AgentDecision): HookReply {
  return refusal(contextOf([outputText(value), ...injections]) ?? "");
}

/** Codex asks anyway, so `ask` and `pass` leave it to Codex. It does not accept a rewrite here. */
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

/** Exit code 2 has no effect here. This also ends the turn: Codex cannot continue without free context. */
function compaction(decision: AgentDecision, asked: Translated): HookReply {
  const { refused } = textRewrite(decision, asked);
  if (isNo(decision)) return answer({ continue: false, stopReason: reasonOf(decision) });
  return refused === undefined ? NOTHING : answer({ continue: false, stopReason: refused });
}

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : refusal(reason);
}

/** Events that cannot be blocked pass a deny to the model as text. */
function told(event: CodexEvent, decision: AgentDecision): HookReply {
  if (!events[event].can.includes("inject")) return NOTHING;
  const context = toldWith(decision);
  return context === undefined ? NOTHING : answer(specificTo(event, { additionalContext: context }));
}

/** An unanswered `ask` is a deny: Codex runs a tool whose hook answers "ask". */
function isNo({ verdict }: AgentDecision): boolean {
  return verdict === "deny" || verdict === "ask";
}

function denied(decision: AgentDecision): HookReply {
  return refusal(contextOf([reasonOf(decision), ...decision.injections]) ?? "");
}

/** Like Claude Code's, for an agent that reads only the command of its shells and patches. A rewrite of anything else is refused. */
function codexRewrite(decision: AgentDecision, asked: Translated): Rewrite {
  const { input, refused } = toolRewrite(tools, decision, asked);
  const raw = isObject(asked.payload.raw) ? asked.payload.raw : {};
  if (input === undefined) return refused === undefined ? {} : { refused };
  if (!COMMAND_TOOLS.includes(String(raw.tool_name))) return { input };
  const { command, path, paths, ...others } = input;
  const { command: _, ...before } = isObject(raw.tool_input) ? raw.tool_input : {};
  const { path: shownPath, paths: shownPaths } = shownIn(asked);
  const isOnlyCommand = isDeepStrictEqual(others, before) && isSame(path, shownPath) && isSame(paths, shownPaths);
  if (typeof command === "string" && isOnlyCommand) return { input: { command } };
  return { refused: "A rule changed more than the command of this call, and Codex accepts only a new command." };
}

function shownIn({ payload }: Translated): { readonly path?: unknown; readonly paths?: unknown } {
  return isObject(payload.tool) && isObject(payload.tool.input) ? payload.tool.input : {};
}

/** A rewrite may omit a field that we added, but may not change it. */
function isSame(value: unknown, shown: unknown): boolean {
  return value === undefined || isDeepStrictEqual(value, shown);
}
