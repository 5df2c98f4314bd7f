import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import {
  allow,
  ask,
  type BusOptions,
  block,
  catalog,
  createBus,
  HookError,
  inject,
  joinInjections,
  type Match,
  modify,
  type ToolPayload,
} from "@hookline/core";
import { families } from "@hookline/core/internal";
import { afterEach, describe, expect, it, vi } from "vitest";

const run = promisify(execFile);
const distEntry = new URL("../../packages/core/dist/index.js", import.meta.url).href;

/** synaps goes on without a handler that fails. */
function reportingBus(options: BusOptions = {}) {
  const errors: HookError[] = [];
  return { bus: createBus({ onFailure: "open", ...options, onError: (error) => errors.push(error) }), errors };
}

function toolCall(name: string, input: { readonly [key: string]: unknown } = {}, runtimeName?: string): ToolPayload {
  return { session: { id: "s1" }, tool: { name, callId: "c1", input, ...(runtimeName !== undefined && { runtimeName }) } };
}

function thrownBy(action: () => unknown): HookError {
  try {
    action();
  } catch (error) {
    if (error instanceof HookError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const never = () => new Promise<undefined>(() => {});

describe("permissions", () => {
  it("are refused at subscribe, with the message that names extension, permission and hook", () => {
    const { bus } = reportingBus();
    const error = thrownBy(() => bus.on("tool:before", () => undefined, { owner: "x", permissions: ["tools.observe"] }));
    expect(error).toMatchObject({ code: "HL_PERMISSION", event: "tool:before", owner: "x" });
    expect(error.message).toContain("Extension 'x' lacks permission 'tools.intercept' required for hook 'tool:before'");
    expect(bus.count()).toBe(0);
  });

  it("are refused under the canonical name, whatever spelling was subscribed to", () => {
    const { bus } = reportingBus();
    const error = thrownBy(() => bus.on("before_tool_call", () => undefined, { owner: "x", permissions: [] }));
    expect(error.message).toContain("Extension 'x' lacks permission 'tools.intercept' required for hook 'tool:before'");
  });

  it("let a subscription through that has the permission, for every event of the catalogue", () => {
    const { bus } = reportingBus();
    for (const [name, { permission }] of Object.entries(catalog)) {
      const event = name as keyof typeof catalog;
      const refused = thrownBy(() => bus.on(event, () => undefined, { owner: "ext", permissions: ["something.else"] }));
      expect(refused.message).toContain(`Extension 'ext' lacks permission '${permission}' required for hook '${name}'`);
      bus.on(event, () => undefined, { owner: "ext", permissions: [permission] });
    }
    expect(bus.handlersOf("ext")).toHaveLength(Object.keys(catalog).length);
  });

  it("ask of a wildcard the permission of every event it can match", () => {
    const { bus } = reportingBus();
    const some = ["tools.intercept", "tools.observe"];
    expect(thrownBy(() => bus.on("tool:*", () => undefined, { owner: "x", permissions: some })).message).toContain(
      "Extension 'x' lacks permission 'tools.transform' required for hook 'tool:*'",
    );
    bus.on("tool:*", () => undefined, { owner: "x", permissions: [...some, "tools.transform"] });
    const all = [...Object.values(catalog), ...Object.values(families)].map(({ permission }) => permission);
    expect(thrownBy(() => bus.on("*", () => undefined, { owner: "x", permissions: all })).message).toContain("'custom.observe'");
    bus.on("*", () => undefined, { owner: "x", permissions: [...all, "custom.observe"] });
    expect(bus.handlersOf("x").map(({ event }) => event)).toEqual(["*", "tool:*"]);
  });

  it("refuse everything to an owner without a list, and nothing to the host's own code", () => {
    const { bus } = reportingBus();
    expect(thrownBy(() => bus.on("agent:start", () => undefined, { owner: "x" })).code).toBe("HL_PERMISSION");
    expect(() => bus.on("*", () => undefined)).not.toThrow();
  });
});

describe("the tool filter", () => {
  it("accepts the API name or the runtime name", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => block("by filter"), { tool: "bash" });
    expect((await bus.decide("tool:before", toolCall("bash"))).verdict).toBe("deny");
    expect((await bus.decide("tool:before", toolCall("mcp__shell__run", {}, "bash"))).verdict).toBe("deny");
    expect((await bus.decide("tool:before", toolCall("bash", {}, "mcp__shell__run"))).verdict).toBe("deny");
    expect((await bus.decide("tool:before", toolCall("read"))).verdict).toBe("pass");
    expect((await bus.decide("tool:before", toolCall("bash2", {}, "rebash"))).verdict).toBe("pass");
  });

  it("accepts a glob and a list, as an option and as a key of match", async () => {
    for (const options of [{ tool: ["read", "mcp__*"] }, { match: { tool: ["read", "mcp__*"] } }]) {
      const { bus } = reportingBus();
      bus.on("tool:before", () => block(), options);
      expect((await bus.decide("tool:before", toolCall("read"))).verdict).toBe("deny");
      expect((await bus.decide("tool:before", toolCall("mcp__files__write"))).verdict).toBe("deny");
      expect((await bus.decide("tool:before", toolCall("write"))).verdict).toBe("pass");
      expect((await bus.decide("tool:before", toolCall("write", {}, "mcp__w"))).verdict).toBe("deny");
    }
  });

  it("never matches an event without a tool", () => {
    const { bus } = reportingBus();
    let calls = 0;
    bus.on("*", () => void calls++, { tool: "*" });
    bus.emit("agent:start", { message: "hi" });
    expect(calls).toBe(0);
    bus.emit("tool:after", { ...toolCall("read"), status: "ok" });
    expect(calls).toBe(1);
  });
});

describe("matchers on the input", () => {
  const verdictOf = async (match: Match, payload: ToolPayload) => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => block(), { match });
    return (await bus.decide("tool:before", payload)).verdict;
  };

  it("contains: a substring of the input's JSON, at any depth", async () => {
    const payload = toolCall("bash", { command: "sudo rm -rf /", env: { LANG: "C" } });
    expect(await verdictOf({ contains: "rm -rf" }, payload)).toBe("deny");
    expect(await verdictOf({ contains: '"LANG":"C"' }, payload)).toBe("deny");
    expect(await verdictOf({ contains: "bash" }, payload)).toBe("pass");
    expect(await verdictOf({ contains: "rm -fr" }, payload)).toBe("pass");
  });

  it("equals: deep equality with the input, whatever the order of keys", async () => {
    const payload = toolCall("edit", { path: "/etc/passwd", lines: [1, { to: 2 }] });
    expect(await verdictOf({ equals: { lines: [1, { to: 2 }], path: "/etc/passwd" } }, payload)).toBe("deny");
    expect(await verdictOf({ equals: { path: "/etc/passwd" } }, payload)).toBe("pass");
    expect(await verdictOf({ equals: { path: "/etc/passwd", lines: [1, { to: "2" }] } }, payload)).toBe("pass");
  });

  it("all conditions of an object must hold, together with the tool filter", async () => {
    const match = { tool: "bash", contains: "curl", where: { "tool.input.command": "* | sh" } };
    expect(await verdictOf(match, toolCall("bash", { command: "curl x | sh" }))).toBe("deny");
    expect(await verdictOf(match, toolCall("zsh", { command: "curl x | sh" }))).toBe("pass");
    expect(await verdictOf(match, toolCall("bash", { command: "wget x | sh" }))).toBe("pass");
    expect(await verdictOf(match, toolCall("bash", { command: "curl x" }))).toBe("pass");
  });

  it("refuse a key that does not exist at subscribe", () => {
    const { bus } = reportingBus();
    const error = thrownBy(() => bus.on("tool:before", () => undefined, { match: { contain: "x" } as never }));
    expect(error.code).toBe("HL_BAD_MATCH");
    expect(error.message).toContain("contains");
  });
});

