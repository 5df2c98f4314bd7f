import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Copilot CLI 1.0.102 sends to its hooks under the attached camelCase names. */
export const samples: AgentSamples = {
  call: (native, { name, input }, origin) =>
    native === "permissionRequest"
      ? { hookName: native, ...common(origin), toolName: name, toolInput: input, permissionSuggestions: [] }
      : { ...common(origin), toolName: name, toolArgs: input },
  prompt: (_native, text, origin) => ({ ...common(origin), prompt: text }),
  // Nothing marks it as an MCP tool, so a rule for `mcp__*` does not see these calls.
  mcpTool: (server, tool) => ({ name: `${server}-${tool}` }),
};

function common({ session, cwd }: SampleOrigin): Json {
  return { sessionId: session, timestamp: Date.now(), cwd };
}
