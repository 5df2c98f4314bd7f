import { setTimeout as sleep } from "node:timers/promises";
import { type BusOptions, block, catalog, createBus, HookError, type ToolPayload } from "@hookline/core";
import { describe, expect, it } from "vitest";

function reportingBus(options: BusOptions = {}) {
  const errors: HookError[] = [];
  return { bus: createBus({ ...options, onError: (error) => errors.push(error) }), errors };
}

function toolCall(name: string, input: { readonly [key: string]: unknown } = {}): ToolPayload {
  return { session: { id: "s1" }, agent: { id: "a1" }, tool: { name, callId: "c1", input } };
}

const throwing = (message: string) => (): never => {
  throw new Error(message);
};
const rejecting = (message: string) => async (): Promise<never> => {
  await sleep(1);
  throw new Error(message);
};

describe("the four hook points", () => {
  it("go by the names openfang gives them, in PascalCase and snake_case", () => {
    const { bus } = reportingBus();
    const hookPoints = [
      ["BeforeToolCall", "before_tool_call", "tool:before"],
      ["AfterToolCall", "after_tool_call", "tool:after"],
      ["BeforePromptBuild", "before_prompt_build", "prompt:build"],
      ["AgentLoopEnd", "agent_loop_end", "agent:end"],
    ] as const;
    for (const [pascal, snake, canonical] of hookPoints) {
      bus.on(pascal, () => undefined);
      expect([bus.has(pascal), bus.has(snake), bus.has(canonical)]).toEqual([true, true, true]);
    }
    expect(bus.list().map(({ event }) => event)).toEqual(hookPoints.map(([, , canonical]) => canonical));
  });
});

describe("an error from a tool:before handler", () => {
  for (const [kind, failing] of [
    ["thrown", throwing],
    ["rejected", rejecting],
  ] as const) {
    it(`blocks with its message when ${kind}, and the error is kept as the cause`, async () => {
      const { bus, errors } = reportingBus();
      bus.on("BeforeToolCall", failing("shell_exec is not permitted"), { name: "policy" });
      const decision = await bus.decide("BeforeToolCall", toolCall("shell_exec"));
      expect(decision).toMatchObject({ verdict: "deny", allowed: false, by: "policy" });
      expect(decision.reason).toMatch(/^Handler "policy" failed on "tool:before": shell_exec is not permitted\./);
      expect(decision.cause).toBeInstanceOf(HookError);
      expect(decision.cause).toMatchObject({ code: "HL_HANDLER_FAILED", event: "tool:before", handler: "policy", failure: "crash" });
      expect(decision.cause?.cause).toEqual(new Error("shell_exec is not permitted"));
      expect(errors.map(({ code, handler }) => [code, handler])).toEqual([["HL_HANDLER_FAILED", "policy"]]);
    });
  }

  it("blocks with the text when a plain string is thrown", async () => {
    const { bus } = reportingBus();
    const handler = () => {
      throw "plain words";
    };
    bus.on("tool:before", handler);
    expect(await bus.decide("tool:before", toolCall("bash"))).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining('failed on "tool:before": plain words.'),
    });
  });

  it("ends the chain: handlers behind it are not called", async () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("tool:before", () => void seen.push("first"));
    bus.on("tool:before", throwing("no"));
    bus.on("tool:before", () => void seen.push("third"));
    expect((await bus.decide("tool:before", toolCall("bash"))).verdict).toBe("deny");
    expect(seen).toEqual(["first"]);
  });

  it("keeps the tool from running, and tool:after says it was blocked", async () => {
    const { bus } = reportingBus();
    const seen: unknown[] = [];
    bus.on("tool:before", throwing("not permitted"));
    bus.on("AfterToolCall", ({ payload }) => void seen.push(payload.status));
    const run = await bus.runTool(toolCall("bash"), () => seen.push("ran"));
    expect(run).toMatchObject({ status: "blocked", error: expect.stringContaining("not permitted") });
    expect(seen).toEqual(["blocked"]);
  });

  it("blocks on a timeout too, and calls it one", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => new Promise<undefined>(() => {}), { name: "hung", timeoutMs: 20 });
    const decision = await bus.decide("tool:before", toolCall("bash"));
    expect(decision).toMatchObject({ verdict: "deny", by: "hung", cause: { code: "HL_TIMEOUT", failure: "timeout" } });
    expect(decision.reason).toContain("within 20 ms");
  });

  it("keeps blocking however often it fails", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", throwing("still no"));
    for (let i = 0; i < 12; i++)
      expect(await bus.decide("tool:before", toolCall("bash"))).toMatchObject({
        verdict: "deny",
        reason: expect.stringContaining("still no"),
      });
  });

  it("does not block when the handler was registered open", async () => {
    const { bus, errors } = reportingBus();
    bus.on("tool:before", throwing("an accident"), { onFailure: "open" });
    expect(await bus.decide("tool:before", toolCall("bash"))).toMatchObject({ verdict: "pass", allowed: true });
    expect(errors.map(({ code }) => code)).toEqual(["HL_HANDLER_FAILED"]);
    expect(errors[0]?.message).toContain("an accident");
  });

  it("does not block a call its matcher does not match", async () => {
    const { bus, errors } = reportingBus();
    bus.on("tool:before", throwing("no"), { tool: "shell_exec" });
    expect((await bus.decide("tool:before", toolCall("file_read"))).verdict).toBe("pass");
    expect(errors).toEqual([]);
  });

  it("blocks when its matcher is what fails", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => undefined, { match: throwing("the matcher broke") });
    expect(await bus.decide("tool:before", toolCall("bash"))).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining("the matcher broke"),
    });
  });
});

const closed = { onFailure: "closed" } as const;

