import { allow, ask, block, createBus, type Decision, type GateHandle, HookError, handled, inject, modify, remind } from "@hookline/core";
import { createReminderBook } from "@hookline/core/remind";
import { describe, expect, it } from "vitest";
import { call, deferred, never, reportingBus, withCommand } from "../../../../test/support/reporting-bus.js";

describe("a gate that is asked about nothing", () => {
  // What JavaScript can pass where the types demand an object.
  it.each([
    [undefined, "undefined"],
    [null, "null"],
    ["rm -rf /", "a string"],
    [7, "a number"],
    [true, "a boolean"],
    [[call()], "an array"],
    [() => call(), "a function"],
  ])("rejects the payload %s, also through a handle", (payload: unknown, given) => {
    const bus = createBus();
    const asked: unknown[] = [];
    bus.on("tool:before", (event) => void asked.push(event));
    const message = `The payload of "tool:before" must be an object, not ${given}.`;
    const fix = "Pass the fields that docs/reference/events.md lists for the event.";
    const rejected = expect.objectContaining({ code: "HL_BAD_PAYLOAD", event: "tool:before", message, fix });
    const decide = bus.decide.bind(bus) as (event: string, payload: unknown) => unknown;
    const handle: { decide(payload: unknown): unknown } = bus.event("tool:before") as GateHandle;
    expect(() => decide("PreToolUse", payload)).toThrow(rejected);
    expect(() => handle.decide(payload)).toThrow(rejected);
    expect(() => decide("tool:after", payload)).toThrow(expect.objectContaining({ code: "HL_WRONG_KIND" }));
    expect(asked).toEqual([]);
  });

  it("is found by a name known only at run time, if it is one", () => {
    const bus = createBus();
    bus.on("tool:before", () => block("no"));
    expect(bus.decide(String("PreToolUse"), call())).toMatchObject({ verdict: "deny" });
    expect(() => bus.decide(String("tool:after"), call())).toThrow(expect.objectContaining({ code: "HL_WRONG_KIND" }));
  });
});

describe("a gate without an opinion", () => {
  it("passes, which is not the same as allow", () => {
    const bus = createBus();
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "pass", allowed: true, modified: false, endLoop: false });
    bus.on("tool:before", () => {});
    bus.on("tool:before", () => true);
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "pass", allowed: true });
    bus.on("tool:before", () => allow("fine"), { name: "yes" });
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "allow", allowed: true, reason: "fine", by: "yes" });
  });

  it("is decided at once while every guard is synchronous", () => {
    const bus = createBus();
    bus.on("tool:before", () => block("no"));
    expect(bus.decide("tool:before", call())).not.toBeInstanceOf(Promise);
    bus.on("tool:before", async () => {}, { priority: 1 });
    expect(bus.decide("tool:before", call())).toBeInstanceOf(Promise);
  });
});

describe("a denial", () => {
  it("names the handler and stops the chain", () => {
    const bus = createBus();
    const called: string[] = [];
    bus.on("tool:before", () => void called.push("a"), { name: "a" });
    bus.on(
      "tool:before",
      () => {
        called.push("b");
        return block("no", { endLoop: true });
      },
      { name: "b" },
    );
    bus.on("tool:before", () => void called.push("c"), { name: "c" });
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", allowed: false, reason: "no", by: "b", endLoop: true });
    expect(called).toEqual(["a", "b"]);
  });

  it("lets the others look on under runAll, without letting them change anything", () => {
    const bus = createBus({ runAll: true });
    bus.on("tool:before", () => block("first"), { name: "a" });
    bus.on("tool:before", (event) => modify(withCommand(event.payload, "other")), { name: "b" });
    bus.on("tool:before", () => block("second"), { name: "c" });
    const decision = bus.decide("tool:before", call("x")) as Awaited<ReturnType<typeof bus.decide>>;
    expect(decision).toMatchObject({ verdict: "deny", reason: "first", by: "a", modified: false });
    expect(decision.trail.map(({ actor, action }) => `${actor.name} ${action}`)).toEqual(["a deny", "b modify", "c deny"]);
  });

  it("discards the effects of the others, but keeps the denier's own and those that say keep", () => {
    const book = createReminderBook();
    const bus = createBus({ reminders: book });
    bus.on("tool:before", () => [inject("dropped"), remind({ body: "kept by wish" }, { keep: true })], { name: "a" });
    bus.on("tool:before", () => [remind({ body: "kept" }), inject("why not"), block("no")], { name: "b" });
    const decision = bus.decide("tool:before", call()) as Awaited<ReturnType<typeof bus.decide>>;
    expect(decision.injections).toEqual(["why not"]);
    expect(decision.reminders.map(({ spec, by }) => [spec.body, by])).toEqual([
      ["kept by wish", "a"],
      ["kept", "b"],
    ]);
    expect(book.list("s1")).toHaveLength(2);
  });
});

