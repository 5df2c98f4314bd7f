import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  again,
  allow,
  ask,
  type BusOptions,
  block,
  type Category,
  catalog,
  createBus,
  type EventName,
  findEvent,
  HookError,
  lazy,
  type Match,
  modify,
  type PlainAnswer,
  remind,
  replace,
  type ToolPayload,
} from "@hookline/core";
import { providerEvents, resolveEvent, spellingsOf } from "@hookline/core/internal";
import { createReminderBook } from "@hookline/core/remind";
import { createTranscript, type Transcript } from "@hookline/core/transcript";
import { describe, expect, it } from "vitest";

function reportingBus(options: BusOptions = {}) {
  const errors: HookError[] = [];
  return { bus: createBus({ ...options, onError: (error) => errors.push(error) }), errors };
}

function toolCall(name: string, input: { readonly [key: string]: unknown } = {}): ToolPayload {
  return { session: { id: "s1" }, tool: { name, callId: "c1", input } };
}

const names = Object.keys(catalog) as (keyof typeof catalog)[];

/** The event names harn itself uses, and where they live here. */
const harnNames = {
  PreToolUse: "tool:before",
  PostToolUse: "tool:after",
  PreAgentTurn: "turn:before",
  PostAgentTurn: "turn:after",
  WorkerSpawned: "worker:spawned",
  WorkerProgressed: "worker:progressed",
  WorkerWaitingForInput: "worker:waiting",
  WorkerSuspended: "worker:suspended",
  WorkerResumed: "worker:resumed",
  WorkerCompleted: "worker:completed",
  WorkerFailed: "worker:failed",
  WorkerStopped: "worker:stopped",
  WorkerCancelled: "worker:cancelled",
  PreStep: "step:before",
  PostStep: "step:after",
  OnBudgetThreshold: "budget:threshold",
  OnApprovalRequested: "approval:requested",
  OnHandoffEmitted: "handoff:emitted",
  OnPersonaPaused: "persona:paused",
  OnPersonaResumed: "persona:resumed",
  SessionStart: "session:start",
  SessionEnd: "session:end",
  SessionError: "session:error",
  SessionIdle: "session:idle",
  UserPromptSubmit: "prompt:submit",
  PreCompact: "compact:before",
  PostCompact: "compact:after",
  PostTurn: "turn:end",
  PermissionAsked: "permission:asked",
  PermissionReplied: "permission:replied",
  FileEdited: "file:edited",
  PreFinish: "finish:before",
  PostFinish: "finish:after",
  OnUnsettledDetected: "finish:unsettled",
  PreSuspend: "suspend:before",
  PostSuspend: "suspend:after",
  PreResume: "resume:before",
  PostResume: "resume:after",
  PreDrain: "drain:before",
  PostDrain: "drain:after",
  OnDrainDecision: "drain:decision",
  LoopCheckpoint: "loop:checkpoint",
} as const satisfies Record<string, keyof typeof catalog>;

/** EVENTS.md, "Categories", namespace by namespace. */
const categories: Record<Exclude<Category, "ui">, readonly string[]> = {
  tool: ["tool:after", "tool:before", "tool:env", "tool:progress", "tool:result"],
  turn: ["turn:after", "turn:before"],
  worker: [
    "worker:cancelled",
    "worker:completed",
    "worker:failed",
    "worker:progressed",
    "worker:resumed",
    "worker:spawned",
    "worker:stopped",
    "worker:suspended",
    "worker:waiting",
  ],
  step: ["step:after", "step:before"],
  notification: ["approval:requested", "budget:threshold", "handoff:emitted", "notification:sent", "persona:paused", "persona:resumed"],
  session: [
    "compact:after",
    "compact:before",
    "drain:after",
    "drain:before",
    "drain:decision",
    "file:edited",
    "finish:after",
    "finish:before",
    "finish:unsettled",
    "loop:checkpoint",
    "permission:asked",
    "permission:refused",
    "permission:replied",
    "prompt:submit",
    "resume:after",
    "resume:before",
    "session:end",
    "session:error",
    "session:idle",
    "session:info",
    "session:reset",
    "session:start",
    "session:steer",
    "suspend:after",
    "suspend:before",
    "turn:end",
  ],
  agent: ["agent:end", "agent:start", "agent:step"],
  llm: [
    "answer:transform",
    "llm:after",
    "llm:before",
    "llm:error",
    "message:complete",
    "message:delta",
    "message:route",
    "message:start",
    "prompt:build",
    "reasoning:delta",
  ],
  other: [
    "gateway:startup",
    "guard:paused",
    "guard:resumed",
    "guard:tampered",
    "job:update",
    "mode:change",
    "policy:accepted",
    "transcript:head",
  ],
};