describe("an error on another event", () => {
  it("of an observed one is reported and ignored, closed or not, and the other handlers run", async () => {
    const { bus, errors } = reportingBus();
    const seen: string[] = [];
    bus.on("AfterToolCall", throwing("sync boom"), { ...closed, name: "one" });
    bus.on("AfterToolCall", rejecting("async boom"), { ...closed, name: "two" });
    bus.on("AfterToolCall", () => void seen.push("after"));
    await expect(bus.emit("AfterToolCall", { ...toolCall("bash"), status: "ok" })).resolves.toBeUndefined();
    bus.on("AgentLoopEnd", throwing("end boom"), { ...closed, name: "three" });
    bus.on("AgentLoopEnd", () => void seen.push("end"));
    expect(bus.emit("AgentLoopEnd", { reason: "done" })).toBeUndefined();
    expect(seen).toEqual(["after", "end"]);
    expect(errors.map(({ code, event, handler }) => [code, event, handler])).toEqual([
      ["HL_HANDLER_FAILED", "tool:after", "one"],
      ["HL_HANDLER_FAILED", "tool:after", "two"],
      ["HL_HANDLER_FAILED", "agent:end", "three"],
    ]);
  });

  it("of a transform is reported and ignored: the value so far goes on", async () => {
    const { bus, errors } = reportingBus();
    bus.on("BeforePromptBuild", (event) => `${event.value} and more`);
    bus.on("BeforePromptBuild", throwing("sync boom"), { name: "one" });
    bus.on("BeforePromptBuild", rejecting("async boom"), { name: "two" });
    bus.on("BeforePromptBuild", (event) => `${event.value}.`);
    expect((await bus.transform("BeforePromptBuild", "text")).value).toBe("text and more.");
    expect(errors.map(({ event, handler }) => [event, handler])).toEqual([
      ["prompt:build", "one"],
      ["prompt:build", "two"],
    ]);
  });

  it("of a gate that cannot be blocked is reported and ignored", async () => {
    const unblockable = Object.entries(catalog).filter(
      ([, spec]) => spec.kind === "gate" && !(spec.outcomes as readonly string[]).includes("block"),
    );
    expect(unblockable.map(([name]) => name)).toEqual(["session:start", "turn:before", "finish:before"]);
    for (const [name] of unblockable) {
      const { bus, errors } = reportingBus();
      bus.on(name as "session:start", throwing("boom"), closed);
      expect(await bus.decide(name as "session:start", {})).toMatchObject({ verdict: "pass", allowed: true });
      expect(errors.map(({ code, event }) => [code, event])).toEqual([["HL_HANDLER_FAILED", name]]);
    }
  });

  it("of every observed event of the catalogue never throws into the agent", async () => {
    for (const [name, { kind }] of Object.entries(catalog)) {
      if (kind !== "observe") continue;
      const { bus, errors } = reportingBus();
      bus.on(name as "agent:end", throwing("boom"), closed);
      bus.on(name as "agent:end", rejecting("boom"), closed);
      await expect(bus.emit(name as "agent:end", {})).resolves.toBeUndefined();
      expect(errors.map(({ event }) => event)).toEqual([name, name]);
    }
  });
});

describe("has", () => {
  it("lets a caller skip building a payload", async () => {
    const { bus } = reportingBus();
    let built = 0;
    const payload = () => {
      built++;
      return toolCall("bash");
    };
    const check = async () => (bus.has("tool:before") ? (await bus.decide("tool:before", payload())).allowed : true);
    expect(await check()).toBe(true);
    expect(built).toBe(0);
    const off = bus.on("tool:before", () => block());
    expect(await check()).toBe(false);
    expect(built).toBe(1);
    off();
    expect(await check()).toBe(true);
    expect(built).toBe(1);
  });

  it("knows exact and wildcard handlers, in every spelling, and none on other events", () => {
    const { bus } = reportingBus();
    expect(bus.has("tool:before")).toBe(false);
    const off = bus.on("tool:*", () => undefined);
    expect([bus.has("tool:before"), bus.has("BeforeToolCall"), bus.has("tool_after")]).toEqual([true, true, true]);
    expect([bus.has("agent:end"), bus.has("command:reset"), bus.has("no such event")]).toEqual([false, false, false]);
    off();
    expect(bus.has("tool:before")).toBe(false);
  });

  it("says the same before and after an event was first dispatched", async () => {
    const { bus } = reportingBus();
    bus.on("tool:*", () => undefined);
    bus.setSentinel(() => undefined);
    const events = ["tool:before", "tool:after", "llm:before", "agent:end", "tool:result", "prompt:build"] as const;
    const ask = () => events.map((event) => [event, bus.has(event)]);
    const before = ask();
    await bus.decide("tool:before", toolCall("bash"));
    await bus.decide("llm:before", {});
    await bus.emit("tool:after", { ...toolCall("bash"), status: "ok" });
    await bus.emit("agent:end", {});
    await bus.transform("tool:result", "text");
    await bus.transform("prompt:build", "text");
    expect(before).toEqual(ask());
  });

  it("does not count the sentinel, a guard, as a listener of events that are no gates", () => {
    const { bus } = reportingBus();
    bus.setSentinel(() => undefined);
    expect([bus.has("tool:before"), bus.has("agent:end"), bus.has("prompt:build")]).toEqual([true, false, false]);
    expect([bus.count("tool:before"), bus.count("agent:end"), bus.count("prompt:build")]).toEqual([1, 0, 0]);
  });

  it("is a field of an event's handle, for hot paths", () => {
    const { bus } = reportingBus();
    const handle = bus.event("BeforeToolCall");
    expect(handle.hasHandlers).toBe(false);
    const off = bus.on("*", () => undefined);
    expect(handle.hasHandlers).toBe(true);
    off();
    expect(handle.hasHandlers).toBe(false);
  });
});
