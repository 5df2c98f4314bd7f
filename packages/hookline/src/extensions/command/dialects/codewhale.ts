import { allow, ask, type HookEvent, modify, replace } from "@hookline/core";
import { allows, foreignVerdict, notUnderstood, reasonOf, refusal, unreadable } from "./answers.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { readEnvironmentLines } from "./environment-lines.js";
import { fieldsOf } from "./event-fields.js";
import { crashed, isObject, type JsonObject, readObject } from "./read-document.js";

const KEYS = ["decision"];
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
  "finish:before": "stop",
  "worker:completed": "subagent_stop",
  "compact:before": "pre_compact",
  "notification:sent": "notification",
};

/** codewhale's: DEEPSEEK_* variables and JSON on stdin; exit 2 blocks, `{ text }` rewrites a message, `KEY=VALUE` lines set an environment. */
export const codewhale: Dialect = {
  name: "codewhale",

  write(event) {
    const { session, cwd, tool, output } = fieldsOf(event);
    const { prompt, mode, agent, usage } = event.payload;
    return {
      event: nameOf(event),
      ...(prompt !== undefined && { text: prompt }),
      session_id: session,
      workspace: cwd ?? "",
      ...(typeof mode === "string" && { mode }),
      ...(agent?.model !== undefined && { model: agent.model }),
      ...(usage !== undefined && { total_tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) }),
      ...(tool !== undefined && { tool_name: tool.name, tool_args: tool.input, call_id: tool.callId ?? "" }),
      ...(output !== undefined && { tool_result: output }),
    };
  },

  variables(event) {
    const { session, cwd, tool, output } = fieldsOf(event);
    const { prompt, mode, agent, status, error, previousMode } = event.payload;
    return {
      DEEPSEEK_SESSION_ID: session,
      DEEPSEEK_WORKSPACE: cwd,
      DEEPSEEK_TOOL_NAME: tool?.name,
      // Not cut: a guard that sees half of a command lets the other half pass. What is too long for a variable is a command that cannot be started.
      DEEPSEEK_TOOL_ARGS: tool && JSON.stringify(tool.input),
      DEEPSEEK_TOOL_RESULT: output === undefined ? undefined : text(output, MAX_RESULT),
      DEEPSEEK_TOOL_SUCCESS: event.name === "tool:after" ? String(status === "ok") : undefined,
      DEEPSEEK_MODE: text(mode),
      DEEPSEEK_PREVIOUS_MODE: text(previousMode),
      DEEPSEEK_MESSAGE: text(prompt, MAX_MESSAGE),
      DEEPSEEK_ERROR: text(error, MAX_MESSAGE),
      DEEPSEEK_MODEL: text(agent?.model),
      DEEPSEEK_TURN_STATUS: event.name === "finish:before" ? "completed" : undefined,
    };
  },

  read(event, output) {
    if (output.exitCode === 2) return refusal(event, reasonIn(output) ?? reasonOf(output.stderr) ?? reasonOf(output.stdout));
    if (output.exitCode !== 0) throw crashed(output);
    if (event.name === "tool:env") return environment(event, output.stdout);
    // What observers print is for nobody.
    if (!allows(event, "block")) return undefined;
    const document = readObject(output.stdout);
    return document === undefined ? undefined : answerIn(document, event);
  },
};

function answerIn(document: JsonObject, event: HookEvent): CommandAnswer {
  const foreign = foreignVerdict(document, KEYS);
  if (foreign !== undefined) return foreign;
  const reason = reasonOf(document.reason);
  const { decision } = document;
  if (decision === "deny" || decision === "block") return refusal(event, reason);
  if (decision === "ask") return [ask(reason)];
  if (decision === "allow") return allows(event, "allow") ? [allow(reason)] : undefined;
  if (decision !== undefined && decision !== null) return notUnderstood(decision);
  if (document.text === undefined || event.name !== "prompt:submit") return undefined;
  if (typeof document.text !== "string" || document.text === "") return unreadable('its "text" is empty or not text');
  return [modify({ ...event.payload, prompt: document.text })];
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
