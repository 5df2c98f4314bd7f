import { HookError } from "@hookline/core";
import { compileMatch } from "@hookline/core/internal";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { events } from "../../../agents/claude-code/events.js";
import { linearRegex } from "../../../rules/linear-regex.js";
import { importClaudeSettings as readSettings } from "./claude-settings.js";
import { importCodewhale } from "./codewhale.js";
import { type ImportedHook, writeHooks } from "./imported-hook.js";

const importClaudeSettings = (text: string, options: { readonly cwd?: string } = {}) => readSettings(text, { events, ...options });
const settings = (hooks: unknown) => JSON.stringify({ hooks });
const group = (matcher: unknown, ...commands: string[]) => ({ matcher, hooks: commands.map((command) => ({ type: "command", command })) });

/** Whether an imported hook would be asked about a tool. */
function catches({ tool, match }: ImportedHook, name: string): boolean {
  const isMatch = compileMatch({ ...(tool !== undefined && { tool }), ...(match !== undefined && { match }) }, linearRegex);
  return isMatch === undefined || isMatch({ tool: { name, input: {} } });
}

describe("a matcher of Claude Code's", () => {
  const cases: readonly (readonly [unknown, readonly string[], readonly string[]])[] = [
    ["Bash", ["Bash"], ["BashOutput", "bash2", "xBash"]],
    ["my tool", ["my tool"], ["my", "tool", "not my tool"]],
    ["Edit|", ["Edit"], ["anything"]],
    ["Edit|Write", ["Edit", "Write"], ["MultiEdit", "Writes", "Edit|Write"]],
    ["Edit, Write", ["Edit", "Write"], ["NotebookEdit"]],
    ["Edit,Write", ["Edit", "Write"], ["Edit,Write"]],
    ["a-b", ["a-b"], ["xa-b", "a-bx", "a", "b"]],
    ["", ["anything"], []],
    ["*", ["anything"], []],
    [undefined, ["anything"], []],
    ["mcp__memory__.*", ["mcp__memory__add"], ["mcp__other__add"]],
    ["^mcp__github", ["mcp__github__push"], ["x_mcp__github"]],
    ["Notebook(Edit|Read)", ["NotebookEdit"], ["Notebook"]],
  ];
  it.each(cases)("%j", (matcher, yes, no) => {
    const { hooks, problems } = importClaudeSettings(settings({ PreToolUse: [group(matcher, "x")] }));
    expect(problems).toEqual([]);
    const [hook] = hooks;
    if (hook === undefined) throw new Error("not imported");
    expect([yes.filter((name) => !catches(hook, name)), no.filter((name) => catches(hook, name))]).toEqual([[], []]);
  });

  it("of another kind of event looks at that event's own field", () => {
    const { hooks } = importClaudeSettings(settings({ SessionStart: [group("startup|resume", "x")], PreCompact: [group("auto", "x")] }));
    expect(hooks.map(({ match }) => match)).toEqual(["raw.source == 'startup' || raw.source == 'resume'", "raw.trigger == 'auto'"]);
  });

  it("that RE2 cannot compile leaves out only its hook", () => {
    const { hooks, problems } = importClaudeSettings(settings({ PreToolUse: [group("(?=a)", "x"), group("B(", "x"), group("Bash", "y")] }));
    expect(hooks.map(({ command }) => command)).toEqual(["y"]);
    expect(problems.map(({ key }) => key)).toEqual(["hooks.PreToolUse[0].hooks[0]", "hooks.PreToolUse[1].hooks[0]"]);
  });
});

