import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeGatesFile } from "@hookline/core/internal/machine";
import { describe, expect, it, vi } from "vitest";
import { httpHub, playClient, SEAL, TOKEN } from "../../../../../test/support/agent-client.ts";
import { nativePayload } from "../../../../../test/support/native-payloads.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { agents } from "../agents.js";
import { clientScript } from "../attach/client-script.js";
import type { AgentDefinition } from "../shared/definition.js";
import { withheldReply } from "./denials.js";
import { encodeKey } from "./key-file.js";
import { readMisses } from "./misses.js";
import { encodeReply, REPLY_TYPE } from "./reply-format.js";

// The scripts that agents run, without a hub: the model must not see an output that a closed transform should have seen.
vi.setConfig({ testTimeout: 60_000 });

const WITHHELD = "[withheld: the hub did not answer]";
const gate = (event: string, onFailure: "open" | "closed") => ({ event, timeoutMs: 6_000, onFailure });

/** A state folder with the client of an agent, without a listener on its socket. */
function setting(definition: AgentDefinition, isStrict = false) {
  const state = testFolder();
  const folder = join(state, "attach");
  mkdirSync(folder, { mode: 0o700 });
  const socket = join(state, "http.sock");
  writeFileSync(join(folder, "key"), encodeKey({ token: TOKEN, seal: SEAL }), { mode: 0o600 });
  const { name, text } = clientScript({ agent: definition, isStrict, env: process.env, folder, socket });
  const script = join(folder, name);
  writeFileSync(script, text.replaceAll("/src/agents/client/", "/dist/agents/client/"));
  const play = (native: string, payload: object, shell = "dash", env: NodeJS.ProcessEnv = {}) =>
    playClient({ folder, socket, script }, { shell, event: native, input: JSON.stringify(payload), env });
  return { state, folder, socket, script, play };
}

const after = ({ events }: AgentDefinition) => Object.entries(events).find(([, { can }]) => can.includes("replace"))?.[0] ?? "";

const cases = agents.flatMap((definition) => [false, true].map((isStrict) => [definition.id, isStrict, definition] as const));

describe.each(cases)("%s without a hub, strict: %s", (id, isStrict, definition) => {
  const native = after(definition);
  const payload = nativePayload(id, native);

  it.each(["dash", "bash"])("withholds the output that a closed transform had to see, under %s", async (shell) => {
    const { state, folder, play } = setting(definition, isStrict);
    writeGatesFile(state, {
      instance: "h",
      gates: [gate("tool:before", "closed"), gate("tool:result", "closed"), gate("prompt:build", "open")],
    });
    const { stdout, stderr, exitCode } = await play(native, payload, shell);
    expect(stdout + stderr).toContain(WITHHELD);
    const asked = definition.translate(native, payload);
    const output = { value: WITHHELD };
    const decision = { verdict: "pass", payload: undefined, modified: false, endLoop: false, injections: [], output } as const;
    expect({ stdout, stderr, exitCode }).toEqual(definition.reply(native, decision, asked));
    expect(readMisses(folder)).toHaveLength(1);
  });

  it("withholds it if the file is malformed", async () => {
    for (const text of ["", "{}\n", '{"v":2,"instance":"h","gates":[]}\n', '{"v":1,"instance":"h","gates":[{"event":"tool:result"']) {
      const { state, play } = setting(definition, isStrict);
      writeFileSync(join(state, "gates.json"), text);
      const { stdout, stderr } = await play(native, payload);
      expect([text, (stdout + stderr).includes(WITHHELD)]).toEqual([text, true]);
    }
  });

  it("withholds it if a hub has left no list of what it guards", async () => {
    const { state, play } = setting(definition, isStrict);
    writeFileSync(join(state, "hub.json"), "{}\n");
    const { stdout, stderr } = await play(native, payload);
    expect(stdout + stderr).toContain(WITHHELD);
  });

  it("prints nothing if no transform is closed, or none is announced", async () => {
    const quiet = { stdout: "", stderr: "", exitCode: 0 };
    const none = setting(definition, isStrict);
    expect(await none.play(native, payload)).toMatchObject(quiet);
    for (const gates of [[], [gate("tool:before", "closed")], [gate("tool:result", "open"), gate("tool:before", "closed")]]) {
      const { state, play } = setting(definition, isStrict);
      writeGatesFile(state, { instance: "h", gates });
      expect(await play(native, payload)).toMatchObject(quiet);
    }
  });

  it("passes on what the hub says, and the call as it was", async () => {
    const { state, socket, play } = setting(definition, isStrict);
    writeGatesFile(state, { instance: "h", gates: [gate("tool:result", "closed")] });
    let heard = "";
    await httpHub(socket, async (request, answer) => {
      for await (const part of request.setEncoding("utf8")) heard += part;
      answer.writeHead(200, { "content-type": REPLY_TYPE }).end(encodeReply(SEAL, { stdout: "from the hub", stderr: "", exitCode: 0 }));
    });
    const long = { ...payload, more: "x'\"\\n$HOME `é` ".repeat(100_000) };
    expect(await play(native, long)).toMatchObject({ stdout: "from the hub", stderr: "", exitCode: 0 });
    // Not by toEqual, which would show all of it.
    expect(heard === JSON.stringify(long)).toBe(true);
  });
});

