import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Cline 3.0.65 sends to its hooks. */
export const samples: AgentSamples = {
  call: (_, { name, input }, origin) => ({
    ...common("tool_call", origin),
    iteration: 1,
    tool_call: { id: "call_hookline", name, input },
    preToolUse: { toolName: name, parameters: {} },
  }),
  prompt: (_, text, origin) => ({ ...common("prompt_submit", origin), userPromptSubmit: { prompt: text, attachments: [] } }),
  input: (tool, { command, ...rest }) => (tool === "run_commands" ? { ...rest, commands: [command] } : undefined),
  mcpTool: (server, tool) => ({ name: `${server}__${tool}` }),
};

function common(hookName: string, { session, cwd }: SampleOrigin): Json {
  return {
    clineVersion: "",
    timestamp: new Date().toISOString(),
    taskId: session,
    sessionContext: { rootSessionId: session },
    workspaceRoots: [cwd],
    workspaceInfo: { rootPath: cwd, hint: "" },
    userId: "unknown",
    agent_id: "agent_hookline",
    parent_agent_id: null,
    hookName,
  };
}