describe("importClaudeSettings", () => {
  it("takes over the commands as they ran there", () => {
    const entry = { type: "command", command: "guard.sh", timeout: 5, onFailure: "block" };
    const text = settings({
      PreToolUse: [{ matcher: "Bash", hooks: [entry, { type: "command", command: "log.sh", async: true }] }],
      Stop: [{ hooks: [{ type: "command", command: "tests.sh" }] }],
    });
    expect(importClaudeSettings(text, { cwd: "/project" })).toEqual({
      problems: [],
      notes: [],
      hooks: [
        {
          name: "claude-tool-before-1",
          event: "tool:before",
          tool: ["Bash"],
          command: "guard.sh",
          shell: true,
          dialect: "claude-code",
          cwd: "/project",
          timeoutMs: 5_000,
          onFailure: "closed",
        },
        {
          name: "claude-tool-before-2",
          event: "tool:before",
          tool: ["Bash"],
          command: "log.sh",
          shell: true,
          dialect: "claude-code",
          cwd: "/project",
          timeoutMs: 600_000,
          stage: "observe",
        },
        {
          name: "claude-finish-before-3",
          event: "finish:before",
          command: "tests.sh",
          shell: true,
          dialect: "claude-code",
          cwd: "/project",
          timeoutMs: 600_000,
        },
      ],
    });
  });

  it("fails as it did there unless told otherwise, and takes identical hooks once", () => {
    const { hooks } = importClaudeSettings(settings({ PreToolUse: [group("Bash", "x", "x"), group("Bash", "x")] }));
    expect(hooks).toMatchObject([{ onFailure: "open" }]);
  });

  it("leaves out alone what it does not understand, and says so", () => {
    const { hooks, problems } = importClaudeSettings(
      settings({
        PreToolUze: [group("", "a")],
        PreToolUse: [
          { hooks: [{ type: "http", url: "http://x" }, { type: "command" }, { type: "command", command: "b", if: "Bash(git *)" }, 1] },
          {
            hooks: [
              { type: "command", command: "c", timeout: "5" },
              { type: "command", command: "good" },
            ],
          },
          "no",
        ],
        UserPromptSubmit: {},
      }),
    );
    expect(hooks.map(({ command }) => command)).toEqual(["good"]);
    expect(problems.map(({ key }) => key)).toEqual([
      "hooks.PreToolUse[2]",
      "hooks.UserPromptSubmit",
      "hooks.PreToolUze[0].hooks[0]",
      "hooks.PreToolUse[0].hooks[0]",
      "hooks.PreToolUse[0].hooks[1]",
      "hooks.PreToolUse[0].hooks[2]",
      "hooks.PreToolUse[0].hooks[3]",
      "hooks.PreToolUse[1].hooks[0]",
    ]);
    expect(problems.find(({ key }) => key.includes("Uze"))?.message).toContain('Did you mean "PreToolUse"?');
  });

  it("says on which line, and what is different about what it takes over", () => {
    const text = JSON.stringify(
      {
        hooks: {
          Stop: [{ matcher: "x", hooks: [{ type: "command", command: "a", once: true }] }],
          WorktreeCreate: [group("", "b")],
          FileChanged: [group(".env", "c")],
          SessionStart: [group("|", "d")],
        },
      },
      undefined,
      1,
    );
    const lines = text.split("\n");
    // Two lines further up: the entry itself, counted from 1.
    const lineOf = (command: string) => lines.findIndex((line) => line.includes(`"command": "${command}"`)) - 1;
    const { hooks, problems, notes } = importClaudeSettings(text);
    expect(hooks.map(({ command }) => command)).toEqual(["a"]);
    expect(notes.map(({ key, line, message }) => [key, line, message.split(" ")[0]])).toEqual([
      ["hooks.Stop[0].hooks[0]", lineOf("a"), '"matcher"'],
      ["hooks.Stop[0].hooks[0]", lineOf("a"), '"once"'],
    ]);
    expect(problems.map(({ key, line }) => [key, line])).toEqual(
      (["WorktreeCreate", "FileChanged", "SessionStart"] as const).map((event, index) => [
        `hooks.${event}[0].hooks[0]`,
        lineOf("bcd"[index] as string),
      ]),
    );
    expect(problems[0]?.message).toContain("makes the worktree in Claude Code's place");
  });

  it("has every event of Claude Code's, but for those that are left to it", () => {
    const { hooks, problems } = importClaudeSettings(
      settings(Object.fromEntries(Object.keys(events).map((event) => [event, [group("", event)]]))),
    );
    expect([hooks.length, problems.map(({ key }) => key)]).toEqual([
      Object.keys(events).length - 3,
      ["PostToolBatch", "WorktreeCreate", "WorktreeRemove"].map((event) => `hooks.${event}[0].hooks[0]`),
    ]);
  });

  it("takes over hooks that are switched off as such", () => {
    const text = JSON.stringify({ disableAllHooks: true, hooks: { Stop: [group("", "x")] } });
    expect(importClaudeSettings(text).hooks).toMatchObject([{ enabled: false }]);
  });

  it.each(["", "{", "[]", "1", '"x"'])("refuses %j", (text) => {
    expect(() => importClaudeSettings(text)).toThrow(HookError);
  });

  it("has nothing to do for settings without hooks", () => {
    expect(importClaudeSettings("{}")).toEqual({ hooks: [], problems: [], notes: [] });
    expect(writeHooks([])).toBe("");
  });
});