describe("a rewrite", () => {
  it("is seen by the next handler and looked at again by the earlier guards", () => {
    const bus = createBus();
    const seen: string[] = [];
    bus.on("tool:before", ({ payload }) => {
      seen.push(`guard ${payload.tool.input.command}`);
      return payload.tool.input.command === "rm" ? block("no rm") : undefined;
    });
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "ls" ? modify(withCommand(payload, "rm")) : undefined), {
      name: "evil",
    });
    bus.on("tool:before", ({ payload }) => void seen.push(`last ${payload.tool.input.command}`));
    expect(bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "deny", reason: "no rm", modified: true });
    expect(seen).toEqual(["guard ls", "last rm", "guard rm"]);
  });

  it("is not looked at again by its author, nor when it changes nothing", () => {
    const bus = createBus();
    let looks = 0;
    bus.on("tool:before", () => void looks++);
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "once")), { name: "author" });
    const decision = bus.decide("tool:before", call("ls")) as Awaited<ReturnType<typeof bus.decide>>;
    expect(looks).toBe(2);
    expect(decision.trail.filter(({ actor }) => actor.name === "author")).toHaveLength(1);
    looks = 0;
    expect(bus.decide("tool:before", call("once"))).toMatchObject({ modified: false });
    expect(looks).toBe(1);
  });

  it("runs stage rewrite once and first, whatever the priorities", () => {
    const bus = createBus();
    const order: string[] = [];
    bus.on("tool:before", () => void order.push("guard"), { priority: 100 });
    bus.on(
      "tool:before",
      ({ payload }) => {
        order.push("rewrite");
        return modify(withCommand(payload, "b"));
      },
      { stage: "rewrite" },
    );
    bus.on("tool:before", ({ payload }) => void order.push(`observe ${payload.tool.input.command}`), { stage: "observe", priority: 200 });
    bus.decide("tool:before", call("a"));
    expect(order).toEqual(["rewrite", "guard", "observe b"]);
  });

  it("is asked of matchers with the payload as it is then", () => {
    const bus = createBus();
    bus.on("tool:before", () => block("no rm"), { match: "tool.input.command == 'rm'", name: "matcher" });
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "rm")));
    expect(bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "deny", by: "matcher" });
  });

  it("that never settles is denied after 8 rounds, and the fighters are named", () => {
    const { bus, codes } = reportingBus();
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "left")), { name: "lefty" });
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "right")), { name: "righty" });
    const decision = bus.decide("tool:before", call()) as Awaited<ReturnType<typeof bus.decide>>;
    expect(decision).toMatchObject({ verdict: "deny", cause: { code: "HL_REWRITE_LOOP" } });
    expect(decision.reason).toContain('"lefty" and "righty"');
    expect(Math.max(...decision.trail.map(({ round }) => round))).toBe(8);
    expect(codes()).toEqual(["HL_REWRITE_LOOP"]);
  });

  it("withdraws an ask or an allow that was said of another payload", () => {
    const bus = createBus({ onAsk: "return" });
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "a" ? ask("a?") : undefined));
    bus.on(
      "tool:before",
      ({ payload }) => (payload.tool.input.command === "a" ? [allow(), modify(withCommand(payload, "b"))] : undefined),
      { name: "rewriter" },
    );
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "b" ? modify(withCommand(payload, "c")) : undefined));
    expect(bus.decide("tool:before", call("a"))).toMatchObject({ verdict: "pass", payload: { tool: { input: { command: "c" } } } });
  });

  it("keeps what a partial rewrite does not say of where it happened, and takes what it says", async () => {
    const about = { session: { id: "s", parentId: "p" }, turn: { id: "t" }, agent: { name: "a" }, worker: { id: "w" } };
    const bus = createBus();
    bus.on("tool:before", ({ payload: { tool } }) => modify({ tool: { ...tool, input: { command: "new" } } }));
    expect((await bus.decide("tool:before", { ...call("ls"), ...about })).payload).toMatchObject({
      ...about,
      tool: { input: { command: "new" } },
    });
    bus.on("prompt:submit", () => modify({ prompt: "new", session: { id: "other" } }));
    const { payload } = await bus.decide("prompt:submit", { ...about, prompt: "old" });
    expect(payload).toEqual({ ...about, prompt: "new", session: { id: "other" } });
  });

  it("cannot change which tool it is, and what it leaves out of that stays", () => {
    const { bus } = reportingBus();
    const off = bus.on("tool:before", ({ payload }) => modify({ ...payload, tool: { name: "safe", input: {} } }));
    expect(bus.decide("tool:before", call())).toMatchObject({
      verdict: "deny",
      cause: { code: "HL_BAD_MODIFY", failure: "invalid_verdict" },
    });
    off();
    bus.on("tool:before", () => modify({ tool: { input: { command: "new" } } }));
    expect(bus.decide("tool:before", call())).toMatchObject({
      verdict: "pass",
      payload: { tool: { name: "bash", callId: "c1", input: { command: "new" } } },
    });
  });

  it("ends the chain under onModify stop", () => {
    const bus = createBus({ onModify: "stop" });
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "b")));
    bus.on("tool:before", () => block("never reached"));
    expect(bus.decide("tool:before", call("a"))).toMatchObject({
      verdict: "pass",
      modified: true,
      payload: { tool: { input: { command: "b" } } },
    });
  });

  it("leaves the events that handlers kept as they were", () => {
    const bus = createBus();
    const kept: string[] = [];
    const events: { payload: { tool: { input: { command?: string } } } }[] = [];
    bus.on("tool:before", (event) => void events.push(event));
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "b")));
    bus.decide("tool:before", call("a"));
    for (const event of events) kept.push(event.payload.tool.input.command as string);
    expect(kept).toEqual(["a", "b"]);
  });

  it("of a frozen payload cannot be made in place", () => {
    const { bus, codes } = reportingBus();
    bus.on("tool:before", ({ payload }) => {
      (payload.tool.input as { command: string }).command = "rm";
    });
    const payload = call("ls");
    expect(bus.decide("tool:before", payload)).toMatchObject({ verdict: "deny", cause: { code: "HL_HANDLER_FAILED" } });
    expect(payload.tool.input.command).toBe("ls");
    expect(codes()).toEqual(["HL_HANDLER_FAILED"]);
  });
});

