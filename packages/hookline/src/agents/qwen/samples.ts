import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import type { Json } from "../shared/native-payload.js";

/** What Qwen Code 0.24.4 sends to its hooks. */
export const samples: AgentSamples = {
  call: (native, { name, input }, origin) => ({
    ...common(native, origin),
    tool_name: name,
    tool_input: input,
    tool_use_id: "toolu_hookline",
    tool_call_id: "call_hookline",
  }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: text, submitted_prompt: text }),
  mcpTool: (server, tool) => ({ name: `mcp__${server}__${tool}` }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return {
    session_id: session,
    transcript_path: `/.qwen/projects/chats/${session}.jsonl`,
    cwd,
    hook_event_name: native,
    timestamp: new Date().toISOString(),
    permission_mode: "default",
    prompt_id: `${session}########0`,
  };
}
