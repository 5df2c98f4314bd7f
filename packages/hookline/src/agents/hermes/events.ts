import { type NativeEvent, nativeEvent as row } from "../shared/definition.js";

const NO_CHANNEL = "A command cannot answer this event.";
const EACH = "Would start a process for each request to the model.";

/** The events of Hermes' shell hooks, with the effects that its documentation and source describe. None was tried. */
export const events = {
  on_session_start: row("session:start"),
  on_session_finalize: row("session:end"),
  on_session_reset: row("session:reset"),
  pre_llm_call: row("prompt:submit", "inject"),
  post_llm_call: row("turn:end"),
  pre_tool_call: row("tool:before", "block", "ask", "modify"),
  post_tool_call: row("tool:after"),
  pre_verify: row("finish:before", "again"),
  subagent_start: row("worker:spawned"),
  subagent_stop: row("worker:completed"),
  pre_approval_request: row("permission:asked"),
  post_approval_response: row("permission:replied"),
  on_session_end: { ...row("hermes:on_session_end"), leftAlone: "Fires at the end of each turn, as post_llm_call does." },
  transform_tool_result: { ...row("hermes:transform_tool_result"), leftAlone: NO_CHANNEL },
  transform_terminal_output: { ...row("hermes:transform_terminal_output"), leftAlone: NO_CHANNEL },
  transform_llm_output: { ...row("hermes:transform_llm_output"), leftAlone: NO_CHANNEL },
  pre_api_request: { ...row("hermes:pre_api_request"), leftAlone: EACH },
  post_api_request: { ...row("hermes:post_api_request"), leftAlone: EACH },
  api_request_error: { ...row("hermes:api_request_error"), leftAlone: EACH },
} as const satisfies { readonly [native: string]: NativeEvent };

export type HermesEvent = keyof typeof events;