describe("a failing guard", () => {
  const failures: [string, () => unknown, string][] = [
    [
      "throws",
      () => {
        throw new Error("broken");
      },
      "crash",
    ],
    ["rejects", () => Promise.reject(new Error("broken")), "crash"],
    ["hangs", never, "timeout"],
  ];
  for (const [how, handler, failure] of failures) {
    it(`that ${how} denies by default: the reason names it, and tells of the stage for handlers that only watch`, async () => {
      for (const event of ["tool:before", "tool:*", "*"]) {
        const { bus, reports } = reportingBus();
        bus.on(event, handler as () => undefined, { name: "weak", timeoutMs: 20 });
        const { verdict, by, cause, reason } = await bus.decide("tool:before", call());
        expect([verdict, by, cause?.failure]).toEqual(["deny", "weak", failure]);
        expect(reason).toMatch(/^Handler "weak" (failed on "tool:before": broken|did not answer "tool:before" within 20 ms)\. If it only/);
        expect(reason).toMatch(/If it only watches, register it with stage: "observe"\.$/);
        expect(reports).toEqual([cause]);
      }
    });

    it(`that ${how} is passed over by default on a bus that is open`, async () => {
      const { bus } = reportingBus({ onFailure: "open" });
      const off = bus.on("tool:before", handler as () => undefined, { name: "weak", timeoutMs: 20 });
      expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass", allowed: true });
      off();
      bus.on("tool:before", handler as () => undefined, { name: "strict", timeoutMs: 20, onFailure: "closed" });
      expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", by: "strict" });
    });

    it(`that ${how} is passed over when open, denies when closed, rejects when abort`, async () => {
      const { bus, reports } = reportingBus();
      let off = bus.on("tool:before", handler as () => undefined, { name: "weak", timeoutMs: 20, onFailure: "open" });
      expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass", allowed: true });
      off();
      off = bus.on("tool:before", handler as () => undefined, { name: "weak", timeoutMs: 20, onFailure: "closed" });
      expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", by: "weak", cause: { failure } });
      off();
      bus.on("tool:before", handler as () => undefined, { name: "weak", timeoutMs: 20, onFailure: "abort" });
      await expect(bus.decide("tool:before", call())).rejects.toMatchObject({ code: "HL_ABORTED", failure, handler: "weak" });
      expect(reports.map((report) => [report.handler, report.failure])).toEqual(Array(3).fill(["weak", failure]));
    });
  }

  it("is given advice only where neither handler nor bus chose the mode", async () => {
    const fail = () => {
      throw new Error("broken");
    };
    const reason = 'Handler "weak" failed on "tool:before": broken';
    const says = createBus({ onError: () => {} });
    says.on("tool:before", fail, { name: "weak", onFailure: "closed" });
    expect(await says.decide("tool:before", call())).toMatchObject({ verdict: "deny", reason });
    const chosen = createBus({ onFailure: "closed", onError: () => {} });
    chosen.on("tool:before", fail, { name: "weak" });
    expect(await chosen.decide("tool:before", call())).toMatchObject({ verdict: "deny", reason });
    const watched = createBus({ onError: () => {} });
    watched.setSentinel(fail, { name: "weak" });
    expect(await watched.decide("tool:before", call())).toMatchObject({ verdict: "deny", reason });
  });

  it("of stage rewrite or observe is passed over by default", () => {
    const { bus, codes } = reportingBus();
    for (const stage of ["rewrite", "observe"] as const)
      bus.on(
        "tool:before",
        () => {
          throw new Error("broken");
        },
        { stage },
      );
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
    expect(codes()).toEqual(["HL_HANDLER_FAILED", "HL_HANDLER_FAILED"]);
  });

  it("costs its own timeout only: the chain goes on, and its late answer is not heard", async () => {
    const { bus } = reportingBus();
    const late = deferred<ReturnType<typeof block>>();
    const after: string[] = [];
    bus.on("tool:before", () => late.promise, { timeoutMs: 20, onFailure: "open" });
    bus.on("tool:before", async ({ payload }) => {
      late.resolve(block("too late"));
      await null;
      after.push(payload.tool.name);
    });
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
    expect(after).toEqual(["bash"]);
  });

  it("keeps denying when closed, however often it fails", () => {
    const { bus } = reportingBus();
    bus.on(
      "tool:*",
      () => {
        throw new Error("always");
      },
      { onFailure: "closed" },
    );
    for (let i = 0; i < 12; i++) bus.emit("tool:after", { ...call(), status: "ok" });
    for (let i = 0; i < 12; i++) expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", cause: { failure: "crash" } });
  });

  it("fails when its matcher throws", () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => {}, {
      match: () => {
        throw new Error("bad matcher");
      },
      onFailure: "closed",
    });
    for (let i = 0; i < 3; i++) expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", cause: { failure: "crash" } });
  });

  it("on an event that cannot be blocked is reported, and that is all", async () => {
    const { bus, codes } = reportingBus();
    bus.on(
      "session:start",
      () => {
        throw new Error("x");
      },
      { onFailure: "closed" },
    );
    expect(await bus.decide("session:start", {})).toMatchObject({ verdict: "pass" });
    expect(codes()).toEqual(["HL_HANDLER_FAILED"]);
  });
});

