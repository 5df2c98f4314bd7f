import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";
import { toNative } from "../shared/tool-table.js";
import { tools } from "./tools.js";

/** What Antigravity CLI sends to its hooks, by its documentation. It reports no prompts. */
export const samples: AgentSamples = {
  call: (_, { name, input, more }, origin) => ({
    ...common(origin),
    stepIdx: 1,
    toolCall: { name, args: toNative(tools, name, input, {}) ?? input },
    ...more,
  }),
  prompt: (_, text, origin) => ({ ...common(origin), prompt: text }),
  mcpTool: (server, tool) => ({ name: `mcp_${server}_${tool}` }),
};

function common({ session, cwd }: SampleOrigin): Json {
  return {
    conversationId: session,
    workspacePaths: [cwd],
    transcriptPath: "",
    artifactDirectoryPath: "",
  };
}