describe("importCodewhale", () => {
  const one = (lines: string) => importCodewhale(`[[hooks.hooks]]\nevent = "tool_call_before"\ncommand = "x"\n${lines}`);

  it("takes over the entries with their conditions", () => {
    const { hooks, problems, notes } = importCodewhale(`
[hooks]
working_dir = "/w"
[[hooks.hooks]]
event = "tool_call_before"
name = "guard"
command = "guard.sh"
timeout_secs = 2
continue_on_error = false
condition = { type = "tool_name", name = "exec_shell" }
[[hooks.hooks]]
event = "tool_call_before"
command = "log.sh"
background = true
condition = { type = "all", conditions = [{ type = "tool_name", name = "exec*" }, { type = "mode", mode = "Agent" }] }
[[hooks.hooks]]
event = "on_error"
name = "my errors"
command = "e.sh"
[[hooks.hooks]]
event = "subagent_complete"
command = "done.sh"
`);
    const shared = { shell: true, dialect: "codewhale", cwd: "/w" };
    const glob = "'(?i)^exec.*$'";
    expect(hooks).toEqual([
      { name: "guard", event: "tool:before", tool: ["exec_shell"], command: "guard.sh", ...shared, timeoutMs: 2_000, onFailure: "closed" },
      {
        name: "codewhale-2",
        event: "tool:before",
        match: `((tool.name =~ ${glob} || tool.runtimeName =~ ${glob}) && mode =~ '(?i)^Agent$')`,
        command: "log.sh",
        ...shared,
        timeoutMs: 30_000,
        stage: "observe",
      },
      { name: "my-errors", event: "session:error", command: "e.sh", ...shared, timeoutMs: 30_000 },
      {
        name: "my-errors-tool",
        event: "tool:after",
        match: "status =~ '^(error|timeout)$'",
        command: "e.sh",
        ...shared,
        timeoutMs: 30_000,
      },
      {
        name: "codewhale-4",
        event: ["worker:completed", "worker:failed", "worker:stopped", "worker:cancelled"],
        command: "done.sh",
        ...shared,
        timeoutMs: 30_000,
      },
    ]);
    expect([problems, notes]).toEqual([[], []]);
  });

  it("reads a project's file, whose hooks stand alone, and where nothing else counts", () => {
    const { hooks, notes } = importCodewhale('enabled = false\n[[hooks]]\nevent = "turn_end"\ncommand = "x"\n');
    expect(hooks).toMatchObject([{ event: "turn:end", cwd: "event" }]);
    expect(hooks[0]?.enabled).toBeUndefined();
    expect(notes).toMatchObject([{ key: "enabled", line: 1 }]);
  });

  it.each([
    ["an unknown event", '[[hooks.hooks]]\nname = "x"\nevent = "tool_call_befor"\ncommand = "x"\n', 'Did you mean "tool_call_before"?'],
    ["an event that codewhale does not have", '[[hooks.hooks]]\nname = "x"\nevent = "pre_compact"\ncommand = "x"\n', "no event"],
    [
      "a tool where there is none",
      '[[hooks.hooks]]\nname = "x"\nevent = "turn_end"\ncommand = "x"\ncondition = { type = "tool_name", name = "a" }\n',
      "has no tool",
    ],
    [
      "a mode where there is none, within another",
      '[[hooks.hooks]]\nname = "x"\nevent = "shell_env"\ncommand = "x"\ncondition = { type = "all", conditions = [{ type = "mode", mode = "a" }] }\n',
      "has no mode",
    ],
    [
      "an exit code where there is none",
      '[[hooks.hooks]]\nname = "x"\nevent = "tool_call_before"\ncommand = "x"\ncondition = { type = "exit_code", code = 1 }\n',
      "has no exit code",
    ],
    [
      "an unknown category",
      '[[hooks.hooks]]\nname = "x"\nevent = "tool_call_before"\ncommand = "x"\ncondition = { type = "tool_category", category = "net" }\n',
      "shell, file_write, safe, other",
    ],
    [
      "any of nothing",
      '[[hooks.hooks]]\nname = "x"\nevent = "tool_call_before"\ncommand = "x"\ncondition = { type = "any", conditions = [] }\n',
      "never",
    ],
    [
      "an unknown type",
      '[[hooks.hooks]]\nname = "x"\nevent = "tool_call_before"\ncommand = "x"\ncondition = { type = "tool_nam" }\n',
      'Did you mean "tool_name"?',
    ],
    ["no command", '[[hooks.hooks]]\nname = "x"\nevent = "turn_end"\ncommand = " "\n', "command"],
    ["no time", '[[hooks.hooks]]\nname = "x"\nevent = "turn_end"\ncommand = "x"\ntimeout_secs = 0\n', "timeout_secs"],
    ["an unknown key", '[[hooks.hooks]]\nname = "x"\nevent = "turn_end"\ncommand = "x"\ntimeout = 3\n', '"timeout"'],
  ])("leaves out alone, by name and line: %s", (_, text, message) => {
    const { hooks, problems } = importCodewhale(`# mine\n\n${text}[[hooks.hooks]]\nevent = "turn_end"\ncommand = "good"\n`);
    expect(hooks.map(({ command }) => command)).toEqual(["good"]);
    expect(problems).toEqual([{ name: "x", key: "hooks.hooks[0]", line: 3, message: expect.stringContaining(message) }]);
  });

  it("says what is different about what it takes over", () => {
    const { hooks, notes } = importCodewhale(`[hooks]
default_timeout_secs = 0
working_dir = "scripts"
colour = "red"
[[hooks.hooks]]
event = "tool_call_after"
command = "x"
timeout_secs = 7
continue_on_error = false
condition = { type = "exit_code", code = 3221225477 }
[[hooks.hooks]]
event = "shell_env"
command = "x"
background = true
`);
    expect(hooks).toMatchObject([{ match: "tool.exitCode == '3221225477'", timeoutMs: 7_000, cwd: "event" }, { event: "tool:env" }]);
    expect(notes.map(({ key, line }) => `${key} ${line}`)).toEqual([
      "hooks.colour 4",
      "hooks.default_timeout_secs 2",
      "hooks.working_dir 3",
      "hooks.hooks[0] 5",
      "hooks.hooks[0] 5",
      "hooks.hooks[1] 11",
      "hooks.hooks[1] 11",
    ]);
  });

  it("has the time limit of the table for all hooks, as codewhale has", () => {
    const text = '[hooks]\ndefault_timeout_secs = 9\n[[hooks.hooks]]\nevent = "turn_end"\ncommand = "x"\ntimeout_secs = 2\n';
    expect(importCodewhale(text).hooks).toMatchObject([{ timeoutMs: 9_000 }]);
  });

  it("gives each a name that hookline.toml takes", () => {
    const named = (name: string) => `[[hooks.hooks]]\nname = ${JSON.stringify(name)}\nevent = "turn_end"\ncommand = "x"\n`;
    const names = importCodewhale(["a b", "a b", "a b-2", "x".repeat(80), "x".repeat(80)].map(named).join("")).hooks.map(
      ({ name }) => name,
    );
    expect(names).toEqual(["a-b", "a-b-2", "a-b-2-2", "x".repeat(64), `${"x".repeat(62)}-2`]);
  });

  it("refuses a file that is not TOML, with the position, and values that are not hooks", () => {
    expect(() => importCodewhale("[hooks\n")).toThrow(/^1:\d+: This is not TOML/);
    expect(() => importCodewhale('hooks = "x"\n')).toThrow(HookError);
    expect(() => importCodewhale('[hooks]\nhooks = "x"\n')).toThrow(HookError);
  });

  it("takes nothing in a name for more than it is, but the star", () => {
    const [hook] = one(`condition = { type = "tool_name", name = "a'b|c,d*" }\n`).hooks;
    if (hook === undefined) throw new Error("not imported");
    expect([catches(hook, "a'b|c,d"), catches(hook, "a'b|c,de"), catches(hook, "d"), catches(hook, "a'b")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

it("imported hooks are written as TOML that says the same", () => {
  const { hooks } = importClaudeSettings(settings({ PreToolUse: [group("mcp__.*|'x'", `echo "a" 'b' \\ $(c)\nd`)] }));
  expect(parse(writeHooks(hooks))).toEqual({ hook: hooks });
});