describe("both spellings", () => {
  const pascal = (name: string) => name.replace(/(?:^|[:_])(\w)/g, (_, letter: string) => letter.toUpperCase());
  const snake = (name: string) => name.replaceAll(":", "_");
  const snakeOfPascal = (name: string) => name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();

  for (const name of names) {
    it(`of ${name}: PascalCase, snake_case and every alias register, emit and ask for the same event`, () => {
      const { bus, errors } = reportingBus();
      const spellings = [name, pascal(name), snake(name), ...catalog[name].aliases];
      const seen: string[] = [];
      for (const spelling of spellings) {
        expect([spelling, resolveEvent(spelling).name]).toEqual([spelling, name]);
        expect(bus.has(spelling)).toBe(false);
        const off = bus.on(spelling as EventName, (event) => void seen.push(event.name));
        expect(bus.list().map(({ event }) => event)).toEqual([name]);
        for (const emitted of spellings) bus.emitSync(emitted as EventName);
        expect(seen.splice(0)).toEqual(spellings.map(() => name));
        expect([spelling, bus.has(spelling), bus.count(spelling)]).toEqual([spelling, true, 1]);
        off();
      }
      expect(spellingsOf(name)).toEqual(expect.arrayContaining(spellings));
      expect(errors).toEqual([]);
    });
  }

  it("of harn's own names: PreToolUse and pre_tool_use, and so on for each", () => {
    for (const [own, name] of Object.entries(harnNames)) {
      expect([own, findEvent(own)?.name]).toEqual([own, name]);
      expect([snakeOfPascal(own), findEvent(snakeOfPascal(own))?.name]).toEqual([snakeOfPascal(own), name]);
    }
  });

  it("of harn's own names are accepted by the types too", async () => {
    const { bus } = reportingBus();
    bus.on("pre_tool_use", (event) => (event.payload.tool.name === "bash" ? block("no bash") : undefined));
    bus.on("on_budget_threshold", () => undefined);
    expect(await bus.decide("pre_tool_use", toolCall("bash"))).toMatchObject({ verdict: "deny", reason: "no bash" });
    expect(bus.list().map(({ event }) => event)).toEqual(["tool:before", "budget:threshold"]);
  });

  it("name exactly one event each", () => {
    const all = names.flatMap((name) => spellingsOf(name));
    expect(new Set(all).size).toBe(all.length);
    const written = names.flatMap((name) => [name, ...catalog[name].aliases]);
    expect(new Set(written).size).toBe(written.length);
  });

  it("work for decide and transform as for on", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", () => block("no"));
    expect((await bus.decide("PreToolUse", toolCall("bash"))).verdict).toBe("deny");
    expect((await bus.decide("tool_before", toolCall("bash"))).verdict).toBe("deny");
    bus.on("ToolResult", () => "rewritten");
    expect((await bus.transform("transform_tool_result", "text")).value).toBe("rewritten");
  });

  it("of an unknown name are refused with a suggestion", () => {
    const { bus } = reportingBus();
    expect(() => bus.on("PreToolUze" as "PreToolUse", () => undefined)).toThrow(/PreToolUse/);
    expect(() => bus.on("tool:befor" as "tool:before", () => undefined)).toThrow(/tool:before/);
  });
});

describe("categories", () => {
  it("hold exactly the events the catalogue page lists", () => {
    const found: Record<string, string[]> = {};
    for (const name of [...names].sort()) found[catalog[name].category] = [...(found[catalog[name].category] ?? []), name];
    expect(found).toEqual(categories);
  });

  it("of families: a terminal UI's events are ui, commands and reserved namespaces other", () => {
    expect(resolveEvent("tui:tool.start").spec.category).toBe("ui");
    for (const namespace of ["command", "mcp", "exec", "patch", "goal", "task", "skill", "media", "room", "reaction"])
      expect([namespace, resolveEvent(`${namespace}:anything`).spec.category]).toEqual([namespace, "other"]);
  });

  for (const [category, members] of Object.entries(categories)) {
    it(`clear(${category}) takes away its handlers and no others`, () => {
      const { bus } = reportingBus();
      for (const name of names) bus.on(name, () => undefined);
      bus.on("tui:tool.start", () => undefined);
      expect(bus.clear({ category: category as Category })).toBe(members.length);
      const left = bus.list().map(({ event }) => event);
      expect(left.sort()).toEqual([...names.filter((name) => !members.includes(name)), "tui:tool.start"].sort());
    });
  }

  it("clear(ui) takes away mirrored events, exact and wildcard", () => {
    const { bus } = reportingBus();
    bus.on("tui:tool.start", () => undefined);
    bus.on("tui:*", () => undefined);
    bus.on("tool:before", () => undefined);
    expect(bus.clear({ category: "ui" })).toBe(2);
    expect(bus.list().map(({ event }) => event)).toEqual(["tool:before"]);
  });

  it("the provider subset is all of worker and session, and the four others", () => {
    const expected = [...categories.worker, ...categories.session, "tool:after", "turn:after", "step:after", "budget:threshold"];
    expect([...providerEvents].sort()).toEqual(expected.sort());
  });
});

