import { toolFields } from "../shared/common-fields.js";
import { isObject, type Json, type NativePayload, present } from "../shared/native-payload.js";
import { createTranslator } from "../shared/translator.js";
import { events, type WindsurfEvent } from "./events.js";
import { MCP, tools } from "./tools.js";

const tool = (native: NativePayload): Json => toolFields(tools, native);
const done = (native: NativePayload): Json => ({ ...tool(native), status: "ok" });

/** The fields that only some events have. */
const details: { readonly [N in WindsurfEvent]?: (native: NativePayload) => Json } = {
  pre_run_command: tool,
  pre_read_code: tool,
  pre_write_code: tool,
  pre_mcp_tool_use: tool,
  post_run_command: done,
  post_read_code: done,
  post_write_code: done,
  post_mcp_tool_use: done,
  pre_user_prompt: (native) => ({ prompt: native.needed("prompt") }),
  post_cascade_response: (native) => present({ assistant_response: native.text("response") }),
};

/** Translates an event of Windsurf. It gives calls no id. */
export const translate = createTranslator({ agent: "windsurf", events, details, normalize: inCommonWords, keyOf: () => undefined });

/** The payload with Claude Code's names of fields. The name of the action says which tool is called. */
export function inCommonWords(payload: unknown): unknown {
  if (!isObject(payload)) return payload;
  const { agent_action_name: action, trajectory_id, execution_id, model_name, tool_info } = payload;
  const info = isObject(tool_info) ? tool_info : {};
  const name = typeof action === "string" ? action.replace(/^(pre|post)_/, "") : undefined;
  return present({
    ...payload,
    session_id: trajectory_id,
    turn_id: execution_id,
    model: model_name,
    cwd: info.cwd ?? payload.cwd,
    prompt: info.user_prompt,
    response: info.response,
    ...(name === MCP ? mcpCall(info) : { tool_name: name, tool_input: tool_info }),
  });
}

/** Named as other agents name tools of MCP servers. */
function mcpCall({ mcp_server_name: server, mcp_tool_name: tool, mcp_tool_arguments: input, mcp_result: output }: Json): Json {
  const isNamed = typeof server === "string" && typeof tool === "string";
  return { tool_name: isNamed ? `mcp__${server}__${tool}` : undefined, tool_input: input ?? {}, tool_response: output };
}