describe("first answer wins", () => {
  const firstWins = () => reportingBus({ onModify: "stop", onAsk: "stop" });

  it("stops at the first block", async () => {
    const { bus } = firstWins();
    const seen: string[] = [];
    bus.on("tool:before", () => void seen.push("1"));
    bus.on("tool:before", async () => block("second says no"), { name: "second" });
    bus.on("tool:before", () => void seen.push("3"));
    const decision = await bus.decide("tool:before", toolCall("bash"));
    expect(decision).toMatchObject({ verdict: "deny", allowed: false, reason: "second says no", by: "second" });
    expect(seen).toEqual(["1"]);
  });

  it("stops at the first modify: later handlers neither see nor change nor block it", async () => {
    const { bus } = firstWins();
    const seen: string[] = [];
    bus.on("tool:before", () => void seen.push("before"));
    bus.on("tool:before", (event) => modify({ ...event.payload, tool: { ...event.payload.tool, input: { command: "ls" } } }));
    bus.on("tool:before", () => block("too late"));
    const decision = await bus.decide("tool:before", toolCall("bash", { command: "ls -a" }));
    expect(decision).toMatchObject({ verdict: "pass", allowed: true, modified: true });
    expect(decision.payload.tool.input).toEqual({ command: "ls" });
    expect(seen).toEqual(["before"]);
  });

  it("stops at the first ask, and hands it to the host with its reason", async () => {
    const { bus } = firstWins();
    const seen: string[] = [];
    bus.on("tool:before", () => allow("fine by me"));
    bus.on("tool:before", async () => ask("Really?"), { name: "careful" });
    bus.on("tool:before", () => void seen.push("third"));
    const decision = await bus.decide("tool:before", toolCall("bash"));
    expect(decision).toMatchObject({ verdict: "ask", allowed: false, reason: "Really?", by: "careful" });
    expect(seen).toEqual([]);
  });

  it("gives the first of several answers whatever they are", async () => {
    const answers = { block: () => block("b"), ask: () => ask("a"), modify: () => ({ args: { n: 1 } }) };
    const expected = { block: ["deny", false], ask: ["ask", false], modify: ["pass", true] };
    for (const first of ["block", "ask", "modify"] as const) {
      const { bus } = firstWins();
      bus.on("tool:before", answers[first]);
      for (const [name, answer] of Object.entries(answers)) if (name !== first) bus.on("tool:before", answer);
      const { verdict, modified } = await bus.decide("tool:before", toolCall("bash"));
      expect([first, verdict, modified]).toEqual([first, ...(expected[first] ?? [])]);
    }
  });

  it("keeps the injections of the handlers before the answer", async () => {
    const { bus } = firstWins();
    bus.on("tool:before", () => inject("note"));
    bus.on("tool:before", () => ({ args: { n: 1 } }));
    bus.on("tool:before", () => inject("never reached"));
    expect((await bus.decide("tool:before", toolCall("bash"))).injections).toEqual(["note"]);
  });

  it("is not the default: there a later block wins over an earlier modify or ask", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => ({ args: { n: 1 } }));
    bus.on("tool:before", () => ask("Really?"));
    bus.on("tool:before", () => block("no"));
    expect(await bus.decide("tool:before", toolCall("bash"))).toMatchObject({ verdict: "deny", reason: "no" });
  });
});