describe("what a tool hook may answer", () => {
  it("deny, with a reason", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => ({ deny: "shell is off limits" }), { name: "no-shell", match: "bash" });
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({
      verdict: "deny",
      allowed: false,
      reason: "shell is off limits",
      by: "no-shell",
    });
    expect((await bus.decide("PreToolUse", toolCall("read"))).verdict).toBe("pass");
  });

  it("args: other arguments, the rest of the call stays", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", async () => ({ args: { command: "ls", safe: true } }));
    const decision = await bus.decide("PreToolUse", toolCall("bash", { command: "rm" }));
    expect(decision).toMatchObject({ verdict: "pass", allowed: true, modified: true });
    expect(decision.payload).toEqual(toolCall("bash", { command: "ls", safe: true }));
  });

  it("a reminder, then an action: deny", async () => {
    const book = createReminderBook();
    const { bus } = reportingBus({ reminders: book });
    bus.on("PreToolUse", () => ({ reminder: { body: "Use the edit tool." }, then: { deny: "no sed" } }), { name: "no-sed" });
    const decision = await bus.decide("PreToolUse", toolCall("bash"));
    expect(decision).toMatchObject({ verdict: "deny", reason: "no sed" });
    expect(decision.reminders).toEqual([{ spec: { body: "Use the edit tool." }, by: "no-sed" }]);
    expect(book.list("s1").map(({ spec, by, event }) => [spec.body, by, event])).toEqual([["Use the edit tool.", "no-sed", "tool:before"]]);
  });

  it("a reminder, then an action: args, allow and nothing", async () => {
    for (const [then, expected] of [
      [{ args: { n: 2 } }, { verdict: "pass", modified: true }],
      [{ decision: "allow" }, { verdict: "allow", modified: false }],
      [undefined, { verdict: "pass", modified: false }],
      [null, { verdict: "pass", modified: false }],
    ] as const) {
      const { bus } = reportingBus();
      bus.on("PreToolUse", async () => ({ reminder: { body: "mind the gap" }, then }) as never);
      const decision = await bus.decide("PreToolUse", toolCall("bash", { n: 1 }));
      expect(decision).toMatchObject(expected);
      expect(decision.reminders.map(({ spec }) => spec.body)).toEqual(["mind the gap"]);
    }
  });

  it("a reminder with an unknown key is reported with its code, and the action beside it counts all the same", async () => {
    const { bus, errors } = reportingBus({ onFailure: "open" });
    bus.on("PreToolUse", () => ({ reminder: { body: "x", ttl: 3 } as { body: string }, then: { deny: "no" } }));
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", reason: "no", reminders: [] });
    expect(errors.map(({ code }) => code)).toEqual(["HL_BAD_REMINDER"]);
    expect(errors[0]?.message).toContain("ttl");
  });

  it("a reminder on a worker event is rejected with its code", async () => {
    const { bus, errors } = reportingBus({ onFailure: "open", reminders: createReminderBook() });
    bus.on("WorkerCompleted", () => ({ reminder: { body: "x" } }));
    await bus.emit("WorkerCompleted", { worker: { id: "w1" } });
    bus.on("WorkerSpawned", () => ({ reminder: { body: "x" } }));
    expect(await bus.decide("WorkerSpawned", { worker: { id: "w1" } })).toMatchObject({ verdict: "pass", reminders: [] });
    expect(errors.map(({ code, event }) => [code, event])).toEqual([
      ["HL_REMINDER_REJECTED", "worker:completed"],
      ["HL_REMINDER_REJECTED", "worker:spawned"],
    ]);
  });
});

describe("result rewriting", () => {
  it("takes a string, { result } or replace(), each seeing the one before", async () => {
    const { bus } = reportingBus();
    bus.on("tool:result", (event) => `${event.value} one`);
    bus.on("tool:result", async (event) => ({ result: `${event.value} two` }));
    bus.on("tool:result", (event) => replace(`${event.value} three`));
    bus.on("tool:result", () => undefined);
    expect((await bus.transform("tool:result", "zero", toolCall("bash"))).value).toBe("zero one two three");
  });

  it("is what the run of a tool gives back and what PostToolUse sees", async () => {
    const { bus } = reportingBus();
    const seen: unknown[] = [];
    bus.on("tool:result", () => ({ result: "[redacted]", reason: "secrets" }), { match: "result.text =~ 'sk-[a-z]+'" });
    bus.on("PostToolUse", ({ payload }) => void seen.push([payload.status, payload.tool.output]));
    const run = async (output: string) => (await bus.runTool(toolCall("cat"), () => output)).output;
    expect([await run("key: sk-abc"), await run("nothing")]).toEqual(["[redacted]", "nothing"]);
    expect(seen).toEqual([
      ["ok", "[redacted]"],
      ["ok", "nothing"],
    ]);
  });

  it("can leave a reminder beside the result", async () => {
    const { bus } = reportingBus();
    bus.on("tool:result", () => ({ reminder: { body: "it was cut" }, then: { result: "short" } }));
    const { value, reminders } = await bus.transform("tool:result", "long", toolCall("cat"));
    expect([value, reminders.map(({ spec }) => spec.body)]).toEqual(["short", ["it was cut"]]);
  });

  it("leaves the result as it was when a handler fails", async () => {
    const { bus, errors } = reportingBus();
    bus.on("tool:result", () => Promise.reject(new Error("boom")));
    expect((await bus.transform("tool:result", "kept")).value).toBe("kept");
    expect(errors.map(({ code }) => code)).toEqual(["HL_HANDLER_FAILED"]);
  });
});

describe("chained modify", () => {
  const append = (word: string) => (event: { readonly payload: ToolPayload }) => ({
    args: { said: [...((event.payload.tool.input.said as string[] | undefined) ?? []), word] },
  });

  it("shows each handler the payload its predecessor made, and surfaces the last one although later handlers allow", async () => {
    const { bus } = reportingBus();
    const seen: unknown[] = [];
    bus.on("PreToolUse", append("one"), { stage: "rewrite" });
    bus.on("PreToolUse", async (event) => append("two")(event), { stage: "rewrite" });
    bus.on("PreToolUse", (event) => {
      seen.push(event.payload.tool.input.said);
      return allow("fine");
    });
    bus.on("PreToolUse", () => ({ decision: "allow" as const }));
    bus.on("PreToolUse", () => true);
    const decision = await bus.decide("PreToolUse", toolCall("bash"));
    expect(decision).toMatchObject({ verdict: "allow", allowed: true, modified: true, reason: "fine" });
    expect(decision.payload.tool.input).toEqual({ said: ["one", "two"] });
    expect(seen).toEqual([["one", "two"]]);
  });

  it("surfaces the final payload of modify() among guards too, and earlier guards look at it again", async () => {
    const { bus } = reportingBus();
    const looked: unknown[] = [];
    bus.on("PreToolUse", (event) => void looked.push(event.payload.tool.input.command));
    bus.on("PreToolUse", (event) =>
      event.payload.tool.input.command === "a"
        ? modify({ ...event.payload, tool: { ...event.payload.tool, input: { command: "b" } } })
        : undefined,
    );
    bus.on("PreToolUse", () => allow());
    const decision = await bus.decide("PreToolUse", toolCall("bash", { command: "a" }));
    expect(decision).toMatchObject({ verdict: "allow", modified: true });
    expect(decision.payload.tool.input.command).toBe("b");
    expect(looked).toEqual(["a", "b"]);
  });

  it("is what the tool is run with", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", append("one"), { stage: "rewrite" });
    bus.on("PreToolUse", append("two"), { stage: "rewrite" });
    bus.on("PreToolUse", () => allow());
    expect((await bus.runTool(toolCall("echo"), (input) => input.said)).output).toEqual(["one", "two"]);
  });
});

