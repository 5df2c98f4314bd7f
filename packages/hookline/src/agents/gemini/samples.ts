import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Gemini CLI 0.61.0 sends to its hooks. */
export const samples: AgentSamples = {
  call: (native, { name, input, more }, origin) => ({ ...common(native, origin), tool_name: name, tool_input: input, ...more }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: text }),
  mcpTool: (server, tool) => ({ name: `mcp_${server}_${tool}`, more: { mcp_context: { server_name: server, tool_name: tool } } }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return {
    session_id: session,
    transcript_path: `/.gemini/tmp/chats/${session}.jsonl`,
    cwd,
    hook_event_name: native,
    timestamp: new Date().toISOString(),
  };
}