describe("injections", () => {
  it("of all handlers come in order, also of slow ones", async () => {
    const { bus } = reportingBus();
    bus.on("prompt:submit", async () => {
      await sleep(5);
      return inject("first");
    });
    bus.on("prompt:*", () => inject("fourth"));
    bus.on("prompt:submit", () => ({ inject: ["second", "third"] }));
    bus.on("prompt:submit", () => inject("zeroth"), { priority: 1 });
    const decision = await bus.decide("prompt:submit", { prompt: "hi" });
    expect(decision.injections).toEqual(["zeroth", "first", "second", "third", "fourth"]);
    expect(decision).toMatchObject({ verdict: "pass", allowed: true, modified: false });
  });

  it("are joined by a blank line by a helper", async () => {
    const { bus } = reportingBus();
    bus.on("prompt:submit", () => inject("one"));
    bus.on("prompt:submit", () => [inject("two\nlines"), inject("three")]);
    expect(joinInjections(await bus.decide("prompt:submit", {}))).toBe("one\n\ntwo\nlines\n\nthree");
    expect(joinInjections(await createBus().decide("prompt:submit", {}))).toBe("");
  });

  it("are collected by transforms and by the run of a tool as well", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => inject("before"));
    bus.on("tool:result", () => inject("result"));
    bus.on("tool:after", () => inject("after"));
    const { injections } = await bus.runTool(toolCall("bash"), () => "done");
    expect(injections).toEqual(["before", "result", "after"]);
  });
});

