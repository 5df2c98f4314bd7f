import { type Bus, createBus } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { type RuleOptions, registerRules } from "../register-rules.js";
import type { Rule } from "../rule.js";
import { RuleState, type StateChange } from "./rule-state.js";
import { createStateClock } from "./state-clock.js";
import { isStateTighter } from "./state-condition.js";

/** A clock that a test sets. `sleep`: the machine sleeps, and its steady time stands still. */
function openTime() {
  const time = { wall: new Date(2026, 10, 17, 12).getTime(), steady: 0, uptime: 0 };
  const sources = { wall: () => time.wall, steady: () => time.steady, uptime: () => time.uptime };
  const pass = (ms: number): void => {
    time.wall += ms;
    time.steady += ms;
    time.uptime += ms;
  };
  return {
    sources,
    pass,
    setClock(ms: number): void {
      time.wall += ms;
    },
    sleep(ms: number): void {
      time.wall += ms;
      time.uptime += ms;
    },
  };
}

function open(rules: readonly Partial<Rule>[], options: RuleOptions = {}) {
  const time = openTime();
  const changes: StateChange[] = [];
  const state = new RuleState({ clock: createStateClock(time.sources), onChange: (change) => changes.push(change) });
  const bus = createBus({ source: "test", enabled: true, onAsk: "return" });
  const errors: string[] = [];
  const given = rules.map((rule) => ({ events: ["tool:before"], do: "block", name: "r", ...rule }) as Rule);
  registerRules(bus, given, { state, onError: ({ message }) => void errors.push(message), ...options });
  return { ...time, state, changes, bus, errors, ask: asking(bus) };
}

function asking(bus: Bus) {
  return async (command: string, more: object = {}) =>
    (await bus.decide("tool:before", { tool: { name: "Bash", input: { command } }, session: { id: "s" }, ...more })).verdict;
}

describe("count", () => {
  it("acts from that match on, for as long as the time holds so many", async () => {
    const { ask, pass } = open([{ match: "tool.input.command contains rm", count: 3, within: 60_000 }]);
    expect([await ask("rm 1"), await ask("ls"), await ask("rm 2"), await ask("rm 3"), await ask("ls")]).toEqual([
      "pass",
      "pass",
      "pass",
      "deny",
      "pass",
    ]);
    pass(60_001);
    expect([await ask("rm 4"), await ask("rm 5"), await ask("rm 6")]).toEqual(["pass", "pass", "deny"]);
  });

  it.each<[NonNullable<Rule["per"]>, object, object]>([
    ["session", { session: { id: "a" } }, { session: { id: "b" } }],
    ["agent", { agent: { name: "a" } }, { agent: { name: "b" } }],
    ["agent", { agent: { name: "a", platform: "p" } }, { agent: { name: "a", platform: "q" } }],
    ["project", { cwd: "/a" }, { cwd: "/b" }],
  ])("counts per %s", async (per, one, other) => {
    const { ask } = open([{ count: 2, per }]);
    expect([await ask("x", one), await ask("x", other), await ask("x", one), await ask("x", other)]).toEqual([
      "pass",
      "pass",
      "deny",
      "deny",
    ]);
  });

  it("counts a day over all sessions, until midnight", async () => {
    const { ask, pass } = open([{ count: 2, per: "day" }]);
    expect([await ask("x", { session: { id: "a" } }), await ask("x", { session: { id: "b" } })]).toEqual(["pass", "deny"]);
    pass(13 * 3_600_000);
    expect(await ask("x")).toBe("pass");
  });

  it("counts subagents with the session that they come from, also when only one event says so", async () => {
    const { ask } = open([{ count: 3 }]);
    expect(await ask("1", { session: { id: "child", parentId: "s" } })).toBe("pass");
    expect(await ask("2", { session: { id: "grandchild", parentId: "child" } })).toBe("pass");
    expect(await ask("3", { session: { id: "grandchild" } })).toBe("deny");
    expect(await ask("4")).toBe("deny");
  });

  it("ends on sessions that name each other as parents", async () => {
    const { ask } = open([{ count: 9 }]);
    await ask("1", { session: { id: "a", parentId: "b" } });
    expect(await ask("2", { session: { id: "b", parentId: "a" } })).toBe("pass");
  });

  it("counts a call once, however often the rule is asked about it", async () => {
    const { bus, ask } = open([{ count: 2 }]);
    bus.on("tool:before", ({ payload }) => ({ modify: { ...payload, seen: true } }), { name: "rewriter", priority: -1 });
    expect([await ask("x"), await ask("x")]).toEqual(["pass", "deny"]);
    const again = open([{ count: 2 }]);
    const same = { tool: { name: "Bash", input: { command: "x" }, callId: "c1" } };
    expect([await again.ask("", same), await again.ask("", same), await again.ask("y")]).toEqual(["pass", "pass", "deny"]);
    // The same id on different calls does not hide them.
    const lazy = open([{ count: 2 }]);
    const other = { tool: { ...same.tool, input: { command: "y" } } };
    expect([await lazy.ask("", same), await lazy.ask("", other)]).toEqual(["pass", "deny"]);
  });

  it("counts events without a session together", async () => {
    const { ask } = open([{ count: 2 }]);
    expect([await ask("x", { session: undefined }), await ask("y", { session: undefined })]).toEqual(["pass", "deny"]);
  });

  it("says why it acts", async () => {
    const { bus } = open([{ count: 1, within: 300_000, message: "Slow down." }]);
    const { reason } = await bus.decide("tool:before", { tool: { name: "Bash", input: {} } });
    expect(reason).toBe("Slow down. It matched once in 5m per session.");
  });
});

