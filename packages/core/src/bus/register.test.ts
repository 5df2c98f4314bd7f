import { type Bus, block, createBus, findEvent, type HandlerOptions, HookError } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, reportingBus } from "../../../../test/support/reporting-bus.js";

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(HookError);
    return `${(error as HookError).code}: ${(error as HookError).message}`;
  }
  return "nothing was thrown";
}
function errorOf(run: () => unknown): HookError {
  try {
    run();
  } catch (error) {
    return error as HookError;
  }
  throw new Error("nothing was thrown");
}
const noop = (): void => {};

describe("registration", () => {
  it("is undone by exactly its own handle, once or twice, also with using", () => {
    const bus = createBus();
    const handler = (): void => {};
    const off = bus.on("agent:start", handler);
    bus.on("agent:start", handler);
    off();
    off();
    expect(bus.count("agent:start")).toBe(1);
    {
      using _listening = bus.on("agent:start", handler);
      expect(bus.count()).toBe(2);
    }
    expect(bus.count()).toBe(1);
  });

  it("ends with its signal, and never begins with an aborted one", () => {
    const bus = createBus();
    const controller = new AbortController();
    bus.on("agent:start", noop, { signal: controller.signal });
    expect(bus.has("agent:start")).toBe(true);
    controller.abort();
    bus.on("agent:start", noop, { signal: controller.signal });
    expect(bus.has("agent:start")).toBe(false);
  });

  it("for once fires once, counting only calls that match", () => {
    const bus = createBus();
    const heard: unknown[] = [];
    bus.on("tool:before", ({ payload }) => void heard.push(payload.tool.name), { once: true, tool: "edit" });
    for (const name of ["bash", "edit", "edit"]) bus.decide("tool:before", call("x", name));
    for (const name of ["bash", "edit"]) bus.emit("tool:before", call("x", name));
    expect(heard).toEqual(["edit"]);
    expect(bus.count()).toBe(0);
  });

  it("is listed with everything it was given, under unique names", () => {
    const bus = createBus({ timeoutMs: 70 });
    bus.on("PreToolUse", noop);
    bus.on("PreToolUse", noop);
    bus.on("tool:*", noop, {
      name: "all",
      owner: "ext",
      permissions: ["tools.intercept", "tools.observe", "tools.transform"],
      description: "d",
      path: "/p",
      priority: 3,
      stage: "rewrite",
      onFailure: "closed",
      timeoutMs: 9,
      match: "tool.name == x",
    });
    const rows = bus.list();
    expect(rows[2]).toMatchObject({
      event: "tool:*",
      name: "all",
      owner: "ext",
      description: "d",
      path: "/p",
      priority: 3,
      stage: "rewrite",
      onFailure: "closed",
      timeoutMs: 9,
      match: "tool.name == x",
    });
    expect(rows[0]).toMatchObject({ event: "tool:before", priority: 0, stage: "guard", onFailure: "closed", timeoutMs: 70 });
    expect(new Set(rows.map(({ name }) => name)).size).toBe(3);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
  });

  it("is listed with the failure mode that applies", () => {
    const modes = (bus: Bus): string[] => bus.list().map(({ event, onFailure }) => `${event} ${onFailure}`);
    const bus = createBus();
    for (const event of ["tool:before", "command:reset", "command:*", "tool:*", "*"]) bus.on(event, noop);
    bus.setSentinel(noop);
    expect(modes(bus)).toEqual(["tool:before", "command:reset", "command:*", "tool:*", "*", "*"].map((event) => `${event} closed`));
    const others = createBus();
    // A gate that cannot be blocked, a transform, what is only told, patterns of such, events of one's own.
    for (const event of ["session:start", "tool:result", "tool:after", "tui:*", "answer:*", "myapp:done", "myapp:*"])
      others.on(event, noop);
    for (const stage of ["rewrite", "observe"] as const) others.on("tool:before", noop, { stage });
    others.on("tool:before", noop, { onFailure: "open" });
    expect(new Set(others.list().map(({ onFailure }) => onFailure))).toEqual(new Set(["open"]));
    const open = createBus({ onFailure: "open" });
    for (const event of ["tool:before", "*"]) open.on(event, noop);
    open.on("tool:before", noop, { onFailure: "closed" });
    expect(modes(open)).toEqual(["tool:before open", "* open", "tool:before closed"]);
    expect(() => createBus({ onFailure: "abort" as never })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
  });

  it("can be cleared by owner, by category or altogether", () => {
    const bus = createBus();
    const permissions = ["tools.observe", "session.lifecycle", "agent.lifecycle"];
    bus.on("tool:after", noop, { owner: "a", permissions });
    bus.on("session:start", noop, { owner: "a", permissions });
    bus.on("session:*", noop);
    bus.on("turn:end", noop);
    bus.on("turn:*", noop);
    bus.on("*", noop);
    bus.on("myapp:x", noop);
    expect(bus.handlersOf("a").map(({ event }) => event)).toEqual(["session:start", "tool:after"]);
    expect(bus.offOwner("a")).toBe(2);
    expect(bus.offOwner("a")).toBe(0);
    expect(bus.clear({ category: "session" })).toBe(2);
    expect(bus.list().map(({ event }) => event)).toEqual(["turn:*", "*", "myapp:x"]);
    expect(bus.clear({ category: "other" })).toBe(1);
    expect(bus.clear()).toBe(2);
    expect(bus.emit("turn:end", {})).toBeUndefined();
  });

  it("is refused at once for anything wrong, with a code, the culprit and the way out", () => {
    const bus = createBus();
    bus.on("tool:before", noop, { name: "taken", owner: "ext", permissions: ["tools.intercept"] });
    const on = bus.on.bind(bus) as (event: unknown, handler?: unknown, options?: unknown) => void;
    const cases: [() => unknown, RegExp][] = [
      [() => on("tool:befor", noop), /HL_UNKNOWN_EVENT.*Did you mean "tool:before"\?/],
      [() => on("nonsense", noop), /HL_UNKNOWN_EVENT.*namespace of their own/],
      [() => on(undefined, noop), /HL_UNKNOWN_EVENT/],
      [() => on("tool:b*", noop), /HL_BAD_PATTERN.*"namespace:\*"/],
      [() => on("tool:before", "text"), /HL_BAD_HANDLER.*not a string/],
      [() => on("tool:before", noop, { tiemoutMs: 5 }), /HL_UNKNOWN_OPTION.*Did you mean "timeoutMs"\?/],
      [() => on("tool:before", noop, { timeoutMs: "5" }), /HL_BAD_OPTION.*"timeoutMs" must be a number of milliseconds/],
      [() => on("tool:before", noop, { timeoutMs: -1 }), /HL_BAD_OPTION/],
      [() => on("tool:before", noop, { stage: "before" }), /HL_BAD_OPTION.*"rewrite" or "guard" or "observe"/],
      [() => on("tool:before", noop, { onFailure: "maybe" }), /HL_BAD_OPTION/],
      [() => on("tool:before", noop, { stage: "observe", onFailure: "closed" }), /HL_BAD_OPTION.*comes after the decision/],
      [() => on("tool:before", noop, null), /HL_BAD_OPTION/],
      [() => on("tool:before", noop, { signal: {} }), /HL_BAD_OPTION.*AbortSignal/],
      [() => on("tool:before", noop, { match: "tool.name ==" }), /HL_BAD_MATCH/],
      [() => on("tool:before", noop, { match: "tool.name =~ '('" }), /HL_BAD_MATCH/],
      [() => on("tool:before", noop, { match: { tol: "x" } }), /HL_BAD_MATCH.*tool/],
      [
        () => on("tool:before", noop, { name: "taken", owner: "ext", permissions: ["tools.intercept"] }),
        /HL_DUPLICATE_HANDLER.*"taken" of "ext"/,
      ],
      [
        () => on("tool:before", noop, { owner: "x" }),
        /HL_PERMISSION.*Extension 'x' lacks permission 'tools.intercept' required for hook 'tool:before'/,
      ],
      [() => on("tool:*", noop, { owner: "x", permissions: ["tools.intercept"] }), /HL_PERMISSION.*for hook 'tool:\*'/],
      [
        () => on("tool:before", noop, { owner: "x", permissions: ["tools.intercept", "tools.observ"] }),
        /HL_PERMISSION.*There is no permission 'tools.observ'. Did you mean "tools.observe"\?/,
      ],
      [
        () => on("tool:*", noop, { owner: "x", permissions: ["tools.intercept", "tools.observ", "tool.transform"] }),
        /HL_PERMISSION.*lacks permission 'tools.observe'.*Did you mean "tools.observe"\?.*Did you mean "tools.transform"\?/,
      ],
      [
        () => on("myapp:x", noop, { owner: "x", permissions: ["custom.observe", "everything"] }),
        /HL_PERMISSION.*no permission 'everything'/,
      ],
      [() => bus.setSentinel(noop, { permissions: ["tools.intercept"] }), /HL_BAD_OPTION.*takes no "permissions"/],
      [() => bus.decide("tool:befor" as string, {}), /HL_UNKNOWN_EVENT/],
      [() => bus.event("tool:befor" as string), /HL_UNKNOWN_EVENT/],
      [() => createBus({ onask: "return" } as never), /HL_UNKNOWN_OPTION.*Did you mean "onAsk"\?/],
      [() => createBus({ onAsk: "sometimes" } as never), /HL_BAD_OPTION/],
      [() => bus.setSentinel("x" as never), /HL_BAD_HANDLER/],
      [() => bus.setApprover(3 as never), /HL_BAD_HANDLER/],
    ];
    for (const [run, expected] of cases) expect(codeOf(run)).toMatch(expected);
    expect(bus.count()).toBe(1);
  });

  it("lets one name serve several events and owners", () => {
    const bus = createBus();
    bus.on("agent:start", noop, { name: "n" });
    bus.on("agent:end", noop, { name: "n" });
    bus.on("agent:start", noop, { name: "n", owner: "ext", permissions: ["agent.lifecycle"] });
    expect(bus.count()).toBe(3);
  });
});

describe("a prepared handler", () => {
  it("is checked at once, and decides nothing before it is put on the bus", () => {
    const { bus } = reportingBus();
    expect(codeOf(() => bus.prepare("tool:before", noop, { match: "(" }))).toContain("HL_BAD_MATCH");
    const put = bus.prepare("tool:before", () => block("no"), { name: "one" });
    expect(bus.list()).toEqual([]);
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
    const off = put();
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
    expect(codeOf(() => bus.prepare("tool:before", noop, { name: "one" })())).toContain("HL_DUPLICATE_HANDLER");
    off();
    bus.prepare("tool:before", noop, { name: "one" })();
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
  });

  it("takes another's place in one go, and what throws half way leaves the bus in order", () => {
    const { bus } = reportingBus();
    const off = bus.on("tool:before", () => block("old"), { name: "one" });
    const put = bus.prepare("tool:before", () => block("new"), { name: "one" });
    bus.batch(() => {
      off();
      put();
    });
    expect(bus.decide("tool:before", call())).toMatchObject({ reason: "new" });
    const fail = (): void =>
      bus.batch(() => {
        bus.on("tool:before", () => block("first"), { name: "first", priority: 1 });
        throw new Error("half way");
      });
    expect(fail).toThrow("half way");
    expect(bus.decide("tool:before", call())).toMatchObject({ reason: "first" });
  });
});

describe("a path in a match", () => {
  const on = (event: string, options: object) => () => createBus({ onError: () => {} }).on(event as "tool:before", noop, options);

  it.each([
    ["tool:before", { match: "tool.inputs.command =~ rm" }, /"tool" has no "inputs"\. Did you mean "tool\.input\.command"\?\n/],
    ["tool:before", { match: "Bash && !(tool.inputs.command contains rm)" }, /Did you mean "tool\.input\.command"/],
    ["PreToolUse", { match: "tool.inputs.command" }, /on\("tool:before"\)/],
    ["tool:before", { match: { where: { "tool.inputs.kind": "x" } } }, /Did you mean "tool\.input\.kind"/],
    ["tool:*", { match: "tool.inputs.command" }, /Did you mean/],
    ["*", { match: "tool.inputs.command" }, /Did you mean/],
    ["prompt:submit", { match: "promt =~ x" }, /Did you mean "prompt"/],
    ["prompt:submit", { tool: "Bash" }, /"tool" looks at the tool\. .*"prompt:submit" has no "tool"/],
    ["prompt:submit", { match: { contains: "x" } }, /"contains" looks at the tool/],
    ["command:deploy", { match: "comand == deploy" }, /Did you mean "command"/],
  ])("that %s never has is refused: %j", (event, options, expected) => {
    expect(codeOf(on(event, options))).toMatch(/^HL_UNKNOWN_PATH/);
    expect(on(event, options)).toThrow(expected);
  });

  it("shows where it stands", () => {
    const error = errorOf(on("tool:before", { name: "no-rm", match: "Bash && tool.inputs.command =~ rm" }));
    expect(error).toMatchObject({ code: "HL_UNKNOWN_PATH", event: "tool:before", handler: "no-rm", position: 8 });
    expect(error.message).toMatch(/\n {2}Bash && tool\.inputs\.command =~ rm\n {10}\^$/);
  });

  it("that cannot be known is reported, and the handler is registered", () => {
    const { bus, reports } = reportingBus();
    bus.on("myapp:deployed", noop, { name: "watch", match: "version == 2" });
    bus.on("tool:before", noop, { match: "tenant.id == a" });
    bus.on("myapp:deployed", noop, { match: "session.id == a" });
    bus.on("tool:before", noop, { match: ({ tool }) => tool?.name === "bash" });
    expect(bus.count()).toBe(4);
    expect(reports.map(({ code, handler }) => [code, handler])).toEqual([
      ["HL_UNKNOWN_PATH", "watch"],
      ["HL_UNKNOWN_PATH", undefined],
    ]);
    expect(reports[0]?.message).toContain('"version" cannot be checked');
  });

  it("may be that of another event which the match is for", () => {
    const { bus, reports } = reportingBus();
    const matchEvents = ["tool:before", "prompt:submit"];
    bus.on("prompt:submit", noop, { match: "tool.input.command =~ rm || prompt =~ rm", matchEvents });
    expect(on("prompt:submit", { match: "tool.inputs.command", matchEvents })).toThrow(/Did you mean/);
    bus.on("prompt:submit", noop, { match: "tenant.id", matchEvents });
    expect(reports).toEqual([]);
  });

  it("is checked for the sentinel, too", () => {
    expect(() => createBus().setSentinel(noop, { match: "tool.inputs" })).toThrow(/Did you mean "tool.input"/);
  });
});

describe("stats", () => {
  it("count calls, failures, timeouts and denies, however the handler was called", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "rm" ? block("no") : undefined), { name: "guard" });
    bus.on("tool:before", () => {}, { name: "second" });
    bus.on("tool:before", () => {}, { name: "picky", tool: "edit" });
    bus.on("agent:start", () => {}, { name: "never" });
    for (let i = 0; i < 500; i++) bus.decide("tool:before", call(i % 5 === 0 ? "rm" : "ls"));
    bus.emit("tool:before", call());
    const stats = Object.fromEntries(bus.stats().map((row) => [row.name, row]));
    expect(stats.guard).toMatchObject({ calls: 501, denies: 100, failures: 0, neverFired: false });
    expect(stats.second).toMatchObject({ calls: 401 });
    expect(stats.picky).toMatchObject({ calls: 0, neverFired: true, lastFiredAt: undefined });
    expect(stats.never).toMatchObject({ calls: 0, neverFired: true, p50Ms: undefined });
    expect(stats.guard?.p50Ms).toBeGreaterThan(0);
    expect(Math.abs((stats.guard?.lastFiredAt as number) - Date.now())).toBeLessThan(10_000);
  });

  it("stay right for uniform lists, asynchronous guards and handlers that come and go", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => {}, { name: "a" });
    bus.on("tool:before", () => {}, { name: "b" });
    for (let i = 0; i < 130; i++) bus.decide("tool:before", call());
    bus.on("tool:before", async ({ payload }) => (payload.tool.input.command === "rm" ? block("no") : undefined), { name: "c" });
    bus.on("tool:before", () => {}, { name: "d" });
    for (let i = 0; i < 130; i++) await bus.decide("tool:before", call(i % 2 === 0 ? "rm" : "ls"));
    const calls = bus.stats().map(({ name, calls }) => [name, calls]);
    expect(calls).toEqual([
      ["a", 260],
      ["b", 260],
      ["c", 130],
      ["d", 65],
    ]);
    for (let i = 0; i < 100; i++) bus.emit("agent:start", {});
    bus.on("agent:*", () => {}, { name: "w" });
    for (let i = 0; i < 100; i++) bus.emit("agent:start", {});
    for (let i = 0; i < 70; i++) bus.event("agent:end").emit({});
    expect(bus.stats().at(-1)).toMatchObject({ name: "w", calls: 170 });
  });
});