describe("what an event does not allow", () => {
  it("is reported once per handler, ignored when open, denied when closed", () => {
    const { bus, codes } = reportingBus();
    bus.on("prompt:submit", () => allow("!") as never, { name: "open", onFailure: "open" });
    for (let i = 0; i < 3; i++) expect(bus.decide("prompt:submit", {})).toMatchObject({ verdict: "pass" });
    expect(codes()).toEqual(["HL_OUTCOME_NOT_ALLOWED"]);
    bus.on("prompt:submit", () => allow("!") as never, { name: "closed", onFailure: "closed" });
    expect(bus.decide("prompt:submit", {})).toMatchObject({ verdict: "deny", by: "closed", cause: { code: "HL_OUTCOME_NOT_ALLOWED" } });
  });

  it("denies if it is a question", () => {
    const { bus } = reportingBus();
    bus.on("prompt:submit", () => ask("?") as never, { name: "open", onFailure: "open" });
    expect(bus.decide("prompt:submit", {})).toMatchObject({ verdict: "deny", by: "open", cause: { code: "HL_OUTCOME_NOT_ALLOWED" } });
  });

  it("denies by default, with advice for handlers that only watch", () => {
    const { bus } = reportingBus();
    const list: unknown[] = [];
    bus.on("*", (event) => list.push(event), { name: "log" });
    const { verdict, by, reason } = bus.decide("tool:before", call()) as Decision;
    expect([verdict, by]).toEqual(["deny", "log"]);
    expect(reason).toMatch(/^Handler "log" answered "tool:before" badly: .* If it only watches, register it with stage: "observe"\.$/);
  });

  it("includes what is not an outcome at all", () => {
    const { bus, codes } = reportingBus({ onFailure: "open" });
    const list: unknown[] = [];
    bus.on("tool:before", ((event: unknown) => list.push(event)) as never);
    bus.on("tool:before", (() => ({ colour: "red" })) as never);
    bus.on("tool:before", (() => "text") as never);
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "pass" });
    expect(codes()).toEqual(Array(3).fill("HL_OUTCOME_NOT_ALLOWED"));
  });

  it("denies whatever onFailure says when a handler tried to decide and failed", () => {
    const { bus } = reportingBus();
    for (const answer of [
      { decision: "maybe" },
      { decision: 1 },
      { block: 3 },
      [block("a"), block("b")],
      { modify: null },
      modify("text"),
      { args: null },
      { effects: "x" },
    ]) {
      const off = bus.on("tool:before", (() => answer) as never, { onFailure: "open" });
      expect(bus.decide("tool:before", call()), JSON.stringify(answer)).toMatchObject({
        verdict: "deny",
        cause: { failure: "invalid_verdict" },
        reason: expect.not.stringContaining("only watches"),
      });
      off();
    }
  });
});

