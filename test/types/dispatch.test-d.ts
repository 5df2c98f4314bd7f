import {
  createBus,
  createEventQueue,
  type Decision,
  type EventHandle,
  type GateHandle,
  getDefaultBus,
  type HookError,
  mirror,
  type Reminder,
  setDefaultBus,
  type ToolPayload,
  type ToolRun,
  type ToolStatus,
  type TrailStep,
  type TransformHandle,
  type TransformResult,
  type Verdict,
} from "@hookline/core";
import { describe, expectTypeOf, it } from "vitest";

const bus = createBus();
const tool = { name: "bash", callId: "c1", input: { command: "ls" } };

describe("emit", () => {
  it("returns a promise only if somebody did", () => {
    expectTypeOf(bus.emit("agent:start", {})).toEqualTypeOf<void | Promise<void>>();
    expectTypeOf(bus.emitSync("agent:start", {})).toEqualTypeOf<void>();
    expectTypeOf(bus.collect("agent:start", {})).toEqualTypeOf<Promise<unknown[]>>();
  });

  it("takes events of every kind, with their payload", () => {
    bus.emit("tool:before", { tool });
    bus.emit("tool:result", { tool });
    bus.emit("agent:end", { reason: "done", anything: "else" });
    // @ts-expect-error a reason is text
    bus.emit("agent:end", { reason: 3 });
    // @ts-expect-error a session is an object
    bus.emit("session:start", { session: "s1" });
    // @ts-expect-error no tool
    bus.emitSync("tool:progress", {});
    // @ts-expect-error a payload is an object
    bus.emit("agent:start", "payload");
    // @ts-expect-error a tool has a name
    bus.collect("tool:before", { tool: { input: {} } });
  });

  it("takes no pattern", () => {
    // @ts-expect-error a pattern is no event
    bus.emit("tool:*", {});
    // @ts-expect-error a pattern is no event
    bus.emitSync("myapp:*", {});
    // @ts-expect-error a pattern is no event
    bus.collect("*", {});
    // @ts-expect-error a pattern is no event
    createEventQueue(bus).push("tool:*", {});
  });
});

describe("decide", () => {
  it("gives a decision with the payload of the event, perhaps later", async () => {
    const pending = bus.decide("tool:before", { tool });
    expectTypeOf(pending).toEqualTypeOf<Decision<ToolPayload> | Promise<Decision<ToolPayload>>>();
    // @ts-expect-error it may be a promise
    expectTypeOf(pending.verdict).toEqualTypeOf<Verdict>();
    const decision = await pending;
    expectTypeOf(decision.verdict).toEqualTypeOf<"pass" | "allow" | "ask" | "deny">();
    expectTypeOf(decision.allowed).toEqualTypeOf<boolean>();
    expectTypeOf(decision.modified).toEqualTypeOf<boolean>();
    expectTypeOf(decision.endLoop).toEqualTypeOf<boolean>();
    expectTypeOf(decision.reason).toEqualTypeOf<string | undefined>();
    expectTypeOf(decision.by).toEqualTypeOf<string | undefined>();
    expectTypeOf(decision.cause).toEqualTypeOf<HookError | undefined>();
    expectTypeOf(decision.payload.tool.name).toEqualTypeOf<string>();
    expectTypeOf(decision.again?.by).toEqualTypeOf<string | undefined>();
    expectTypeOf(decision.injections).toEqualTypeOf<readonly string[]>();
    expectTypeOf(decision.reminders).toEqualTypeOf<readonly Reminder[]>();
    expectTypeOf(decision.trail).toEqualTypeOf<readonly TrailStep[]>();
    // @ts-expect-error a decision is not changed
    decision.verdict = "allow";
  });

  it("needs a payload", () => {
    // @ts-expect-error no payload
    bus.decide("tool:before");
    // @ts-expect-error no payload
    bus.decide("command:reset");
    // @ts-expect-error no payload
    bus.decide(String("tool:before"));
    // @ts-expect-error no payload
    bus.event("tool:before").decide();
  });

  it("takes a name known only at run time, with any payload", async () => {
    const payload: unknown = JSON.parse("{}");
    expectTypeOf(await bus.decide(String("tool:before"), payload)).toEqualTypeOf<Decision<unknown>>();
    expectTypeOf(await bus.transform(String("tool:result"), payload, payload)).toEqualTypeOf<TransformResult<unknown>>();
    bus.emit(String("agent:start"), payload);
    bus.emitSync(String("agent:start"), payload);
    bus.collect(String("agent:start"), payload);
    createEventQueue(bus).push(String("agent:start"), payload);
    const either = (name: "tool:before" | "prompt:submit") => bus.decide(name, { tool });
    expectTypeOf(either).toBeFunction();
    // @ts-expect-error one of them is not a gate
    const mixed = (name: "tool:before" | "tool:after") => bus.decide(name, { tool });
    expectTypeOf(mixed).toBeFunction();
  });

  it("takes gates only", () => {
    // @ts-expect-error an observe event
    bus.decide("tool:after", { tool, status: "ok" });
    // @ts-expect-error an observe event by its alias
    bus.decide("PostToolUse", { tool, status: "ok" });
    // @ts-expect-error a transform
    bus.decide("tool:result", { tool });
    // @ts-expect-error a custom event is observed
    bus.decide("myapp:created", {});
    // @ts-expect-error a pattern
    bus.decide("tool:*", {});
    // @ts-expect-error a mirrored event
    bus.decide("tui:tool.start", {});
    bus.decide("command:reset", {});
    bus.decide("UserPromptSubmit", { prompt: "hello" });
  });

  it("takes a signal and no other option", () => {
    bus.decide("tool:before", { tool }, { signal: new AbortController().signal });
    // @ts-expect-error no such option
    bus.decide("tool:before", { tool }, { timeoutMs: 3 });
    // @ts-expect-error no signal
    bus.decide("tool:before", { tool }, { signal: new AbortController() });
  });
});