describe("decisions", () => {
  it("allow, deny and ask as words, with their reasons", async () => {
    const decided = async (decision: "allow" | "deny" | "ask") => {
      const { bus } = reportingBus({ onAsk: "return" });
      bus.on("PermissionAsked", async () => ({ decision, reason: `because ${decision}` }), { name: "policy" });
      const { verdict, allowed, reason, by } = await bus.decide("PermissionAsked", {});
      return { verdict, allowed, reason, by };
    };
    expect(await decided("allow")).toEqual({ verdict: "allow", allowed: true, reason: "because allow", by: "policy" });
    expect(await decided("deny")).toEqual({ verdict: "deny", allowed: false, reason: "because deny", by: "policy" });
    expect(await decided("ask")).toEqual({ verdict: "ask", allowed: false, reason: "because ask", by: "policy" });
  });

  it("deny beats ask beats allow beats nothing, whatever the order", async () => {
    const verdicts = { nothing: () => undefined, allow: () => allow(), ask: () => ask(), deny: () => block() };
    const rank = ["nothing", "allow", "ask", "deny"] as const;
    for (const first of rank)
      for (const second of rank) {
        const { bus } = reportingBus({ onAsk: "return" });
        bus.on("PreToolUse", verdicts[first]);
        bus.on("PreToolUse", verdicts[second]);
        const strongest = rank[Math.max(rank.indexOf(first), rank.indexOf(second))];
        const { verdict } = await bus.decide("PreToolUse", toolCall("bash"));
        expect([first, second, verdict]).toEqual([first, second, strongest === "nothing" ? "pass" : strongest]);
      }
  });

  it("an unknown word denies, whatever onFailure says, and is no person's decision", async () => {
    const { bus, errors } = reportingBus();
    bus.on("PreToolUse", () => ({ decision: "permit" }) as never, { name: "typo" });
    const decision = await bus.decide("PreToolUse", toolCall("bash"));
    expect(decision).toMatchObject({ verdict: "deny", by: "typo", cause: { code: "HL_INVALID_VERDICT", failure: "invalid_verdict" } });
    expect(decision.reason).toContain("permit");
    expect(errors.map(({ code }) => code)).toEqual(["HL_INVALID_VERDICT"]);
  });

  it("ask goes to the approver, whose answer counts", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => ({ decision: "ask" as const, reason: "Really?" }), { name: "careful" });
    bus.setApprover(async ({ reason, by }) => ({ verdict: "allow", reason: `${by}: ${reason} Yes.`, by: "ada" }));
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({
      verdict: "allow",
      reason: "careful: Really? Yes.",
      by: "ada",
    });
    bus.setApprover(() => ({ verdict: "deny", reason: "No." }));
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", reason: "No." });
    bus.setApprover(null);
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", cause: { code: "HL_NO_APPROVER" } });
  });
});

describe("nested then and effects", () => {
  const nested = (depth: number, wrap: (inner: unknown) => object, leaf: unknown): object => {
    let answer = leaf;
    for (let i = 0; i < depth; i++) answer = wrap(answer);
    return answer as object;
  };
  const wrappers = {
    then: (inner: unknown) => ({ then: inner }),
    effects: (inner: unknown) => ({ effects: [inner] }),
    "reminder and then": (inner: unknown) => ({ reminder: { body: "level" }, then: inner }),
    "effects with a reminder": (inner: unknown) => ({ effects: [{ reminder: { body: "level" } }, inner] }),
  };

  for (const [name, wrap] of Object.entries(wrappers)) {
    it(`${name}: 32 deep is read`, async () => {
      const { bus, errors } = reportingBus();
      bus.on("PreToolUse", () => nested(32, wrap, { deny: "at the bottom" }) as PlainAnswer);
      const decision = await bus.decide("PreToolUse", toolCall("bash"));
      expect(decision).toMatchObject({ verdict: "deny", reason: "at the bottom", cause: undefined });
      expect(decision.reminders).toHaveLength(name.includes("reminder") ? 32 : 0);
      expect(errors).toEqual([]);
    });

    it(`${name}: 33 deep is refused, and denies because somebody tried to decide`, async () => {
      const { bus, errors } = reportingBus();
      bus.on("PreToolUse", () => nested(33, wrap, { decision: "allow" }) as PlainAnswer, { name: "deep" });
      const decision = await bus.decide("PreToolUse", toolCall("bash"));
      expect(decision).toMatchObject({ verdict: "deny", by: "deep", cause: { code: "HL_INVALID_VERDICT", failure: "invalid_verdict" } });
      expect(decision.reason).toContain("32");
      expect(errors.map(({ code }) => code)).toEqual(["HL_INVALID_VERDICT"]);
    });
  }

  it("rewrites and allows from within", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", async () => ({
      effects: [
        { reminder: { body: "first" } },
        { reminder: { body: "second" }, then: { effects: [{ inject: "text" }, { then: { args: { n: 2 } } }] } },
      ],
    }));
    const decision = await bus.decide("PreToolUse", toolCall("bash", { n: 1 }));
    expect(decision.payload.tool.input).toEqual({ n: 2 });
    expect(decision.reminders.map(({ spec }) => spec.body)).toEqual(["first", "second"]);
    expect(decision.injections).toEqual(["text"]);
  });

  it("keeps the order in which effects are written", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => ({ effects: [{ reminder: { body: "first" } }], reminder: { body: "second" } }));
    const { reminders } = await bus.decide("PreToolUse", toolCall("bash"));
    expect(reminders.map(({ spec }) => spec.body)).toEqual(["first", "second"]);
  });

  it("two verdicts in one answer are refused", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => ({ effects: [{ decision: "allow" }, { then: { deny: "no" } }] }));
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", cause: { code: "HL_INVALID_VERDICT" } });
  });

  it("an answer that contains itself is refused, not followed for ever", async () => {
    const { bus } = reportingBus();
    const circle: { then?: unknown } = {};
    circle.then = { effects: [circle] };
    bus.on("PreToolUse", () => circle as never);
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", cause: { code: "HL_INVALID_VERDICT" } });
  });

  it("an answer that contains itself twice is refused after a few steps, not after two to the power of 32", async () => {
    const { bus } = reportingBus();
    let reads = 0;
    const circle = {
      get effects(): unknown[] {
        // Without this the test itself would hang.
        if (++reads > 10_000) throw new Error("read without end");
        return [circle, circle];
      },
    };
    bus.on("PreToolUse", () => circle as never);
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", cause: { code: "HL_INVALID_VERDICT" } });
    expect(reads).toBeLessThan(10_000);
  });
});

