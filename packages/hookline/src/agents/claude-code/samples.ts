import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import { type Json, present } from "../shared/native-payload.js";

/** What Claude Code 2.1.325 sends to its hooks. */
export const samples: AgentSamples = {
  call: (native, { name, input, more }, origin) => ({
    ...common(native, origin),
    effort: { level: "medium" },
    tool_name: name,
    tool_input: input,
    ...present({ tool_use_id: native === "PreToolUse" ? "toolu_hookline" : undefined }),
    ...more,
  }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: text }),
  mcpTool: (server, tool) => ({
    name: `mcp__${inName(server)}__${inName(tool)}`,
    more: { mcp_server: { name: server, source: "dynamic" } },
  }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return {
    session_id: session,
    transcript_path: `/.claude/projects/${session}.jsonl`,
    cwd,
    prompt_id: session,
    permission_mode: "default",
    hook_event_name: native,
  };
}

function inName(text: string): string {
  return text.replace(/[^\w-]/g, "_");
}
