import { describe, expect, it } from "vitest";
import { catalog, customEvent, type EventSpec, families, providerEvents } from "./events.js";

type Row = readonly [name: string, kind: EventSpec["kind"], outcomes: string, permission: string, importance: string, aliases: string];

// What the catalogue must contain, written down a second time by hand: a slip in the table shows up here.
// biome-ignore format: one event, one line
const rows: readonly Row[] = [
  ["gateway:startup", "observe", "", "process.lifecycle", "normal", "process_startup"],
  ["session:start", "gate", "inject remind", "session.lifecycle", "vital", "SessionStart on_session_start"],
  ["session:end", "observe", "remind", "session.lifecycle", "vital", "SessionEnd on_session_finalize"],
  ["session:reset", "observe", "remind", "session.lifecycle", "normal", "on_session_reset"],
  ["session:error", "observe", "remind", "session.lifecycle", "vital", "SessionError error on_error ErrorOccurred"],
  ["session:idle", "observe", "remind", "session.lifecycle", "normal", "SessionIdle"],
  ["session:info", "observe", "", "session.lifecycle", "normal", ""],
  ["session:steer", "observe", "", "session.lifecycle", "vital", ""],
  ["suspend:before", "gate", "block modify remind", "session.lifecycle", "normal", "PreSuspend"],
  ["suspend:after", "observe", "remind", "session.lifecycle", "normal", "PostSuspend"],
  ["resume:before", "gate", "block modify remind", "session.lifecycle", "normal", "PreResume"],
  ["resume:after", "observe", "remind", "session.lifecycle", "normal", "PostResume"],
  ["agent:start", "observe", "", "agent.lifecycle", "normal", "turn_started"],
  ["agent:step", "observe", "", "agent.lifecycle", "normal", ""],
  ["agent:end", "observe", "", "agent.lifecycle", "vital", "AgentLoopEnd agent_loop_end agent_loop_stopped turn_complete turn_aborted"],
  ["turn:before", "gate", "inject remind", "agent.lifecycle", "normal", "PreAgentTurn"],
  ["turn:after", "observe", "remind", "agent.lifecycle", "normal", "PostAgentTurn"],
  ["turn:end", "observe", "remind", "agent.lifecycle", "vital", "PostTurn turn_end on_session_end post_llm_call"],
  ["finish:before", "gate", "again modify remind", "agent.lifecycle", "normal", "PreFinish Stop pre_verify AfterAgent"],
  ["finish:after", "observe", "remind", "agent.lifecycle", "normal", "PostFinish"],
  ["finish:unsettled", "gate", "block modify remind", "agent.lifecycle", "normal", "OnUnsettledDetected"],
  ["drain:before", "gate", "block modify remind", "agent.lifecycle", "normal", "PreDrain"],
  ["drain:after", "observe", "remind", "agent.lifecycle", "normal", "PostDrain"],
  ["drain:decision", "gate", "block modify remind", "agent.lifecycle", "normal", "OnDrainDecision"],
  ["loop:checkpoint", "gate", "block inject remind", "agent.lifecycle", "bulk", "LoopCheckpoint"],
  ["prompt:submit", "gate", "block modify inject remind", "llm.content", "vital", "UserPromptSubmit message_submit userPromptSubmitted beforeSubmitPrompt BeforeAgent"],
  ["prompt:build", "transform", "replace inject remind", "llm.content", "normal", "BeforePromptBuild before_message pre_llm_call"],
  ["llm:before", "gate", "block modify inject", "llm.content", "normal", "BeforeModel pre_api_request pre_auxiliary_call"],
  ["llm:after", "observe", "", "llm.content", "normal", "AfterModel post_api_request post_auxiliary_call"],
  ["llm:error", "observe", "", "llm.content", "normal", "api_request_error transform_api_error_classification"],
  ["message:route", "gate", "block modify", "llm.content", "normal", "message:pre_route pre_gateway_dispatch"],
  ["message:start", "observe", "", "llm.content", "normal", "response_start on_stream_start"],
  ["message:delta", "observe", "", "llm.content", "bulk", "response_delta on_stream_delta"],
  ["message:complete", "observe", "", "llm.content", "vital", "response_end on_message_complete on_stream_end on_interim_message"],
  ["answer:transform", "transform", "replace inject remind", "llm.content", "normal", "transform_llm_output"],
  ["reasoning:delta", "observe", "", "llm.content", "bulk", "thinking.delta reasoning.available"],
  ["tool:before", "gate", "block ask allow modify inject remind", "tools.intercept", "vital", "PreToolUse BeforeToolCall before_tool_call pre_tool_call tool_call_before BeforeTool preToolUse"],
  ["tool:progress", "observe", "", "tools.observe", "bulk", "tool.progress"],
  ["tool:result", "transform", "replace inject remind", "tools.transform", "normal", "transform_tool_result transform_terminal_output"],
  ["tool:after", "observe", "remind inject", "tools.observe", "vital", "PostToolUse AfterToolCall after_tool_call post_tool_call tool_call_after AfterTool PostToolUseFailure"],
  ["tool:env", "transform", "replace", "tools.intercept", "normal", "shell_env"],
  ["permission:asked", "gate", "allow block ask modify remind", "permissions.decide", "vital", "PermissionAsked PermissionRequest pre_approval_request exec_approval_request apply_patch_approval_request"],
  ["approval:requested", "observe", "remind", "permissions.observe", "vital", "OnApprovalRequested approval_lifecycle"],
  ["permission:replied", "observe", "remind", "permissions.observe", "vital", "PermissionReplied post_approval_response"],
  ["permission:refused", "observe", "", "permissions.observe", "vital", ""],
  ["transcript:head", "observe", "", "permissions.observe", "vital", ""],
  ["guard:tampered", "observe", "", "permissions.observe", "vital", ""],
  ["guard:paused", "observe", "", "permissions.observe", "vital", ""],
  ["guard:resumed", "observe", "", "permissions.observe", "vital", ""],
  ["policy:accepted", "observe", "", "permissions.observe", "vital", ""],
  ["compact:before", "gate", "block modify inject remind", "llm.content", "normal", "PreCompact PreCompress"],
  ["compact:after", "observe", "remind", "llm.content", "normal", "PostCompact on_compaction session:compress"],
  ["worker:spawned", "gate", "block modify", "workers.lifecycle", "vital", "WorkerSpawned SubagentStart subagent_start subagent_spawn"],
  ["worker:progressed", "observe", "", "workers.lifecycle", "normal", "WorkerProgressed"],
  ["worker:waiting", "observe", "", "workers.lifecycle", "normal", "WorkerWaitingForInput"],
  ["worker:suspended", "observe", "", "workers.lifecycle", "normal", "WorkerSuspended"],
  ["worker:resumed", "observe", "", "workers.lifecycle", "normal", "WorkerResumed"],
  ["worker:completed", "observe", "", "workers.lifecycle", "vital", "WorkerCompleted SubagentStop subagent_complete"],
  ["worker:failed", "observe", "", "workers.lifecycle", "vital", "WorkerFailed"],
  ["worker:stopped", "observe", "", "workers.lifecycle", "vital", "WorkerStopped"],
  ["worker:cancelled", "observe", "", "workers.lifecycle", "vital", "WorkerCancelled"],
  ["step:before", "gate", "block modify remind", "agent.lifecycle", "normal", "PreStep"],
  ["step:after", "observe", "remind", "agent.lifecycle", "normal", "PostStep"],
  ["budget:threshold", "observe", "remind", "budget.observe", "vital", "OnBudgetThreshold"],
  ["handoff:emitted", "observe", "remind", "agent.lifecycle", "normal", "OnHandoffEmitted"],
  ["persona:paused", "observe", "remind", "agent.lifecycle", "normal", "OnPersonaPaused"],
  ["persona:resumed", "observe", "remind", "agent.lifecycle", "normal", "OnPersonaResumed"],
  ["file:edited", "observe", "remind", "files.observe", "normal", "FileEdited afterFileEdit"],
  ["mode:change", "observe", "", "session.lifecycle", "normal", "mode_change"],
  ["job:update", "observe", "", "jobs.observe", "normal", "job_lifecycle job_update"],
  ["notification:sent", "observe", "", "session.lifecycle", "normal", "Notification"],
];