describe("a wrong payload", () => {
  // Each directive covers the one line below it: the error must be on the payload's line, not on the name's.
  it("is what the compiler blames, not the name", () => {
    bus.decide(
      "tool:before",
      // @ts-expect-error a tool has a name
      { tool: { input: {} } },
    );
    bus.emit(
      "tool:after",
      // @ts-expect-error no status
      { tool },
    );
    bus.emitSync(
      "session:start",
      // @ts-expect-error a session is an object
      { session: "s1" },
    );
    bus.collect(
      "agent:end",
      // @ts-expect-error a reason is text
      { reason: 3 },
    );
    createEventQueue(bus).push(
      "file:edited",
      // @ts-expect-error a target is text
      { target: 3 },
    );
    bus.transform(
      "tool:env",
      // @ts-expect-error an environment is no text
      "PATH=/bin",
    );
  });

  it("and a wrong name is blamed itself", () => {
    bus.decide(
      // @ts-expect-error an observe event
      "tool:after",
      { tool, status: "ok" },
    );
    bus.emit(
      // @ts-expect-error tool:before was meant
      "tool:befor",
      { tool },
    );
  });
});

describe("transform", () => {
  it("gives the value back in its type", async () => {
    const env = await bus.transform("tool:env", { PATH: "/bin" }, { tool });
    expectTypeOf(env).toEqualTypeOf<TransformResult<{ readonly [name: string]: string | undefined }>>();
    expectTypeOf(env.value.PATH).toEqualTypeOf<string | undefined>();
    expectTypeOf(env.injections).toEqualTypeOf<readonly string[]>();
    expectTypeOf((await bus.transform("tool:result", "text", { tool })).value).toEqualTypeOf<unknown>();
    expectTypeOf((await bus.transform("shell_env", process.env)).value.PATH).toEqualTypeOf<string | undefined>();
  });

  it("takes transforms only, with their values", () => {
    // @ts-expect-error a gate
    bus.transform("tool:before", "text");
    // @ts-expect-error an observe event
    bus.transform("tool:after", "text");
    // @ts-expect-error a custom event
    bus.transform("myapp:created", "text");
    // @ts-expect-error an environment is no text
    bus.transform("tool:env", "PATH=/bin");
    // @ts-expect-error no value
    bus.transform("tool:env");
    // @ts-expect-error a context has a tool
    bus.transform("tool:result", "text", {});
  });
});

