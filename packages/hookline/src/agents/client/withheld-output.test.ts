import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeGatesFile } from "@hookline/core/internal/machine";
import { describe, expect, it, vi } from "vitest";
import { httpHub, interpreters, playClient, SEAL, sealedReply, TOKEN } from "../../../../../test/support/agent-client.ts";
import { nativePayload } from "../../../../../test/support/native-payloads.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { agents } from "../agents.js";
import { clientScript, putClient } from "../attach/client-script.js";
import type { AgentDefinition } from "../shared/definition.js";
import { withheldReply } from "./denials.js";
import { encodeKey } from "./key-file.js";
import { readMisses } from "./misses.js";
import { REPLY_TYPE } from "./reply-format.js";
import type { Interpreter } from "./write-client.js";

// The clients that agents run, without a hub: the model must not see an output that a closed transform should have seen.
vi.setConfig({ testTimeout: 180_000 });

const WITHHELD = "[withheld: the hub did not answer]";
const gate = (event: string, onFailure: "open" | "closed") => ({ event, timeoutMs: 6_000, onFailure });

interface Setting {
  readonly isStrict?: boolean;
  readonly interpreter?: Interpreter | undefined;
}

/** A state folder with the client of an agent, without a listener on its socket. */
function setting(definition: AgentDefinition, { isStrict = false, interpreter = interpreters.perl as Interpreter }: Setting) {
  const state = testFolder();
  const folder = join(state, "attach");
  mkdirSync(folder, { mode: 0o700 });
  const socket = join(state, "http.sock");
  writeFileSync(join(folder, "key"), encodeKey({ token: TOKEN, seal: SEAL }), { mode: 0o600 });
  const client = clientScript({ agent: definition, isStrict, env: process.env, folder, socket, interpreter });
  putClient(folder, client);
  const play = (native: string, payload: object) => playClient(client, { event: native, input: JSON.stringify(payload) });
  return { state, folder, socket, play };
}

const after = ({ events }: AgentDefinition) => Object.entries(events).find(([, { can }]) => can.includes("replace"))?.[0] ?? "";

/** Plugins are tried in their own test. Agents that accept no other output show their model the original. */
const cases = agents
  .filter((definition) => definition.install.plugin === undefined && after(definition) !== "")
  .flatMap((definition) => [false, true].map((isStrict) => [definition.id, isStrict, definition] as const));

describe.each(cases)("%s without a hub, strict: %s", (id, isStrict, definition) => {
  const native = after(definition);
  const payload = nativePayload(id, native);

  it("withholds the output that a closed transform had to see, by each client", async () => {
    for (const interpreter of Object.values(interpreters)) {
      const { state, folder, play } = setting(definition, { isStrict, interpreter });
      writeGatesFile(state, {
        instance: "h",
        gates: [gate("tool:before", "closed"), gate("tool:result", "closed"), gate("prompt:build", "open")],
      });
      const { stdout, stderr, exitCode } = await play(native, payload);
      expect(stdout + stderr).toContain(WITHHELD);
      const asked = definition.translate(native, payload);
      const output = { value: WITHHELD };
      const decision = { verdict: "pass", payload: undefined, modified: false, endLoop: false, injections: [], output } as const;
      expect({ stdout, stderr, exitCode }).toEqual(definition.reply(native, decision, asked));
      expect(readMisses(folder)).toHaveLength(1);
    }
  });

  it("withholds it if the file is malformed, or a hub has left no list of what it guards", async () => {
    const texts = ["", "{}\n", '{"v":2,"instance":"h","gates":[]}\n', '{"v":1,"instance":"h","gates":[{"event":"tool:result"'];
    for (const interpreter of [interpreters.perl, interpreters.dash])
      for (const [name, text] of [...texts.map((text) => ["gates.json", text] as const), ["hub.json", "{}\n"] as const]) {
        const { state, play } = setting(definition, { isStrict, interpreter });
        writeFileSync(join(state, name), text);
        const { stdout, stderr } = await play(native, payload);
        expect([text, (stdout + stderr).includes(WITHHELD)]).toEqual([text, true]);
      }
  });

  it("prints nothing if no transform is closed, or none is announced", async () => {
    const quiet = { stdout: "", stderr: "", exitCode: 0 };
    for (const interpreter of Object.values(interpreters)) {
      const none = setting(definition, { isStrict, interpreter });
      expect(await none.play(native, payload)).toMatchObject(quiet);
      for (const gates of [[gate("tool:before", "closed")], [gate("tool:result", "open"), gate("tool:before", "closed")]]) {
        const { state, play } = setting(definition, { isStrict, interpreter });
        writeGatesFile(state, { instance: "h", gates });
        expect(await play(native, payload)).toMatchObject(quiet);
      }
    }
  });

  it("passes on what the hub says, and the call as it was", async () => {
    for (const interpreter of [interpreters.perl, interpreters.dash]) {
      const { state, socket, play } = setting(definition, { isStrict, interpreter });
      writeGatesFile(state, { instance: "h", gates: [gate("tool:result", "closed")] });
      let heard = "";
      await httpHub(socket, async (request, answer) => {
        for await (const part of request.setEncoding("utf8")) heard += part;
        answer
          .writeHead(200, { "content-type": REPLY_TYPE })
          .end(sealedReply(request, { stdout: "from the hub", stderr: "", exitCode: 0 }));
      });
      const long = { ...payload, more: "x'\"\\n$HOME `é` ".repeat(100_000) };
      expect(await play(native, long)).toMatchObject({ stdout: "from the hub", stderr: "", exitCode: 0 });
      // Not by toEqual, which would show all of it.
      expect(heard === JSON.stringify(long)).toBe(true);
    }
  });
});

describe.each(Object.keys(interpreters))("Claude Code's output without a hub, by %s", (name) => {
  const [definition] = agents as [AgentDefinition];
  const common = nativePayload("claude-code", "PostToolUse");

  async function updated(tool: string, output: unknown, input: object = {}): Promise<unknown> {
    const { state, play } = setting(definition, { interpreter: interpreters[name] });
    writeGatesFile(state, { instance: "h", gates: [gate("tool:result", "closed")] });
    const { stdout, exitCode } = await play("PostToolUse", { ...common, tool_name: tool, tool_input: input, tool_response: output });
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
  ])("is withheld in the shape of %s", async (tool, output) => {
    const asked = { ...common, tool_name: tool, tool_response: output };
    const { stdout } = withheldReply(definition, "PostToolUse", asked);
    expect(stdout).not.toContain("secret");
    // Text in the input that looks like a field is not a field.
    const input = { tool_name: "Bash", tool_response: { a: "b" }, text: '"tool_response":{"x":"y"}', path: "C:\\\\" };
    expect(await updated(tool, output, input)).toEqual(JSON.parse(stdout).hookSpecificOutput.updatedToolOutput);
  });

  it("is withheld if it is long, and full of quotes", async () => {
    const content = `a "secret" \\"{[ `.repeat(5_000);
    const lines = Array.from({ length: 1_000 }, (_, n) => `secret ${n}`);
    expect(await updated("Grep", { mode: "content", content, lines })).toEqual({
      mode: "content",
      content: WITHHELD,
      lines: lines.map(() => WITHHELD),
    });
  });
});
