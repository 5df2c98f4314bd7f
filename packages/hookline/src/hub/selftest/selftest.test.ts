import { HookError, type HookEvent } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { sendersOf } from "../../agents/agent-sender.js";
import { agents as all } from "../../agents/agents.js";
import type { HandlerSource, HookSpec, SourceAnswer } from "../../extensions/handler-source.js";
import type { InstalledHook } from "../../extensions/installed/installed-hook.js";
import { everyPermission } from "../../rules/default-failure.js";
import type { Rule } from "../../rules/rule.js";
import type { GuardSet, OpenedHook } from "../policy/guard-set.js";
import { runSelftest } from "./selftest.js";

type Answer = (event: HookEvent) => SourceAnswer | Promise<SourceAnswer>;

const rule = (given: Partial<Rule>): Rule => ({ name: "r", events: ["tool:before"], do: "block", ...given });
const deny: Answer = () => ({ decision: "deny", reason: "no" });
const allow: Answer = () => ({ decision: "allow" });

function hook(name: string, answer: Answer, spec: Partial<HookSpec> = {}, more: Partial<InstalledHook> = {}): OpenedHook {
  return hookOf(name, answer, [{ event: "tool:before", canary: "git push -f", ...spec }], more);
}

function hookOf(name: string, answer: Answer, hooks: readonly HookSpec[], more: Partial<InstalledHook> = {}): OpenedHook {
  const source: HandlerSource = {
    name,
    kind: "module",
    hooks,
    handle: answer,
    health: () => ({ state: "running" }),
  };
  const found = {
    id: name,
    name,
    kind: "module",
    from: "user",
    state: "active",
    path: name,
    problems: [],
    broken: [],
    version: "",
  } as const;
  return { hook: { ...found, hooks, permissions: everyPermission, ...more }, source };
}

const tryOut = (set: Partial<GuardSet>, options = {}) => runSelftest({ rules: [], broken: [], hooks: [], ...set }, options);
const statesOf = async (set: Partial<GuardSet>) => (await tryOut(set)).guards.map(({ name, state }) => [name, state]);

describe("rules", () => {
  it("deny or ask about each of their examples", async () => {
    const { ok, guards } = await tryOut({
      rules: [
        rule({ name: "b", match: "tool.input.command contains push", message: "no", examples: { catches: ["git push", "push it"] } }),
        rule({ name: "a", do: "ask", tool: "mcp__*", examples: { catches: ["x"] } }),
        rule({ name: "p", events: ["UserPromptSubmit"], match: "prompt contains key", examples: { catches: ["my key"] } }),
      ],
    });
    expect(ok).toBe(true);
    expect(guards).toMatchObject([
      {
        name: "b",
        kind: "rule" as const,
        state: "denied",
        canaries: [{ sent: "git push", reason: "no", event: "tool:before" }, { sent: "push it" }],
      },
      { name: "a", state: "asked" },
      { name: "p", state: "denied", canaries: [{ event: "prompt:submit" }] },
    ]);
  });

  it("are not asked when their match or their tool does not take the example, and one such example is enough", async () => {
    const push = "tool.input.command contains push";
    const payload = { tool: { name: "Read", input: { command: "push" } } };
    const { ok, guards } = await tryOut({
      rules: [
        rule({ name: "typo", match: push, examples: { catches: ["git push", "git psuh"] } }),
        rule({ name: "tool", tool: "Bash", match: push, examples: { catches: [payload] } }),
      ],
    });
    expect(ok).toBe(false);
    expect(guards).toMatchObject([
      { state: "not asked", canaries: [{ state: "denied" }, { state: "not asked", reason: 'Its "match" does not take it.' }] },
      { state: "not asked", canaries: [{ reason: 'Its "tool" does not take it.' }] },
    ]);
  });

  it("without examples are tried on a sample if they take anything, and have no canary otherwise", async () => {
    const rules = [
      rule({ name: "any", events: ["*"] }),
      rule({ name: "glob", tool: ["*shell*"] }),
      rule({ name: "command", events: ["command:*"] }),
      rule({ name: "none", match: "tool.input.command contains push" }),
    ];
    const { ok, guards } = await tryOut({ rules });
    expect(ok).toBe(true);
    expect(guards.map(({ state }) => state)).toEqual(["denied", "denied", "denied", "no canary"]);
    expect(guards[3]?.hint).toContain("examples");
  });

  it("that guard nothing are not tried", async () => {
    const examples = { catches: ["x"] };
    const rules = [
      rule({ name: "allow", do: "allow", examples }),
      rule({ name: "tell", do: "notify", message: "m", examples }),
      rule({ name: "off", enabled: false, examples }),
      rule({ name: "open", onFailure: "open", match: "tool.input.command contains push" }),
    ];
    expect(await tryOut({ rules })).toEqual({ ok: true, agents: [], guards: [] });
  });

  it("that no bus takes are not asked, with the reason", async () => {
    const twice = [rule({ examples: { catches: ["x"] } }), rule({ examples: { catches: ["x"] } })];
    expect((await tryOut({ rules: twice })).guards).toMatchObject([
      { state: "denied" },
      { state: "not asked", canaries: [{ reason: expect.stringContaining("already registered") }] },
    ]);
  });
});

