import { type ReportedUsage, usageOf } from "@hookline/core/internal";
import { callKey, toolFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type PiEvent } from "./events.js";
import { tools } from "./tools.js";

/** The fields that only some events have. */
const details: { readonly [N in PiEvent]?: (native: NativePayload) => Json } = {
  session_start: (native) => present({ trigger: native.text("source") }),
  input: (native) => ({ prompt: native.needed("prompt") }),
  tool_call: (native) => toolFields(tools, native),
  tool_result: result,
  message_end: usage,
  session_shutdown: (native) => present({ reason: native.text("reason") }),
};

/** Translates an event of pi's extension. */
export const translate = createTranslator({ agent: "pi", events, details, keyOf: callKey });

function result(native: NativePayload): Json {
  const fields = toolFields(tools, native);
  if (!native.flag("is_error")) return { ...fields, status: "ok" };
  return { tool: { ...(fields.tool as Json), isError: true }, status: "error" };
}

function usage(native: NativePayload): Json {
  return { usage: usageOf(requestUsage(native.object("usage") ?? {})) };
}

/** What pi says of a request, in its events and in its session files. */
export function requestUsage({ input, output, cacheRead, cacheWrite, cost }: Json): ReportedUsage {
  // pi adds up 0 for a model whose price it does not know.
  const costUsd = isObject(cost) && cost.total !== 0 ? cost.total : undefined;
  return { input, output, cacheRead, cacheWrite, costUsd };
}