describe("command:*", () => {
  it("can be handled", () => {
    const bus = createBus();
    bus.on("command:reset", () => handled("done"), { name: "resetter" });
    expect(bus.decide("command:reset", {})).toMatchObject({ verdict: "pass", handled: { output: "done", by: "resetter" } });
  });
});

describe("a caller that cancels", () => {
  it("gets a deny at once, and the handler's signal is aborted", async () => {
    const bus = createBus();
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    bus.on("tool:before", (event) => {
      signal = event.signal;
      return never();
    });
    const pending = bus.decide("tool:before", call(), { signal: controller.signal });
    controller.abort(new Error("enough"));
    expect(await pending).toMatchObject({
      verdict: "deny",
      actor: { kind: "policy", name: "bus" },
      cause: { code: "HL_CANCELLED", failure: "cancelled" },
    });
    expect(signal?.aborted).toBe(true);
    expect(await bus.decide("tool:before", call(), { signal: controller.signal })).toMatchObject({ verdict: "deny" });
  });
});

describe("a caller that sets a limit to the whole decision", () => {
  it("is told which guard had not answered", async () => {
    const bus = createBus();
    bus.on("tool:before", () => undefined, { name: "quick" });
    bus.on("tool:before", never, { name: "slow", timeoutMs: 0 });
    const limit = () => {
      const controller = new AbortController();
      const pending = bus.decide("tool:before", call(), { signal: controller.signal });
      return { controller, pending };
    };
    const timed = limit();
    timed.controller.abort(new HookError("HL_TIMEOUT", "It may take 20 ms."));
    expect(await timed.pending).toMatchObject({
      verdict: "deny",
      by: "slow",
      reason: 'Handler "slow" did not answer "tool:before" in time. It may take 20 ms.',
      cause: { code: "HL_TIMEOUT", failure: "timeout", handler: "slow" },
    });
    const cancelled = limit();
    cancelled.controller.abort();
    expect(await cancelled.pending).toMatchObject({ reason: 'The caller cancelled "tool:before" while it waited for "slow".' });
  });
});