describe("a handle", () => {
  it("does what its kind can do", () => {
    const before = bus.event("tool:before");
    expectTypeOf(before).toExtend<GateHandle<"tool:before">>();
    expectTypeOf(before.hasHandlers).toEqualTypeOf<boolean>();
    expectTypeOf(before.decide({ tool })).toEqualTypeOf<Decision<ToolPayload> | Promise<Decision<ToolPayload>>>();
    expectTypeOf(before.emit({ tool })).toEqualTypeOf<void | Promise<void>>();
    expectTypeOf(bus.event("PreToolUse").decide).toBeFunction();
    expectTypeOf(bus.event("tool:env")).toExtend<TransformHandle<"tool:env">>();
    expectTypeOf(bus.event("tool:env").transform({})).toExtend<TransformResult<unknown> | Promise<TransformResult<unknown>>>();
    expectTypeOf(bus.event("tool:after")).toExtend<EventHandle<"tool:after">>();
    expectTypeOf(bus.event("command:reset").decide).toBeFunction();
  });

  it("does nothing else", () => {
    // @ts-expect-error an observe event
    bus.event("tool:after").decide;
    // @ts-expect-error an observe event by its alias
    bus.event("PostToolUse").decide;
    // @ts-expect-error an observe event
    bus.event("tool:after").transform;
    // @ts-expect-error a gate
    bus.event("tool:before").transform;
    // @ts-expect-error a transform
    bus.event("tool:result").decide;
    // @ts-expect-error a custom event
    bus.event("myapp:created").decide;
    // @ts-expect-error a pattern is no event
    bus.event("tool:*");
    // @ts-expect-error everything is no event
    bus.event("*");
    // @ts-expect-error no tool
    bus.event("tool:before").decide({});
  });
});

describe("runTool", () => {
  it("hands the input over and says what came of it", async () => {
    const run = await bus.runTool({ session: { id: "s1" }, tool }, (input, signal) => {
      expectTypeOf(input.command).toEqualTypeOf<string | undefined>();
      expectTypeOf(signal.aborted).toEqualTypeOf<boolean>();
      return "output";
    });
    expectTypeOf(run).toEqualTypeOf<ToolRun<string>>();
    expectTypeOf(run.output).toEqualTypeOf<string | undefined>();
    expectTypeOf(bus.runTool({ tool }, () => 3)).toEqualTypeOf<Promise<ToolRun<number>>>();
    expectTypeOf(bus.runTool({ tool }, async () => ({ rows: 1 }))).toEqualTypeOf<Promise<ToolRun<{ rows: number }>>>();
    expectTypeOf<ToolRun<number>>().toExtend<ToolRun>();
    expectTypeOf(run.status).toEqualTypeOf<ToolStatus>();
    expectTypeOf(run.decision).toEqualTypeOf<Decision<ToolPayload>>();
    bus.runTool({ tool }, async () => "output", { timeoutMs: 1_000, signal: new AbortController().signal });
  });

  it("refuses a call that is none", () => {
    // @ts-expect-error no tool
    bus.runTool({ session: { id: "s1" } }, () => "output");
    // @ts-expect-error a tool has a name
    bus.runTool({ tool: { input: {} } }, () => "output");
    // @ts-expect-error a session is an object
    bus.runTool({ session: "s1", tool }, () => "output");
    // @ts-expect-error no such option
    bus.runTool({ tool }, () => "output", { timeout: 1_000 });
  });
});

describe("the small helpers", () => {
  it("take what a bus takes", () => {
    const queue = createEventQueue(bus, { max: 10 });
    queue.push("file:edited", { target: "a.ts" });
    expectTypeOf(queue.drain()).toEqualTypeOf<Promise<number>>();
    // @ts-expect-error no such option
    createEventQueue(bus, { limit: 10 });
    // @ts-expect-error a target is text
    queue.push("file:edited", { target: 3 });
    const emitUi = mirror(bus, "tui", (event, sessionId, payload) => [event, sessionId, payload]);
    emitUi("tool.start", "s1", { anything: 1 });
    setDefaultBus(bus);
    expectTypeOf(getDefaultBus()).toEqualTypeOf(bus);
  });

  it("and an approver that answers", () => {
    bus.setApprover(async ({ event, reason }) => ({ verdict: event === "tool:before" ? "allow" : "deny", reason: reason ?? "", by: "me" }));
    bus.setApprover(() => ({ verdict: "allow", payload: {} }));
    bus.setApprover(null);
    // @ts-expect-error an approver does not ask
    bus.setApprover(() => ({ verdict: "ask" }));
    // @ts-expect-error an approver answers
    bus.setApprover(() => undefined);
  });
});
