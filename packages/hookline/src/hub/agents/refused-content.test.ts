import { describe, expect, it, vi } from "vitest";
import { attachedAgent } from "../../../../../test/support/attached-agent.ts";
import { commandAgents } from "../../../../../test/support/command-agents.ts";
import { canaryCall } from "../../agents/attach/canary.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";

// The client script that agents run, and a hub: what the hub cannot judge must not run, strict or not.
vi.setConfig({ testTimeout: 60_000 });

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const keys = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"key-${at}":${at}`).join(",")}}`;
const list = (count: number): string => `{"l":[${"1,".repeat(count - 1)}1]}`;

/** The JSON of a call of the agent's shell tool, with this text for its input. */
function callWith({ id }: AgentDefinition, input: string): string {
  if (id === "copilot") return `{"sessionId":"s1","cwd":"/srv","timestamp":1,"toolName":"bash","toolArgs":${input}}`;
  if (id === "cline") {
    const call = `"tool_call":{"id":"call-1","name":"run_commands","input":${input}}`;
    return `{"sessionContext":{"rootSessionId":"s1"},"workspaceRoots":["/srv"],"parent_agent_id":null,${call}}`;
  }
  const tool = { gemini: "run_shell_command", qwen: "run_shell_command", goose: "shell" }[id] ?? "Bash";
  return `{"session_id":"s1","cwd":"/srv","tool_use_id":"call-1","tool_name":"${tool}","tool_input":${input}}`;
}

interface Content {
  readonly name: string;
  /** What the agent, the model and the record are told. */
  readonly says: RegExp;
  readonly cause: string;
  readonly body: (definition: AgentDefinition) => string | Buffer;
  /** Its JSON can be read as far as the session's name. */
  readonly isOutlined?: true;
  /** Takes its time, and is the same for a strict client. */
  readonly isLarge?: true;
}

const contents: readonly Content[] = [
  { name: "61 levels", says: /deeper than 60 levels/, cause: "HL_TOO_DEEP", isOutlined: true, body: (at) => callWith(at, nested(61)) },
  {
    name: "100,000 keys",
    says: /more than 10,000 keys/,
    cause: "HL_BAD_PAYLOAD",
    isOutlined: true,
    body: (at) => callWith(at, keys(100_000)),
  },
  {
    name: "a list of 45,000",
    says: /more than 45,000 values/,
    cause: "HL_BAD_PAYLOAD",
    isOutlined: true,
    body: (at) => callWith(at, list(45_000)),
  },
  {
    name: "a key twice",
    says: /a key twice/,
    cause: "HL_BAD_PAYLOAD",
    isOutlined: true,
    body: (at) => callWith(at, '{"command":"ls","comm\\u0061nd":"rm"}'),
  },
  {
    name: "__proto__",
    says: /"__proto__"/,
    cause: "HL_BAD_PAYLOAD",
    isOutlined: true,
    body: (at) => callWith(at, '{"a":[{"__pr\\u006fto__":{"command":"rm"}}]}'),
  },
  { name: "five million brackets", says: /deeper than 60 levels/, cause: "HL_TOO_DEEP", isLarge: true, body: () => "[".repeat(5_000_000) },
  {
    name: "more than 8 MiB",
    says: /larger than 8388608 bytes/,
    cause: "HL_BODY_TOO_LARGE",
    isLarge: true,
    body: (at) => callWith(at, `{"command":"${"x".repeat(8_388_608)}"}`),
  },
  { name: "no UTF-8", says: /not UTF-8/, cause: "HL_BAD_REQUEST", body: () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) },
  { name: "a byte order mark", says: /byte order mark/, cause: "HL_BAD_REQUEST", body: (at) => `\ufeff${callWith(at, "{}")}` },
  { name: "half of it", says: /not JSON/, cause: "HL_BAD_REQUEST", body: (at) => callWith(at, "{}").slice(0, -4) },
  { name: "two objects", says: /not JSON/, cause: "HL_BAD_REQUEST", body: (at) => `${callWith(at, "{}")}${callWith(at, "{}")}` },
  { name: "a list", says: /not a JSON object/, cause: "HL_BAD_REQUEST", body: () => "[]" },
  { name: "nothing", says: /empty/, cause: "HL_BAD_REQUEST", body: () => "" },
  { name: "no fields", says: /are missing or have a type that/, cause: "HL_BAD_PAYLOAD", body: () => "{}" },
  {
    name: "an input that is a list",
    says: /"tool_input"/,
    cause: "HL_BAD_PAYLOAD",
    isOutlined: true,
    body: (at) => callWith(at, '["rm"]'),
  },
  // A guard that looks at the input would find nothing to object to.
  { name: "an input that is null", says: /"tool_input"/, cause: "HL_BAD_PAYLOAD", isOutlined: true, body: (at) => callWith(at, "null") },
  {
    name: "no input",
    says: /"tool_input"/,
    cause: "HL_BAD_PAYLOAD",
    isOutlined: true,
    body: (at) => callWith(at, "0").replace(/,"(tool_input|toolArgs|input)":0/, ""),
  },
  {
    name: "a session whose name cannot be stored",
    says: /"session.id" is longer than 1024 characters/,
    cause: "HL_BAD_ENVELOPE",
    body: (at) => callWith(at, '{"command":"ls"}').replace('"s1"', JSON.stringify("s".repeat(2_000))),
  },
];

