import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Kiro sends to its hooks, by its documentation. */
export const samples: AgentSamples = {
  call: (native, { name, input, more }, origin) => ({ ...common(native, origin), tool_name: name, tool_input: input, ...more }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: text }),
  mcpTool: (server, tool) => ({ name: `@${server}/${tool}` }),
};

/** It spells the name of an event with a small letter here, and with a capital one in the file. */
function common(native: string, { session, cwd }: SampleOrigin): Json {
  return { hook_event_name: `${native.charAt(0).toLowerCase()}${native.slice(1)}`, cwd, session_id: session };
}
