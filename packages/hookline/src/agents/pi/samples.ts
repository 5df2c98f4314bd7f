import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What the extension for pi 0.74.2 sends. */
export const samples: AgentSamples = {
  call: (native, { name, input, more }, origin) => ({
    ...common(native, origin),
    tool_name: name,
    tool_input: input,
    tool_use_id: `call_${crypto.randomUUID()}`,
    ...more,
  }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: text, source: "interactive" }),
  mcpTool: (server, tool) => ({ name: `${server}_${tool}` }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return { session_id: session, cwd, model: "model", hook_event_name: native };
}