describe("the trail", () => {
  it("is the same whichever way a gate was decided, and leaves the observe stage out", () => {
    const bus = createBus();
    bus.on("tool:before", () => {}, { name: "guard" });
    bus.on("tool:before", () => {}, { name: "watcher", stage: "observe" });
    const trails = Array.from({ length: 70 }, () => (bus.decide("tool:before", call()) as Awaited<ReturnType<typeof bus.decide>>).trail);
    for (const trail of trails) expect(trail.map(({ actor }) => actor.name)).toEqual(["guard"]);
  });

  it("shows a person's answer, counts looks on after it, and names who was cut off", async () => {
    const bus = createBus();
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "ls" ? ask("?") : undefined), { name: "asker" });
    bus.setApprover(({ payload }) => ({ verdict: "allow", by: "ada", payload: withCommand(payload as ReturnType<typeof call>, "pwd") }));
    const { trail } = await bus.decide("tool:before", call("ls"));
    expect(trail.map(({ actor, action, round }) => `${round} ${actor.name} ${action}`)).toEqual([
      "0 asker ask",
      "0 ada allow",
      "1 asker pass",
    ]);
    const controller = new AbortController();
    bus.on("tool:before", never, { name: "slow" });
    const pending = bus.decide("tool:before", call("x"), { signal: controller.signal });
    controller.abort();
    expect((await pending).trail.at(-1)).toMatchObject({ actor: { kind: "guard", name: "slow" }, action: "cancelled" });
  });

  it("calls a malformed rewrite a denial", () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => modify(5));
    expect((bus.decide("tool:before", call()) as Awaited<ReturnType<typeof bus.decide>>).trail).toMatchObject([
      { action: "deny", failure: "invalid_verdict" },
    ]);
  });

  it("says of each handler whether it matched, what it said and when it looked again", () => {
    const bus = createBus();
    bus.on("tool:before", () => {}, { name: "other tool", tool: "edit" });
    bus.on("tool:before", () => {}, { name: "quiet" });
    expect((bus.decide("tool:before", call()) as { trail: unknown }).trail).toMatchObject([
      { actor: { name: "other tool" }, action: "no-match", round: 0 },
      { actor: { name: "quiet" }, action: "pass", round: 0 },
    ]);
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "new"), "because"), { name: "author" });
    const { trail } = bus.decide("tool:before", call()) as Awaited<ReturnType<typeof bus.decide>>;
    expect(trail.map(({ actor, action, round }) => `${round} ${actor.name}: ${action}`)).toEqual([
      "0 other tool: no-match",
      "0 quiet: pass",
      "0 author: modify",
      "1 other tool: no-match",
      "1 quiet: pass",
    ]);
    expect(trail[2]?.reason).toBe("because");
  });
});
