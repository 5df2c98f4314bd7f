import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";
import { toNative } from "../shared/tool-table.js";
import { MCP, tools } from "./tools.js";

/** What Windsurf sends to its hooks, by its documentation. The event follows from the tool. */
export const samples: AgentSamples = {
  call: (_, { name, input, more }, origin) => {
    if (!Object.hasOwn(tools, name)) return { ...common(`pre_${MCP}`, origin), tool_info: { ...more, mcp_tool_arguments: input } };
    const own = name === "run_command" ? { cwd: origin.cwd } : {};
    return { ...common(`pre_${name}`, origin), tool_info: { ...(toNative(tools, name, input, {}) ?? input), ...own } };
  },
  prompt: (native, text, origin) => ({ ...common(native, origin), tool_info: { user_prompt: text } }),
  mcpTool: (server, tool) => ({ name: `mcp__${server}__${tool}`, more: { mcp_server_name: server, mcp_tool_name: tool } }),
};

function common(action: string, { session }: SampleOrigin): Json {
  return {
    agent_action_name: action,
    trajectory_id: session,
    execution_id: crypto.randomUUID(),
    timestamp: new Date().toISOString(),
    model_name: "model",
  };
}