const cases = commandAgents.flatMap((definition) => [false, true].map((isStrict) => ({ definition, isStrict, id: definition.id })));

describe.each(cases)("$id, strict: $isStrict", ({ definition, isStrict }) => {
  const canary = canaryCall(definition);

  it("denies what the hub cannot judge, in the agent's words, and records why", async () => {
    const { hub, play, stored, misses } = await attachedAgent(definition, isStrict);
    let looked = 0;
    hub.parts.bus.on("tool:before", () => void looked++);
    const sent = contents.filter(({ isLarge }) => !isStrict || isLarge !== true);
    for (const { name, says, body } of sent) {
      const said = await play(canary.event, body(definition));
      expect(said, name).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(says), signal: null });
      expect(said.stderr, name).not.toContain("could not ask its hub");
      // These take a deny from its exit code, with nothing on stdout.
      if (!["codex", "kimi", "goose"].includes(definition.id))
        expect(said.stdout, name).toMatch(/"(permissionDecision|decision|permission)":"deny"|"cancel":true/);
    }
    expect(looked).toBe(0);
    expect(misses()).toEqual([]);
    const events = await stored("tool:before", sent.length);
    expect(events).toHaveLength(sent.length);
    for (const { name, says, cause, isOutlined } of sent) {
      const found = events.filter(({ decision }) => says.test(decision?.reason ?? "") && decision?.cause === cause);
      expect(found.length, name).toBeGreaterThan(0);
      for (const event of found)
        expect(event, name).toMatchObject({ source: { app: definition.id }, decision: { verdict: "deny", by: "hookline" } });
      // Cline names its session in a field of a field.
      if (isOutlined === true && definition.id !== "cline")
        expect(found, name).toContainEqual(
          expect.objectContaining({ session: { id: "s1" }, payload: expect.objectContaining({ cwd: "/srv" }) }),
        );
    }
    expect(await stored("tool:after", sent.length)).toHaveLength(sent.length);
  });

  it.runIf(!isStrict)("judges and records all of what is just within the limits", async () => {
    const { hub, play, stored } = await attachedAgent(definition, isStrict);
    const seen: unknown[] = [];
    hub.parts.bus.on("tool:before", ({ payload }) => void seen.push(payload.tool.input));
    // Cline has the input of a call one level deeper.
    const deepestInput = nested(definition.id === "cline" ? 59 : 60);
    const inputs = [deepestInput, list(44_900), keys(9_900)];
    for (const input of inputs) expect(await play(canary.event, callWith(definition, input))).toMatchObject({ exitCode: 0, stderr: "" });
    expect(seen).toEqual(inputs.map((input) => JSON.parse(input)));
    const [, , deepest] = await stored("tool:before", inputs.length);
    expect(deepest).toMatchObject({ payload: { tool: { input: JSON.parse(deepestInput) } } });
  });

  it("denies at every event that can be blocked, and only records the others", async () => {
    const { play, stored } = await attachedAgent(definition, isStrict);
    const deep = `{"session_id":"s1","sessionId":"s1","x":${nested(70)}}`;
    const natives = Object.entries(definition.events).filter(([, { leftAlone }]) => leftAlone === undefined);
    const blocked = natives.filter(([, { can }]) => (can as readonly string[]).includes("block"));
    expect(blocked.length).toBeGreaterThan(0);
    const said = await Promise.all(natives.map(async ([native]) => ({ native, ...(await play(native, deep)) })));
    for (const { native, stdout, stderr, exitCode } of said) {
      const isBlocked = blocked.some(([name]) => name === native);
      if (!isBlocked) expect({ native, stdout, stderr, exitCode }).toEqual({ native, stdout: "", stderr: "", exitCode: 0 });
      else expect(stdout + stderr, native).toMatch(/deeper than 60 levels/);
    }
    const events = await stored("*", natives.length);
    expect(events.filter(({ payload }) => (payload as { refused?: unknown }).refused !== undefined).length).toBeGreaterThanOrEqual(
      natives.length,
    );
  });
});

describe("what no translation is prepared for", () => {
  const [definition] = commandAgents as [AgentDefinition];

  it("is denied when no decision comes about", async () => {
    const { hub, play, stored } = await attachedAgent(definition, false);
    const fail = () => {
      throw new Error("out of order");
    };
    hub.parts.bus.on("tool:before", fail, { onFailure: "abort" });
    expect(await play("PreToolUse", callWith(definition, '{"command":"ls"}'))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/out of order/),
    });
    expect((await stored("tool:before", 1))[0]).toMatchObject({
      decision: { verdict: "deny", cause: "HL_ABORTED" },
      session: { id: "s1" },
    });
  });

  it("is denied when the answer is longer than the agent's client takes", async () => {
    const { hub, play, stored } = await attachedAgent(definition, false);
    const command = "x".repeat(17 * 1024 * 1024);
    hub.parts.bus.on("tool:before", ({ payload }) => ({ modify: { ...payload, tool: { ...payload.tool, input: { command } } } }), {
      stage: "rewrite",
    });
    expect(await play("PreToolUse", callWith(definition, '{"command":"ls"}'))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/16777216/),
    });
    expect((await stored("tool:before", 1))[0]).toMatchObject({ decision: { verdict: "deny", cause: "HL_LIMIT" } });
  });
});
