import { allow, ask, type HookEvent, modify, replace } from "@hookline/core";
import {
  allows,
  context,
  foreignVerdict,
  joined,
  newInput,
  notUnderstood,
  reasonOf,
  refusal,
  strayRewrite,
  unreadable,
} from "./answers.js";
import type { CommandAnswer, CommandOutput, Dialect } from "./dialect.js";
import { readEnvironmentLines } from "./environment-lines.js";
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
  const input = "updatedInput" in document ? newInput("updatedInput", document.updatedInput) : undefined;
  const text = "text" in document ? newText(document.text, event) : undefined;
  const rewrite = joined(strayRewrite(document, REWRITES, event), input, text);
  return joined(verdictOf(decision, reason, event), rewrite, context(event, document.additionalContext));
}

function verdictOf(decision: unknown, reason: string | undefined, event: HookEvent): CommandAnswer {
  if (decision === undefined || decision === null) return undefined;
  if (decision === "ask") return [ask(reason)];
  if (decision === "allow") return allows(event, "allow") ? [allow(reason)] : undefined;
  return notUnderstood(decision);
}

/** Another message, where there is one. */
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
