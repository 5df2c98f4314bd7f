import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Cursor sends to its hooks, by its documentation. */
export const samples: AgentSamples = {
  call: (native, { name, input, more }, origin) => ({
    ...common(native, origin),
    tool_name: name,
    tool_input: input,
    tool_use_id: `call_${crypto.randomUUID()}`,
    cwd: origin.cwd,
    agent_message: "",
    ...more,
  }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: text, attachments: [] }),
  mcpTool: (_, tool) => ({ name: `MCP:${tool}` }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return {
    conversation_id: session,
    generation_id: crypto.randomUUID(),
    model: "model",
    hook_event_name: native,
    cursor_version: "3.0.0",
    workspace_roots: [cwd],
    user_email: null,
    transcript_path: null,
  };
}