const categories: { readonly [category in EventSpec["category"]]: readonly string[] } = {
  tool: ["tool:before", "tool:progress", "tool:result", "tool:after", "tool:env"],
  turn: ["turn:before", "turn:after"],
  worker: ["spawned", "progressed", "waiting", "suspended", "resumed", "completed", "failed", "stopped", "cancelled"].map(
    (name) => `worker:${name}`,
  ),
  step: ["step:before", "step:after"],
  notification: ["budget:threshold", "approval:requested", "handoff:emitted", "persona:paused", "persona:resumed", "notification:sent"],
  session: [
    ...["session:start", "session:end", "session:reset", "session:error", "session:idle", "session:info"],
    ...["session:steer", "permission:refused"],
    ...["prompt:submit", "compact:before", "compact:after", "turn:end", "permission:asked", "permission:replied", "file:edited"],
    ...["finish:before", "finish:after", "finish:unsettled", "suspend:before", "suspend:after", "resume:before", "resume:after"],
    ...["drain:before", "drain:after", "drain:decision", "loop:checkpoint"],
  ],
  agent: ["agent:start", "agent:step", "agent:end"],
  llm: [
    ...["prompt:build", "llm:before", "llm:after", "llm:error", "reasoning:delta", "answer:transform"],
    ...["message:route", "message:start", "message:delta", "message:complete"],
  ],
  ui: [],
  other: [
    "gateway:startup",
    "mode:change",
    "job:update",
    "transcript:head",
    "guard:tampered",
    "guard:paused",
    "guard:resumed",
    "policy:accepted",
  ],
};

