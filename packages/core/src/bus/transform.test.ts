import { block, createBus, inject, joinInjections, remind, replace, type TransformHandle } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, never, reportingBus } from "../../../../test/support/reporting-bus.js";

describe("transform", () => {
  it("is a waterfall over the value, by plain return or replace", async () => {
    const bus = createBus();
    bus.on("tool:result", ({ value }) => `${value}b`);
    bus.on("tool:result", async ({ value }) => replace(`${value}c`));
    bus.on("tool:result", () => {});
    bus.on("tool:result", ({ value }) => ({ result: `${value}d` }));
    expect((await bus.transform("tool:result", "a", call())).value).toBe("abcd");
  });

  it.each([null, "text", 7, true, []])("rejects the context %s, also through a handle", (context: unknown) => {
    const bus = createBus();
    const rejected = expect.objectContaining({ code: "HL_BAD_PAYLOAD", event: "tool:result" });
    const handle: { transform(value: string, context?: unknown): unknown } = bus.event("tool:result") as TransformHandle;
    expect(() => bus.transform(String("tool:result"), "a", context)).toThrow(rejected);
    expect(() => handle.transform("a", context)).toThrow(rejected);
    expect(handle.transform("a")).toMatchObject({ value: "a" });
  });

  it("is synchronous while its handlers are", () => {
    const bus = createBus();
    bus.on("tool:result", ({ value }) => `${value}!`);
    expect(bus.transform("tool:result", "a", call())).toMatchObject({ value: "a!" });
  });

  it("leaves a failing handler out and goes on with the value so far", async () => {
    const { bus, codes } = reportingBus();
    bus.on("tool:result", ({ value }) => `${value}1`);
    bus.on("tool:result", () => {
      throw new Error("x");
    });
    bus.on("tool:result", () => never(), { timeoutMs: 15 });
    bus.on("tool:result", ({ value }) => `${value}2`);
    const result = await bus.transform("tool:result", "v", call());
    expect(result.value).toBe("v12");
    expect(result.trail.map(({ action }) => action)).toEqual(["replace", "failed", "failed", "replace"]);
    expect(codes()).toEqual(["HL_HANDLER_FAILED", "HL_TIMEOUT"]);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("cannot parse a secret")), "crash"],
    ["does not answer", () => never(), "timeout"],
    ["returns something else", () => 7, "invalid_verdict"],
    ["says what the event does not know", () => block("no"), "invalid_verdict"],
  ])("withholds the value from a closed handler that %s, and quotes nothing of it", async (_, handler, failure) => {
    const { bus } = reportingBus();
    bus.on("tool:result", handler as never, { name: "redact", onFailure: "closed", timeoutMs: 15 });
    bus.on("tool:result", ({ value }) => `${value}, seen`);
    const result = await bus.transform("tool:result", "a secret", call());
    expect(result.value).toBe(`[withheld: "redact" failed (${failure})], seen`);
    expect(result.trail[0]).toMatchObject({ action: "failed", actor: { kind: "guard", name: "redact" } });
    expect(result).toMatchObject({ isWithheld: true, withheldBy: { kind: "guard", name: "redact" } });
  });

  it.each([{}, { onFailure: "closed" }] as const)(
    "goes on without a pattern handler that does not say what its failure means, on a bus %j",
    async (options) => {
      const { bus, codes } = reportingBus(options);
      bus.on("tool:*", () => Promise.reject(new Error("the log is full")), { name: "log" });
      bus.on("*", ((event: unknown) => [event].length) as never, { name: "count" });
      expect(await bus.transform("tool:result", "text", call())).toMatchObject({ value: "text" });
      expect(codes()).toEqual(["HL_HANDLER_FAILED", "HL_OUTCOME_NOT_ALLOWED"]);
    },
  );

  it("withholds an environment as an environment", async () => {
    const { bus } = reportingBus();
    bus.on("tool:env", () => Promise.reject(new Error("x")), { name: "strip", onFailure: "closed" });
    const { value } = await bus.transform("tool:env", { TOKEN: "secret" }, call());
    expect(value).toEqual({ HOOKLINE_WITHHELD: '[withheld: "strip" failed (crash)]' });
  });

  it("withholds the output of a tool that was run", async () => {
    const { bus } = reportingBus();
    bus.on("tool:result", () => Promise.reject(new Error("x")), { name: "redact", onFailure: "closed" });
    const seen: unknown[] = [];
    bus.on("tool:after", ({ payload }) => void seen.push(payload.tool.output));
    const run = await bus.runTool(call(), () => ({ stdout: "secret" }));
    expect([run.output, ...seen]).toEqual(Array(2).fill('[withheld: "redact" failed (crash)]'));
  });

  it("collects injections and reminders", async () => {
    const bus = createBus();
    bus.on("prompt:build", () => [inject("one"), replace("p2")], { name: "a" });
    bus.on("prompt:build", () => ({ inject: ["two", "three"], reminder: { body: "r" } }), { name: "b" });
    bus.on("prompt:build", () => remind({ body: "r2" }), { name: "c" });
    const result = await bus.transform("prompt:build", "p", {});
    expect(result.value).toBe("p2");
    expect(joinInjections(result)).toBe("one\n\ntwo\n\nthree");
    expect(result.reminders.map(({ spec, by }) => `${by} ${spec.body}`)).toEqual(["b r", "c r2"]);
  });

  it("takes objects and lists as values, and shapes only when they are nothing else", async () => {
    const bus = createBus();
    bus.on("tool:env", ({ value }) => ({ ...value, TOKEN: undefined }));
    expect((await bus.transform("tool:env", { TOKEN: "secret", A: "1" }, call())).value).toEqual({ A: "1", TOKEN: undefined });
    bus.on("prompt:build", ({ value }) => [...(value as string[]), "more"]);
    expect((await bus.transform("prompt:build", ["a"], {})).value).toEqual(["a", "more"]);
  });

  it("is not changed by what a handler returns by accident", async () => {
    const { bus, codes } = reportingBus();
    const log: unknown[] = [];
    bus.on("tool:*", (event) => log.push(event));
    bus.on("*", () => "a wildcard's string");
    bus.on("tool:result", ((event: unknown) => log.push(event)) as never);
    bus.on("tool:result", (() => block("no")) as never);
    expect((await bus.transform("tool:result", "kept", call())).value).toBe("kept");
    expect(codes()).toEqual(Array(4).fill("HL_OUTCOME_NOT_ALLOWED"));
  });

  it("matches on the value so far", async () => {
    const bus = createBus();
    bus.on("tool:result", () => "masked", { match: "result.text contains secret" });
    bus.on("tool:result", ({ value }) => `${value}, seen`, { match: "result.text == masked" });
    expect((await bus.transform("tool:result", "a secret", call())).value).toBe("masked, seen");
    expect((await bus.transform("tool:result", "harmless", call())).value).toBe("harmless");
  });

  it("takes transform events only", () => {
    const bus = createBus();
    expect(() => bus.transform("tool:before" as "tool:result", "x")).toThrow(/HL_|kind gate, not transform/);
    expect(() => bus.decide("tool:result" as "tool:before", call())).toThrow(/kind transform, not gate/);
    expect(() => bus.decide("agent:start" as "tool:before", call())).toThrow(/Use bus.emit/);
  });
});
