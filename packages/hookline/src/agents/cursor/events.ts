import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

const SEEN = "preToolUse has already seen the call.";
const REPORTED = "postToolUse reports the same call.";
const COMPLETIONS = "Belongs to inline completions, which call no tool.";

/** Every event in Cursor's documentation, with the effects that it describes. None was tried. */
// biome-ignore format: one event, one line
export const events = {
  sessionStart: row("session:start", "inject"),
  sessionEnd: row("session:end"),
  beforeSubmitPrompt: row("prompt:submit", "block"),
  preToolUse: row("tool:before", "block", "ask", "modify"),
  postToolUse: row("tool:after", "inject"),
  postToolUseFailure: row("tool:after"),
  subagentStart: row("worker:spawned", "block"),
  subagentStop: row("worker:completed"),
  preCompact: row("compact:before"),
  stop: row("finish:before", "again"),
  beforeShellExecution: { ...row("cursor:before_shell_execution"), leftAlone: SEEN },
  beforeMCPExecution: { ...row("cursor:before_mcp_execution"), leftAlone: SEEN },
  beforeReadFile: { ...row("cursor:before_read_file"), leftAlone: SEEN },
  afterShellExecution: { ...row("cursor:after_shell_execution"), leftAlone: REPORTED },
  afterMCPExecution: { ...row("cursor:after_mcp_execution"), leftAlone: REPORTED },
  afterFileEdit: { ...row("cursor:after_file_edit"), leftAlone: REPORTED },
  afterAgentResponse: { ...row("cursor:after_agent_response"), leftAlone: "Fires for each message of a turn; stop reports its end." },
  afterAgentThought: { ...row("cursor:after_agent_thought"), leftAlone: "Each block of the model's thoughts would start a process." },
  beforeTabFileRead: { ...row("cursor:before_tab_file_read"), leftAlone: COMPLETIONS },
  afterTabFileEdit: { ...row("cursor:after_tab_file_edit"), leftAlone: COMPLETIONS },
  workspaceOpen: { ...row("cursor:workspace_open"), leftAlone: "Fires outside of any session, and its hook names plugins to load." },
} as const satisfies { readonly [native: string]: NativeEvent };

export type CursorEvent = keyof typeof events;
