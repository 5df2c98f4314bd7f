import {
  again,
  allow,
  ask,
  block,
  createBus,
  type HandlerOptions,
  HookError,
  handled,
  inject,
  modify,
  type Outcome,
  remind,
  replace,
} from "@hookline/core";
import { createReminderBook } from "@hookline/core/remind";
import { describe, expectTypeOf, it } from "vitest";

const bus = createBus();
const ignore = () => undefined;

describe("the options of on", () => {
  it("are all of these", () => {
    const options: Required<Omit<HandlerOptions, "health" | "signal">> = {
      name: "no-rm",
      description: "Refuses rm -rf.",
      path: "hooks/no-rm.ts",
      owner: "my-ext",
      actor: "hook",
      permissions: ["tools.intercept"],
      priority: 10,
      stage: "guard",
      match: "tool.name == 'bash'",
      matchEvents: ["tool:before"],
      index: () => [],
      concern: { tool: ["bash"] },
      tool: ["bash", "sh*"],
      regex: { compile: (source) => new RegExp(source) },
      timeoutMs: 5_000,
      onFailure: "closed",
      once: false,
      suspend: false,
    };
    bus.on("tool:before", ignore, { ...options, signal: new AbortController().signal, health: () => ({ state: "running", restarts: 1 }) });
    bus.on("tool:before", ignore, { match: { tool: "bash", contains: "rm", where: { "tool.input.kind": "x*" } }, tool: "bash" });
    bus.on("tool:before", ignore, { match: (payload) => payload.tool?.name === "bash" });
  });

  it("and no others, whatever the kind of the event", () => {
    // @ts-expect-error priority
    bus.on("tool:before", ignore, { priorty: 1 });
    // @ts-expect-error priority
    bus.on("tool:result", ignore, { priorty: 1 });
    // @ts-expect-error priority
    bus.on("tool:after", ignore, { priorty: 1 });
    // @ts-expect-error priority
    bus.on("tool:*", ignore, { priorty: 1 });
    // @ts-expect-error priority
    bus.on("myapp:created", ignore, { priorty: 1 });
    // @ts-expect-error timeoutMs
    bus.on("tool:before", ignore, { name: "x", timeout: 1 });
    // @ts-expect-error timeoutMs
    bus.setSentinel(ignore, { timeout: 1 });
  });

  it("with values of their types", () => {
    // @ts-expect-error a stage there is not
    bus.on("tool:before", ignore, { stage: "gaurd" });
    // @ts-expect-error a failure mode there is not
    bus.on("tool:before", ignore, { onFailure: "deny" });
    // @ts-expect-error a number
    bus.on("tool:before", ignore, { timeoutMs: "5s" });
    // @ts-expect-error a list
    bus.on("tool:before", ignore, { permissions: "tools.intercept" });
    // @ts-expect-error a key of a match that there is not
    bus.on("tool:before", ignore, { match: { tol: "bash" } });
    // @ts-expect-error exactly: leave it out instead
    bus.on("tool:before", ignore, { name: undefined });
    // @ts-expect-error a controller is no signal
    bus.on("tool:before", ignore, { signal: new AbortController() });
  });

  it("return how to unregister", () => {
    const off = bus.on("tool:before", ignore);
    expectTypeOf(off()).toEqualTypeOf<void>();
    expectTypeOf(off[Symbol.dispose]()).toEqualTypeOf<void>();
    using _ = bus.on("tool:before", ignore);
  });
});

describe("the options of createBus", () => {
  it("are checked too", () => {
    createBus({ source: "my-agent", observe: "sequential", onModify: "stop", onAsk: "return", runAll: true, freeze: false });
    createBus({ source: { app: "my-agent", pid: 1 }, reminders: createReminderBook(), trace: (line) => line.length });
    createBus({ onError: ({ code, handler }) => [code, handler] });
    // @ts-expect-error source
    createBus({ sorce: "my-agent" });
    // @ts-expect-error no such way to ask
    createBus({ onAsk: "prompt" });
    // @ts-expect-error an app has a name
    createBus({ source: { pid: 1 } });
    // @ts-expect-error no engine
    createBus({ regex: RegExp });
    // @ts-expect-error no such category
    bus.clear({ category: "tools" });
    bus.clear({ category: "session", owner: "my-ext" });
  });
});

describe("the constructors of outcomes", () => {
  it("say which they make", () => {
    expectTypeOf(block("no")).toEqualTypeOf<Outcome<"block">>();
    expectTypeOf(ask("sure?")).toEqualTypeOf<Outcome<"ask">>();
    expectTypeOf(allow()).toEqualTypeOf<Outcome<"allow">>();
    expectTypeOf(modify({})).toEqualTypeOf<Outcome<"modify">>();
    expectTypeOf(inject("text", { keep: true })).toEqualTypeOf<Outcome<"inject">>();
    expectTypeOf(remind({ body: "text" }, { keep: true })).toEqualTypeOf<Outcome<"remind">>();
    expectTypeOf(replace(3)).toEqualTypeOf<Outcome<"replace">>();
    expectTypeOf(again()).toEqualTypeOf<Outcome<"again">>();
    expectTypeOf(handled()).toEqualTypeOf<Outcome<"handled">>();
    expectTypeOf<Outcome<"block">>().not.toExtend<Outcome<"allow">>();
    expectTypeOf<Outcome<"block">>().toExtend<Outcome>();
  });

  it("refuse what they cannot use", () => {
    // @ts-expect-error a reason is text
    block(3);
    // @ts-expect-error endLoop
    block("no", { endloop: true });
    // @ts-expect-error text
    inject(3);
    // @ts-expect-error keep
    inject("text", { kept: true });
    // @ts-expect-error a body
    remind({});
    // @ts-expect-error ttlTurns
    remind({ body: "text", ttl: 3 });
    // @ts-expect-error nobody to inherit it
    remind({ body: "text", propagate: "children" });
    // @ts-expect-error an unknown kind
    expectTypeOf<Outcome<"deny">>();
  });
});

describe("an error", () => {
  it("has a code of ours", () => {
    const { code } = new HookError("HL_TIMEOUT", "late");
    expectTypeOf(code).toExtend<`HL_${string}`>();
    // @ts-expect-error no such code
    new HookError("HL_LATE", "late");
    // @ts-expect-error never equal to something else
    if (code === "HL_LATE") return;
  });
});
