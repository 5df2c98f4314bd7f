import { allow, ask, block, type HookEvent, inject, replace } from "@hookline/core";
import {
  allows,
  context,
  contextOf,
  foreignVerdict,
  hasOneOf,
  joined,
  newInput,
  notUnderstood,
  otherWord,
  reasonOf,
  refusal,
  strayRewrite,
} from "./answers.js";
import type { CommandAnswer, Dialect } from "./dialect.js";
import { fieldsOf } from "./event-fields.js";
import { crashed, isObject, type JsonObject, readObject } from "./read-document.js";

const KEYS = ["continue", "decision", "hookSpecificOutput"];
const REWRITES = ["updatedInput", "updatedToolOutput", "updatedMCPToolOutput"];
/** The keys that say something, besides those in `hookSpecificOutput`. */
const SAYING = ["continue", "decision", "systemMessage", "suppressOutput"];
const SPECIFIC_SAYING = ["permissionDecision", "decision", "additionalContext", ...REWRITES];
const SPECIFIC = ["hookEventName", ...SPECIFIC_SAYING];
/** Events for which plain text on stdout goes to the model. */
const TEXT_EVENTS = ["prompt:submit", "session:start"];

/** Claude Code's dialect: exit 0 and JSON on stdout, or exit 2 and the reason on stderr. */
export const claudeCode: Dialect = {
  name: "claude-code",

  write(event) {
    const { session, cwd, tool, output, raw } = fieldsOf(event);
    const { payload } = event;
    return {
      ...raw,
      session_id: session,
      transcript_path: raw.transcript_path ?? "",
      cwd: cwd ?? raw.cwd ?? "",
      hook_event_name: claudeName(event),
      ...(tool !== undefined && { tool_name: tool.name, tool_input: tool.input, tool_use_id: tool.callId ?? "" }),
      ...(tool !== undefined && output !== undefined && { tool_response: output }),
      ...(payload.prompt !== undefined && { prompt: payload.prompt }),
      ...(payload.worker !== undefined && { agent_id: payload.worker.id, agent_type: payload.worker.name ?? "" }),
      ...(typeof payload.message === "string" && { message: payload.message }),
      ...(event.name === "finish:before" && { stop_hook_active: raw.stop_hook_active === true }),
    };
  },

  variables(event) {
    return { CLAUDE_PROJECT_DIR: fieldsOf(event).cwd };
  },

  speaks(document) {
    const { hookSpecificOutput: specific } = document;
    return hasOneOf(document, SAYING) || (isObject(specific) && hasOneOf(specific, SPECIFIC_SAYING));
  },

  read(event, output) {
    // Checked before stdout, because exit code 2 denies whatever stdout contains.
    if (output.exitCode === 2) return refusal(event, reasonOf(output.stderr));
    if (output.exitCode !== 0) throw crashed(output);
    if (isPlainText(event, output.stdout)) return context(event, output.stdout);
    const document = readObject(output.stdout);
    return document === undefined ? undefined : answerIn(document, event);
  },
};

