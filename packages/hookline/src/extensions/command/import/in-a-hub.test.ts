import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { Hub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { startConfigHub } from "../../../../../../test/support/config-hub.ts";
import { until } from "../../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../../test/support/test-folder.ts";
import { events as claudeEvents } from "../../../agents/claude-code/events.js";
import { importClaudeSettings } from "./claude-settings.js";
import { importCodewhale } from "./codewhale.js";
import { type Imported, writeHooks } from "./imported-hook.js";

/** Starts a hub on what was imported, written as the command line prints it. */
async function startWith(read: (home: string) => Imported): Promise<{ readonly hub: Hub; readonly home: string }> {
  const home = testFolder();
  const { hooks, problems } = read(home);
  expect(problems).toEqual([]);
  const { hub, told } = await startConfigHub(writeHooks(hooks), {}, home);
  expect(told).toEqual([]);
  return { hub, home };
}

/** How often each hook was asked. A hook whose filter does not hold is not. */
function callsOf({ parts: { bus } }: Hub): { [name: string]: number } {
  const calls: { [name: string]: number } = {};
  for (const { name, calls: count } of bus.stats()) if (count > 0) calls[name] = (calls[name] ?? 0) + count;
  return calls;
}

const entry = (name: string, event: string, command: string, condition = "", more = "") =>
  `[[hooks.hooks]]\nname = "${name}"\nevent = "${event}"\ncommand = ${JSON.stringify(command)}\n${condition === "" ? "" : `condition = ${condition}\n`}${more}\n`;
const tool = (name: string, input: object = {}) => ({ tool: { name, callId: "1", input } });

type Row = readonly [event: string, payload: object, fired: readonly string[]];

describe("hooks of codewhale, imported into a hub", () => {
  const named = (name: string) => `{ type = "tool_name", name = "${name}" }`;
  const category = (name: string) => `{ type = "tool_category", category = "${name}" }`;
  const mode = (name: string) => `{ type = "mode", mode = "${name}" }`;
  const conditions: readonly (readonly [name: string, condition: string])[] = [
    ["exact", named("exec_shell")],
    ["glob", named("exec*")],
    ["middle", named("mcp__*__push")],
    ["odd", named("a?b[c]*")],
    ["shell", category("shell")],
    ["writes", category("file_write")],
    ["safe", category("safe")],
    ["other", category("other")],
    ["plan", mode("plan")],
    ["both", `{ type = "all", conditions = [${named("exec*")}, ${mode("PLAN")}, { type = "always" }] }`],
    ["either", `{ type = "any", conditions = [${named("git")}, ${mode("Operate")}] }`],
  ];
  const rows: readonly Row[] = [
    ["tool:before", tool("exec_shell"), ["exact", "glob", "shell"]],
    ["tool:before", tool("exec_shell_interact"), ["glob", "other"]],
    ["tool:before", tool("my_exec_shell"), ["other"]],
    ["tool:before", tool("mcp__github__push"), ["middle", "other"]],
    ["tool:before", tool("mcp__github__pushed"), ["other"]],
    ["tool:before", tool("a?b[c]d"), ["odd", "other"]],
    ["tool:before", tool("axbcd"), ["other"]],
    ["tool:before", tool("bash"), ["shell"]],
    ["tool:before", tool("Run", { action: "test" }), ["shell"]],
    ["tool:before", tool("File", { action: "READ" }), ["safe"]],
    ["tool:before", tool("File", { action: "write" }), ["writes"]],
    ["tool:before", tool("File"), ["writes"]],
    ["tool:before", tool("apply_patch"), ["writes"]],
    ["tool:before", tool("git", { action: "log" }), ["safe", "either"]],
    ["tool:before", tool("Git", { action: "push" }), ["other", "either"]],
    ["tool:before", { ...tool("exec_wait"), mode: "Plan" }, ["glob", "other", "plan", "both"]],
    ["tool:before", { ...tool("todo_write"), mode: "OPERATE" }, ["safe", "either"]],
    ["tool:before", { ...tool("read"), mode: "planning" }, ["safe"]],
  ];

  it("are asked about the calls that their conditions name in codewhale, and no others", async () => {
    const text = conditions.map(([name, condition]) => entry(name, "tool_call_before", "true", condition)).join("");
    const { hub } = await startWith(() => importCodewhale(text));
    for (const [event, payload, fired] of rows) {
      const before = callsOf(hub);
      await hub.parts.bus.decide(event as "tool:before", payload as never);
      const asked = Object.entries(callsOf(hub)).flatMap(([name, count]) => (count > (before[name] ?? 0) ? [name] : []));
      expect(asked.sort(), JSON.stringify(payload)).toEqual([...fired].sort());
    }
  });

  it("fire for every event of codewhale's, each for its own, and only the steering ones decide", async () => {
    const log = (home: string) => join(home, "log");
    const line = (home: string, more = "") => `printf '%s %s\\n' "$HOOKLINE_HOOK" "$HOOKLINE_EVENT${more}" >> '${log(home)}'`;
    const names = [
      ...["session_start", "session_end", "tool_call_after", "mode_change", "on_error", "turn_end", "subagent_spawn", "subagent_complete"],
    ];
    const { hub, home } = await startWith((folder) =>
      importCodewhale(
        [
          // Whatever an observer says, and however it ends, decides nothing.
          ...names.map((name) => entry(name, name, `${line(folder)}; echo '{"decision":"deny"}'; exit 2`)),
          entry("failed-exec", "on_error", line(folder), named("exec*")),
          entry("code-3", "tool_call_after", line(folder, " $DEEPSEEK_TOOL_EXIT_CODE"), '{ type = "exit_code", code = 3 }'),
          entry("gate", "tool_call_before", `${line(folder)}; echo "no $DEEPSEEK_TOOL_NAME" >&2; exit 2`, named("exec*")),
          entry("words", "message_submit", `${line(folder)}; echo '{"text":"better"}'`),
          entry("behind", "tool_call_before", `${line(folder)}; exit 2`, named("read"), "background = true\n"),
          entry("strict", "tool_call_before", `${line(folder)}; exit 7`, named("strict"), "continue_on_error = false\n"),
          entry("lenient", "tool_call_before", `${line(folder)}; exit 7`, named("lenient")),
        ].join(""),
      ),
    );
    const agent = createBus({ source: "agent", onError: () => {} });
    const connection = connectToHub(agent, { folder: join(home, "state") });
    onTestFinished(async () => void (await connection.close()));
    await until(() => connection.state === "attached");

    const gate = (event: string, payload: object) => agent.decide(event as "tool:before", payload as never);
    expect(await gate("tool:before", tool("exec_shell"))).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining("no exec_shell"),
    });
    expect(await gate("tool:before", tool("write"))).toMatchObject({ verdict: "pass" });
    expect(await gate("tool:before", tool("read"))).toMatchObject({ verdict: "pass" });
    expect(await gate("tool:before", tool("strict"))).toMatchObject({ verdict: "deny" });
    expect(await gate("tool:before", tool("lenient"))).toMatchObject({ verdict: "pass" });
    expect(await gate("prompt:submit", { prompt: "worse" })).toMatchObject({ verdict: "pass", payload: { prompt: "better" } });
    expect(await gate("session:start", { session: { id: "s" } })).toMatchObject({ verdict: "pass", injections: [] });
    expect(await gate("worker:spawned", { worker: { id: "w", task: "look" } })).toMatchObject({ verdict: "pass" });
    const after = (name: string, status: string, exitCode?: number) => ({ ...tool(name), tool: { ...tool(name).tool, exitCode }, status });
    agent.emit("tool:after", after("exec_shell", "ok", 0) as never);
    agent.emit("tool:after", after("exec_shell", "error", 3) as never);
    agent.emit("tool:after", after("write", "error") as never);
    agent.emit("mode:change", { mode: "Plan", previousMode: "Agent" });
    agent.emit("session:error", { error: "no route" });
    agent.emit("turn:end", { turn: { id: "t" } });
    for (const end of ["completed", "failed", "stopped", "cancelled"] as const) agent.emit(`worker:${end}`, { worker: { id: "w" } });
    agent.emit("worker:progressed", { worker: { id: "w" } });
    agent.emit("session:end", { session: { id: "s" } });

    const expected = [
      ...["gate tool:before", "behind tool:before", "strict tool:before", "lenient tool:before", "words prompt:submit"],
      ...["session_start session:start", "subagent_spawn worker:spawned", "session_end session:end", "turn_end turn:end"],
      ...["mode_change mode:change", "on_error session:error"],
      ...["tool_call_after tool:after", "tool_call_after tool:after", "tool_call_after tool:after"],
      ...["on_error-tool tool:after", "on_error-tool tool:after", "failed-exec tool:after", "code-3 tool:after 3"],
      ...["completed", "failed", "stopped", "cancelled"].map((end) => `subagent_complete worker:${end}`),
    ];
    const logged = () => readFileSync(log(home), "utf8").trim().split("\n").sort();
    await until(() => logged().length >= expected.length);
    expect(logged()).toEqual([...expected].sort());
    expect(Object.values(callsOf(hub)).reduce((sum, count) => sum + count, 0)).toBe(expected.length);
  });
});