describe("hooks", () => {
  it("deny, ask, let through, and say so", async () => {
    const ask: Answer = () => ({ decision: "ask" });
    const hooks = [
      hook("d", deny),
      hook("q", ask),
      hook("a", allow),
      hook("p", () => undefined),
      hook("w", deny, { tool: "Edit", match: "Bash" }),
    ];
    const { ok, guards } = await tryOut({ hooks });
    expect(ok).toBe(false);
    expect(guards.map(({ state, canaries }) => [state, canaries[0]?.reason])).toEqual([
      ["denied", "no"],
      ["asked", 'The hook "q" asks, and gives no reason.'],
      ["let through", 'It said "allow".'],
      ["let through", "It had no opinion."],
      ["not asked", 'Its "match" does not take it.'],
    ]);
  });

  it("that fail are failures though they deny, with the cause", async () => {
    const { ok, guards } = await tryOut({
      hooks: [
        hook("crash", () => Promise.reject(new Error("boo"))),
        hook("gone", () => Promise.reject(new HookError("HL_HANDLER_FAILED", "no such file", { failure: "spawn_error" }))),
        hook("slow", () => new Promise(() => {}), { timeoutMs: 20 }),
        hook("odd", () => ({ decision: "maybe" }) as never),
        hook("open", () => Promise.reject(new Error("boo")), { onFailure: "open" }),
      ],
    });
    expect(ok).toBe(false);
    expect(guards.map(({ state, canaries }) => [state, canaries[0]?.failure])).toEqual([
      ["failed closed", "crash"],
      ["failed closed", "spawn_error"],
      ["failed closed", "timeout"],
      ["failed closed", "invalid_verdict"],
      ["let through", "crash"],
    ]);
    expect(guards[0]?.canaries[0]?.reason).toBe("boo");
  });

  it("have a time limit, and the test ends when the caller has gone", async () => {
    const never = hook("never", () => new Promise(() => {}), { timeoutMs: 0 });
    const { guards } = await tryOut({ hooks: [never] }, { patienceMs: 20 });
    expect(guards).toMatchObject([{ state: "failed closed", canaries: [{ failure: "timeout" }] }]);
    const gone = new AbortController();
    const trying = tryOut({ hooks: [never] }, { signal: gone.signal });
    gone.abort(new Error("gone"));
    await expect(trying).rejects.toThrow("gone");
  });

  it("without a canary are named, but for those that rewrite or fail open", async () => {
    const none = (name: string, spec: Partial<HookSpec> = {}, event = "tool:before") => hookOf(name, deny, [{ event, ...spec }]);
    const set = {
      hooks: [none("bare"), none("open", { onFailure: "open" }), none("rewriter", { stage: "rewrite" }), none("after", {}, "tool:after")],
    };
    const { ok, guards } = await tryOut(set);
    expect([ok, guards]).toEqual([true, [{ name: "bare", kind: "hook", state: "no canary", hint: 'canary = "…"', canaries: [] }]]);
  });

  it("of several events are tried once for each canary", async () => {
    const events = ["tool:after", "tool:before", "prompt:submit"].map((event) => ({ event, canary: "x" }));
    const seen: string[] = [];
    const answer: Answer = ({ name }) => {
      seen.push(name);
      return false;
    };
    expect(await statesOf({ hooks: [hookOf("h", answer, [...events, { event: "prompt:submit", name: "p", canary: "y" }])] })).toEqual([
      ["h", "denied"],
      ["h/p", "denied"],
    ]);
    expect(seen).toEqual(["tool:before", "prompt:submit"]);
  });

  it("of a project are asked about events in it", async () => {
    const seen: unknown[] = [];
    const answer: Answer = ({ payload }) => {
      seen.push(payload);
      return false;
    };
    const project = hook("h", answer, {}, { project: "/srv/project", from: "project" });
    const rules = [rule({ name: "pr", match: "tool.input.command contains rm", examples: { catches: ["rm x"] } })] as never;
    const { guards } = await tryOut({ hooks: [{ ...project, hook: { ...project.hook, rules } }] });
    expect(guards).toMatchObject([
      { name: "h", project: "/srv/project", state: "denied" },
      { name: "pr", kind: "rule", state: "denied" },
    ]);
    expect(seen).toMatchObject([{ cwd: "/srv/project", session: { id: "selftest" } }]);
  });

  it("that are broken deny what they guard", async () => {
    const broken = (name: string, events: string[], tool?: string) => ({
      kind: "rule" as const,
      name,
      events,
      file: "f",
      line: 1,
      ...(tool && { tool }),
    });
    const set = { broken: [broken("b", ["tool:before"], "mcp__*"), broken("b", ["prompt:submit"]), broken("odd", ["*"])] };
    expect((await tryOut(set)).guards.map(({ kind, state }) => [kind, state])).toEqual([
      ["broken", "broken"],
      ["broken", "broken"],
      ["broken", "broken"],
    ]);
  });
});

