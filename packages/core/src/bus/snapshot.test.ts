import { type ApprovalReply, allow, ask, createBus, type Decision, modify, type ToolPayload } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, reportingBus } from "../../../../test/support/reporting-bus.js";

type Call = ReturnType<typeof call>;
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A guard that is closed and passes everything but the forbidden call. */
const guard = ({ payload }: { readonly payload: ToolPayload }): unknown =>
  payload.tool.input.command === "rm" ? { decision: "deny" } : undefined;

function write(payload: unknown): void {
  (payload as { tool: { input: { command: string } } }).tool.input.command = "rm";
}

/** What the tool was given, or undefined where it did not run. */
async function ranWith(prepare: (bus: ReturnType<typeof createBus>, payload: Call) => void): Promise<unknown> {
  const { bus } = reportingBus({ askTimeoutMs: 1_000 });
  bus.on("tool:before", guard as never, { name: "no-rm" });
  const payload = call("ls");
  prepare(bus, payload);
  let given: unknown;
  await bus.runTool(payload, (input) => {
    given = { ...input };
  });
  return given;
}

describe("a change in place cannot run what was not judged", () => {
  it.each<[string, (bus: ReturnType<typeof createBus>, payload: Call) => void]>([
    ["by the caller, while a guard thinks", (bus, payload) => void bus.on("tool:before", () => later().then(() => write(payload)))],
    [
      "by the caller, after the guards",
      (bus, payload) => void bus.on("tool:before", () => queueMicrotask(() => write(payload)), { stage: "observe" }),
    ],
    ["by a handler that keeps the caller's object", (bus, payload) => void bus.on("tool:before", () => write(payload))],
    [
      "by the approver",
      (bus, payload) => {
        bus.on("tool:before", () => ask("sure?"));
        bus.setApprover(() => {
          write(payload);
          return { verdict: "allow" };
        });
      },
    ],
    [
      "by a rewriter, of what it returned",
      (bus) => {
        bus.on("tool:before", ({ payload: seen }) => {
          if (seen.tool.input.command !== "ls") return undefined;
          const input = { command: "pwd" };
          queueMicrotask(() => write({ tool: { input } }));
          return modify({ ...seen, tool: { ...seen.tool, input } });
        });
        bus.on("tool:before", later as never);
      },
    ],
    [
      "by the approver, of what it returned",
      (bus) => {
        bus.on("tool:before", () => ask("sure?"));
        bus.on("tool:before", later as never);
        bus.setApprover(({ payload: asked }): ApprovalReply => {
          const edited = structuredClone(asked);
          setTimeout(() => write(edited));
          return { verdict: "allow", payload: edited };
        });
      },
    ],
  ])("%s", async (_, prepare) => {
    expect([{ command: "ls" }, { command: "pwd" }]).toContainEqual(await ranWith(prepare));
  });

  it.each<[string, (bus: ReturnType<typeof createBus>) => void]>([
    ["a guard", (bus) => void bus.on("tool:before", ({ payload: seen }) => write(seen))],
    ["a later guard, after an allow", (bus) => void bus.on("tool:before", ({ payload: seen }) => [write(seen), allow()] as never)],
    ["a rewriter", (bus) => void bus.on("tool:before", ({ payload: seen }) => write(seen), { stage: "rewrite", onFailure: "closed" })],
    [
      "an approver",
      (bus) => {
        bus.on("tool:before", () => ask("sure?"));
        bus.setApprover(({ payload: asked }) => {
          write(asked);
          return { verdict: "allow" };
        });
      },
    ],
  ])("%s that writes to what it is given has failed", async (_, prepare) => {
    expect(await ranWith(prepare)).toBeUndefined();
  });

  it("an observer that writes to what it is given changes nothing", async () => {
    expect(await ranWith((bus) => void bus.on("tool:before", ({ payload: seen }) => write(seen), { stage: "observe" }))).toEqual({
      command: "ls",
    });
  });

  it("a tap that writes to a decision changes nothing", async () => {
    expect(await ranWith((bus) => void bus.tap({ dispatched: (_, { decision }) => decision && write(decision.payload) }))).toEqual({
      command: "ls",
    });
  });

  it.each<[string, unknown, (value: never) => void]>([
    ["a Map", new Map([["command", "ls"]]), (map: Map<string, string>) => map.set("command", "rm")],
    ["a Set", new Set(["ls"]), (set: Set<string>) => set.add("rm")],
    ["a Date", new Date(0), (date: Date) => date.setTime(1)],
    ["bytes", new Uint8Array(2), (bytes: Uint8Array) => bytes.fill(1)],
    ["an ArrayBuffer", new ArrayBuffer(2), (bytes: ArrayBuffer) => new Uint8Array(bytes).fill(1)],
    ["a DataView", new DataView(new ArrayBuffer(2)), (view: DataView) => view.setInt8(0, 1)],
  ])("what cannot be frozen is kept apart: %s", async (_, value, change) => {
    const { bus, codes } = reportingBus();
    const payload = { tool: { name: "t", input: { deep: [value] } } } as unknown as ToolPayload;
    const deepOf = ({ tool }: ToolPayload): never => (tool.input.deep as never[])[0] as never;
    const before = structuredClone(payload);
    const seen: unknown[] = [];
    const writes = ({ payload: given }: { readonly payload: ToolPayload }): void => void change(deepOf(given));
    bus.on("tool:before", writes, { name: "open", onFailure: "open" });
    bus.on("tool:before", ({ payload: given }) => void seen.push(structuredClone(given)));
    const decision = (await bus.decide("tool:before", payload)) as Decision<ToolPayload>;
    expect([decision.verdict, decision.payload, seen[0]]).toEqual(["pass", before, before]);
    // It is the host's alone: neither the caller's nor that of a handler.
    change(deepOf(decision.payload));
    expect([payload, await bus.decide("tool:before", payload)]).toMatchObject([before, { payload: before }]);
    bus.on("tool:before", writes, { name: "closed" });
    expect(await bus.decide("tool:before", payload)).toMatchObject({ verdict: "deny", by: "closed", payload: before });
    expect(new Set(codes())).toEqual(new Set(["HL_HANDLER_FAILED"]));
    expect(payload).toEqual(before);
  });
});

