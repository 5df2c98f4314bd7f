import { isDeepStrictEqual } from "node:util";
import type { AgentDecision, HookReply, Translated } from "../shared/definition.js";
import { againReason, answer, contextOf, NOTHING, reasonOf, refusal, specificTo, toldWith } from "../shared/hook-reply.js";
import { isObject } from "../shared/native-payload.js";
import { outputText } from "../shared/output-text.js";
import { type Rewrite, textRewrite, toolRewrite } from "../shared/rewrite.js";
import { type CodexEvent, events } from "./events.js";
import { COMMAND_TOOLS, tools } from "./tools.js";

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

function finish(decision: AgentDecision): HookReply {
  const reason = againReason(decision);
  return reason === undefined ? NOTHING : refusal(reason);
}

/** Where nothing can be stopped, a deny is told to the model. */
function told(event: CodexEvent, decision: AgentDecision): HookReply {
  if (!events[event].can.includes("inject")) return NOTHING;
  const context = toldWith(decision);
  return context === undefined ? NOTHING : answer(specificTo(event, { additionalContext: context }));
}

/** What nobody settled is a no: Codex runs a tool whose hook says "ask". */
function isNo({ verdict }: AgentDecision): boolean {
  return verdict === "deny" || verdict === "ask";
}

function denied(decision: AgentDecision): HookReply {
  return refusal(contextOf([reasonOf(decision), ...decision.injections]) ?? "");
}

/** As Claude Code's, for an agent that reads only the command of its shells and patches: a rewrite of anything else is refused. */
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
  return { refused: "A rule changed more than the command of this call, and Codex takes nothing else." };
}

function shownIn({ payload }: Translated): { readonly path?: unknown; readonly paths?: unknown } {
  return isObject(payload.tool) && isObject(payload.tool.input) ? payload.tool.input : {};
}

/** A field that we added may be left out of a rewrite; it may not differ. */
function isSame(value: unknown, shown: unknown): boolean {
  return value === undefined || isDeepStrictEqual(value, shown);
}