describe("reminders of a denied call", () => {
  it("the denying handler's own survives, those of the others are discarded", async () => {
    const book = createReminderBook();
    const { bus } = reportingBus({ reminders: book });
    bus.on("PreToolUse", () => remind({ body: "of a bystander" }));
    bus.on("PreToolUse", async () => [remind({ body: "of the denier" }), block("no")], { name: "denier" });
    bus.on("PreToolUse", () => remind({ body: "never reached" }));
    const decision = await bus.decide("PreToolUse", toolCall("bash"));
    expect(decision.verdict).toBe("deny");
    expect(decision.reminders).toEqual([{ spec: { body: "of the denier" }, by: "denier" }]);
    expect(book.list("s1").map(({ spec }) => spec.body)).toEqual(["of the denier"]);
  });

  it("a bystander's survives when it says keep", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => remind({ body: "kept" }, { keep: true }));
    bus.on("PreToolUse", () => block("no"));
    expect((await bus.decide("PreToolUse", toolCall("bash"))).reminders.map(({ spec }) => spec.body)).toEqual(["kept"]);
  });

  it("all survive a call that is let through, in handler order", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", async () => {
      await sleep(2);
      return remind({ body: "one" });
    });
    bus.on("PreToolUse", () => remind({ body: "two" }));
    expect((await bus.decide("PreToolUse", toolCall("bash"))).reminders.map(({ spec }) => spec.body)).toEqual(["one", "two"]);
  });
});

describe("patterns", () => {
  const matches = async (match: Match, payload: ToolPayload) => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => block(), { match });
    return (await bus.decide("PreToolUse", payload)).verdict === "deny";
  };
  const bash = (command: string) => toolCall("bash", { command, list: [], empty: "", zero: 0, yes: true, nested: { a: 1 }, none: {} });

  const cases: readonly [pattern: string, payload: ToolPayload, isMatch: boolean][] = [
    ["tool.args.command =~ '^rm '", bash("rm -rf"), true],
    ["tool.args.command =~ '^rm '", bash("ls; rm -rf"), false],
    ["tool.input.command =~ '^rm '", bash("rm -rf"), true],
    ["tool.name == bash", bash(""), true],
    ["tool.name == 'bash'", bash(""), true],
    ['tool.name == "bash"', bash(""), true],
    ["tool.name == zsh", bash(""), false],
    ["tool.name != bash", bash(""), false],
    ["tool.name != zsh", bash(""), true],
    ["tool.args.command == 'git push'", bash("git push"), true],
    ['tool.args.command == "git push"', bash("git pull"), false],
    ["tool.args.command =~ ^git", bash("git push"), true],
    ["tool.args.command =~ push$", bash("git push now"), false],
    ["tool.args.zero == 0", bash(""), true],
    ["tool.args.yes == true", bash(""), true],
    ["tool.args.missing == ''", bash(""), true],
    ["tool.args.missing != x", bash(""), true],
    ["tool.args.missing =~ .", bash(""), false],
    ["tool.args.command contains 'rf'", bash("rm -rf"), true],
    ["tool.args.command", bash("x"), true],
    ["tool.args.command", bash(""), false],
    ["tool.args.missing", bash("x"), false],
    ["tool.args.empty", bash("x"), false],
    ["tool.args.list", bash("x"), false],
    ["tool.args.none", bash("x"), false],
    ["tool.args.nested", bash("x"), true],
    ["tool.args.zero", bash("x"), false],
    ["tool.args.yes", bash("x"), true],
    ["bash", bash("x"), true],
    ["ba*", bash("x"), true],
    ["*sh", bash("x"), true],
    ["b?sh", bash("x"), true],
    ["b?h", bash("x"), false],
    ["*", bash("x"), true],
    ["read", bash("x"), false],
    ["deploy-*", { ...bash("x"), target: "deploy-prod" }, true],
    ["deploy-*", { ...bash("x"), target: "test" }, false],
    ["!bash", bash("x"), false],
    ["bash && tool.args.command =~ x", bash("x"), true],
    ["bash && !(tool.args.command == x || tool.args.command == y)", bash("y"), false],
    ["read || tool.args.command == 'x'", bash("x"), true],
  ];
  for (const [pattern, payload, isMatch] of cases) {
    const subject = `${payload.tool.name} ${JSON.stringify(payload.tool.input.command)}${payload.target === undefined ? "" : ` on ${payload.target}`}`;
    it(`${pattern} ${isMatch ? "matches" : "does not match"} ${subject}`, async () => {
      expect(await matches(pattern, payload)).toBe(isMatch);
    });
  }

  it("a glob is tried against the target of an event without a tool", () => {
    const { bus } = reportingBus();
    const seen: unknown[] = [];
    bus.on("FileEdited", (event) => void seen.push(event.payload.target), { match: "*_test*" });
    bus.emit("FileEdited", { target: "a_test" });
    bus.emit("FileEdited", { target: "a" });
    bus.emit("FileEdited", {});
    expect(seen).toEqual(["a_test"]);
  });

  it("result.text is the tool's output: before it is rewritten, as it is rewritten, and after", async () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("tool:result", () => "second", { match: "result.text == first" });
    bus.on("tool:result", () => void seen.push("transform saw the rewrite"), { match: "result.text =~ ^sec" });
    bus.on("tool:result", () => void seen.push("never"), { match: "result.text == first" });
    bus.on("PostToolUse", () => void seen.push("after"), { match: 'result.text == "second"' });
    bus.on("PostToolUse", () => void seen.push("never"), { match: "result.text != second" });
    await bus.runTool(toolCall("cat"), () => "first");
    expect(seen).toEqual(["transform saw the rewrite", "after"]);
  });

  it("are matched against the payload as it is after earlier rewrites", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => ({ args: { command: "rm" } }), { stage: "rewrite" });
    bus.on("PreToolUse", () => block("caught"), { match: "tool.args.command == rm" });
    expect(await bus.decide("PreToolUse", toolCall("bash", { command: "ls" }))).toMatchObject({ verdict: "deny", reason: "caught" });
  });

  it("that cannot be compiled are refused at registration, with the place", () => {
    const { bus } = reportingBus();
    for (const pattern of ["tool.name =~ '('", "tool.name ==", "tool.name == 'bash", "bash &&", ""]) {
      let error: unknown;
      try {
        bus.on("PreToolUse", () => undefined, { match: pattern });
      } catch (thrown) {
        error = thrown;
      }
      expect([pattern, error]).toEqual([pattern, expect.any(HookError)]);
      expect(error).toMatchObject({ code: "HL_BAD_MATCH", position: expect.any(Number) });
    }
    expect(bus.count()).toBe(0);
  });
});

