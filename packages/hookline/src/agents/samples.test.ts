import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agents } from "./agents.js";
import { claudeCode } from "./claude-code/definition.js";
import { codex } from "./codex/definition.js";
import { copilot } from "./copilot/definition.js";
import { cursor } from "./cursor/definition.js";
import { gemini } from "./gemini/definition.js";
import { goose } from "./goose/definition.js";
import { hermes } from "./hermes/definition.js";
import { kimi } from "./kimi/definition.js";
import { kiro } from "./kiro/definition.js";
import { openCode } from "./opencode/definition.js";
import { pi } from "./pi/definition.js";
import { qwen } from "./qwen/definition.js";
import type { AgentDialect } from "./shared/definition.js";
import type { Json } from "./shared/native-payload.js";

const captured = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as { readonly [event: string]: Json };
const origin = { session: "s", cwd: "/srv" };
const shape = (payload: Json) => Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, typeof value]));

const programs: [AgentDialect, { readonly [event: string]: Json }, calls: readonly string[], prompt: string][] = [
  [claudeCode, captured("claude-code/fixtures/captured.json"), ["PreToolUse", "PermissionRequest"], "UserPromptSubmit"],
  [codex, captured("codex/fixtures/captured.json"), ["PreToolUse", "PermissionRequest"], "UserPromptSubmit"],
  [gemini, captured("gemini/fixtures/payloads.json"), ["BeforeTool"], "BeforeAgent"],
  [copilot, captured("copilot/fixtures/camel-case.json"), ["preToolUse", "permissionRequest"], "userPromptSubmitted"],
  [openCode, captured("opencode/fixtures/captured.json"), ["tool_execute_before"], "chat_message"],
  [pi, captured("pi/fixtures/captured.json"), ["tool_call"], "input"],
  [qwen, captured("qwen/fixtures/captured.json"), ["PreToolUse"], "UserPromptSubmit"],
  [kimi, captured("kimi/fixtures/captured.json"), ["PreToolUse"], "UserPromptSubmit"],
  [goose, captured("goose/fixtures/captured.json"), ["PreToolUse"], "UserPromptSubmit"],
  // Written from the documentation.
  [cursor, captured("cursor/fixtures/documented.json"), ["preToolUse"], "beforeSubmitPrompt"],
  [hermes, captured("hermes/fixtures/documented.json"), ["pre_tool_call"], "pre_llm_call"],
  [kiro, captured("kiro/fixtures/documented.json"), ["PreToolUse"], "UserPromptSubmit"],
];

describe.each(programs)("$title's samples", ({ samples, tools, translate }, sent, calls, prompt) => {
  it.each(calls)("have the fields of a captured %s", (native) => {
    const { permission_suggestions: _, ...real } = sent[native] as Json;
    const { tool_name: name = real.toolName } = real;
    expect(shape(samples.call(native, { name: String(name), input: {} }, origin))).toEqual(shape(real));
    // The shell comes first, and is what the program calls it.
    expect(name).toBe(Object.keys(tools)[0]);
    expect(translate(native, samples.call(native, { name: String(name), input: { command: "ls" } }, origin)).payload).toMatchObject({
      session: { id: "s" },
      cwd: "/srv",
      tool: { name: "Bash", input: { command: "ls" } },
    });
  });

  it("have the fields of a captured prompt", () => {
    expect(shape(samples.prompt(prompt, "hi", origin))).toEqual(shape(sent[prompt] as Json));
    expect(translate(prompt, samples.prompt(prompt, "hi", origin))).toMatchObject({ event: "prompt:submit", payload: { prompt: "hi" } });
  });
});

describe("every agent's tools", () => {
  it("have one name for what is the same", () => {
    const common = ({ tools }: AgentDialect) => Object.values(tools).map(({ name }) => name);
    for (const dialect of agents) expect(common(dialect)).toEqual(expect.arrayContaining(["Bash", "Edit", "Read"]));
  });

  it("of MCP servers have the name that the program tells its hooks", () => {
    const named = (dialect: AgentDialect) => {
      const [native = ""] = Object.entries(dialect.events).find(([, { event }]) => event === "tool:before") ?? [];
      const call = dialect.samples.call(native, { ...dialect.samples.mcpTool("my-files", "read_note"), input: {} }, origin);
      const { tool } = dialect.translate(native, call).payload as {
        readonly tool: { readonly name: string; readonly runtimeName?: string };
      };
      return [tool.name, tool.runtimeName];
    };
    expect(Object.fromEntries(agents.map((dialect) => [dialect.id, named(dialect)]))).toEqual({
      "claude-code": ["mcp__my-files__read_note", undefined],
      codex: ["mcp__my_files__read_note", undefined],
      gemini: ["mcp__my-files__read_note", "mcp_my-files_read_note"],
      copilot: ["my-files-read_note", undefined],
      opencode: ["my-files_read_note", undefined],
      pi: ["my-files_read_note", undefined],
      qwen: ["mcp__my-files__read_note", undefined],
      kimi: ["mcp__my-files__read_note", undefined],
      cline: ["my-files__read_note", undefined],
      goose: ["my-files__read_note", undefined],
      cursor: ["MCP:read_note", undefined],
      antigravity: ["mcp_my-files_read_note", undefined],
      hermes: ["mcp_my-files_read_note", undefined],
      windsurf: ["mcp__my-files__read_note", undefined],
      kiro: ["@my-files/read_note", undefined],
    });
  });

  it("are called in docs/agents.md what they are called here", () => {
    const page = readFileSync(new URL("../../../../docs/agents.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` +\|(.*)\|$/gm)].map(([, name = "", cells = ""]) => [
      name,
      ...cells.split("|").map((cell) => cell.trim()),
    ]);
    expect(rows.length).toBeGreaterThan(9);
    for (const [name, ...cells] of rows)
      for (const [at, cell] of cells.entries()) {
        const { tools } = agents[at] as AgentDialect;
        const own = Object.keys(tools).filter((native) => tools[native]?.name === name);
        expect([name, at, cell]).toEqual([
          name,
          at,
          cell === "" && own.length === 0 ? "" : `\`${own.find((native) => cell === `\`${native}\``)}\``,
        ]);
      }
  });
});