it("Claude Code's is withheld in the shape of each tool", async () => {
  const [definition] = agents as [AgentDefinition];
  const { state, play } = setting(definition);
  writeGatesFile(state, { instance: "h", gates: [gate("tool:result", "closed")] });
  const common = nativePayload("claude-code", "PostToolUse");
  const outputs = {
    Grep: { mode: "content", numFiles: 0, filenames: [], content: "a secret", numLines: 1 },
    Agent: { status: "completed", content: [{ type: "text", text: "a secret" }], totalTokens: 3 },
    mcp__notes__read: [{ type: "text", text: "a secret" }],
  };
  const updated = await Promise.all(
    Object.entries(outputs).map(async ([tool, output]) => {
      const { stdout } = await play("PostToolUse", { ...common, tool_name: tool, tool_response: output });
      return JSON.parse(stdout).hookSpecificOutput.updatedToolOutput;
    }),
  );
  expect(updated).toEqual([
    { mode: "content", numFiles: 1, filenames: [], content: WITHHELD, numLines: 1 },
    { status: "completed", content: [{ type: "text", text: WITHHELD }], totalTokens: 1 },
    WITHHELD,
  ]);
});

describe.each(["/bin/dash", "/bin/bash"])("Claude Code without a hub, Node and any definition, under %s", (shell) => {
  const [definition] = agents as [AgentDefinition];
  const common = nativePayload("claude-code", "PostToolUse");

  async function updated(tool: string, output: unknown, input: object = {}): Promise<unknown> {
    const { state, script, play } = setting(definition);
    writeGatesFile(state, { instance: "h", gates: [gate("tool:result", "closed")] });
    writeFileSync(script, readFileSync(script, "utf8").replace(/^(node|withholder)=.*$/gm, "$1=/nowhere/$1"));
    const payload = { ...common, tool_name: tool, tool_input: input, tool_response: output };
    const { stdout, exitCode } = await play("PostToolUse", payload, shell, { PATH: "/nowhere" });
    expect(exitCode).toBe(0);
    return JSON.parse(stdout).hookSpecificOutput.updatedToolOutput;
  }

  it.each([
    ["Bash", { stdout: "a secret", stderr: "", interrupted: false, isImage: false }],
    ["Read", { type: "image", file: { base64: "secret", type: "image/png", originalSize: 80 } }],
    ["mcp__notes__read", [{ type: "text", text: "a secret" }]],
    ["Grep", { mode: "content", numFiles: 0, filenames: [], content: 'a "secret" \\\\" \\', numLines: 1 }],
    ["Agent", { status: "completed", content: [{ type: "text", text: "a secret" }], totalTokens: 3, note: "" }],
    ["Odd", { status: "a secret", list: [[{ a: null, b: true, c: 1.5e3 }]], type: "secret\n{[", "it's:": "secret" }],
    ["WebFetch", "a secret"],
    ["Bash", null],
  ])("withholds what %s gave, in its shape", async (tool, output) => {
    const asked = { ...common, tool_name: tool, tool_response: output };
    const { stdout } = withheldReply(definition, "PostToolUse", asked);
    expect(stdout).not.toContain("secret");
    // Text in the input that looks like a field is not a field.
    const input = { tool_name: "Bash", tool_response: { a: "b" }, text: '"tool_response":{"x":"y"}', path: "C:\\\\" };
    expect(await updated(tool, output, input)).toEqual(JSON.parse(stdout).hookSpecificOutput.updatedToolOutput);
  });

  it("withholds what is long, and full of quotes", async () => {
    const content = `a "secret" \\"{[ `.repeat(5_000);
    const lines = Array.from({ length: 1_000 }, (_, n) => `secret ${n}`);
    expect(await updated("Grep", { mode: "content", content, lines })).toEqual({
      mode: "content",
      content: WITHHELD,
      lines: lines.map(() => WITHHELD),
    });
  });
});

it("the script of an agent names the program that withholds only where it needs one", () => {
  for (const definition of agents) {
    const { folder } = setting(definition);
    const text = readFileSync(join(folder, `${definition.id}.sh`), "utf8");
    expect([definition.id, text.includes("withhold-output.js")]).toEqual([definition.id, definition.outputShapes !== undefined]);
  }
});