describe("finish:before", () => {
  it("refuses block with its own error, which names again and finish:unsettled", async () => {
    for (const answer of [{ block: true }, { deny: "not yet" }, { decision: "deny" as const }, false]) {
      const { bus, errors } = reportingBus();
      bus.on("PreFinish", () => answer, { name: "stubborn" });
      expect(await bus.decide("PreFinish", {})).toMatchObject({ verdict: "pass", allowed: true });
      expect(errors.map(({ code, event, handler }) => [code, event, handler])).toEqual([["HL_FINISH_BLOCK", "finish:before", "stubborn"]]);
      expect(errors[0]?.message).toMatch(/again.*finish:unsettled/);
    }
  });

  it("refuses it although the handler is registered closed: finishing cannot be denied", async () => {
    const { bus, errors } = reportingBus();
    bus.on("PreFinish", async () => ({ block: true }), { onFailure: "closed" });
    expect((await bus.decide("PreFinish", {})).allowed).toBe(true);
    expect(errors.map(({ code }) => code)).toEqual(["HL_FINISH_BLOCK"]);
  });

  it("takes again instead, three times in a row", async () => {
    const { bus, errors } = reportingBus();
    bus.on("PreFinish", () => again("tests are red"), { name: "tests" });
    const finish = async () => (await bus.decide("PreFinish", { session: { id: "s1" } })).again;
    for (let i = 0; i < 3; i++) expect(await finish()).toEqual({ reason: "tests are red", by: "tests" });
    expect(await finish()).toBeUndefined();
    expect(errors.map(({ code }) => code)).toEqual(["HL_AGAIN_LIMIT"]);
  });

  it("has a neighbour that may be blocked: finish:unsettled", async () => {
    const { bus } = reportingBus();
    bus.on("OnUnsettledDetected", () => ({ deny: "work is left" }));
    expect(await bus.decide("OnUnsettledDetected", {})).toMatchObject({ verdict: "deny", reason: "work is left" });
  });
});

