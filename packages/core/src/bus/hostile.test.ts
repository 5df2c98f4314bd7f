import { allow, ask, block, createBus, type Decision, modify, type PlainAnswer, replace, type ToolPayload } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, never, reportingBus, withCommand } from "../../../../test/support/reporting-bus.js";

/** Something that throws whenever it is touched. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("a promise with a `then` of its own", () => {
  it("cannot keep a gate's callbacks and answer for another guard", async () => {
    const { bus } = reportingBus();
    let stolen: (() => void) | undefined;
    const thief = (): Promise<undefined> => {
      let reads = 0;
      const keep = (onValue: () => void): void => {
        stolen = onValue;
        onValue();
      };
      return Object.defineProperty(Promise.resolve(undefined), "then", { get: () => (reads++ === 1 ? keep : Promise.prototype.then) });
    };
    bus.on("tool:before", thief, { match: "tool.input.command == 'ls'", priority: 1 });
    bus.on("tool:before", async ({ payload }) => (payload.tool.input.command === "rm" ? block("no rm") : undefined), {
      onFailure: "closed",
    });
    for (let i = 0; i < 5; i++) await bus.decide("tool:before", call("ls"));
    const decided = bus.decide("tool:before", call("rm"));
    stolen?.();
    expect(await decided).toMatchObject({ verdict: "deny" });
    expect(stolen).toBeUndefined();
  });

  it("that is not a real promise fails its handler, and mixes up no decisions", async () => {
    const { bus } = reportingBus();
    let isBroken = false;
    const flaky = () => (isBroken ? (new Proxy(Promise.resolve(), {}) as never) : undefined);
    bus.on("tool:before", flaky, { match: "tool.input.command == 'ls'", onFailure: "open" });
    bus.on("tool:before", flaky, { match: "tool.input.command == 'rm'", onFailure: "closed" });
    for (const command of ["rm", "ls"]) await bus.decide("tool:before", call(command));
    isBroken = true;
    const [rm, ls] = await Promise.all([bus.decide("tool:before", call("rm")), bus.decide("tool:before", call("ls"))]);
    expect(rm).toMatchObject({ verdict: "deny", payload: call("rm") });
    expect(ls).toMatchObject({ verdict: "pass", payload: call("ls") });
  });
});

describe("a guard cannot be passed", () => {
  it("by a rewrite that inherits what it hides", () => {
    for (const match of ["tool.input.command =~ 'rm -rf'", { tool: "bash" }, { contains: "rm -rf" }] as const) {
      const bus = createBus();
      bus.on(
        "tool:before",
        ({ payload }) => (payload.tool.input.command === "clean" ? modify(Object.create(withCommand(payload, "rm -rf /"))) : undefined),
        { priority: 1 },
      );
      bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "clean" ? undefined : block("no")), {
        match,
        onFailure: "closed",
      });
      expect(bus.decide("tool:before", call("clean"))).toMatchObject({ verdict: "deny" });
    }
  });

  it("because its matcher was asked twice", async () => {
    const bus = createBus();
    const seen = new Set<unknown>();
    const isNew = ({ tool }: ReturnType<typeof call>): boolean => !seen.has(tool.input.command) && !!seen.add(tool.input.command);
    bus.on("tool:before", async () => block("first sight"), { match: isNew as never });
    for (const command of ["a", "b", "c"]) expect(await bus.decide("tool:before", call(command))).toMatchObject({ verdict: "deny" });
  });

  it("by a field that cannot be read", () => {
    for (const match of ["tool.input.command =~ rm", { contains: "rm" }]) {
      const { bus } = reportingBus();
      bus.on("tool:before", () => block("no"), { match, onFailure: "closed" });
      const input = {
        get command(): string {
          throw new Error("unreadable");
        },
      };
      const decision = bus.decide("tool:before", { tool: { name: "bash", input } });
      expect(decision).toMatchObject({ verdict: "deny", cause: { code: "HL_BAD_PAYLOAD", failure: "crash" } });
    }
  });

  it("by a getter of a rewrite that answers differently later", () => {
    const { bus } = reportingBus();
    let looks = 0;
    const input = {
      get command() {
        return ++looks > 1 ? "rm" : "ls";
      },
    };
    bus.on("tool:before", ({ payload }) =>
      payload.tool.input.command === "x" ? modify({ ...payload, tool: { ...payload.tool, input } }) : undefined,
    );
    const decision = bus.decide("tool:before", call("x")) as Decision<ToolPayload>;
    expect([decision.payload.tool.input, decision.payload.tool.input, looks]).toEqual([{ command: "ls" }, { command: "ls" }, 1]);
  });
});

describe("what a handler throws or returns", () => {
  it("may be something that cannot be touched", async () => {
    const { bus } = reportingBus({ askTimeoutMs: 30 });
    const fail = (): never => {
      throw revoked();
    };
    bus.on("agent:start", fail);
    bus.on("agent:start", async () => fail(), { timeoutMs: 50 });
    await bus.emit("agent:start", {});
    await bus.collect("agent:start", {});
    const off = bus.on("tool:before", fail, { onFailure: "closed" });
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
    expect(await bus.runTool(call(), () => "ran")).toMatchObject({ status: "blocked" });
    off();
    bus.on("tool:before", async () => fail(), { onFailure: "closed", timeoutMs: 50 });
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
  });

  it("fails a transform handler, and no more, when it cannot be looked at", async () => {
    const { bus } = reportingBus();
    bus.on(
      "tool:result",
      () =>
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error("trap");
            },
          },
        ),
    );
    bus.on("tool:result", async () => [revoked()] as never, { timeoutMs: 50 });
    const value = { a: 1 };
    expect((await bus.transform("tool:result", value, call())).value).toBe(value);
    expect(await bus.runTool(call(), () => value)).toMatchObject({ status: "ok", output: value });
  });

  it("is reported when it says nothing we know", () => {
    for (const answer of [new Date(0), /x/, new (class Verdict {})(), { colour: 1 }]) {
      const { bus, codes } = reportingBus();
      bus.on("tool:before", () => answer as never, { onFailure: "closed" });
      expect(bus.decide("tool:before", call()), String(answer)).toMatchObject({
        verdict: "deny",
        cause: { code: "HL_OUTCOME_NOT_ALLOWED" },
      });
      expect(codes()).toEqual(["HL_OUTCOME_NOT_ALLOWED"]);
    }
  });

  it("denies when it tried to decide with a promise inside, an empty word or a prototype", () => {
    class Later {
      get decision() {
        return "maybe";
      }
    }
    for (const answer of [
      [Promise.resolve(block())],
      { effects: [Promise.resolve(block())] },
      { decision: undefined },
      new Later(),
      Object.create({ block: true }),
    ]) {
      const { bus } = reportingBus();
      bus.on("tool:before", () => answer as never);
      expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
    }
  });

  it("is read to an end, however much it is", () => {
    const { bus, codes } = reportingBus();
    const off = bus.on("tool:before", () => Array.from({ length: 100_000 }, () => 1) as never);
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", cause: { code: "HL_INVALID_VERDICT" } });
    off();
    let nested: unknown = { deny: "x" };
    for (let i = 0; i < 30; i++) nested = [nested, nested];
    bus.on("tool:before", () => nested as PlainAnswer);
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
    expect(codes()).toEqual(["HL_INVALID_VERDICT", "HL_OUTCOME_NOT_ALLOWED", "HL_INVALID_VERDICT"]);
  });

  it("is complained about once, whatever keys it makes up", () => {
    const { bus, codes } = reportingBus();
    let n = 0;
    bus.on("tool:before", () => ({ [`key${n++}`]: 1 }) as never);
    for (let i = 0; i < 50; i++) bus.decide("tool:before", call());
    expect(codes()).toEqual(["HL_OUTCOME_NOT_ALLOWED"]);
  });

  it("replaces a value of its own shape, and only one value", async () => {
    const { bus } = reportingBus();
    const off = bus.on("tool:result", ({ value }) => ({ ...(value as object), result: 43 }));
    expect((await bus.transform("tool:result", { result: 42 }, call())).value).toEqual({ result: 43 });
    off();
    bus.on("tool:result", () => [replace("a"), replace("b")]);
    expect((await bus.transform("tool:result", "kept", call())).value).toBe("kept");
  });
});

describe("runTool", () => {
  it("ends in a status and a tool:after, whatever the payload is", async () => {
    const { bus } = reportingBus();
    const statuses: string[] = [];
    bus.on("tool:after", ({ payload }) => void statuses.push(payload.status));
    const payloads = [
      {
        ...call(),
        get cwd(): string {
          throw new Error("cwd");
        },
      },
      {
        tool: {
          name: "bash",
          get input(): never {
            throw new Error("input");
          },
        },
      },
      revoked() as never,
      undefined as never,
    ];
    for (const payload of payloads) expect(["ok", "error", "blocked"]).toContain((await bus.runTool(payload, () => "ran")).status);
    expect(statuses).toHaveLength(payloads.length);
  });

  it("refuses options it does not know", () => {
    const bus = createBus();
    expect(() => bus.runTool(call(), () => 1, { timeout: 5 } as never)).toThrow(/Did you mean "timeoutMs"/);
    expect(() => bus.runTool(call(), () => 1, { timeoutMs: Number.NaN })).toThrow(/HL_|timeoutMs/);
    expect(() => bus.decide("tool:before", call(), { sginal: 1 } as never)).toThrow(/Did you mean "signal"/);
  });
});

describe("an approval", () => {
  it("is decided also when what was said of it cannot be read", async () => {
    const { bus } = reportingBus({ askTimeoutMs: 40 });
    bus.on("tool:before", ({ payload }) => [modify({ ...payload, x: 1 }, Symbol("why") as never), ask()]);
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
    bus.setApprover(() => ({
      verdict: "allow",
      get reason(): string {
        throw new Error("reason");
      },
    }));
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", cause: { code: "HL_APPROVER_FAILED" } });
  });
});

describe("time", () => {
  it("is not up early because the event loop was blocked", async () => {
    const { bus, codes } = reportingBus();
    const busy = (ms: number): void => {
      const until = performance.now() + ms;
      while (performance.now() < until);
    };
    bus.on("tool:before", async () => busy(1_200), { timeoutMs: 3_000 });
    bus.on("tool:before", () => pause(50), { name: "light", timeoutMs: 1_000, onFailure: "closed" });
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
    expect(codes()).toEqual([]);
  });

  it("that is up shows in the signal, also to one who looks only then", async () => {
    const { bus } = reportingBus();
    const late: boolean[] = [];
    let mine: AbortSignal | undefined;
    bus.on("agent:start", (event) => {
      mine = event.signal;
    });
    bus.on(
      "agent:start",
      async (event) => {
        await pause(60);
        late.push(event.signal.aborted);
      },
      { timeoutMs: 15 },
    );
    await bus.emit("agent:start", {});
    await pause(80);
    expect([late, mine?.aborted]).toEqual([[true], false]);
  });
});

describe("once", () => {
  it("is once, also for a guard that a rewrite makes match", () => {
    const bus = createBus();
    let calls = 0;
    bus.on("tool:before", () => void calls++, { once: true, priority: 1, match: "tool.input.command == 'rm'" });
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "clean" ? { args: { command: "rm" } } : undefined));
    for (let i = 0; i < 3; i++) bus.decide("tool:before", call("clean"));
    expect([calls, bus.count()]).toEqual([1, 1]);
  });
});

describe("a mistake", () => {
  it("never removes what it does not name", () => {
    const bus = createBus();
    bus.setSentinel(() => {});
    bus.on("tool:before", () => allow());
    for (const filter of [{ categroy: "ui" }, { owner: undefined }, { category: "bogus" }, null])
      expect(() => bus.clear(filter as never)).toThrow(/clear/);
    expect(() => bus.offOwner(undefined as never)).toThrow(/owner/);
    expect(bus.clear()).toBe(1);
    expect(bus.list().map(({ name }) => name)).toEqual(["sentinel"]);
  });

  it("in a pattern is said, where it would guard nothing", () => {
    const bus = createBus();
    for (const pattern of ["Tool:*", "tool:before:*", "PreToolUse:*"])
      expect(() => bus.on(pattern as "tool:*", () => {})).toThrow(/No event matches/);
    for (const pattern of ["myapp:*", "command:git:*", "tui:*"]) bus.on(pattern as "tool:*", () => {});
  });

  it("in a listener ends nothing", async () => {
    const { bus } = reportingBus();
    expect(() => {
      bus.onError = 5 as never;
    }).toThrow(/function/);
    expect(() => bus.tap(null as never)).toThrow(/tap/);
    bus.onError = async () => {
      throw new Error("listener");
    };
    bus.tap({
      dispatched: async () => {
        throw new Error("tap");
      },
    });
    bus.on("agent:start", () => {
      throw new Error("x");
    });
    bus.emit("agent:start", {});
    await pause(5);
    expect(await bus.collect("agent:start", {})).toEqual([]);
  });
});

describe("a handler", () => {
  it("is called as a function, without a `this`", async () => {
    const bus = createBus();
    const seen: unknown[] = [];
    function handler(this: unknown): void {
      seen.push(this);
    }
    bus.on("tool:before", handler as never, { match: "bash" });
    bus.on("agent:start", handler);
    for (let i = 0; i < 70; i++) bus.decide("tool:before", call());
    for (let i = 0; i < 70; i++) bus.emit("agent:start", {});
    await bus.collect("agent:start", {});
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  it("is counted under every name it hears, and not before it is reached", () => {
    const { bus } = reportingBus();
    bus.on("*", () => {}, { name: "all" });
    for (let i = 0; i < 3_000; i++) bus.emit(`mine:n${i}`, {});
    bus.on("tool:before", () => block("no"), { name: "first", priority: 1 });
    bus.on("tool:before", () => {}, { name: "unreached" });
    for (let i = 0; i < 100; i++) bus.decide("tool:before", call());
    const stats = Object.fromEntries(bus.stats().map((row) => [row.name, row]));
    expect(stats.all?.calls).toBe(3_000);
    expect(stats.unreached).toMatchObject({ calls: 0, neverFired: true, lastFiredAt: undefined });
  });

  it("lets go of the signal it was registered with", () => {
    const bus = createBus();
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get: (target, key) => {
        if (key === "addEventListener") return () => listeners++;
        if (key === "removeEventListener") return () => listeners--;
        return Reflect.get(target, key);
      },
    });
    bus.on("agent:start", () => {}, { signal: counted, owner: "x", permissions: ["agent.lifecycle"] });
    bus.on("agent:start", () => {}, { signal: counted, once: true });
    bus.emit("agent:start", {});
    bus.offOwner("x");
    expect(listeners).toBe(0);
  });
});

it("a hung handler keeps the process from ending while a caller waits for a tool's result", async () => {
  const { bus } = reportingBus();
  bus.on("tool:after", never, { timeoutMs: 30 });
  expect(await bus.runTool(call(), () => "precious")).toMatchObject({ output: "precious" });
});

describe("an answer that claims to speak for others", () => {
  const ann = { kind: "person", name: "Ann", at: "hub" } as const;
  const relayed = { actor: ann, steps: [{ actor: ann, stage: "guard", round: 0, action: "allow" }], asks: [] };
  const claim = <T extends object>(answer: T): T => Object.defineProperty(answer, Symbol.for("hookline.relayed"), { value: relayed });

  it("counts as the handler's own, unless it was registered as the one that asks the hub", async () => {
    const { bus } = reportingBus();
    const guards = [() => claim(block("no")), () => claim([block("no")]), () => claim([])];
    for (const guard of guards) bus.on("tool:before", guard);
    bus.on(
      "tool:before",
      () => {
        throw claim(new Error("late"));
      },
      { name: "liar too" },
    );
    bus.on("tool:result", () => claim([replace("x")]), { name: "liar" });
    const { actor, trail } = await bus.decide("tool:before", call());
    expect([actor, ...trail.map((step) => step.actor)].filter((one) => one?.kind !== "guard")).toEqual([]);
    const { trail: steps } = await bus.transform("tool:result", "v", call());
    expect(steps.map((step) => step.actor.kind)).toEqual(["guard"]);
  });
});

it.each([{}, { tool: null }, { tool: "bash" }])(
  "a guard that fails on a payload without a call (%#) is not told to watch",
  async (payload: object) => {
    const { bus } = reportingBus();
    bus.on("tool:before", (event) => (event.payload.tool.input.command === "rm" ? block("no") : undefined), { name: "no-rm" });
    const decide = bus.decide.bind(bus) as (event: string, payload: object) => ReturnType<typeof bus.decide>;
    const { verdict, reason } = await decide("tool:before", payload);
    expect([verdict, reason]).toEqual(["deny", expect.stringContaining("The payload has no { tool: { name, input } } to judge.")]);
    expect(reason).not.toContain("observe");
  },
);
