// The event catalogue: the one table from which types, aliases, permissions, docs and schemas derive. Adding an event is one line here.

/** The kind of an event: `emit` tells observers, `decide` asks the guards of a gate, `transform` passes a value through handlers. */
export type EventKind = "observe" | "gate" | "transform";
/** How important an event is to sinks and to the forwarder: a full queue drops `bulk` events first and `vital` events last. */
export type EventClass = "bulk" | "normal" | "vital";
/** The kind of an outcome, named after the function that makes it. */
export type OutcomeKind = "block" | "ask" | "allow" | "modify" | "inject" | "remind" | "replace" | "again" | "handled";
/** The group of an event, for `bus.clear` and for filters. */
export type Category = "tool" | "turn" | "worker" | "step" | "notification" | "session" | "agent" | "llm" | "ui" | "other";

/** Describes one event of the catalogue. */
export interface EventSpec {
  readonly kind: EventKind;
  readonly category: Category;
  readonly outcomes: readonly OutcomeKind[];
  readonly permission: string;
  readonly class: EventClass;
  readonly aliases: readonly string[];
}

/** Every event by its canonical name. The event reference lists the whole table. */
// biome-ignore format: one event, one line
export const catalog = {
  "gateway:startup": observe("other", "process.lifecycle", "normal", [], ["process_startup"]),
  "session:start": gate("session", "session.lifecycle", "vital", ["inject", "remind"], ["SessionStart", "on_session_start"]),
  "session:end": observe("session", "session.lifecycle", "vital", ["remind"], ["SessionEnd", "on_session_finalize"]),
  "session:reset": observe("session", "session.lifecycle", "normal", ["remind"], ["on_session_reset"]),
  "session:error": observe("session", "session.lifecycle", "vital", ["remind"], ["SessionError", "error", "on_error", "ErrorOccurred"]),
  "session:idle": observe("session", "session.lifecycle", "normal", ["remind"], ["SessionIdle"]),
  "session:info": observe("session", "session.lifecycle", "normal", [], []),
  "session:steer": observe("session", "session.lifecycle", "vital", [], []),
  "suspend:before": gate("session", "session.lifecycle", "normal", ["block", "modify", "remind"], ["PreSuspend"]),
  "suspend:after": observe("session", "session.lifecycle", "normal", ["remind"], ["PostSuspend"]),
  "resume:before": gate("session", "session.lifecycle", "normal", ["block", "modify", "remind"], ["PreResume"]),
  "resume:after": observe("session", "session.lifecycle", "normal", ["remind"], ["PostResume"]),
  "agent:start": observe("agent", "agent.lifecycle", "normal", [], ["turn_started"]),
  "agent:step": observe("agent", "agent.lifecycle", "normal", [], []),
  "agent:end": observe("agent", "agent.lifecycle", "vital", [], ["AgentLoopEnd", "agent_loop_end", "agent_loop_stopped", "turn_complete", "turn_aborted"]),
  "turn:before": gate("turn", "agent.lifecycle", "normal", ["inject", "remind"], ["PreAgentTurn"]),
  "turn:after": observe("turn", "agent.lifecycle", "normal", ["remind"], ["PostAgentTurn"]),
  "turn:end": observe("session", "agent.lifecycle", "vital", ["remind"], ["PostTurn", "turn_end", "on_session_end", "post_llm_call"]),
  "finish:before": gate("session", "agent.lifecycle", "normal", ["again", "modify", "remind"], ["PreFinish", "Stop", "pre_verify", "AfterAgent"]),
  "finish:after": observe("session", "agent.lifecycle", "normal", ["remind"], ["PostFinish"]),
  "finish:unsettled": gate("session", "agent.lifecycle", "normal", ["block", "modify", "remind"], ["OnUnsettledDetected"]),
  "drain:before": gate("session", "agent.lifecycle", "normal", ["block", "modify", "remind"], ["PreDrain"]),
  "drain:after": observe("session", "agent.lifecycle", "normal", ["remind"], ["PostDrain"]),
  "drain:decision": gate("session", "agent.lifecycle", "normal", ["block", "modify", "remind"], ["OnDrainDecision"]),
  "loop:checkpoint": gate("session", "agent.lifecycle", "bulk", ["block", "inject", "remind"], ["LoopCheckpoint"]),
  "prompt:submit": gate("session", "llm.content", "vital", ["block", "modify", "inject", "remind"], ["UserPromptSubmit", "message_submit", "userPromptSubmitted", "beforeSubmitPrompt", "BeforeAgent"]),
  "prompt:build": transform("llm", "llm.content", "normal", ["replace", "inject", "remind"], ["BeforePromptBuild", "before_message", "pre_llm_call"]),
  "llm:before": gate("llm", "llm.content", "normal", ["block", "modify", "inject"], ["BeforeModel", "pre_api_request", "pre_auxiliary_call"]),
  "llm:after": observe("llm", "llm.content", "normal", [], ["AfterModel", "post_api_request", "post_auxiliary_call"]),
  "llm:error": observe("llm", "llm.content", "normal", [], ["api_request_error", "transform_api_error_classification"]),
  "message:route": gate("llm", "llm.content", "normal", ["block", "modify"], ["message:pre_route", "pre_gateway_dispatch"]),
  "message:start": observe("llm", "llm.content", "normal", [], ["response_start", "on_stream_start"]),
  "message:delta": observe("llm", "llm.content", "bulk", [], ["response_delta", "on_stream_delta"]),
  "message:complete": observe("llm", "llm.content", "vital", [], ["response_end", "on_message_complete", "on_stream_end", "on_interim_message"]),
  "answer:transform": transform("llm", "llm.content", "normal", ["replace", "inject", "remind"], ["transform_llm_output"]),
  "reasoning:delta": observe("llm", "llm.content", "bulk", [], ["thinking.delta", "reasoning.available"]),
  "tool:before": gate("tool", "tools.intercept", "vital", ["block", "ask", "allow", "modify", "inject", "remind"], ["PreToolUse", "BeforeToolCall", "before_tool_call", "pre_tool_call", "tool_call_before", "BeforeTool", "preToolUse"]),
  "tool:progress": observe("tool", "tools.observe", "bulk", [], ["tool.progress"]),
  "tool:result": transform("tool", "tools.transform", "normal", ["replace", "inject", "remind"], ["transform_tool_result", "transform_terminal_output"]),
  "tool:after": observe("tool", "tools.observe", "vital", ["remind", "inject"], ["PostToolUse", "AfterToolCall", "after_tool_call", "post_tool_call", "tool_call_after", "AfterTool", "PostToolUseFailure"]),
  "tool:env": transform("tool", "tools.intercept", "normal", ["replace"], ["shell_env"]),
  "permission:asked": gate("session", "permissions.decide", "vital", ["allow", "block", "ask", "modify", "remind"], ["PermissionAsked", "PermissionRequest", "pre_approval_request", "exec_approval_request", "apply_patch_approval_request"]),
  "approval:requested": observe("notification", "permissions.observe", "vital", ["remind"], ["OnApprovalRequested", "approval_lifecycle"]),
  "permission:replied": observe("session", "permissions.observe", "vital", ["remind"], ["PermissionReplied", "post_approval_response"]),
  "permission:refused": observe("session", "permissions.observe", "vital", [], []),
  "transcript:head": observe("other", "permissions.observe", "vital", [], []),
  "guard:tampered": observe("other", "permissions.observe", "vital", [], []),
  "guard:paused": observe("other", "permissions.observe", "vital", [], []),
  "guard:resumed": observe("other", "permissions.observe", "vital", [], []),
  "policy:accepted": observe("other", "permissions.observe", "vital", [], []),
  "compact:before": gate("session", "llm.content", "normal", ["block", "modify", "inject", "remind"], ["PreCompact", "PreCompress"]),
  "compact:after": observe("session", "llm.content", "normal", ["remind"], ["PostCompact", "on_compaction", "session:compress"]),
  "worker:spawned": gate("worker", "workers.lifecycle", "vital", ["block", "modify"], ["WorkerSpawned", "SubagentStart", "subagent_start", "subagent_spawn"]),
  "worker:progressed": observe("worker", "workers.lifecycle", "normal", [], ["WorkerProgressed"]),
  "worker:waiting": observe("worker", "workers.lifecycle", "normal", [], ["WorkerWaitingForInput"]),
  "worker:suspended": observe("worker", "workers.lifecycle", "normal", [], ["WorkerSuspended"]),
  "worker:resumed": observe("worker", "workers.lifecycle", "normal", [], ["WorkerResumed"]),
  "worker:completed": observe("worker", "workers.lifecycle", "vital", [], ["WorkerCompleted", "SubagentStop", "subagent_complete"]),
  "worker:failed": observe("worker", "workers.lifecycle", "vital", [], ["WorkerFailed"]),
  "worker:stopped": observe("worker", "workers.lifecycle", "vital", [], ["WorkerStopped"]),
  "worker:cancelled": observe("worker", "workers.lifecycle", "vital", [], ["WorkerCancelled"]),
  "step:before": gate("step", "agent.lifecycle", "normal", ["block", "modify", "remind"], ["PreStep"]),
  "step:after": observe("step", "agent.lifecycle", "normal", ["remind"], ["PostStep"]),
  "budget:threshold": observe("notification", "budget.observe", "vital", ["remind"], ["OnBudgetThreshold"]),
  "handoff:emitted": observe("notification", "agent.lifecycle", "normal", ["remind"], ["OnHandoffEmitted"]),
  "persona:paused": observe("notification", "agent.lifecycle", "normal", ["remind"], ["OnPersonaPaused"]),
  "persona:resumed": observe("notification", "agent.lifecycle", "normal", ["remind"], ["OnPersonaResumed"]),
  "file:edited": observe("session", "files.observe", "normal", ["remind"], ["FileEdited", "afterFileEdit"]),
  "mode:change": observe("other", "session.lifecycle", "normal", [], ["mode_change"]),
  "job:update": observe("other", "jobs.observe", "normal", [], ["job_lifecycle", "job_update"]),
  "notification:sent": observe("notification", "session.lifecycle", "normal", [], ["Notification"]),
} as const satisfies Record<string, EventSpec>;

