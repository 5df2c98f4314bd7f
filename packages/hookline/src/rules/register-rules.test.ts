import { type Bus, createBus, type HookError } from "@hookline/core";
import { describe, expect, it } from "vitest";
import type { RuleNotice } from "./actions.js";
import { ruleRegex } from "./regex/rule-regex.js";
import { type RuleOptions, registerRules } from "./register-rules.js";
import type { Rule } from "./rule.js";

const call = (command: string, name = "Bash") => ({ tool: { name, callId: "1", input: { command } } });
const rule = (given: Partial<Rule>): Rule => ({ name: "r", events: ["tool:before"], do: "block", ...given });

function open(
  rules: readonly Rule[],
  options: RuleOptions = {},
): { bus: Bus; errors: HookError[]; registered: ReturnType<typeof registerRules> } {
  const errors: HookError[] = [];
  const bus = createBus({ source: "test", regex: ruleRegex, onAsk: "return", onError: (error) => void errors.push(error) });
  return { bus, errors, registered: registerRules(bus, rules, { onError: (error) => void errors.push(error), ...options }) };
}

describe("what a rule does", () => {
  it.each([
    ["block", "deny"],
    ["ask", "ask"],
    ["allow", "allow"],
  ] as const)("%s gives the verdict %s, with its message and its name", async (action, verdict) => {
    const { bus } = open([rule({ name: "no-push", do: action, match: "tool.input.command contains push", message: "not now" })]);
    expect(await bus.decide("tool:before", call("git push"))).toMatchObject({ verdict, reason: "not now", by: "no-push" });
    const passed = await bus.decide("tool:before", call("git pull"));
    expect(passed).toMatchObject({ verdict: "pass" });
    expect(passed.trail).toEqual([
      expect.objectContaining({ actor: { kind: "rule", name: "no-push", owner: "rules" }, action: "no-match" }),
    ]);
  });

  it("injects and reminds", async () => {
    const { bus } = open([
      rule({ name: "i", do: "inject", message: "be brief" }),
      rule({ name: "m", do: "remind", message: "run the tests" }),
    ]);
    const { injections, reminders } = await bus.decide("tool:before", call("ls"));
    expect(injections).toEqual(["be brief"]);
    expect(reminders).toEqual([{ by: "m", spec: { body: "run the tests", dedupeKey: "rule:m" } }]);
  });

  it("modifies by path in stage rewrite, and guards see what is written", async () => {
    const set = { "tool.input.command": "timeout 60 {value}", "tool.args.env.CI": true, "tool.input.list.0": "new" };
    const { bus } = open([
      rule({ name: "guard", match: "tool.input.command =~ '^timeout 60 rm'" }),
      rule({ name: "limit", do: "modify", set, priority: -5 }),
    ]);
    const before = { tool: { name: "Bash", callId: "1", input: { command: "ls $& $1", list: ["old", 2] } } };
    const decision = await bus.decide("tool:before", before);
    expect(decision).toMatchObject({ verdict: "pass", modified: true });
    expect(decision.payload).toEqual({
      tool: { name: "Bash", callId: "1", input: { command: "timeout 60 ls $& $1", env: { CI: true }, list: ["new", 2] } },
    });
    expect(before.tool.input).toEqual({ command: "ls $& $1", list: ["old", 2] });
    expect(await bus.decide("tool:before", { tool: { name: "Bash", callId: "1", input: { command: "rm x", list: [0] } } })).toMatchObject({
      verdict: "deny",
      by: "guard",
    });
  });

  it("writes nothing if {value} has no old value, and denies if nothing can be written", async () => {
    const { bus } = open([rule({ do: "modify", set: { "tool.input.command": "x {value}" } })]);
    expect(await bus.decide("tool:before", { tool: { name: "Read", callId: "1", input: { path: "a" } } })).toMatchObject({
      modified: false,
      verdict: "pass",
    });
    expect(await bus.decide("tool:before", { tool: { name: "Read", callId: "1", input: "text" } } as never)).toMatchObject({
      verdict: "deny",
      cause: { failure: "crash" },
    });
  });

  it("notifies on any event, and decides nothing", async () => {
    const notices: RuleNotice[] = [];
    const notify = rule({ do: "notify", events: ["session:*", "tool:before"], message: "look" });
    const { bus } = open([notify], { onNotify: (notice) => void notices.push(notice) });
    await bus.emit("session:end", { session: { id: "s" } });
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "pass" });
    expect(notices).toMatchObject([
      { rule: "r", message: "look", event: "session:end", session: { id: "s" } },
      { rule: "r", event: "tool:before" },
    ]);
  });

  it("answers for a pattern only where the event knows the outcome", async () => {
    const { bus, errors } = open([rule({ events: ["tool:*"], message: "no" })]);
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "deny" });
    await bus.emit("tool:after", call("ls") as never);
    expect(errors).toEqual([]);
  });
});