describe("a hook of which nothing is known", () => {
  it("is a failure: what it would have guarded is open", async () => {
    const { hook: found } = hookOf("odd", deny, [], { state: "broken", problems: ["HOOK.yaml: no YAML."] });
    expect(await tryOut({ hooks: [{ hook: found, source: undefined }] })).toMatchObject({
      ok: false,
      guards: [{ name: "odd", kind: "broken", state: "not asked", canaries: [{ reason: "It cannot be used. HOOK.yaml: no YAML." }] }],
    });
  });
});

describe("one guard beside another", () => {
  const lax = rule({ name: "typo", match: "tool.input.command contains psuh", examples: { catches: ["git push"] } });

  it("neither makes it look good nor bad", async () => {
    const all = rule({ name: "all", priority: 1_000 });
    const hooks = [
      hook("first", deny, { priority: 900 }),
      hook("yes", allow, { priority: 800 }),
      hook("good", deny),
      hook("lax", () => undefined),
    ];
    expect(await statesOf({ rules: [all, lax], hooks })).toEqual([
      ["all", "denied"],
      ["typo", "not asked"],
      ["first", "denied"],
      ["yes", "let through"],
      ["good", "denied"],
      ["lax", "let through"],
    ]);
  });

  it("is not asked about the other's canary, and observers are asked about none", async () => {
    const asked: string[] = [];
    const note =
      (name: string): Answer =>
      () => {
        asked.push(name);
        return false;
      };
    const hooks = [hook("a", note("a")), hook("b", note("b")), hook("o", note("o"), { stage: "observe" })];
    await tryOut({ rules: [rule({ name: "r", examples: { catches: ["1", "2"] } })], hooks });
    expect(asked).toEqual(["a", "b"]);
  });

  it("may rewrite what it was asked about, and what it said of that counts no longer", async () => {
    const ask = rule({ name: "ask", do: "ask", match: "tool.input.command contains push", examples: { catches: ["git push"] } });
    const tame = rule({ name: "tame", do: "modify", stage: "guard", set: { "tool.input.command": "ls" } });
    expect(await statesOf({ rules: [ask, tame] })).toEqual([["ask", "not asked"]]);
    expect(await statesOf({ rules: [{ ...ask, do: "block" }, tame] })).toEqual([["ask", "denied"]]);
  });

  it("may rewrite what it gets to see, as it would with a call", async () => {
    const wrap = rule({ name: "wrap", do: "modify", set: { "tool.input.command": "timeout 60 {value}" } });
    const strict = rule({ name: "strict", match: "tool.input.command =~ '^git push'", examples: { catches: ["git push"] } });
    const { guards } = await tryOut({ rules: [wrap, strict] });
    expect(guards).toMatchObject([
      { name: "strict", state: "not asked", canaries: [{ reason: expect.stringContaining("rewritten by wrap") }] },
    ]);
  });
});

/** Four with different names of tools: what is expected below lists what each of them sends. */
const agents = all.filter(({ id }) => ["claude-code", "codex", "gemini", "copilot"].includes(id));