/** Namespaces in which any name is an event: slash commands, mirrored UI events, and those reserved for agents. */
export const families = {
  command: gate("other", "commands.intercept", "normal", ["block", "modify", "handled"], []),
  tui: observe("ui", "ui.observe", "normal", [], []),
  mcp: observe("other", "mcp.observe", "normal", [], []),
  exec: observe("other", "exec.observe", "normal", [], []),
  patch: observe("other", "patch.observe", "normal", [], []),
  goal: observe("other", "goal.observe", "normal", [], []),
  task: observe("other", "task.observe", "normal", [], []),
  skill: observe("other", "skill.observe", "normal", [], []),
  media: observe("other", "media.observe", "normal", [], []),
  room: observe("other", "room.observe", "normal", [], []),
  reaction: observe("other", "reaction.observe", "normal", [], []),
  reminder: observe("other", "reminder.observe", "normal", [], []),
} as const satisfies Record<string, EventSpec>;

/** Other runtimes' names for events of a family. `pre_command` stands for a pattern: the hook sees every command. */
export const familyAliases = {
  pre_command: "command:*",
  pre_tts_synthesis: "media:tts",
  pre_transcription: "media:transcription",
  on_skill_lifecycle: "skill:lifecycle",
  on_room_member_activity: "room:member_activity",
  kanban_task_claimed: "task:claimed",
  kanban_task_completed: "task:completed",
  kanban_task_blocked: "task:blocked",
  on_kanban_task_updated: "task:updated",
  on_kanban_worker_spawned: "task:worker_spawned",
  on_kanban_worker_exited: "task:worker_exited",
  on_kanban_worker_stale_claim: "task:worker_stale_claim",
  on_kanban_dispatch_tick: "task:dispatch_tick",
} as const satisfies Record<string, `${keyof typeof families}:${string}`>;