describe("hooks of Claude Code, imported into a hub", () => {
  const group = (matcher: string | undefined) => [
    { ...(matcher !== undefined && { matcher }), hooks: [{ type: "command", command: "true" }] },
  ];
  const raw = (event: string, more: object = {}) => ({ raw: { hook_event_name: event, ...more } });
  // By the order of their events here, which is that of their names: claude-<event>-<number>.
  const hooks = {
    PreToolUse: [...group("Bash"), ...group("Edit|Write"), ...group("mcp__.*"), ...group("Power.*"), ...group("")],
    PostToolUse: group("Bash"),
    PostToolUseFailure: group("Bash"),
    UserPromptSubmit: group("Bash"),
    Stop: group("Bash"),
    SessionStart: group("startup|resume"),
    CwdChanged: group(undefined),
    DirectoryAdded: group(undefined),
    UserPromptExpansion: group("deploy"),
  };
  const rows: readonly Row[] = [
    ["tool:before", tool("Bash"), ["before-1", "before-5"]],
    ["tool:before", tool("BashOutput"), ["before-5"]],
    ["tool:before", tool("Write"), ["before-2", "before-5"]],
    ["tool:before", tool("MultiEdit"), ["before-5"]],
    ["tool:before", tool("mcp__memory__add"), ["before-3", "before-5"]],
    ["tool:before", { tool: { ...tool("Bash").tool, runtimeName: "PowerShell" } }, ["before-1", "before-4", "before-5"]],
    ["tool:after", { ...tool("Bash"), status: "ok" }, ["after-6"]],
    ["tool:after", { ...tool("Bash"), status: "error" }, ["after-7"]],
    ["tool:after", { ...tool("Bash"), status: "blocked" }, []],
    ["tool:after", { ...tool("Read"), status: "ok" }, []],
    ["prompt:submit", { prompt: "hi" }, ["submit-8"]],
    ["finish:before", {}, ["before-9"]],
    ["session:start", raw("SessionStart", { source: "resume" }), ["start-10"]],
    ["session:start", raw("SessionStart", { source: "clear" }), []],
    ["session:info", raw("CwdChanged"), ["info-11"]],
    ["session:info", raw("DirectoryAdded"), ["info-12"]],
    ["session:info", raw("PostModelSwitch"), []],
    ["command:deploy", { command: "deploy", ...raw("UserPromptExpansion", { command_name: "deploy" }) }, ["command-13"]],
    ["command:test", { command: "test", ...raw("UserPromptExpansion", { command_name: "test" }) }, []],
  ];

  it("are asked about what their matchers name in Claude Code, and nothing else", async () => {
    const { hub } = await startWith(() => importClaudeSettings(JSON.stringify({ hooks }), { events: claudeEvents, cwd: "event" }));
    const { bus } = hub.parts;
    for (const [event, payload, fired] of rows) {
      const before = callsOf(hub);
      const isGate =
        bus.list().some((row) => row.event === event || row.event === "command:*") && !/^(tool:after|session:info)$/.test(event);
      await (isGate ? bus.decide(event as "tool:before", payload as never) : bus.emit(event as "tool:after", payload as never));
      const asked = Object.entries(callsOf(hub)).flatMap(([name, count]) => (count > (before[name] ?? 0) ? [name] : []));
      expect(asked.map((name) => name.replace(/^claude-(\w+-)?(?=\w+-\d+$)/, "")).sort(), JSON.stringify([event, payload])).toEqual(
        [...fired].sort(),
      );
    }
  });
});
