import { describe, expect, it, vi } from "vitest";
import { attachedAgent } from "../../../../../test/support/attached-agent.ts";
import { inTurn, isThorough } from "../../../../../test/support/thorough.ts";
import { agents } from "../../agents/agents.js";
import { canaryCall } from "../../agents/attach/canary.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { agentChecks } from "../../cli/doctor/agent-checks.js";
import type { Facts } from "../../cli/doctor/facts.js";

// The client script that agents run, and a hub: what the hub cannot judge must not run, strict or not.
vi.setConfig({ testTimeout: 180_000 });

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
  if (id === "antigravity")
    return `{"conversationId":"s1","workspacePaths":["/srv"],"stepIdx":1,"toolCall":{"name":"run_command","args":${input}}}`;
  if (id === "windsurf") return `{"agent_action_name":"pre_run_command","trajectory_id":"s1","cwd":"/srv","tool_info":${input}}`;
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
  /** A plugin writes its JSON itself, and cannot send this. */
  readonly isRaw?: true;
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
    isRaw: true,
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
  {
    name: "five million brackets",
    says: /deeper than 60 levels/,
    cause: "HL_TOO_DEEP",
    isRaw: true,
    isLarge: true,
    body: () => "[".repeat(5_000_000),
  },
  {
    name: "more than 8 MiB",
    says: /larger than 8388608 bytes/,
    cause: "HL_BODY_TOO_LARGE",
    isLarge: true,
    body: (at) => callWith(at, `{"command":"${"x".repeat(8_388_608)}"}`),
  },
  { name: "no UTF-8", says: /not UTF-8/, cause: "HL_BAD_REQUEST", isRaw: true, body: () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) },
  { name: "a byte order mark", says: /byte order mark/, cause: "HL_BAD_REQUEST", isRaw: true, body: (at) => `\ufeff${callWith(at, "{}")}` },
  { name: "half of it", says: /not JSON/, cause: "HL_BAD_REQUEST", isRaw: true, body: (at) => callWith(at, "{}").slice(0, -4) },
  {
    name: "two objects",
    says: /not JSON/,
    cause: "HL_BAD_REQUEST",
    isRaw: true,
    body: (at) => `${callWith(at, "{}")}${callWith(at, "{}")}`,
  },
  { name: "a list", says: /not a JSON object/, cause: "HL_BAD_REQUEST", isRaw: true, body: () => "[]" },
  { name: "nothing", says: /empty/, cause: "HL_BAD_REQUEST", isRaw: true, body: () => "" },
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
    body: (at) => callWith(at, "0").replace(/,"(tool_input|toolArgs|input|args|tool_info)":0/, ""),
  },
  {
    name: "a session whose name cannot be stored",
    says: /"session.id" is longer than 1024 characters/,
    cause: "HL_BAD_ENVELOPE",
    body: (at) => callWith(at, '{"command":"ls"}').replace('"s1"', JSON.stringify("s".repeat(2_000))),
  },
];

// The hub answers here, strict or not: every second agent is strict.
const cases = agents.flatMap((definition, at) =>
  (isThorough ? [false, true] : [at % 2 === 1]).map((isStrict) => ({ definition, isStrict, id: definition.id, row: at })),
);

describe.each(cases)("$id, strict: $isStrict", ({ definition, isStrict, row }) => {
  const canary = canaryCall(definition);

  it("denies what the hub cannot judge, in the agent's words, and records why", async () => {
    const { hub, play, stored, misses } = await attachedAgent(definition, isStrict);
    let looked = 0;
    hub.parts.bus.on("tool:before", () => void looked++);
    const isPlugin = definition.install.plugin !== undefined;
    const isSent = ({ isLarge, isRaw }: Content, at: number): boolean =>
      (isLarge === true ? row === 0 || (isThorough && !isStrict) : inTurn(row, at, 3)) && (!isPlugin || isRaw !== true);
    const sent = contents.filter(isSent);
    for (const { name, says, body } of sent) {
      const said = await play(canary.event, body(definition));
      // Some take a deny from its exit code, with nothing on stdout. One takes it from the document alone.
      const byCode = ["codex", "kimi", "goose", "windsurf", "kiro"].includes(definition.id);
      const byText = definition.id === "antigravity";
      expect(said, name).toMatchObject({ exitCode: byText ? 0 : 2, signal: null });
      expect(byText ? String(JSON.parse(said.stdout).reason) : said.stderr, name).toMatch(says);
      expect(said.stderr + said.stdout, name).not.toContain("could not ask its hub");
      if (!byCode)
        expect(said.stdout, name).toMatch(/"(permissionDecision|decision|permission)":"deny"|"cancel":true|"action":"block"|"block":"/);
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
      // These name the session or the folder in a field of a field.
      if (isOutlined === true && !["cline", "antigravity"].includes(definition.id))
        expect(found, name).toContainEqual(
          expect.objectContaining({ session: { id: "s1" }, payload: expect.objectContaining({ cwd: "/srv" }) }),
        );
    }
    expect(await stored("tool:after", sent.length)).toHaveLength(sent.length);
  });

  if (isThorough ? !isStrict : inTurn(row, 0, 3))
    it("judges and records all of what is just within the limits", async () => {
      const { hub, play, stored } = await attachedAgent(definition, isStrict);
      const seen: unknown[] = [];
      hub.parts.bus.on("tool:before", ({ payload }) => void seen.push(payload.tool.input));
      // These have the input of a call one level deeper.
      const deepestInput = nested(["cline", "antigravity"].includes(definition.id) ? 59 : 60);
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
  const [definition] = agents as [AgentDefinition];

  it("is in the findings of doctor, with the reason", async () => {
    const { hub, state, play } = await attachedAgent(definition, true);
    const whole = callWith(definition, '{"command":"ls"}');
    const cuts = [1, 10, whole.length / 2, whole.length - 1].map((length) => whole.slice(0, length));
    for (const text of cuts) expect(await play("PreToolUse", text)).toMatchObject({ exitCode: 2 });
    await play("PostToolUse", "not JSON");
    await hub.close();
    const check = agentChecks.find(({ id }) => id === "agent-payloads");
    const finding = await check?.look({ state } as Facts);
    expect(finding?.state).toBe("warn");
    expect(finding?.detail).toMatch(
      new RegExp(`^${definition.id}: 4 calls at PreToolUse, last at .*The body is not JSON. .HL_BAD_REQUEST.`, "m"),
    );
    expect(finding?.detail).toMatch(/: 1 call at PostToolUse/);
  });

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