describe("lazy handlers", () => {
  it("load their module at the first fire, once, and run it from then on", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hookline-lazy-"));
    try {
      const file = join(folder, "hook.mjs");
      const loads = globalThis as { hooklineLazyLoads?: number };
      await writeFile(
        file,
        `globalThis.hooklineLazyLoads = (globalThis.hooklineLazyLoads ?? 0) + 1;
         let calls = 0;
         export const handle = (event) => ({ deny: event.payload.tool.name + " " + ++calls });`,
      );
      const { bus } = reportingBus();
      bus.on(
        "PreToolUse",
        lazy(() => import(/* @vite-ignore */ pathToFileURL(file).href), "handle"),
        { match: "bash" },
      );
      expect((await bus.decide("PreToolUse", toolCall("read"))).verdict).toBe("pass");
      expect(loads.hooklineLazyLoads).toBeUndefined();
      expect((await bus.decide("PreToolUse", toolCall("bash"))).reason).toBe("bash 1");
      expect((await bus.decide("PreToolUse", toolCall("bash"))).reason).toBe("bash 2");
      expect(loads.hooklineLazyLoads).toBe(1);
      delete loads.hooklineLazyLoads;
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("load once for events that fire while the module is loading", async () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    let loads = 0;
    const load = async () => {
      loads++;
      await sleep(5);
      return { handle: (event: { readonly name: string }) => void seen.push(event.name) };
    };
    bus.on("FileEdited", lazy(load));
    await Promise.all([bus.emit("FileEdited", {}), bus.emit("file:edited", {})]);
    expect([loads, seen]).toEqual([1, ["file:edited", "file:edited"]]);
  });

  it("work in transforms", async () => {
    const { bus } = reportingBus();
    bus.on(
      "tool:result",
      lazy(() => ({ shout: (event: { readonly value: string }) => event.value.toUpperCase() }), "shout"),
    );
    expect((await bus.transform("tool:result", "quiet")).value).toBe("QUIET");
  });

  it("fail like any handler when the module cannot be loaded, and try again at the next fire", async () => {
    const { bus, errors } = reportingBus();
    let isThere = false;
    const load = async () => {
      if (!isThere) throw new Error("no such file");
      return { handle: () => block("loaded at last") };
    };
    bus.on("PreToolUse", lazy(load), { name: "later", onFailure: "closed" });
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({
      verdict: "deny",
      reason: 'Handler "later" failed on "tool:before": no such file',
      by: "later",
    });
    isThere = true;
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", reason: "loaded at last", cause: undefined });
    expect(errors.map(({ code }) => code)).toEqual(["HL_HANDLER_FAILED"]);
  });

  it("say so when the module does not export the function", async () => {
    const { bus, errors } = reportingBus();
    bus.on(
      "FileEdited",
      lazy(() => ({ other: () => undefined }), "handle"),
    );
    await bus.emit("FileEdited", {});
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain('"handle"');
    expect(errors[0]?.cause).toMatchObject({ code: "HL_LAZY_EXPORT" });
  });
});

describe("the singleton guard", () => {
  it("runs before all others: rewriters, high priorities and earlier registrations", async () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.on("PreToolUse", () => void seen.push("first registered"));
    bus.on("PreToolUse", () => void seen.push("high"), { priority: Number.MAX_SAFE_INTEGER });
    bus.on("PreToolUse", () => void seen.push("rewrite"), { stage: "rewrite", priority: Number.MAX_SAFE_INTEGER });
    bus.on("*", () => void seen.push("wildcard"));
    bus.setSentinel(() => void seen.push("sentinel"));
    await bus.decide("PreToolUse", toolCall("bash"));
    expect(seen).toEqual(["sentinel", "rewrite", "high", "first registered", "wildcard"]);
  });

  it("blocks before anybody else is asked", async () => {
    const { bus } = reportingBus();
    let calls = 0;
    bus.on("PreToolUse", () => void calls++);
    bus.setSentinel(async () => block("halt"));
    expect(await bus.decide("PreToolUse", toolCall("bash"))).toMatchObject({ verdict: "deny", reason: "halt", by: "sentinel" });
    expect(calls).toBe(0);
  });

  it("is one: the second replaces the first, null takes it away", async () => {
    const { bus } = reportingBus();
    const seen: string[] = [];
    bus.setSentinel(() => void seen.push("one"));
    bus.setSentinel(() => void seen.push("two"));
    await bus.decide("PreToolUse", toolCall("bash"));
    expect(seen).toEqual(["two"]);
    bus.setSentinel(null);
    await bus.decide("PreToolUse", toolCall("bash"));
    expect(seen).toEqual(["two"]);
    expect(bus.count()).toBe(0);
  });

  it("guards every gate, and no other kind of event", async () => {
    const { bus, errors } = reportingBus();
    const seen: string[] = [];
    bus.setSentinel((event) => void seen.push(event.name));
    const gates = names.filter((name) => catalog[name].kind === "gate");
    for (const name of gates) await bus.decide(name as "tool:before", toolCall("bash"));
    await bus.decide("command:reset", {});
    for (const name of names) if (catalog[name].kind !== "gate") await bus.emit(name as "agent:end", {});
    expect(seen).toEqual([...gates, "command:reset"]);
    expect(errors).toEqual([]);
  });

  it("looks again when a later handler has rewritten the payload", async () => {
    const { bus } = reportingBus();
    bus.on("PreToolUse", () => ({ args: { command: "rm -rf /" } }), { stage: "rewrite" });
    bus.setSentinel((event) => (event.payload.tool.input.command?.includes("rm -rf") ? block("never") : undefined));
    expect(await bus.decide("PreToolUse", toolCall("bash", { command: "ls" }))).toMatchObject({ verdict: "deny", reason: "never" });
  });

  it("takes no guard's place, whatever options it was set with", async () => {
    for (const stage of ["rewrite", "guard", "observe"] as const) {
      const { bus } = reportingBus();
      bus.on("PreToolUse", () => block("a guard"));
      try {
        bus.setSentinel(() => undefined, { stage });
      } catch (error) {
        expect(error).toBeInstanceOf(HookError); // refusing the option is as good
      }
      expect([stage, (await bus.decide("PreToolUse", toolCall("bash"))).verdict]).toEqual([stage, "deny"]);
    }
  });
});