const reserved = ["mcp", "exec", "patch", "goal", "task", "skill", "media", "room", "reaction"];

const specs: { readonly [name: string]: EventSpec } = catalog;
const words = (text: string): string[] => text.split(" ").filter(Boolean).sort();

describe("the catalogue", () => {
  for (const [name, kind, outcomes, permission, importance, aliases] of rows)
    it(`has ${name} as it should be`, () => {
      const { category: _, ...spec } = specs[name] ?? { category: "missing" };
      expect({ ...spec, outcomes: sorted(spec, "outcomes"), aliases: sorted(spec, "aliases") }).toEqual({
        kind,
        outcomes: words(outcomes),
        permission,
        class: importance,
        aliases: words(aliases),
      });
    });

  it("has no other events", () => {
    expect(Object.keys(catalog).sort()).toEqual(rows.map(([name]) => name).sort());
  });

  for (const [category, names] of Object.entries(categories))
    it(`puts exactly the right events into category ${category}`, () => {
      const found = Object.keys(catalog).filter((name) => specs[name]?.category === category);
      expect(found.sort()).toEqual([...names].sort());
    });

  it("lets an alias name one event only, and never one that has that name itself", () => {
    const written = Object.entries(specs).flatMap(([name, { aliases }]) => [name, ...aliases]);
    expect(written.filter((name, index) => written.indexOf(name) !== index)).toEqual([]);
  });

  it("lists no outcome twice", () => {
    for (const { outcomes } of Object.values(specs)) expect(new Set(outcomes).size).toBe(outcomes.length);
  });

  it("allows verdicts on gates only, a new value on transforms only", () => {
    const verdicts = ["block", "ask", "allow", "modify", "again", "handled"];
    for (const [name, { kind, outcomes }] of Object.entries<EventSpec>({ ...specs, ...families })) {
      if (kind !== "gate") expect([name, outcomes.filter((outcome) => verdicts.includes(outcome))]).toEqual([name, []]);
      expect([name, (outcomes as readonly string[]).includes("replace")]).toEqual([name, kind === "transform"]);
    }
  });

  it("lets no worker event leave a reminder", () => {
    for (const name of categories.worker) expect([name, specs[name]?.outcomes.includes("remind")]).toEqual([name, false]);
  });

  it("knows the events a provider must emit", () => {
    const wanted = [...categories.worker, ...categories.session, "tool:after", "turn:after", "step:after", "budget:threshold"];
    expect([...providerEvents].sort()).toEqual(wanted.sort());
  });
});

describe("families", () => {
  it("make any slash command a gate that can be blocked, rewritten or handled", () => {
    expect(families.command).toMatchObject({ kind: "gate", category: "other", permission: "commands.intercept", class: "normal" });
    expect(sorted(families.command, "outcomes")).toEqual(["block", "handled", "modify"]);
  });

  it("mirror UI events", () => {
    const ui = { kind: "observe", category: "ui", permission: "ui.observe", class: "normal", outcomes: [], aliases: [] };
    expect(families.tui).toEqual(ui);
  });

  for (const namespace of reserved)
    it(`reserve ${namespace}:*, with a permission of its own`, () => {
      const spec = { kind: "observe", category: "other", permission: `${namespace}.observe`, class: "normal", outcomes: [], aliases: [] };
      expect(families).toHaveProperty(namespace, spec);
    });

  it("are those of the catalogue and the audit events of reminders, and no others", () => {
    expect(Object.keys(families).sort()).toEqual(["command", "tui", "reminder", ...reserved].sort());
  });

  it("share no namespace with a catalogue event", () => {
    const namespaces = Object.keys(catalog).map((name) => name.slice(0, name.indexOf(":")));
    expect(Object.keys(families).filter((family) => namespaces.includes(family))).toEqual([]);
  });
});

describe("a custom event", () => {
  it("is observed under custom.observe", () => {
    expect(customEvent).toMatchObject({ kind: "observe", category: "other", permission: "custom.observe", class: "normal", outcomes: [] });
  });
});

function sorted(spec: Partial<EventSpec>, key: "outcomes" | "aliases"): string[] | undefined {
  return spec[key] === undefined ? undefined : [...spec[key]].sort();
}
