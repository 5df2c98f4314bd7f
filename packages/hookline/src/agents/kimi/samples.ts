import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Kimi Code 2.1.0 sends to its hooks. */
export const samples: AgentSamples = {
  call: (native, { name, input }, origin) => ({
    ...common(native, origin),
    tool_name: name,
    tool_input: input,
    tool_call_id: "call_hookline",
  }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: [{ type: "text", text }], is_steer: false }),
  mcpTool: (server, tool) => ({ name: `mcp__${server}__${tool}` }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return { hook_event_name: native, session_id: session, cwd, client_type: "kimi_code_cli" };
}
