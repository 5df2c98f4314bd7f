import { allow, block, inject, modify, type RunToolOptions, remind, replace, type ToolRun } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, never, reportingBus, withCommand } from "../../../../test/support/reporting-bus.js";
import { makeWhole } from "./make-whole.js";

/** A bus that notes what `tool:after` was told. */
function watchedBus(options = {}) {
  const { bus, codes } = reportingBus(options);
  const after: { status: string; output: unknown; isError: unknown; error: unknown }[] = [];
  bus.on(
    "tool:after",
    ({ payload }) =>
      void after.push({ status: payload.status, output: payload.tool.output, isError: payload.tool.isError, error: payload.error }),
  );
  return { bus, codes, after };
}

async function expectStatus(after: readonly { status: string }[], run: ToolRun, status: string): Promise<void> {
  expect(run.status).toBe(status);
  expect(after.map((seen) => seen.status)).toEqual([status]);
}

function neverAfter(act: () => void): Promise<never> {
  act();
  return never();
}

describe("runTool", () => {
  it("runs before, the tool, result and after, with what each of them made of it", async () => {
    const { bus, after } = watchedBus();
    bus.on("tool:before", ({ payload }) => [modify(withCommand(payload, "pwd")), inject("before"), allow()]);
    bus.on("tool:result", () => [inject("result"), remind({ body: "r" })]);
    bus.on("tool:result", ({ value }) => `${value}!`);
    bus.on("tool:after", () => inject("after"));
    const run = await bus.runTool(call("ls"), async (input, signal) => `${input.command} ${signal.aborted}`);
    await expectStatus(after, run, "ok");
    expect(run).toMatchObject({
      output: "pwd false!",
      injections: ["before", "result", "after"],
      decision: { verdict: "allow", modified: true },
    });
    expect(run.reminders.map(({ spec }) => spec.body)).toEqual(["r"]);
    expect(after[0]).toMatchObject({ output: "pwd false!", isError: false });
  });

  it("never runs what is blocked, and says so after", async () => {
    const { bus, after } = watchedBus();
    bus.on("tool:before", () => block("no"));
    let ran = false;
    const run = await bus.runTool(call(), () => {
      ran = true;
    });
    await expectStatus(after, run, "blocked");
    expect([ran, run.error, run.decision.reason]).toEqual([false, "no", "no"]);
  });

  it("does not run what a host must still ask about", async () => {
    const { bus, after } = watchedBus({ onAsk: "return" });
    bus.on("tool:before", () => ({ decision: "ask", reason: "sure?" }));
    await expectStatus(after, await bus.runTool(call(), () => "ran"), "blocked");
  });

  it("turns what the tool throws into an error", async () => {
    const { bus, after } = watchedBus();
    const broken = new Error("broken");
    const run = await bus.runTool(call(), () => {
      throw broken;
    });
    await expectStatus(after, run, "error");
    expect([run.error, after[0]?.error, after[0]?.isError]).toEqual([broken, broken, true]);
    const later = await bus.runTool(call(), () => Promise.reject(broken));
    expect(later).toMatchObject({ status: "error", error: broken });
  });

  it("ends a tool at its time limit and aborts its signal", async () => {
    const { bus, after } = watchedBus();
    let signal: AbortSignal | undefined;
    const run = await bus.runTool(
      call(),
      (_input, given) => {
        signal = given;
        return never();
      },
      { timeoutMs: 20 },
    );
    await expectStatus(after, run, "timeout");
    expect(signal?.aborted).toBe(true);
    expect(run.error).toMatchObject({ code: "HL_TIMEOUT" });
  });

  it("is cancelled by the caller before, while deciding and while running", async () => {
    const { bus, after } = watchedBus();
    const before = AbortSignal.abort("early");
    expect(await bus.runTool(call(), () => "ran", { signal: before })).toMatchObject({ status: "cancelled" });
    const running = new AbortController();
    expect(await bus.runTool(call(), () => neverAfter(() => running.abort("stop")), { signal: running.signal })).toMatchObject({
      status: "cancelled",
      error: "stop",
    });
    const deciding = new AbortController();
    bus.on("tool:before", () => neverAfter(() => deciding.abort("stop")));
    expect(await bus.runTool(call(), () => "ran", { signal: deciding.signal })).toMatchObject({ status: "cancelled" });
    expect(after.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled"]);
  });

  it.each([null, "rm -rf /", 7, true, [call()]])("blocks a call that is %s, and asks no guard", async (given: unknown) => {
    const { bus, after } = watchedBus();
    bus.on("tool:before", () => allow());
    const runTool = bus.runTool.bind(bus) as (call: unknown, run: () => string) => Promise<ToolRun>;
    const run = await runTool(given, () => "ran");
    await expectStatus(after, run, "blocked");
    expect(run.decision).toMatchObject({ verdict: "deny", trail: [], cause: { code: "HL_BAD_PAYLOAD" } });
  });

  const throwing = new Proxy({}, { get: () => expect.unreachable() });
  it.each([
    {},
    { tool: null },
    { tool: "bash" },
    { tool: { name: "bash" } },
    { tool: { name: "bash", input: "rm -rf /" } },
    { tool: { name: "bash", input: ["rm"] } },
    { tool: { input: {} } },
    { tool: { name: 5, input: {} } },
    { tool: throwing },
  ])("blocks a call without a name or an input with fields (%#), and asks no guard", async (given: object) => {
    const { bus, after } = watchedBus();
    bus.on("tool:before", () => allow());
    const runTool = bus.runTool.bind(bus) as (call: unknown, run: () => string) => Promise<ToolRun>;
    const run = await runTool(given, () => "ran");
    await expectStatus(after, run, "blocked");
    expect(run.decision).toMatchObject({ verdict: "deny", trail: [], cause: { code: "HL_BAD_PAYLOAD" } });
  });

  it("never rejects, not even when a guard registered with abort fails", async () => {
    const { bus, after } = watchedBus();
    bus.on(
      "tool:before",
      () => {
        throw new Error("x");
      },
      { onFailure: "abort" },
    );
    const run = await bus.runTool(call(), () => "ran");
    await expectStatus(after, run, "blocked");
    expect(run.decision.cause).toMatchObject({ code: "HL_ABORTED" });
  });

  it("survives observers and transformers that fail", async () => {
    const { bus } = watchedBus();
    bus.on("tool:after", () => {
      throw new Error("x");
    });
    bus.on("tool:result", () => {
      throw new Error("x");
    });
    expect(await bus.runTool(call(), () => "fine")).toMatchObject({ status: "ok", output: "fine" });
  });

  it("is refused, not run, when tools call tools in a circle", async () => {
    const { bus, codes } = watchedBus();
    const statuses: string[] = [];
    bus.on("tool:before", async (event) => void statuses.push((await event.bus.runTool(call(), () => "ran")).status));
    expect(await bus.runTool(call(), () => "ran")).toMatchObject({ status: "ok" });
    expect([statuses.length, statuses[0], codes()]).toEqual([33, "blocked", ["HL_DEPTH"]]);
  });
});

describe("runTool with a stream", () => {
  async function* half(...pieces: readonly string[]) {
    yield* pieces;
  }
  const closed = { onFailure: "closed" } as const;
  const hide = ({ value }: { readonly value: unknown }) => replace(String(value).replaceAll("s3cret", "***"));

  it("shows guards all of it at once, however it was cut", async () => {
    const { bus, after } = watchedBus();
    bus.on("tool:result", hide);
    const run = await bus.runTool(call(), () => half("a s3c", "ret!"));
    await expectStatus(after, run, "ok");
    expect([run.output, after[0]?.output]).toEqual(["a ***!", "a ***!"]);
  });

  it("leaves it alone where no handler listens, and where a closed guard is for another tool", async () => {
    const { bus } = reportingBus();
    const stream = half("a");
    expect((await bus.runTool(call(), () => stream)).output).toBe(stream);
    const held = { stream, run: () => {} };
    bus.on("tool:result", hide, { ...closed, tool: "another" });
    expect((await bus.runTool(call(), () => held)).output).toBe(held);
  });

  it("passes it on unguarded if it is told to, and records that", async () => {
    const { bus } = reportingBus();
    const seen: unknown[] = [];
    bus.on("tool:result", ({ value }) => void seen.push(value), closed);
    bus.on("tool:after", ({ payload: { tool } }) => void seen.push(tool.output, tool.isUnguarded));
    const stream = half("a");
    const run = await bus.runTool(call(), () => stream, { stream: "pass" });
    expect([run.output === stream, run.isUnguarded]).toEqual([true, true]);
    expect(await bus.runTool(call(), () => "text", { stream: "pass" })).not.toHaveProperty("isUnguarded");
    expect(seen).toEqual([undefined, true, "text", "text", undefined]);
  });

  it.each<[string, RunToolOptions, () => unknown]>([
    ["bytes", { maxStreamBytes: 100 }, () => half("a".repeat(60), "a".repeat(60))],
    ["pieces", { maxStreamBytes: 100 }, () => half(...Array(20).fill(""))],
    ["time", { streamTimeoutMs: 20 }, () => ({ [Symbol.asyncIterator]: () => ({ next: never }) })],
  ])("ends a stream that takes too many %s with an error, and withholds it for a closed guard", async (_, options, make) => {
    const { bus, codes } = reportingBus();
    bus.on("tool:result", hide);
    expect(await bus.runTool(call(), make, options)).toMatchObject({ status: "error", error: { code: "HL_STREAM_LIMIT" } });
    bus.on("tool:result", hide, closed);
    const run = await bus.runTool(call(), make, options);
    expect([run.status, run.output]).toEqual(["ok", expect.stringMatching(/^\[withheld: .*a stream that .*\d+/)]);
    expect(codes()).toEqual(["HL_STREAM_LIMIT"]);
  });

  it("tells the source when no more pieces are read: after an error, the limit and the caller's signal", async () => {
    const { bus } = watchedBus();
    const ends: string[] = [];
    const source = (name: string, next: () => unknown) => () => ({
      [Symbol.asyncIterator]: () => ({ next, return: () => void ends.push(name) }),
    });
    const broken = new Error("broken");
    const failing = source("error", () => Promise.reject(broken));
    expect(await bus.runTool(call(), failing)).toMatchObject({ status: "error", error: broken });
    await bus.runTool(
      call(),
      source("limit", () => ({ value: "aaaa" })),
      { maxStreamBytes: 40 },
    );
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = source("signal", () => neverAfter(() => controller.abort("stop")));
    expect(await bus.runTool(call(), waiting, { signal })).toMatchObject({ status: "cancelled", error: "stop" });
    await expect.poll(() => ends).toEqual(["error", "limit", "signal"]);
  });

  it("withholds what hangs in a promise, and keeps by reference what guards see whole", async () => {
    expect(await makeWhole({ key: never() }, { streamTimeoutMs: 10 })).toEqual({ unseen: expect.stringContaining("within 10 ms") });
    const plain = { list: [1, { when: new Date(0), ids: new Map([["a", new Uint8Array(2)]]) }] };
    expect((await makeWhole(plain)).value).toBe(plain);
  });

  it("tells a source at once that comes after the caller's signal", async () => {
    const { bus } = watchedBus();
    const controller = new AbortController();
    const { signal } = controller;
    const ends: string[] = [];
    const source = { [Symbol.asyncIterator]: () => ({ next: never, return: () => void ends.push("signal") }) };
    const late = () => {
      controller.abort("stop");
      return source;
    };
    expect(await bus.runTool(call(), late, { signal })).toMatchObject({ status: "cancelled", error: "stop" });
    await expect.poll(() => ends).toEqual(["signal"]);
  });

  it("withholds a value whose shared parts make it endless, and one with a name that every object has", async () => {
    let shared: object = { end: new Date(0) };
    for (let depth = 0; depth < 60; depth++) shared = { left: shared, right: shared };
    expect(await makeWhole(shared)).toEqual({ unseen: "it holds more than can be read" });
    const { unseen } = await makeWhole({ [Symbol.toStringTag]: "toString", key: () => {} });
    expect(unseen).toMatch("it holds");
  });

  it("leaves no rejection unhandled while another member is awaited", async () => {
    const failed = Promise.reject(new Error("broken"));
    const slow = new Promise((resolve) => setImmediate(() => setImmediate(resolve, 1)));
    expect(await makeWhole({ slow, failed })).toEqual({ unseen: "it holds something that cannot be read" });
  });

  it("refuses options that say something else", () => {
    const { bus } = reportingBus();
    const runTool = (options: object) => () => bus.runTool(call(), () => "", options);
    expect(runTool({ stream: "window" })).toThrow('"stream" must be "collect" or "pass"');
    expect(runTool({ maxStreamBytes: 0 })).toThrow('"maxStreamBytes" must be a whole number above 0');
  });
});
