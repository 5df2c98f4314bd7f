import { allow, ask, type HookEvent, modify, replace } from "@hookline/core";
import {
  allows,
  context,
  foreignVerdict,
  hasOneOf,
  joined,
  newInput,
  otherWord,
  reasonOf,
  refusal,
  strayRewrite,
  unreadable,
} from "./answers.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { fieldsOf } from "./event-fields.js";
import { crashed, isObject, type JsonObject, readObject } from "./read-document.js";

const KEYS = ["decision"];
const REWRITES = ["updatedInput"];
const MAX_RESULT = 10_000;
const MAX_MESSAGE = 5_000;

const names: { readonly [event: string]: string } = {
  "session:start": "session_start",
  "session:end": "session_end",
  "session:error": "on_error",
  "prompt:submit": "message_submit",
  "tool:before": "tool_call_before",
  "tool:after": "tool_call_after",
  "tool:env": "shell_env",
  "mode:change": "mode_change",
  "turn:end": "turn_end",
  "worker:spawned": "subagent_spawn",
  "worker:completed": "subagent_complete",
  "worker:failed": "subagent_complete",
  "worker:stopped": "subagent_complete",
  "worker:cancelled": "subagent_complete",
};
/** On these events codewhale ignores a hook's output and exit code: the hook only observes. */
const OBSERVED = ["session_start", "session_end", "on_error", "tool_call_after", "mode_change", "turn_end", "subagent_complete"];

/**
 * codewhale's dialect: DEEPSEEK_* variables and JSON on stdin; exit 2 blocks, `{ text }` rewrites a message, `KEY=VALUE` lines set an
 * environment.
 */
export const codewhale: Dialect = {
  name: "codewhale",

  write(event) {
    const { session, cwd, tool, output } = fieldsOf(event);
    const { prompt, mode, agent, usage, worker, turn, status, error } = event.payload;
    const name = nameOf(event);
    return {
      event: name,
      ...(prompt !== undefined && { text: prompt }),
      session_id: session,
      workspace: cwd ?? "",
      ...(typeof mode === "string" && { mode }),
      ...(agent?.model !== undefined && { model: agent.model }),
      ...(usage !== undefined && { total_tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) }),
      ...(tool !== undefined && { tool_name: tool.name, tool_args: tool.input, call_id: tool.callId ?? "" }),
      ...(output !== undefined && { tool_result: output }),
      ...(name === "turn_end" && { turn_id: turn?.id ?? "", status: status ?? "completed", error: error ?? null, ...usageOf(usage) }),
      ...(worker !== undefined && { agent_id: worker.id }),
      ...(name === "subagent_spawn" && { prompt_preview: text(worker?.task, MAX_MESSAGE) ?? "" }),
      ...(name === "subagent_complete" && { status: worker?.status ?? event.name.replace("worker:", "") }),
      ...(name === "subagent_complete" && { result_preview: text(event.payload.message, MAX_MESSAGE) ?? "" }),
    };
  },

  variables(event) {
    const { session, cwd, tool, output } = fieldsOf(event);
    const { prompt, mode, agent, status, error, previousMode, usage, worker } = event.payload;
    const isOver = event.name === "tool:after";
    return {
      DEEPSEEK_SESSION_ID: session,
      CODEWHALE_SESSION_ID: session,
      DEEPSEEK_WORKSPACE: cwd,
      DEEPSEEK_TOOL_NAME: tool?.name,
      // Not truncated: a guard that sees half of a command would let the other half pass. If it is too long for a variable, the command
      // cannot be started.
      DEEPSEEK_TOOL_ARGS: tool && JSON.stringify(tool.input),
      DEEPSEEK_TOOL_RESULT: output === undefined ? undefined : text(output, MAX_RESULT),
      DEEPSEEK_TOOL_CALL_ID: tool?.callId,
      CODEWHALE_TOOL_CALL_ID: tool?.callId,
      DEEPSEEK_TOOL_SUCCESS: isOver ? String(status === "ok") : undefined,
      DEEPSEEK_TOOL_EXIT_CODE: isOver ? exitCodeOf(event) : undefined,
      DEEPSEEK_MODE: text(mode),
      DEEPSEEK_PREVIOUS_MODE: text(previousMode),
      DEEPSEEK_MESSAGE: text(prompt ?? worker?.task, MAX_MESSAGE),
      DEEPSEEK_ERROR: text(error ?? (isOver && status !== "ok" ? output : undefined), MAX_MESSAGE),
      DEEPSEEK_MODEL: text(agent?.model),
      DEEPSEEK_TOTAL_TOKENS: usage === undefined ? undefined : String((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)),
      DEEPSEEK_SESSION_COST: usage?.costUsd?.toFixed(6),
    };
  },

  speaks: (document) => hasOneOf(document, [...KEYS, ...REWRITES, "additionalContext", "text"]),

  read(event, output) {
    if (OBSERVED.includes(nameOf(event))) return lookOn(output);
    if (output.exitCode === 2) return refusal(event, reasonIn(output) ?? reasonOf(output.stderr) ?? reasonOf(output.stdout));
    if (output.exitCode !== 0) throw crashed(output);
    if (event.name === "tool:env") return environment(event, output.stdout);
    // Output at an event that cannot be decided is ignored.
    if (!allows(event, "block")) return undefined;
    const document = readObject(output.stdout);
    return document === undefined ? undefined : answerIn(document, event);
  },
};

