import type { AgentSamples, SampleOrigin } from "../shared/definition.js";
import { type Json, present } from "../shared/native-payload.js";

/** What Codex 0.166.0 sends to its hooks. */
export const samples: AgentSamples = {
  call: (native, { name, input, more }, origin) => ({
    ...common(native, origin),
    tool_name: name,
    tool_input: input,
    ...present({ tool_use_id: native === "PreToolUse" ? "call_hookline" : undefined }),
    ...more,
  }),
  prompt: (native, text, origin) => ({ ...common(native, origin), prompt: text }),
  input: (tool, common) => (tool === "apply_patch" ? patchOf(common) : undefined),
  // Tool names spell the server `my-files` as `my_files`.
  mcpTool: (server, tool) => ({ name: `mcp__${server.replace(/\W/g, "_")}__${tool.replace(/\W/g, "_")}` }),
};

function common(native: string, { session, cwd }: SampleOrigin): Json {
  return {
    session_id: session,
    turn_id: session,
    transcript_path: `/.codex/sessions/${session}.jsonl`,
    cwd,
    hook_event_name: native,
    model: "sample",
    permission_mode: "default",
  };
}

/** Codex edits files with patches. Older versions had them in `input`. */
function patchOf({ path, input, old_string: before = "", new_string: after = "" }: Json): Json | undefined {
  if (typeof input === "string") return { command: input };
  if (typeof path !== "string") return undefined;
  return { command: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${String(before)}\n+${String(after)}\n*** End Patch` };
}