describe("the copy", () => {
  const judged = (payload: object): { readonly seen: ToolPayload; readonly decision: Decision<ToolPayload> } => {
    const bus = createBus();
    const seen: ToolPayload[] = [];
    bus.on("tool:before", ({ payload: given }) => void seen.push(given));
    const decision = bus.decide("tool:before", payload as ToolPayload) as Decision<ToolPayload>;
    return { seen: seen[0] as ToolPayload, decision };
  };
  const input = (fields: object): object => ({ tool: { name: "t", input: fields } });

  it("is frozen for handlers, another one for the host, and neither is the caller's", () => {
    const payload = input({ list: [{ a: 1 }], text: "x" });
    const { seen, decision } = judged(payload);
    expect(seen).toEqual(payload);
    for (const part of [seen, seen.tool, seen.tool.input, seen.tool.input.list]) expect(Object.isFrozen(part)).toBe(true);
    expect(decision.payload).toEqual(payload);
    expect(decision.payload).toBe(decision.payload);
    write(decision.payload);
    expect([seen, payload]).not.toContainEqual(decision.payload);
  });

  it("reads each field once, also of a Proxy", async () => {
    const reads: string[] = [];
    const watched = (target: object, path: string): object =>
      new Proxy(target, {
        get: (object, key, self) => {
          reads.push(`${path}.${String(key)}`);
          const value: unknown = Reflect.get(object, key, self);
          return typeof value === "object" && value !== null ? watched(value, `${path}.${String(key)}`) : value;
        },
      });
    const bus = createBus();
    for (let i = 0; i < 3; i++) bus.on("tool:before", guard as never, { tool: "t" });
    await bus.decide("tool:before", watched(input({ a: 1, list: [1] }), "") as ToolPayload);
    expect(reads).toEqual([
      ".tool",
      ".tool.name",
      ".tool.input",
      ".tool.input.a",
      ".tool.input.list",
      ".tool.input.list.length",
      ".tool.input.list.0",
    ]);
  });

  it("keeps cycles, bare objects, __proto__ and what other realms made", () => {
    const self: Record<string, unknown> = JSON.parse('{"__proto__":{"polluted":1}}');
    self.me = self;
    self.list = [self];
    const bare = Object.assign(Object.create(null), { a: { b: 1 } });
    const { seen, decision } = judged(input({ self, bare }));
    for (const given of [seen, decision.payload]) {
      const copy = given.tool.input.self as Record<string, unknown>;
      expect(copy).not.toBe(self);
      expect([copy.me === copy, (copy.list as unknown[])[0] === copy]).toEqual([true, true]);
      expect(Object.getOwnPropertyDescriptor(copy, "__proto__")?.value).toEqual({ polluted: 1 });
      expect(Object.getPrototypeOf(given.tool.input.bare)).toBe(null);
      expect(given.tool.input.bare).toEqual({ a: { b: 1 } });
    }
    expect(decision.opaque).toBeUndefined();
    const { bytes, floats } = judged(input({ bytes: Buffer.from("ls"), floats: new Float64Array([0.5]) })).decision.payload.tool.input;
    expect([bytes, floats]).toEqual([Buffer.from("ls"), new Float64Array([0.5])]);
  });

  it("names what it could not copy", () => {
    class Own {
      value = 1;
    }
    const own = new Own();
    const { signal } = new AbortController();
    const { seen, decision } = judged({ ...input({ run: guard, list: [{ own }], map: new Map([[1, own]]) }), signal });
    expect(decision.opaque).toEqual(["tool.input.run", "tool.input.list.0.own", "tool.input.map.0", "signal"]);
    expect((seen.tool.input.list as { own: Own }[])[0]?.own).toBe(own);
  });

  it("is not made without handlers, nor on a bus that does not want it", () => {
    const payload = call("ls");
    expect((createBus().decide("tool:before", payload) as Decision).payload).toBe(payload);
    const bus = createBus({ freeze: false });
    bus.on("tool:before", ({ payload: seen }) => write(seen));
    expect((bus.decide("tool:before", payload) as Decision).payload).toBe(payload);
    expect(payload.tool.input.command).toBe("rm");
  });

  it.each<[string, () => unknown]>([
    [
      "a getter that throws",
      () => ({
        get a() {
          throw new Error("no");
        },
      }),
    ],
    [
      "a revoked Proxy",
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    ["more levels than a guard reads", () => JSON.parse("[".repeat(5_000) + "]".repeat(5_000))],
    ["a list without an end", () => new Proxy([], { get: (_, key) => (key === "length" ? 4_000_000_000 : 1) })],
    ["a list of NaN items", () => new Proxy([], { get: (_, key) => (key === "length" ? Number.NaN : 1) })],
    [
      "a graph that explodes",
      () => {
        let graph: unknown = {};
        for (let i = 0; i < 40; i++) graph = { a: graph, b: graph };
        return graph;
      },
    ],
  ])("that cannot be made denies: %s", async (_, make) => {
    const { bus, codes } = reportingBus({ onFailure: "open" });
    bus.on("tool:before", () => allow());
    const payload = input({ a: make() }) as ToolPayload;
    const decision = await bus.decide("tool:before", payload);
    expect(decision).toMatchObject({
      verdict: "deny",
      cause: { code: "HL_BAD_PAYLOAD" },
      reason: expect.stringMatching(/^The payload of "tool:before" (cannot|is|has)/),
    });
    expect(await bus.runTool(payload, () => expect.unreachable())).toMatchObject({ status: "blocked" });
    expect(codes()).toEqual(["HL_BAD_PAYLOAD", "HL_BAD_PAYLOAD"]);
    // The next call is not hurt.
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "allow", payload: call("ls") });
  });

  it("of a payload whose getter decides on something else is not mixed with the other", () => {
    const bus = createBus();
    bus.on("tool:before", guard as never);
    const outer = {
      tool: {
        name: "t",
        input: {
          before: { a: 1 },
          get nested() {
            return (bus.decide("tool:before", call("ls")) as Decision<ToolPayload>).payload;
          },
          after: { b: () => 2 },
        },
      },
    };
    const decision = bus.decide("tool:before", outer as never) as Decision<ToolPayload>;
    expect(decision.payload.tool.input).toMatchObject({ before: { a: 1 }, nested: call("ls"), after: {} });
    expect(decision.opaque).toEqual(["tool.input.after.b"]);
  });

  it("shares texts, however long", () => {
    const text = "x".repeat(1_000_000);
    expect(judged(input({ text })).seen.tool.input.text).toBe(text);
  });
});