describe("the clock", () => {
  it("neither opens nor closes a window when it is set", async () => {
    const { ask, setClock, pass, sleep } = open([{ count: 2, within: 60_000 }]);
    expect(await ask("1")).toBe("pass");
    setClock(3_600_000);
    expect(await ask("2")).toBe("deny");
    setClock(-7_200_000);
    expect(await ask("3")).toBe("deny");
    pass(61_000);
    expect(await ask("4")).toBe("pass");
    // A machine that sleeps does not stop the time.
    sleep(61_000);
    expect(await ask("5")).toBe("pass");
  });

  it("does not run back behind what was stored", () => {
    const time = openTime();
    const clock = createStateClock(time.sources);
    const later = clock.now() + 5_000;
    clock.notBefore(later);
    expect(clock.now()).toBe(later);
  });
});

describe("after", () => {
  const rules: Partial<Rule>[] = [
    { name: "read-secret", match: "tool.input.command contains '.env'", do: "notify", message: "m", stage: "observe" },
    { name: "send", match: "tool.input.command contains curl", after: "read-secret", within: 600_000 },
  ];

  it("acts only if the other rule matched an earlier call of the session", async () => {
    const { ask, pass } = open(rules);
    expect([await ask("curl x"), await ask("curl .env"), await ask("ls")]).toEqual(["pass", "pass", "pass"]);
    expect(await ask("curl x", { session: { id: "other" } })).toBe("pass");
    expect(await ask("curl x", { session: { id: "child", parentId: "s" } })).toBe("deny");
    pass(600_001);
    expect(await ask("curl x")).toBe("pass");
  });

  it("does not take the same call for an earlier one", async () => {
    const { ask } = open([
      { name: "first", do: "inject", message: "m" },
      { name: "second", after: "first" },
    ]);
    expect([await ask("1"), await ask("2")]).toEqual(["pass", "deny"]);
  });

  it.each<[string, Partial<Rule>[], RegExp]>([
    [
      "unknown",
      [{ name: "a", after: "read-secrt" }, { name: "read-secret" }],
      /names no rule .*"read-secrt"\. Did you mean "read-secret"\?/,
    ],
    ["itself", [{ name: "a", after: "a" }], /names the rule itself/],
    [
      "a circle",
      [
        { name: "a", after: "b" },
        { name: "b", after: "a" },
      ],
      /in a circle.*a after b after a/,
    ],
    ["within alone", [{ within: 1_000 }], /"within" says how far back/],
    ["per alone", [{ per: "day" }], /"per" says what/],
    ["a budget per agent", [{ budget: { tokens: 1 }, per: "agent" }], /cannot be "agent" with "budget"/],
    ["repeats elsewhere", [{ repeats: 2, events: ["prompt:submit"] }], /works on the event "tool:before" only/],
  ])("refuses %s", (_, given, expected) => expect(open(given).errors.join("\n")).toMatch(expected));
});