describe("an outcome the kind does not allow", () => {
  it("is ignored and reported once per handler, naming what is allowed", async () => {
    const { bus, errors } = reportingBus();
    bus.on("session:start", () => ({ block: true, reason: "not today" }), {
      name: "strict",
      owner: "ext",
      permissions: ["session.lifecycle"],
    });
    for (let i = 0; i < 3; i++) expect(await bus.decide("session:start", {})).toMatchObject({ verdict: "pass", allowed: true });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: "HL_OUTCOME_NOT_ALLOWED", event: "session:start", handler: "strict", owner: "ext" });
    expect(errors[0]?.message).toContain("block");
    expect(errors[0]?.message).toContain("inject, remind");
  });

  it("leaves the parts that are allowed in force", async () => {
    const { bus, errors } = reportingBus();
    bus.on("session:start", () => ({ inject: "hello", modify: { session: { id: "other" } } }));
    const decision = await bus.decide("session:start", { session: { id: "s1" } });
    expect(decision).toMatchObject({ modified: false, injections: ["hello"], payload: { session: { id: "s1" } } });
    expect(errors.map(({ code }) => code)).toEqual(["HL_OUTCOME_NOT_ALLOWED"]);
  });

  it("is ignored and reported on observed events, asynchronous handlers included", async () => {
    const { bus, errors } = reportingBus();
    bus.on("tool:after", () => block("too late"), { name: "sync" });
    bus.on("message:complete", async () => inject("psst"), { name: "async" });
    for (let i = 0; i < 2; i++) {
      await bus.emit("tool:after", { ...toolCall("bash"), status: "ok" });
      await bus.emit("message:complete", {});
    }
    expect(errors.map(({ code, handler }) => [code, handler])).toEqual([
      ["HL_OUTCOME_NOT_ALLOWED", "sync"],
      ["HL_OUTCOME_NOT_ALLOWED", "async"],
    ]);
  });

  it("is ignored and reported on transforms", async () => {
    const { bus, errors } = reportingBus();
    bus.on("tool:result", () => ({ deny: "no" }), { name: "denier" });
    bus.on("tool:env", () => ({ inject: "psst" }), { name: "injector" });
    expect(await bus.transform("tool:result", "text", toolCall("bash"))).toMatchObject({ value: "text", injections: [] });
    expect(await bus.transform("tool:env", { A: "1" }, toolCall("bash"))).toMatchObject({ value: { A: "1" }, injections: [] });
    expect(errors.map(({ code, handler }) => [code, handler])).toEqual([
      ["HL_OUTCOME_NOT_ALLOWED", "denier"],
      ["HL_OUTCOME_NOT_ALLOWED", "injector"],
    ]);
  });

  it("denies where the handler was registered closed and the event can be blocked", async () => {
    const { bus, errors } = reportingBus();
    bus.on("llm:before", () => ({ decision: "ask" as const }), { name: "asker", onFailure: "closed" });
    const decision = await bus.decide("llm:before", {});
    expect(decision).toMatchObject({ verdict: "deny", by: "asker", cause: { code: "HL_OUTCOME_NOT_ALLOWED" } });
    expect(errors).toHaveLength(1);
  });
});

