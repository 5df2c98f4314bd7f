import type { AgentSamples } from "../shared/definition.js";

/** What Goose 1.34.0 sends to its hooks. */
export const samples: AgentSamples = {
  call: (native, { name, input }, { session, cwd }) => ({
    event: native,
    session_id: session,
    matcher_context: name,
    tool_name: name,
    tool_input: input,
    working_dir: cwd,
  }),
  prompt: (native, text, { session }) => ({ event: native, session_id: session, matcher_context: text, message: text }),
  mcpTool: (server, tool) => ({ name: `${server}__${tool}` }),
};