describe("order, failure and statistics", () => {
  it("runs in the bus's order, whatever the order of the file", async () => {
    const { bus } = open([rule({ name: "low", message: "low" }), rule({ name: "high", priority: 10, message: "high" })]);
    bus.on("tool:before", () => ({ decision: "deny", reason: "code" }), { name: "code", priority: 5 });
    const { by, trail } = await bus.decide("tool:before", call("ls"));
    expect([by, trail.map(({ actor }) => actor.name)]).toEqual(["high", ["high"]]);
    expect(bus.list().map(({ name, owner, stage, onFailure }) => [name, owner, stage, onFailure])).toEqual([
      ["low", "rules", "guard", "closed"],
      ["high", "rules", "guard", "closed"],
      ["code", undefined, "guard", "closed"],
    ]);
  });

  it("is not asked about what cannot be read: the bus denies it, whatever the rule's failure mode", async () => {
    const payload = {
      get tool(): never {
        throw new Error("unreadable");
      },
    };
    for (const onFailure of ["closed", "open"] as const) {
      const { bus } = open([rule({ match: "tool.input.command =~ 'x'", onFailure })]);
      expect(await bus.decide("tool:before", payload as never)).toMatchObject({ verdict: "deny", by: "bus" });
    }
    expect(await open([]).bus.decide("tool:before", payload as never)).toMatchObject({ verdict: "pass" });
  });

  it("counts what each has done among a hundred", async () => {
    const many = Array.from({ length: 100 }, (_, i) =>
      rule({ name: `r${i}`, match: `tool.input.command =~ '^cmd${i} '`, message: `${i}` }),
    );
    const { bus, registered } = open(many);
    for (let i = 0; i < 130; i++) expect(await bus.decide("tool:before", call("cmd42 x"))).toMatchObject({ by: "r42", reason: "42" });
    expect((await bus.decide("tool:before", call("nothing"))).trail.filter(({ action }) => action === "no-match")).toHaveLength(100);
    const rows = registered.list();
    expect(rows[42]).toMatchObject({ fired: 130, neverFired: false, lastFiredAt: expect.any(Number), state: "active" });
    expect(rows.filter(({ neverFired }) => neverFired)).toHaveLength(99);
    registered.close();
    registered.close();
    expect(bus.count()).toBe(0);
  });

  it("respects a cancelled call, matched or not", async () => {
    const { bus } = open([rule({ match: "tool.input.command contains push" })]);
    const options = { signal: AbortSignal.abort() };
    expect(await bus.decide("tool:before", call("ls"), options)).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
    const live = { signal: new AbortController().signal };
    expect(await bus.decide("tool:before", call("git push"), live)).toMatchObject({ verdict: "deny", by: "r" });
    expect(await bus.decide("tool:before", call("ls"), live)).toMatchObject({ verdict: "pass" });
  });
});

describe("what is refused", () => {
  it.each<[Partial<Rule>, RegExp]>([
    [{ do: "modify" }, /"set" is missing/],
    [{ set: { a: 1 } }, /"set" is for do = "modify"/],
    [{ do: "inject" }, /"message" is missing/],
    [{ do: "ask", events: ["prompt:submit"] }, /"prompt:submit", which does not take "ask"/],
    [{ events: ["session:end"] }, /does not take "block": its outcomes are remind/],
    [{ stage: "observe" }, /cannot be "observe" with do = "block"/],
    [{ match: "tool.input.command =~ '(a)\\1'" }, /\\1/],
    [{ events: ["tool:befor"] }, /tool:before/],
    [{ do: "modify", set: { "tool.name": "x" } }, /identifies the call/],
    [{ do: "modify", set: { "a.__proto__.b": "x" } }, /inherits/],
  ])("%o, and the others work", async (given, message) => {
    const { bus, registered, errors } = open([rule({ name: "bad", ...given }), rule({ name: "good", message: "good" })]);
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)]);
    expect(registered.list().map(({ state }) => state)).toEqual(["broken", "active"]);
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ by: "good" });
  });

  it("a second rule of one name, and one that is switched off is listed as such", () => {
    const { registered, errors } = open([rule({}), rule({}), rule({ name: "off", enabled: false })]);
    expect(errors).toMatchObject([{ code: "HL_DUPLICATE_HANDLER" }]);
    expect(registered.list().map(({ state }) => state)).toEqual(["active", "broken", "disabled"]);
  });
});

describe("a project", () => {
  it("can tighten and never loosen", async () => {
    const user = rule({ name: "no-push", match: "tool.input.command contains push", message: "the user's" });
    const { bus, errors } = open([user]);
    const project = registerRules(
      bus,
      [
        rule({ name: "yes", do: "allow", priority: 1_000 }),
        rule({ name: "rewrite", do: "modify", set: { "tool.input.command": "ls" }, priority: 1_000 }),
        rule({ name: "no-push", enabled: false }),
        rule({ name: "no-rm", match: "tool.input.command contains rm", message: "the project's" }),
      ],
      { owner: "project", trust: "project", onError: (error) => void errors.push(error) },
    );
    expect(errors.map(({ code }) => code)).toEqual(["HL_RULE_LOOSENS", "HL_RULE_LOOSENS"]);
    expect(await bus.decide("tool:before", call("git push"))).toMatchObject({ verdict: "deny", reason: "the user's" });
    expect(await bus.decide("tool:before", call("rm x"))).toMatchObject({ verdict: "deny", reason: "the project's" });
    project.close();
    expect(await bus.decide("tool:before", call("git push"))).toMatchObject({ verdict: "deny" });
  });
});

describe("an invalid rule", () => {
  const valid = { name: "valid", events: ["tool:before"], do: "block" } as const;
  const invalid = { ...valid, name: "invalid", path: "**/keys" } as const;

  it("makes registerRules throw and register nothing, because a guard that is left out unnoticed guards nothing", async () => {
    const bus = createBus({ source: "test", regex: ruleRegex });
    expect(() => registerRules(bus, [valid, invalid])).toThrow(/invalid.*keys/s);
    expect(bus.has("tool:before")).toBe(false);
  });

  it("is left out if there is an onError", () => {
    const bus = createBus({ source: "test", regex: ruleRegex });
    const told: string[] = [];
    registerRules(bus, [valid, invalid], { onError: ({ message }) => void told.push(message) });
    expect([told.length, bus.has("tool:before")]).toEqual([1, true]);
  });
});