describe("the timeout", () => {
  afterEach(() => void vi.useRealTimers());

  it("is 5 s unless said otherwise", () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => undefined);
    bus.on("tool:before", () => undefined, { timeoutMs: 30 });
    expect(bus.list().map(({ timeoutMs }) => timeoutMs)).toEqual([5000, 30]);
  });

  it("goes on with the next handler after 5 s and reports the one that hung", async () => {
    // A copy of its own: the other tests' bus keeps its deadlines on real timers.
    vi.resetModules();
    const core = await import("@hookline/core");
    vi.useFakeTimers();
    const errors: HookError[] = [];
    const bus = core.createBus({ onFailure: "open", onError: (error) => errors.push(error) });
    bus.on("tool:before", never, { name: "hung" });
    bus.on("tool:before", () => block("the next one decides"));
    let isDecided = false;
    const deciding = Promise.resolve(bus.decide("tool:before", toolCall("bash"))).finally(() => {
      isDecided = true;
    });
    await vi.advanceTimersByTimeAsync(4900);
    expect(isDecided).toBe(false);
    await vi.advanceTimersByTimeAsync(4900); // the timer is a coarse one
    expect(await deciding).toMatchObject({ verdict: "deny", reason: "the next one decides" });
    expect(errors.map(({ code, handler, failure, message }) => ({ code, handler, failure, message }))).toEqual([
      { code: "HL_TIMEOUT", handler: "hung", failure: "timeout", message: 'Handler "hung" did not answer "tool:before" within 5000 ms.' },
    ]);
  });

  it("goes on in every kind of dispatch, and what a handler says afterwards is not heard", async () => {
    const { bus, errors } = reportingBus();
    const late = async () => {
      await sleep(150);
      return { block: true, deny: "late", result: "late", reason: "late" };
    };
    for (const event of ["tool:before", "tool:result", "tool:after"] as const) bus.on(event, late, { name: event, timeoutMs: 20 });
    expect((await bus.decide("tool:before", toolCall("bash"))).verdict).toBe("pass");
    expect((await bus.transform("tool:result", "early")).value).toBe("early");
    await expect(bus.emit("tool:after", { ...toolCall("bash"), status: "ok" })).resolves.toBeUndefined();
    await sleep(200);
    expect(errors.map(({ code, event, failure }) => [code, event, failure])).toEqual([
      ["HL_TIMEOUT", "tool:before", "timeout"],
      ["HL_TIMEOUT", "tool:result", "timeout"],
      ["HL_TIMEOUT", "tool:after", "timeout"],
    ]);
    expect(bus.stats().map(({ timeouts, failures }) => [timeouts, failures])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
  });

  it("aborts the signal of the handler that hung, and of no other", async () => {
    const { bus } = reportingBus();
    const signals: AbortSignal[] = [];
    const hang = (event: { readonly signal: AbortSignal }) => {
      signals.push(event.signal);
      return never();
    };
    bus.on("tool:before", hang, { timeoutMs: 20 });
    bus.on("tool:before", (event) => void signals.push(event.signal));
    await bus.decide("tool:before", toolCall("bash"));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({ code: "HL_TIMEOUT" });
  });
});

