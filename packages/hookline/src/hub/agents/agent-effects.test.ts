import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type AttachedAgent, attachedAgent } from "../../../../../test/support/attached-agent.ts";
import { nativePayload } from "../../../../../test/support/native-payloads.ts";
import { inTurn } from "../../../../../test/support/thorough.ts";
import { agents } from "../../agents/agents.js";
import { readAttachKey } from "../../agents/client/attach-key.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";

// The client script that agents run, and a hub with hooks from files: what the model gets besides verdicts.
vi.setConfig({ testTimeout: 180_000 });

const nameOf = ({ id }: AgentDefinition) => id;
const nativeOf = ({ events }: AgentDefinition, event: string, power = "inject") =>
  Object.entries(events).find(([, row]) => row.event === event && row.can.some((can) => can === power))?.[0] ?? "";

/** A hook in `hookline.toml`, and its module. */
function hook(
  name: string,
  event: string,
  code: string,
  more = "",
): { readonly toml: string; readonly files: { readonly [path: string]: string } } {
  const toml = `[[hook]]\nname = "${name}"\nevent = "${event}"\nmodule = "./${name}.mjs"\nexport = "handle"\n${more}\n`;
  return { toml, files: { [`${name}.mjs`]: `export const handle = ${code};\n` } };
}

function together(...hooks: readonly ReturnType<typeof hook>[]): ReturnType<typeof hook> {
  return { toml: hooks.map(({ toml }) => toml).join(""), files: Object.assign({}, ...hooks.map(({ files }) => files)) };
}

/** Keeps what it was told in a file. */
const NOTING = `async ({ name, payload }) => {
  const { appendFileSync } = await import("node:fs");
  appendFileSync(new URL("./heard.jsonl", import.meta.url), JSON.stringify({ name, payload }) + "\\n");
  return [{ inject: "Mind the gap." }, { reminder: { body: "Remember the gap." } }];
}`;
const heard = ({ state }: AttachedAgent) => {
  const path = join(dirname(state), "heard.jsonl");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};

const REDACT = "({ value }) => ({ result: JSON.parse(JSON.stringify(value).replaceAll('hi', '***').replaceAll('ran', '***')) })";
const BROKEN = "({ value }) => { throw new Error('cannot read ' + JSON.stringify(value)); }";

const play = (agent: AttachedAgent, definition: AgentDefinition, native: string, more: object = {}) =>
  agent.play(native, JSON.stringify({ ...nativePayload(definition.id, native), ...more }));

const replacing = agents.filter(({ events }) => Object.values(events).some(({ can }) => can.includes("replace")));