/** A failure is reported; its output is not. */
function lookOn(output: CommandOutput): undefined {
  if (output.exitCode !== 0) throw crashed(output);
}

/** Never invented: if the tool reports no exit code there is none, whether it succeeded or not. */
function exitCodeOf(event: HookEvent): string | undefined {
  const code = [fieldsOf(event).tool?.exitCode, event.payload.exit_code].find(Number.isInteger);
  return code === undefined ? undefined : String(code);
}

function usageOf(usage: HookEvent["payload"]["usage"]): object {
  return usage === undefined ? {} : { usage: { input_tokens: usage.inputTokens ?? 0, output_tokens: usage.outputTokens ?? 0 } };
}

function answerIn(document: JsonObject, event: HookEvent): CommandAnswer {
  const foreign = foreignVerdict(document, KEYS);
  if (foreign !== undefined) return foreign;
  const reason = reasonOf(document.reason);
  const { decision } = document;
  if (decision === "deny" || decision === "block") return refusal(event, reason);
  const input = "updatedInput" in document ? newInput("updatedInput", document.updatedInput) : undefined;
  const text = "text" in document ? newText(document.text, event) : undefined;
  const rewrite = joined(strayRewrite(document, REWRITES, event), input, text);
  return joined(verdictOf(decision, reason, event), rewrite, context(event, document.additionalContext));
}

function verdictOf(decision: unknown, reason: string | undefined, event: HookEvent): CommandAnswer {
  if (decision === undefined) return undefined;
  if (decision === "ask") return [ask(reason)];
  if (decision === "allow") return allows(event, "allow") ? [allow(reason)] : undefined;
  return otherWord(decision, event, reason);
}

/** A rewritten message, if there is one. */
function newText(text: unknown, event: HookEvent): CommandAnswer {
  if (event.name !== "prompt:submit") return unreadable('its "text" is not a rewrite on an event without a message');
  return typeof text === "string" && text !== ""
    ? [modify({ ...event.payload, prompt: text })]
    : unreadable('its "text" is empty or not text');
}

function environment(event: HookEvent, stdout: string): CommandAnswer {
  const added = readEnvironmentLines(stdout);
  if (Object.keys(added).length === 0) return undefined;
  return [replace({ ...(isObject(event.value) ? event.value : {}), ...added })];
}

function nameOf({ name }: HookEvent): string {
  return names[name] ?? name.replaceAll(":", "_");
}

function text(value: unknown, length = Number.POSITIVE_INFINITY): string | undefined {
  if (value === undefined || value === null) return undefined;
  const whole = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return whole.length > length ? `${whole.slice(0, length)}...[truncated]` : whole;
}

function reasonIn({ stdout }: CommandOutput): string | undefined {
  try {
    return reasonOf(readObject(stdout)?.reason);
  } catch {
    return undefined;
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `KEY=VALUE` lines in the form of an env file: comments, blank lines, `export` and quotes around the value are supported. */
function readEnvironmentLines(text: string): { readonly [name: string]: string } {
  const entries = text.split("\n").flatMap((line): [string, string][] => {
    const bare = line.trim().replace(/^export\s+/, "");
    const at = bare.indexOf("=");
    const name = bare.slice(0, Math.max(0, at)).trim();
    return NAME.test(name) ? [[name, unquoted(bare.slice(at + 1).trim())]] : [];
  });
  return Object.fromEntries(entries);
}

function unquoted(value: string): string {
  const [first = ""] = value;
  return value.length >= 2 && (first === '"' || first === "'") && value.endsWith(first) ? value.slice(1, -1) : value;
}