describe("subscriptions of an owner", () => {
  it("are listed sorted by event, then by name", () => {
    const { bus } = reportingBus();
    const permissions = ["tools.intercept", "tools.observe", "session.lifecycle"];
    const add = (event: "tool:before" | "tool:after" | "session:start", name: string, owner: string) =>
      bus.on(event, () => undefined, { name, owner, permissions });
    add("tool:before", "b", "ext");
    add("session:start", "z", "ext");
    add("tool:before", "x", "other");
    add("tool:after", "m", "ext");
    add("tool:before", "a", "ext");
    expect(bus.handlersOf("ext").map(({ event, name }) => `${event} ${name}`)).toEqual([
      "session:start z",
      "tool:after m",
      "tool:before a",
      "tool:before b",
    ]);
    expect(bus.handlersOf("other").map(({ name }) => name)).toEqual(["x"]);
    expect(bus.handlersOf("nobody")).toEqual([]);
  });

  it("are unregistered together when the owner goes", () => {
    const { bus } = reportingBus();
    bus.on("agent:start", () => undefined, { owner: "ext", permissions: ["agent.lifecycle"] });
    bus.on("agent:end", () => undefined, { owner: "ext", permissions: ["agent.lifecycle"] });
    bus.on("agent:end", () => undefined);
    expect(bus.offOwner("ext")).toBe(2);
    expect(bus.handlersOf("ext")).toEqual([]);
    expect(bus.count()).toBe(1);
  });
});