describe("the record of hook calls", () => {
  const recordedBus = () => {
    const transcript = createTranscript();
    const { bus, errors } = reportingBus();
    transcript.attach(bus);
    return { bus, errors, transcript };
  };
  const hooksOf = ({ entries }: Transcript) =>
    entries.flatMap((entry) =>
      entry.type === "hook_call" || entry.type === "hook_returned" || entry.type === "hook_vetoed" ? [[entry.type, entry.handler]] : [],
    );
  const of = <T extends Transcript["entries"][number]["type"]>({ entries }: Transcript, type: T) =>
    entries.filter((entry): entry is Extract<typeof entry, { readonly type: T }> => entry.type === type);

  it("has hook_call and hook_returned for a handler that passes, hook_vetoed for the one that denies", async () => {
    const { bus, transcript } = recordedBus();
    bus.on("PreToolUse", () => undefined, { name: "passer" });
    bus.on("PreToolUse", async () => ({ deny: "no bash" }), { name: "denier", match: "bash" });
    bus.on("PreToolUse", () => undefined, { name: "last" });
    await bus.decide("PreToolUse", toolCall("bash"));
    expect(hooksOf(transcript)).toEqual([
      ["hook_call", "passer"],
      ["hook_returned", "passer"],
      ["hook_call", "denier"],
      ["hook_vetoed", "denier"],
    ]);
    expect(of(transcript, "hook_vetoed")).toEqual([
      expect.objectContaining({ event: "tool:before", action: "deny", reason: "no bash", outcome: { deny: "no bash" } }),
    ]);
    expect(of(transcript, "decision")).toEqual([expect.objectContaining({ verdict: "deny", reason: "no bash", by: "denier" })]);
    await bus.decide("PreToolUse", toolCall("read"));
    expect(hooksOf(transcript).slice(4)).toEqual([
      ["hook_call", "passer"],
      ["hook_returned", "passer"],
      ["hook_call", "last"],
      ["hook_returned", "last"],
    ]);
  });

  it("has event id, the payload as the handler saw it, outcome and duration", async () => {
    const { bus, transcript } = recordedBus();
    let id = "";
    bus.on(
      "PreToolUse",
      (event) => {
        id = event.id;
        return { args: { command: "ls" } };
      },
      { name: "rewriter", owner: "ext", permissions: ["tools.intercept"], stage: "rewrite" },
    );
    bus.on("PreToolUse", () => allow("fine"), { name: "guard" });
    await bus.decide("PreToolUse", toolCall("bash", { command: "rm" }));
    expect(of(transcript, "hook_call")).toEqual([
      expect.objectContaining({
        id,
        event: "tool:before",
        handler: "rewriter",
        owner: "ext",
        payload: toolCall("bash", { command: "rm" }),
      }),
      expect.objectContaining({ id, event: "tool:before", handler: "guard", payload: toolCall("bash", { command: "ls" }) }),
    ]);
    expect(of(transcript, "hook_returned")).toEqual([
      expect.objectContaining({ id, handler: "rewriter", action: "modify", durationMs: expect.any(Number) }),
      expect.objectContaining({ id, handler: "guard", action: "allow", reason: "fine", durationMs: expect.any(Number) }),
    ]);
  });

  it("covers observed events and transforms, asynchronous handlers included", async () => {
    const { bus, transcript } = recordedBus();
    bus.on("SessionStart", async () => undefined, { name: "starter" });
    bus.on("PostToolUse", async () => undefined, { name: "async observer" });
    bus.on("PostToolUse", () => undefined, { name: "observer" });
    bus.on("tool:result", () => "rewritten", { name: "rewriter" });
    await bus.emit("SessionStart", {});
    await bus.runTool(toolCall("cat"), () => "text");
    expect(hooksOf(transcript)).toEqual([
      ["hook_call", "starter"],
      ["hook_returned", "starter"],
      ["hook_call", "rewriter"],
      ["hook_returned", "rewriter"],
      ["hook_call", "async observer"],
      ["hook_call", "observer"],
      ["hook_returned", "observer"],
      ["hook_returned", "async observer"],
    ]);
  });

  it("has every call of a handler of stage observe", async () => {
    const { bus, transcript } = recordedBus();
    bus.on("PreToolUse", () => undefined, { name: "audit", stage: "observe" });
    for (let i = 0; i < 3; i++) await bus.decide("PreToolUse", toolCall("bash"));
    expect(of(transcript, "hook_call").map(({ handler }) => handler)).toEqual(["audit", "audit", "audit"]);
    expect(of(transcript, "hook_returned").map(({ handler }) => handler)).toEqual(["audit", "audit", "audit"]);
  });

  it("tells crashes and timeouts from decisions", async () => {
    const { bus, transcript } = recordedBus();
    bus.on("PreToolUse", () => Promise.reject(new Error("boom")), { name: "crasher", onFailure: "open" });
    bus.on("PreToolUse", () => new Promise<undefined>(() => {}), { name: "hung", timeoutMs: 20, onFailure: "closed" });
    expect((await bus.decide("PreToolUse", toolCall("bash"))).verdict).toBe("deny");
    const answers = transcript.entries.filter(({ type }) => type === "hook_returned" || type === "hook_vetoed");
    expect(answers).toEqual([
      expect.objectContaining({ handler: "crasher", failure: "crash", code: "HL_HANDLER_FAILED" }),
      expect.objectContaining({ handler: "hung", failure: "timeout", code: "HL_TIMEOUT" }),
    ]);
    expect(of(transcript, "decision")).toEqual([
      expect.objectContaining({ verdict: "deny", cause: expect.objectContaining({ code: "HL_TIMEOUT", failure: "timeout" }) }),
    ]);
  });

  it("records the same through bus.tap, and stops when told to", async () => {
    const { bus } = reportingBus();
    const transcript = createTranscript();
    const stop = bus.tap(transcript);
    bus.on("PreToolUse", () => false, { name: "denier" });
    await bus.decide("PreToolUse", toolCall("bash"));
    stop();
    await bus.decide("PreToolUse", toolCall("bash"));
    expect(hooksOf(transcript)).toEqual([
      ["hook_call", "denier"],
      ["hook_vetoed", "denier"],
    ]);
  });
});