/** What a name in a namespace we do not know is: the user's own event. */
export const customEvent: EventSpec = observe("other", "custom.observe", "normal", [], []);

/** The events a provider of agents must be able to emit, in harn's words. */
export const providerEvents: readonly string[] = /* @__PURE__ */ Object.keys(catalog).filter(isProviderEvent);

function isProviderEvent(name: string): boolean {
  const { category } = catalog[name as keyof typeof catalog];
  return category === "worker" || category === "session" || ["tool:after", "turn:after", "step:after", "budget:threshold"].includes(name);
}

function row<const K extends EventKind, const O extends readonly OutcomeKind[], const A extends readonly string[]>(
  kind: K,
  category: Category,
  permission: string,
  importance: EventClass,
  outcomes: O,
  aliases: A,
) {
  return { kind, category, outcomes, permission, class: importance, aliases } as const;
}

function observe<const O extends readonly OutcomeKind[], const A extends readonly string[]>(
  c: Category,
  permission: string,
  importance: EventClass,
  outcomes: O,
  aliases: A,
) {
  return row("observe", c, permission, importance, outcomes, aliases);
}

function gate<const O extends readonly OutcomeKind[], const A extends readonly string[]>(
  c: Category,
  permission: string,
  importance: EventClass,
  outcomes: O,
  aliases: A,
) {
  return row("gate", c, permission, importance, outcomes, aliases);
}

function transform<const O extends readonly OutcomeKind[], const A extends readonly string[]>(
  c: Category,
  permission: string,
  importance: EventClass,
  outcomes: O,
  aliases: A,
) {
  return row("transform", c, permission, importance, outcomes, aliases);
}