describe("on a bus without a hub", () => {
  const register = (rule: Partial<Rule>): Bus => {
    const bus = createBus({ source: "test", enabled: true, onAsk: "return" });
    registerRules(bus, [{ name: "r", events: ["tool:before"], do: "block", ...rule }]);
    return bus;
  };

  it("stops a call that keeps having the same result", async () => {
    const bus = register({ repeats: 2 });
    const ask = asking(bus);
    const ran = (command: string, output: unknown, status: "ok" | "blocked" = "ok") =>
      bus.emit("tool:after", { tool: { name: "Bash", input: { command }, output }, status, session: { id: "s" } });
    await ran("make", "error 1");
    await ran("make", "error 2");
    expect(await ask("make")).toBe("pass");
    await ran("make", "error 2");
    expect(await ask("make")).toBe("deny");
    // The call that was stopped has no result, so the loop is still one.
    await ran("make", undefined, "blocked");
    expect([await ask("make"), await ask("ls"), await ask("make", { session: { id: "t" } })]).toEqual(["deny", "pass", "pass"]);
  });

  it.each<["session" | "day", object]>([
    ["session", { session: { id: "child", parentId: "s" } }],
    ["day", { session: { id: "other" } }],
  ])("stops calls once the budget per %s is spent; what is unknown is not 0", async (per, elsewhere) => {
    const bus = register({ budget: { tokens: 1_000, costUsd: 1 }, per });
    const ask = asking(bus);
    const spend = (usage?: object) => bus.emit("llm:after", { ...elsewhere, ...(usage !== undefined && { usage }) });
    await spend();
    await spend({ inputTokens: 600, outputTokens: 300 });
    // The same tokens again, as a turn reports them.
    await bus.emit("turn:end", { ...elsewhere, usage: { inputTokens: 600, outputTokens: 300 } });
    expect(await ask("x")).toBe("pass");
    await spend({ inputTokens: 200 });
    const { reason } = await bus.decide("tool:before", { tool: { name: "Bash", input: {} }, session: { id: "s" } });
    expect(reason).toContain(`The budget of 1000 tokens per ${per} is used up: 1100 tokens and 1 request with unknown tokens.`);
  });
});

it("an unknown budget is used up only for a rule that says so", async () => {
  for (const [unknown, verdict] of [
    ["match", "deny"],
    ["pass", "pass"],
  ] as const)
    expect(await open([{ budget: { tokens: 1 }, unknown }]).ask("x")).toBe(verdict);
});

describe("what is remembered", () => {
  it("is the same after all changes, and after a snapshot of them", async () => {
    const { ask, state, changes, setClock } = open([
      { name: "a", count: 3 },
      { name: "b", after: "a" },
    ]);
    for (const command of ["1", "2", "3", "4"]) await ask(command, { session: { id: "c", parentId: "p" } });
    state.result("call", "result");
    state.usage("p", "llm", [10, null]);
    setClock(-1);
    const [replayed, copied] = [new RuleState(), new RuleState()];
    for (const change of JSON.parse(JSON.stringify(changes)) as StateChange[]) replayed.apply(change);
    for (const change of JSON.parse(JSON.stringify([...state.snapshot()])) as StateChange[]) copied.apply(change);
    for (const other of [replayed, copied]) {
      expect([...other.snapshot()]).toEqual([...state.snapshot()]);
      expect([other.rootOf("c"), other.timesOf("a\nsession\np"), other.repeatsOf("call")]).toEqual(["p", 3, 1]);
      expect(other.spentOf("costUsd", "p")).toEqual({ known: undefined, unknown: 1 });
    }
  });

  it("is bounded, and says that something was forgotten", () => {
    const state = new RuleState();
    for (let index = 0; index < 10_050; index++) {
      state.match(`r\nsession\n${index}`, ["c"], 1);
      state.result(`call ${index}`, "x");
    }
    expect([...state.snapshot()].length).toBe(20_000);
    expect(state.forgotten).toBe(100);
    for (let index = 0; index < 300; index++)
      state.apply(["series", `long\nsession\n${index}`, Array.from({ length: 1_000 }, (_, at) => at)]);
    const times = [...state.snapshot()].flatMap((change) => (change[0] === "series" ? change[2] : []));
    expect(times.length).toBeLessThanOrEqual(200_000);
  });
});

