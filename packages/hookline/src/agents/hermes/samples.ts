import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Hermes sends to its hooks, by its documentation. */
export const samples: AgentSamples = {
  call: (native, { name, input, more }, origin) => ({
    ...common(native, origin),
    tool_name: name,
    tool_input: input,
    extra: { task_id: "", tool_call_id: "call_hookline", turn_id: "turn_hookline", ...more },
  }),
  prompt: (native, text, origin) => ({
    ...common(native, origin),
    tool_name: null,
    tool_input: null,
    extra: { user_message: text, is_first_turn: true, model: "model", platform: "cli" },
  }),
  mcpTool: (server, tool) => ({ name: `mcp_${server}_${tool}` }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return { hook_event_name: native, session_id: session, cwd, profile: "default" };
}