describe("what attached agents send", () => {
  const everyAgent = ["claude-code", "codex", "gemini", "copilot"];
  const rm = { match: "tool.input.command contains rm", examples: { catches: ["rm x", "rm y"] } };
  const asAgents = async (set: Partial<GuardSet>, seen: readonly string[] = []) =>
    (await tryOut(set, { senders: sendersOf({ attached: agents, seen }) })).guards;
  const sentBy = (guard: Awaited<ReturnType<typeof asAgents>>[number] | undefined) =>
    guard?.canaries.map(({ agent, state }) => [agent, state]);

  it("comes under each agent's own names, so that a guard that works for none of them is found", async () => {
    const rules = [
      rule({ name: "bash", tool: "bash", ...rm, examples: { catches: ["rm x"] } }),
      rule({ name: "any", ...rm, examples: { catches: ["rm x"] } }),
      rule({ name: "raw", match: "raw.tool_input.command contains rm", examples: { catches: ["rm x"] } }),
    ];
    const [bash, any, raw] = await asAgents({ rules });
    for (const guard of [bash, any]) {
      expect(guard).toMatchObject({ state: "denied" });
      expect(sentBy(guard)).toEqual(everyAgent.map((id) => [id, "denied"]));
    }
    // What one agent sends is not what another sends.
    expect(raw).toMatchObject({ state: "not asked" });
    expect(sentBy(raw)).toEqual([...everyAgent.slice(0, 3).map((id) => [id, "denied"]), ["copilot", "not asked"]]);
  });

  it("does not reach a guard for a tool that none of them has: that one guards nothing", async () => {
    const rules = [
      rule({ name: "typo", tool: "bsah", ...rm }),
      rule({ name: "in match", match: "tool.name == 'bsah' && tool.input.command contains rm" }),
      rule({ name: "all", tool: "bsah" }),
    ];
    const hooks = [hook("h", deny, { tool: "bsah" }), hookOf("bare", deny, [{ event: "tool:before", tool: "bsah" }])];
    const { ok, agents: asked, guards } = await tryOut({ rules, hooks }, { senders: sendersOf({ attached: agents, seen: [] }) });
    expect([ok, asked]).toEqual([false, everyAgent]);
    expect(guards.map(({ state }) => state)).toEqual(Array(5).fill("no such tool"));
    expect(guards[0]?.missing?.[0]).toEqual({ agent: "claude-code", reason: 'Claude Code has no tool "bsah". Did you mean "Bash"?' });
    expect(guards[0]?.missing).toHaveLength(4);
  });

  it("reaches a guard for a tool that some have, and says which have not", async () => {
    const [guard] = await asAgents({ rules: [rule({ tool: "run_shell_command", ...rm })] });
    expect(guard).toMatchObject({ state: "denied", canaries: [{ agent: "gemini" }, { agent: "gemini" }] });
    expect(guard?.missing?.map(({ agent }) => agent)).toEqual(["claude-code", "codex", "copilot"]);
    const [mcp] = await asAgents({ rules: [rule({ do: "ask", tool: "mcp__*" })] });
    expect(mcp).toMatchObject({ state: "asked", missing: [{ agent: "copilot", reason: expect.stringContaining("server-tool") }] });
  });

  it("is, of a tool that only processes have called, a call of theirs", async () => {
    const rules = [rule({ tool: "deploy", ...rm })];
    expect(await asAgents({ rules }, ["Deploy"])).toMatchObject([
      { state: "denied", canaries: [{ state: "denied" }, { state: "denied" }] },
    ]);
    expect(await asAgents({ rules }, ["build"])).toMatchObject([{ state: "no such tool" }]);
  });

  it("leaves an example for another agent's tool as it is written", async () => {
    const catches = ["rm x", { tool: { name: "their_shell", input: { command: "rm" } } }];
    const [guard] = await asAgents({ rules: [rule({ ...rm, examples: { catches } })] });
    expect(sentBy(guard)).toEqual([...everyAgent.map((id) => [id, "denied"]), [undefined, "denied"]]);
    expect(guard?.state).toBe("denied");
  });

  it("has the agent's name, its folder and the selftest's session", async () => {
    const seen: unknown[] = [];
    const answer: Answer = ({ payload }) => {
      seen.push(payload);
      return false;
    };
    await asAgents({ hooks: [hook("h", answer, {}, { project: "/srv/project", from: "project" })] });
    expect(seen).toMatchObject(
      everyAgent.map((platform) => ({ cwd: "/srv/project", session: { id: "selftest" }, agent: { platform }, tool: { name: "Bash" } })),
    );
  });
});