// A line that begins an object was meant to be parsed, not shown to the model.
function isPlainText({ name }: HookEvent, stdout: string): boolean {
  return TEXT_EVENTS.includes(name) && !/^\s*[{[]/m.test(stdout);
}

function answerIn(document: JsonObject, event: HookEvent): CommandAnswer {
  const foreign = foreignVerdict(document, KEYS);
  if (foreign !== undefined) return foreign;
  const { continue: goesOn, stopReason, hookSpecificOutput: specific } = document;
  if (goesOn !== undefined && typeof goesOn !== "boolean") return notUnderstood("continue");
  if (specific !== undefined && !(isObject(specific) && speaksOf(specific, event))) return notUnderstood("hookSpecificOutput");
  if (goesOn === false) return allows(event, "block") ? refusal(event, reasonOf(stopReason), { endLoop: true }) : undefined;
  if (specific?.hookEventName !== undefined && specific.hookEventName !== claudeName(event))
    return notUnderstood(`hookEventName ${String(specific.hookEventName).slice(0, 40)}`);
  return decided(document, specific ?? {}, event);
}

function speaksOf(specific: JsonObject, event: HookEvent): boolean {
  return Object.keys(specific).length === 0 || hasOneOf(specific, SPECIFIC) || !allows(event, "block");
}

function decided(document: JsonObject, specific: JsonObject, event: HookEvent): CommandAnswer {
  const verdict = verdictIn(document, specific, event);
  // After an unknown verdict or a deny, nothing else in the answer matters.
  if (verdict !== undefined && !Array.isArray(verdict)) return verdict;
  if (Array.isArray(verdict) && verdict.some((part) => "kind" in part && part.kind === "block")) return verdict;
  const stray = strayRewrite(document, [], event) ?? strayRewrite(specific, REWRITES, event);
  return joined(verdict, stray, rewriteIn(specific, event), context(event, specific.additionalContext));
}

function verdictIn({ decision, reason }: JsonObject, specific: JsonObject, event: HookEvent): CommandAnswer {
  if (specific.permissionDecision !== undefined) return permission(specific, event);
  if (isObject(specific.decision)) return behaviour(specific.decision, event);
  if (specific.decision !== undefined) return notUnderstood("hookSpecificOutput.decision");
  if (decision === undefined) return undefined;
  if (decision === "block") return refusal(event, reasonOf(reason));
  if (decision === "approve") return allows(event, "allow") ? [allow(reasonOf(reason))] : undefined;
  return otherWord(decision, event, reasonOf(reason));
}

function permission({ permissionDecision: word, permissionDecisionReason }: JsonObject, event: HookEvent): CommandAnswer {
  const reason = reasonOf(permissionDecisionReason);
  if (word === "deny") return refusal(event, reason);
  if (word === "ask") return [ask(reason)];
  if (word === "allow") return [allow(reason)];
  return otherWord(word, event, reason);
}

/** The answer to a `PermissionRequest`. */
function behaviour(decision: JsonObject, event: HookEvent): CommandAnswer {
  const { behavior, message, interrupt, updatedInput } = decision;
  if (behavior === "deny") return [block(reasonOf(message), interrupt === true ? { endLoop: true } : {})];
  if (behavior !== "allow") return otherWord(behavior, event, reasonOf(message));
  const rewrite = updatedInput === undefined ? undefined : newInput("updatedInput", updatedInput);
  return joined([allow()], strayRewrite(decision, REWRITES, event), rewrite);
}

function rewriteIn({ updatedInput, updatedToolOutput, updatedMCPToolOutput }: JsonObject, event: HookEvent): CommandAnswer {
  if (updatedInput !== undefined) return newInput("updatedInput", updatedInput);
  const output = updatedToolOutput === undefined ? updatedMCPToolOutput : updatedToolOutput;
  if (output === undefined) return undefined;
  // If there is no output to replace, the bus reports it; text at least reaches the model.
  const text = allows(event, "replace") || !allows(event, "inject") ? undefined : contextOf(output);
  return joined([replace(output)], text === undefined ? undefined : [inject(text)]);
}

/** Claude Code's names for our events. */
const names: { readonly [event: string]: string } = {
  "session:start": "SessionStart",
  "session:end": "SessionEnd",
  "session:error": "StopFailure",
  "prompt:submit": "UserPromptSubmit",
  "agent:step": "PostToolBatch",
  "tool:before": "PreToolUse",
  "tool:result": "PostToolUse",
  "tool:after": "PostToolUse",
  "permission:asked": "PermissionRequest",
  "permission:replied": "PermissionDenied",
  "finish:before": "Stop",
  "worker:spawned": "SubagentStart",
  "worker:completed": "SubagentStop",
  "worker:waiting": "TeammateIdle",
  "task:created": "TaskCreated",
  "task:completed": "TaskCompleted",
  "compact:before": "PreCompact",
  "compact:after": "PostCompact",
  "notification:sent": "Notification",
  "mcp:elicitation": "Elicitation",
  "mcp:elicitation_result": "ElicitationResult",
  "file:edited": "FileChanged",
  "message:complete": "MessageDisplay",
};

/** Claude Code's name of an event. If several of its events become the same event, the agent's original name counts. */
export function claudeName(event: HookEvent): string {
  const { name, payload } = event;
  if (name === "tool:after" && (payload as { readonly status?: unknown }).status === "error") return "PostToolUseFailure";
  const known = names[name] ?? (name.startsWith("command:") ? "UserPromptExpansion" : undefined);
  if (known !== undefined) return known;
  const { hook_event_name: said } = fieldsOf(event).raw;
  return typeof said === "string" && said !== "" ? said : name.replace(/(?:^|[:_.-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