it.each<[Partial<Rule>, Partial<Rule>, boolean]>([
  [{ count: 5 }, { count: 4 }, true],
  [{ count: 5 }, { count: 6 }, false],
  [{ count: 5 }, {}, true],
  [{}, { count: 5 }, false],
  [{ count: 5, within: 10 }, { count: 5, within: 20 }, true],
  [{ count: 5, within: 20 }, { count: 5, within: 10 }, false],
  [{ count: 5, within: 20 }, { count: 5 }, true],
  [{ count: 5 }, { count: 5, per: "agent" }, false],
  [{ after: "a" }, {}, true],
  [{ after: "a" }, { after: "b" }, false],
  [{ repeats: 3 }, { repeats: 2 }, true],
  [{ budget: { tokens: 5 } }, { budget: { tokens: 4 } }, true],
  [{ budget: { tokens: 5 } }, { budget: { tokens: 5, costUsd: 1 } }, true],
  [{ budget: { tokens: 5, costUsd: 1 } }, { budget: { tokens: 5 } }, false],
])("the change from %j to %j only tightens: %s", (before, after, expected) => expect(isStateTighter(before, after)).toBe(expected));

describe("from", () => {
  const KEY = "AKIAIOSFODNN7EXAMPLE";
  const rule: Partial<Rule> = { tool: "mcp__*", secret: "aws-key-id", from: "another-server" };
  const openFrom = () => {
    const opened = open([rule]);
    const about = (name: string, input: { readonly [key: string]: unknown }, session: string) => ({
      tool: { name, input },
      session: { id: session },
    });
    return {
      ...opened,
      shows: (name: string, text: unknown, session = "s") => opened.bus.transform("tool:result", text, about(name, {}, session)),
      gives: async (name: string, text: string, session = "s") =>
        (await opened.bus.decide("tool:before", about(name, { deep: [{ text }] }, session))).verdict,
    };
  };

  it("acts on a secret that a result of another server has shown in the session, wherever it is in the input", async () => {
    const { shows, gives } = openFrom();
    expect(await gives("mcp__sqlite__write", KEY)).toBe("pass");
    await shows("mcp__files__read", { content: [`STRIPE_KEY=${KEY}`] });
    expect(await gives("mcp__sqlite__write", `x '${KEY}' y`)).toBe("deny");
    expect(await gives("mcp__files__write", KEY)).toBe("pass");
    expect(await gives("mcp__sqlite__write", KEY, "another")).toBe("pass");
    expect(await gives("mcp__sqlite__write", "AKIAIOSFODNN7EXAMPLF")).toBe("pass");
    await shows("mcp__sqlite__read", KEY);
    expect(await gives("mcp__sqlite__write", KEY)).toBe("pass");
    expect(await gives("mcp__web__fetch", KEY)).toBe("deny");
  });

  it("keeps no secret, only its hash, and withholds a result with more secrets than it remembers", async () => {
    const { shows, changes } = openFrom();
    await shows("mcp__files__read", KEY);
    expect(changes).toHaveLength(1);
    expect(JSON.stringify(changes)).not.toContain(KEY);
    const many = Array.from({ length: 300 }, (_, n) => `AKIA${String(n).padStart(16, "0")}`).join(" ");
    expect(String((await shows("mcp__files__read", many)).value)).toContain("withheld");
  });

  it("needs the shapes of the secrets, and calls", () => {
    expect(open([{ from: "another-server" }]).errors).toEqual([expect.stringContaining('"from" needs "secret"')]);
    expect(open([{ ...rule, events: ["prompt:submit"] }]).errors).toEqual([
      expect.stringContaining('"from" works on the event "tool:before" only'),
    ]);
  });
});
