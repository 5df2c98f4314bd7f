import { type ReportedUsage, usageOf } from "@hookline/core/internal";
import { callKey, toolFields, workerFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type OpenCodeEvent } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in OpenCodeEvent]?: (native: NativePayload) => Json } = {
  session_start: (native) => present({ trigger: native.text("source") }),
  chat_message: (native) => ({ prompt: native.needed("prompt") }),
  tool_execute_before: (native) => toolFields(tools, native),
  tool_execute_after: (native) => ({ ...toolFields(tools, native), status: "ok" }),
  tool_error: (native) => {
    const { tool } = toolFields(tools, native);
    return { tool: { ...(tool as Json), isError: true }, status: "error", error: native.fields.error };
  },
  step_finish: usage,
  session_error: (native) => present({ error: native.fields.error }),
  subagent_start: (native) => workerFields(native, "running"),
  subagent_idle: (native) => workerFields(native, "completed"),
};

/** Translates an event of OpenCode's plugin. */
export const translate = createTranslator({ agent: "opencode", events, details, keyOf: callKey });

function usage(native: NativePayload): Json {
  return isObject(native.fields.tokens) ? { usage: usageOf(stepUsage(native.fields)) } : {};
}

/** The tokens and the cost of a step. */
export function stepUsage({ tokens, cost }: Json): ReportedUsage {
  const { input, output, reasoning, cache } = isObject(tokens) ? tokens : {};
  const { read: cacheRead, write: cacheWrite } = isObject(cache) ? cache : {};
  // OpenCode writes 0 for a model whose price it does not know.
  const costUsd = cost === 0 ? undefined : cost;
  return { input, output, reasoning, cacheRead, cacheWrite, costUsd, isReasoningBesideOutput: true };
}
