import { compileMatch, HookError } from "@hookline/core";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { linearRegex } from "../../../rules/linear-regex.js";
import { importClaudeSettings } from "./claude-settings.js";
import { importCodewhale } from "./codewhale.js";
import { type ImportedHook, writeHooks } from "./imported-hook.js";

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

  it("that is no regular expression of ours leaves out its hook alone", () => {
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

  it("takes over hooks that are switched off as such", () => {
    const text = JSON.stringify({ disableAllHooks: true, hooks: { Stop: [group("", "x")] } });
    expect(importClaudeSettings(text).hooks).toMatchObject([{ enabled: false }]);
  });

  it.each(["", "{", "[]", "1", '"x"'])("refuses %j", (text) => {
    expect(() => importClaudeSettings(text)).toThrow(HookError);
  });

  it("has nothing to do for settings without hooks", () => {
    expect(importClaudeSettings("{}")).toEqual({ hooks: [], problems: [] });
    expect(writeHooks([])).toBe("");
  });
});

describe("importCodewhale", () => {
  it("takes over the entries with their conditions", () => {
    const { hooks, problems } = importCodewhale(`
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
condition = { type = "all", conditions = [{ type = "tool_category", category = "file_write" }, { type = "mode", mode = "Agent" }] }
[[hooks.hooks]]
event = "message_submit"
command = "inject.sh"
[[hooks.hooks]]
event = "tool_call_after"
command = "x"
condition = { type = "exit_code", code = 1 }
[[hooks.hooks]]
event = "tool_call_befor"
command = "x"
`);
    expect(hooks).toEqual([
      {
        name: "guard",
        event: "tool:before",
        tool: ["exec_shell"],
        command: "guard.sh",
        shell: true,
        dialect: "codewhale",
        cwd: "/w",
        timeoutMs: 2_000,
        onFailure: "closed",
      },
      {
        name: "codewhale-2",
        event: "tool:before",
        match: "((tool.name == 'write_file' || tool.name == 'edit_file' || tool.name == 'apply_patch') && mode == 'agent')",
        command: "log.sh",
        shell: true,
        dialect: "codewhale",
        cwd: "/w",
        timeoutMs: 30_000,
        stage: "observe",
      },
      {
        name: "codewhale-3",
        event: "prompt:submit",
        command: "inject.sh",
        shell: true,
        dialect: "codewhale",
        cwd: "/w",
        timeoutMs: 30_000,
        onFailure: "open",
      },
    ]);
    expect(problems.map(({ key }) => key)).toEqual(["hooks.hooks[3]", "hooks.hooks[4]"]);
    expect(problems[1]?.message).toContain('Did you mean "tool_call_before"?');
  });

  it("refuses what is no TOML, with the place", () => {
    expect(() => importCodewhale("[hooks\n")).toThrow(/^1:\d+: This is no TOML/);
  });

  it("quotes a name that is no name", () => {
    const { hooks } = importCodewhale(
      `[[hooks.hooks]]\nevent = "tool_call_before"\ncommand = "x"\ncondition = { type = "tool_name", name = "a'b*" }\n`,
    );
    expect(hooks.map((hook) => [catches(hook, "a'b*"), catches(hook, "a'bc")])).toEqual([[true, false]]);
  });
});

it("imported hooks are written as TOML that says the same", () => {
  const { hooks } = importClaudeSettings(settings({ PreToolUse: [group("mcp__.*|'x'", `echo "a" 'b' \\ $(c)\nd`)] }));
  expect(parse(writeHooks(hooks))).toEqual({ hook: hooks });
});