describe("the trace", () => {
  const tracedBus = (options: BusOptions = {}) => {
    const lines: string[] = [];
    return { ...reportingBus({ ...options, trace: (line) => lines.push(line) }), lines };
  };

  it("has a line per handler call with event, handler, action and duration", async () => {
    const { bus, lines } = tracedBus();
    bus.on("tool:before", () => undefined, { name: "quiet" });
    bus.on("tool:before", () => inject("x"), { name: "informer", owner: "ext", permissions: ["tools.intercept"] });
    bus.on("tool:before", async () => block("no"), { name: "guard" });
    bus.on("tool:before", () => undefined, { name: "not reached" });
    await bus.decide("tool:before", toolCall("bash"));
    expect(lines).toEqual([
      expect.stringMatching(/tool:before quiet pass [\d.]+ms$/),
      expect.stringMatching(/tool:before ext\/informer inject [\d.]+ms$/),
      expect.stringMatching(/tool:before guard deny [\d.]+ms$/),
    ]);
  });

  it("covers every kind of dispatch", async () => {
    const { bus, lines } = tracedBus();
    for (const event of ["agent:start", "command:reset", "tool:result", "myapp:deployed"] as const)
      bus.on(event, () => undefined, { name: "h" });
    await bus.emit("agent:start");
    bus.emitSync("myapp:deployed");
    await bus.collect("command:reset");
    await bus.decide("command:reset", {});
    await bus.transform("tool:result", "x");
    expect(lines.map((line) => /[a-z]+:[a-z]+/.exec(line)?.[0])).toEqual([
      "agent:start",
      "myapp:deployed",
      "command:reset",
      "command:reset",
      "tool:result",
    ]);
  });

  it("has a line for every call of a handler of stage observe", async () => {
    const { bus, lines } = tracedBus();
    bus.on("tool:before", () => undefined, { name: "audit", stage: "observe" });
    for (let i = 0; i < 3; i++) await bus.decide("tool:before", toolCall("bash"));
    expect(lines).toHaveLength(3);
  });

  it("tells timeouts and crashes apart", async () => {
    const { bus, lines } = tracedBus();
    bus.on("tool:before", never, { name: "hung", timeoutMs: 20 });
    bus.on("agent:start", never, { name: "hung too", timeoutMs: 20 });
    bus.on(
      "tool:before",
      () => {
        throw new Error("boom");
      },
      { name: "crasher" },
    );
    await bus.decide("tool:before", toolCall("bash"));
    await bus.emit("agent:start");
    expect(lines).toEqual([
      expect.stringMatching(/tool:before hung failed [\d.]+ms failure=timeout limit=20ms$/),
      expect.stringMatching(/tool:before crasher failed [\d.]+ms .*crash/),
      expect.stringMatching(/agent:start hung too failed [\d.]+ms failure=timeout limit=20ms$/),
    ]);
  });

  it("has health and restart count where a handler has them, as they are at the time", async () => {
    const { bus, lines } = tracedBus();
    let restarts = 0;
    bus.on("tool:before", () => undefined, { name: "with", health: () => ({ state: restarts === 0 ? "running" : "degraded", restarts }) });
    bus.on("tool:before", () => undefined, { name: "without" });
    await bus.decide("tool:before", toolCall("bash"));
    restarts = 2;
    await bus.decide("tool:before", toolCall("bash"));
    expect(lines[0]).toMatch(/with pass .*health=running restarts=0/);
    expect(lines[1]).not.toMatch(/health|restarts/);
    expect(lines[2]).toMatch(/with pass .*health=degraded restarts=2/);
  });

  it("never holds the payload, nor what a handler says about it", async () => {
    const { bus, lines } = tracedBus();
    const secret = "hunter2";
    bus.on("tool:before", (event) => modify({ ...event.payload, note: secret }), { name: "a" });
    bus.on("tool:before", () => [inject(secret), allow(secret)], { name: "b" });
    bus.on(
      "tool:before",
      (event) => {
        throw new Error(`cannot read ${JSON.stringify(event.payload)}`);
      },
      { name: "c" },
    );
    bus.on("tool:result", () => secret, { name: "d" });
    await bus.runTool(toolCall("bash", { password: secret }), () => secret);
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.join("\n")).not.toContain(secret);
  });

  it("is on for HOOKLINE_TRACE=1, true, yes and on, and writes to stderr without the payload's secret", async () => {
    const script = `
      import { createBus, block } from ${JSON.stringify(distEntry)};
      const bus = createBus();
      bus.on("tool:before", () => undefined, { name: "first" });
      bus.on("tool:before", (event) => block("no " + event.payload.tool.input.password), { name: "second" });
      const { verdict } = await bus.decide("tool:before", { tool: { name: "login", input: { password: "hunter2" } } });
      console.log(verdict);`;
    const traced = async (value: string | undefined) => {
      const { HOOKLINE_TRACE: _, ...env } = process.env;
      const options = { env: value === undefined ? env : { ...env, HOOKLINE_TRACE: value } };
      return run(process.execPath, ["--input-type=module", "--eval", script], options);
    };
    for (const value of ["1", "true", "yes", "on"]) {
      const { stdout, stderr } = await traced(value);
      const lines = stderr.trim().split("\n");
      expect([value, lines.length]).toEqual([value, 2]);
      expect(lines[0]).toMatch(/tool:before first pass [\d.]+ms/);
      expect(lines[1]).toMatch(/tool:before second deny [\d.]+ms/);
      expect(stderr).not.toContain("hunter2");
      expect(stdout).toBe("deny\n");
    }
    for (const value of [undefined, "", "0", "false", "no", "off"]) expect(await traced(value)).toEqual({ stdout: "deny\n", stderr: "" });
  });
});

describe("count", () => {
  it("counts all handlers, or those that would hear an event", () => {
    const { bus } = reportingBus();
    expect(bus.count()).toBe(0);
    const off = bus.on("tool:before", () => undefined);
    bus.on("tool:*", () => undefined);
    bus.on("*", () => undefined);
    bus.on("session:start", () => undefined);
    expect(bus.count()).toBe(4);
    expect(bus.count("tool:before")).toBe(3);
    expect(bus.count("PreToolUse")).toBe(3);
    expect(bus.count("tool:after")).toBe(2);
    expect(bus.count("agent:end")).toBe(1);
    off();
    expect([bus.count(), bus.count("tool:before")]).toEqual([3, 2]);
    bus.clear();
    expect([bus.count(), bus.count("tool:before")]).toEqual([0, 0]);
  });
});