describe.each(replacing.map((definition, row) => [nameOf(definition), definition, row] as const))("%s", (_, definition, row) => {
  let tests = 0;
  /** Two of the agents each. */
  const inOne = (name: string, test: () => Promise<void>): void => {
    if (inTurn(row, tests++, 3)) it(name, test);
  };
  const after = nativeOf(definition, "tool:after", "replace");
  const prompt = nativeOf(definition, "prompt:submit");

  inOne("receives the output of a transform, and the original is not stored", async () => {
    const agent = await attachedAgent(
      definition,
      false,
      together(hook("redact", "tool:result", REDACT), hook("note", "tool:after", NOTING)),
    );
    const { stdout, stderr } = await play(agent, definition, after);
    expect(stdout + stderr).toContain("***");
    expect(stdout + stderr).not.toMatch(/\b(hi|ran)\b/);
    expect(stdout + stderr).toContain("Mind the gap.");
    const [stored] = await agent.stored("tool:after", 1);
    const { tool, raw } = Object(stored?.payload) as { readonly tool: { readonly output: unknown }; readonly raw: object };
    expect(JSON.stringify(tool.output)).toContain("***");
    expect(JSON.stringify(raw)).toContain("***");
    expect(heard(agent)).toHaveLength(1);
    expect(JSON.parse(heard(agent)[0] ?? "").payload.tool.output).toEqual(tool.output);
  });

  inOne("is told at once what observers inject, at the next prompt what they remind of, and each once", async () => {
    const agent = await attachedAgent(definition, false, hook("note", "tool:after", NOTING));
    const { stdout, stderr } = await play(agent, definition, after);
    expect(`${stdout}${stderr}`).toContain("Mind the gap.");
    expect(`${stdout}${stderr}`).not.toContain("Remember the gap.");
    await agent.stored("tool:after", 1);
    const next = await play(agent, definition, prompt);
    expect(next.stdout).toContain("Remember the gap.");
    expect(next.stdout).not.toContain("Mind the gap.");
    expect(heard(agent)).toHaveLength(1);
  });

  inOne("is told what a slow observer leaves with the next event that can carry it", async () => {
    const slow = `async () => {
      const { existsSync } = await import("node:fs");
      while (!existsSync(new URL("./go", import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 20));
      return { inject: "Late, but here." };
    }`;
    const agent = await attachedAgent(definition, false, hook("slow", "tool:after", slow, 'timeoutMs = "50s"'));
    expect((await play(agent, definition, after)).stdout).toBe("");
    writeFileSync(join(dirname(agent.state), "go"), "");
    await expect.poll(() => agent.hub.parts.effects.counters.waiting).toBe(1);
    expect((await play(agent, definition, prompt)).stdout).toContain("Late, but here.");
    expect((await play(agent, definition, prompt)).stdout).not.toContain("Late, but here.");
  });

  inOne("gets a withheld output where a closed transform fails, and the tool's where it is open", async () => {
    const closed = await attachedAgent(definition, false, hook("redact", "tool:result", BROKEN, 'onFailure = "closed"'));
    const { stdout, stderr } = await play(closed, definition, after);
    expect(stdout + stderr).toContain('[withheld: \\"redact\\" failed (crash)]'.replaceAll("\\", stdout === "" ? "" : "\\"));
    const open = await attachedAgent(definition, false, hook("redact", "tool:result", BROKEN, 'onFailure = "open"'));
    expect(await play(open, definition, after)).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
  });

  inOne("gets a withheld output where the new one is longer than agents take", async () => {
    const agent = await attachedAgent(definition, false, hook("long", "tool:result", "() => ({ result: 'x'.repeat(2_000_000) })"));
    const { stdout, stderr } = await play(agent, definition, after);
    expect((stdout + stderr).length).toBeLessThan(1_000);
    expect(stdout + stderr).toContain("[withheld: the new output is longer than agents accept]");
  });

  inOne("gets a withheld output where the hub cannot read the call, if a closed transform must see it", async () => {
    const agent = await attachedAgent(definition, false, hook("redact", "tool:result", REDACT, 'onFailure = "closed"'));
    const deep = JSON.parse(`${'{"a":'.repeat(70)}"hi"${"}".repeat(70)}`) as object;
    const { stdout, stderr } = await play(agent, definition, after, { tool_input: deep, toolArgs: deep });
    expect(stdout + stderr).toContain("[withheld: The body is nested deeper than 60 levels.]");
    const none = await attachedAgent(definition, false);
    expect(await play(none, definition, after, { tool_input: deep, toolArgs: deep })).toMatchObject({
      stdout: "",
      stderr: "",
      exitCode: 0,
    });
  });

  inOne("is told what is injected while its prompt is built, and given another prompt where it takes one", async () => {
    const build = "({ value }) => ({ result: value + ' (built)', inject: 'Be brief.', reminder: { body: 'Be kind.' } })";
    const agent = await attachedAgent(definition, false, hook("build", "prompt:build", build));
    const { stdout, exitCode } = await play(agent, definition, prompt);
    for (const text of ["Be brief.", "Be kind."]) expect([text, stdout.split(text).length - 1]).toEqual([text, 1]);
    expect(exitCode).toBe(0);
    const canTake = definition.events[prompt]?.can.includes("modify");
    expect(stdout.includes("(built)")).toBe(canTake);
  });

  inOne("does not send a prompt that a closed transform could not build", async () => {
    const agent = await attachedAgent(
      definition,
      false,
      together(hook("loose", "prompt:build", BROKEN, 'onFailure = "open"'), hook("build", "prompt:build", BROKEN, 'onFailure = "closed"')),
    );
    const { stdout, stderr, exitCode } = await play(agent, definition, prompt);
    expect(stdout + stderr).toContain("[withheld:");
    if (definition.events[prompt]?.can.includes("modify")) expect(stdout).toMatch(/"(modifiedPrompt|prompt)":/);
    else {
      expect(exitCode).toBe(2);
      const [stored] = await agent.stored("prompt:submit", 1);
      expect(stored?.decision).toMatchObject({ verdict: "deny", by: "build" });
    }
  });

  inOne("is told at the next prompt what observers remind of at events that carry nothing", async () => {
    const agent = await attachedAgent(definition, false, hook("note", "session:end", "() => ({ reminder: { body: 'Tidy up.' } })"));
    const end = Object.entries(definition.events).find(([, { event }]) => event === "session:end")?.[0] ?? "";
    await play(agent, definition, end);
    await expect.poll(() => agent.hub.parts.effects.counters.waiting).toBe(1);
    expect((await play(agent, definition, prompt)).stdout).toContain("Tidy up.");
  });

  inOne("is told once, at the next prompt, what a rule reminds of when the agent stops", async () => {
    const toml = '[[rule]]\nname = "tidy"\nevent = "finish:before"\ndo = "remind"\nmessage = "Tidy up."\n';
    const agent = await attachedAgent(definition, false, { toml });
    const stop = Object.entries(definition.events).find(([, { event }]) => event === "finish:before")?.[0] ?? "";
    expect((await play(agent, definition, stop)).stdout).toBe("");
    const { stdout } = await play(agent, definition, prompt);
    expect(stdout.split("Tidy up.")).toHaveLength(2);
  });

  inOne("is not told in a subagent what waits for the session", async () => {
    const agent = await attachedAgent(definition, false);
    const { effects } = agent.hub.parts;
    const payload = nativePayload(definition.id, after);
    const session = { id: String(payload.session_id ?? payload.sessionId) };
    effects.leave({ source: { app: definition.id, instance: "-" }, session }, { injections: ["For the session."], reminders: [] });
    const inside = { agent_id: "sub", agentId: "sub", parentstring: session.id };
    const { stdout } = await play(agent, definition, after, { ...inside, tool_use_id: "call-inside" });
    expect(stdout).not.toContain("For the session.");
    expect(effects.counters.waiting).toBe(1);
  });

  inOne("is not interrupted in a subagent, but at the session's own next call", async () => {
    const agent = await attachedAgent(definition, false);
    const before = nativeOf(definition, "tool:before", "block");
    const payload = nativePayload(definition.id, before);
    const session = { id: String(payload.session_id ?? payload.sessionId) };
    const words = { injections: ["Stop and listen."], reminders: [], interrupt: true };
    agent.hub.parts.effects.leave({ source: { app: definition.id, instance: "-" }, session }, words);
    const inside = await play(agent, definition, before, {
      agent_id: "sub",
      agentId: "sub",
      parentstring: session.id,
      tool_use_id: "inside",
    });
    expect(inside).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
    // Another call, for agents that give theirs no id.
    const other = { command: "touch another" };
    const own = Object.fromEntries(Object.entries(payload).filter(([field]) => !/agent/i.test(field)));
    const outside = await agent.play(before, JSON.stringify({ ...own, tool_use_id: "outside", tool_input: other, toolArgs: other }));
    expect(outside.stdout + outside.stderr).toContain("Stop and listen.");
  });

  inOne("is not denied for words that find no room: they wait", async () => {
    const agent = await attachedAgent(definition, false);
    const { effects } = agent.hub.parts;
    const payload = nativePayload(definition.id, prompt);
    const to = { source: { app: definition.id, instance: "-" }, session: { id: String(payload.session_id ?? payload.sessionId) } };
    for (let n = 0; n < 6; n++) effects.leave(to, { injections: ["x".repeat(1_000_000)], reminders: [{ body: "Be kind." }] });
    expect(await play(agent, definition, prompt)).toMatchObject({ stdout: "", stderr: "", exitCode: 0 });
    expect(effects.counters).toMatchObject({ waiting: 6, delivered: 0 });
  });

  inOne("receives with its next event the text of an answer that was not delivered", async () => {
    const agent = await attachedAgent(definition, false);
    const { effects, bus } = agent.hub.parts;
    const payload = nativePayload(definition.id, after);
    const to = { source: { app: definition.id, instance: "-" }, session: { id: String(payload.session_id ?? payload.sessionId) } };
    effects.leave(to, { injections: ["For the session."], reminders: [{ body: "Be kind.", ttlTurns: 1 }] });
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      const wait = (): Promise<void> => {
        resolve();
        return released;
      };
      bus.on("tool:result", wait, { name: "slow" });
    });
    const { token = "" } = readAttachKey(agent.state) ?? {};
    const request = httpRequest({
      socketPath: agent.hub.file.http,
      path: `/api/agents/${definition.id}/${after}`,
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    request.on("error", () => {}).end(JSON.stringify(payload));
    await asked;
    const gone = new Promise((resolve) => request.once("close", resolve));
    request.destroy();
    await gone;
    // The hub, in this process, hears of it before anything else happens here.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    release();
    await agent.stored("tool:after", 1);
    await expect.poll(() => effects.counters).toMatchObject({ waiting: 1, delivered: 0 });
    const { stdout } = await play(agent, definition, prompt);
    for (const text of ["For the session.", "Be kind."]) expect([text, stdout.split(text).length - 1]).toEqual([text, 1]);
    await expect.poll(() => effects.counters).toMatchObject({ waiting: 0, delivered: 1 });
    expect((await play(agent, definition, prompt)).stdout).not.toMatch(/For the session|Be kind/);
  });
});