it("counts for a handler only the decisions that began after it came", () => {
  const bus = createBus();
  let left = 3;
  bus.on("tool:before", () => {
    if (left-- > 0) bus.on("tool:before", () => {});
  });
  for (let i = 0; i < 10; i++) bus.decide("tool:before", call());
  expect(bus.stats().map(({ calls }) => calls)).toEqual([10, 9, 8, 7]);
});

describe("the catalogue behind it", () => {
  it("is found under any spelling", () => {
    expect(findEvent("PreToolUse")?.name).toBe("tool:before");
    expect(findEvent("constructor:x")?.spec.permission).toBe("custom.observe");
  });
});

describe("matching", () => {
  it("names the handlers that an event would reach, in order, and runs none", () => {
    const bus = createBus();
    const ran: string[] = [];
    const add = (name: string, options: HandlerOptions) => bus.on("tool:before", () => void ran.push(name), { name, ...options });
    add("other", { tool: "read" });
    add("late", { match: "tool.input.command =~ '^rm'", priority: -1 });
    add("throws", {
      match: () => {
        throw new Error("boom");
      },
    });
    add("first", { priority: 5 });
    bus.on("*", () => undefined, { name: "all" });
    const payload = { tool: { name: "bash", callId: "1", input: { command: "rm x" } } };
    expect(bus.matching("PreToolUse", payload).map(({ name }) => name)).toEqual(["first", "throws", "all", "late"]);
    expect(ran).toEqual([]);
    expect(bus.stats().every(({ calls }) => calls === 0)).toBe(true);
    expect(() => bus.matching("tool:befor")).toThrow("Did you mean");
  });
});
