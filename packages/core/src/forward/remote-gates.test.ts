import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { call, reportingBus } from "../../../../test/support/reporting-bus.js";
import { hubFolder, TestHub, type TestHubOptions } from "../../../../test/support/test-hub.js";
import { ANSWER_MARGIN_MS } from "../bus/time-limits.js";
import { connectToHub } from "./connect-to-hub.js";
import { GATES_FILE, writeGatesFile } from "./gates-file.js";
import type { HubConnection } from "./hub-connection.js";
import { HUB_FILE } from "./hub-file.js";
import type { ForwardOptions } from "./options.js";

const lines: HubConnection[] = [];
afterEach(async () => {
  await Promise.all(lines.splice(0).map((line) => line.close(0)));
});

const soon = { timeout: 60_000, interval: 5 };
const gate = { event: "tool:before", timeoutMs: 5_000, onFailure: "closed" } as const;

function start(folder: string, options: ForwardOptions = {}) {
  const made = reportingBus({ source: "agent", onAsk: "return" });
  const line = connectToHub(made.bus, { folder, ...options });
  lines.push(line);
  return { ...made, line };
}

async function attached(folder: string, hubOptions: TestHubOptions, options: ForwardOptions = {}) {
  const hub = await TestHub.start(folder, { gates: [gate], ...hubOptions });
  const made = start(folder, options);
  await expect.poll(() => made.line.state, soon).toBe("attached");
  return { hub, ...made };
}

describe("a gate the hub announces", () => {
  it("is asked about, and says pass, allow, ask and deny", async () => {
    using folder = hubFolder();
    const verdicts: { readonly [command: string]: object } = {
      pass: { verdict: "pass" },
      allow: { verdict: "allow" },
      ask: { verdict: "ask", reason: "sure?" },
      deny: { verdict: "deny", reason: "no", by: "no-rm", endLoop: true },
    };
    const { hub, bus, line } = await attached(folder.state, {
      onGate: ({ payload }, answer) => answer(verdicts[(payload as ReturnType<typeof call>).tool.input.command] as never),
    });
    await using _ = hub;
    const decide = async (command: string) => {
      const { verdict, reason, endLoop } = await bus.decide("tool:before", call(command));
      return { verdict, reason, endLoop };
    };
    expect(await decide("pass")).toEqual({ verdict: "pass", reason: undefined, endLoop: false });
    expect(await decide("allow")).toMatchObject({ verdict: "allow" });
    expect(await decide("ask")).toMatchObject({ verdict: "ask", reason: "sure?" });
    expect(await decide("deny")).toEqual({ verdict: "deny", reason: "no", endLoop: true });
    expect(line.counters.gates).toEqual({ asked: 4, answered: 4, failed: 0, stray: 0 });
    expect(hub.frames.find(({ type }) => type === "gate")).toMatchObject({ event: "tool:before", session: { id: "s1" } });
    expect(bus.list()).toMatchObject([{ event: "tool:before", name: "hub", stage: "guard", onFailure: "closed" }]);
  });

  it("holds the very first call, made before the hub has said which gates it has", async () => {
    using folder = hubFolder();
    const hub = await TestHub.start(folder.state, { gates: [gate], onGate: (_, answer) => answer({ verdict: "deny", reason: "no" }) });
    await using _ = hub;
    const { bus, line } = start(folder.state);
    expect(line.state).toBe("connecting");
    const [decided, other] = await Promise.all([
      bus.decide("tool:before", call("rm")),
      bus.decide("prompt:submit", { prompt: "hi" } as never),
    ]);
    expect([decided.verdict, other.verdict]).toEqual(["deny", "pass"]);
    expect(bus.list().map(({ name }) => name)).toEqual(["hub"]);
  });

  it("asks about the very first call once, also one the host named itself or one of a family", async () => {
    using folder = hubFolder();
    const gates = [gate, { ...gate, event: "command:*" }];
    const hub = await TestHub.start(folder.state, { gates, onGate: (_, answer) => answer({ verdict: "deny", reason: "no" }) });
    await using _ = hub;
    const { bus, line } = start(folder.state, { gates: { events: ["tool:before"] } });
    const decisions = await Promise.all([bus.decide("tool:before", call("rm")), bus.decide("command:git:push", {})]);
    expect(decisions.map(({ verdict }) => verdict)).toEqual(["deny", "deny"]);
    expect(line.counters.gates).toMatchObject({ asked: 2, answered: 2 });
  });

  it("may be a family of gates: every command is asked about, whatever its name", async () => {
    using folder = hubFolder();
    const gates = ["command:*", "tui:*", "*", "tool:*"].map((event) => ({ ...gate, event }));
    const { hub, bus } = await attached(folder.state, { gates, onGate: (_, answer) => answer({ verdict: "deny", reason: "no" }) });
    await using _ = hub;
    expect(await bus.decide("command:deploy", {})).toMatchObject({ verdict: "deny" });
    expect(bus.list().map(({ event }) => event)).toEqual(["command:*"]);
  });

  it("sees secrets, and can rewrite, inject and remind", async () => {
    using folder = hubFolder();
    const seen: unknown[] = [];
    const { hub, bus } = await attached(folder.state, {
      onGate: ({ payload }, answer) => {
        seen.push(payload);
        const { tool, ...rest } = payload as ReturnType<typeof call>;
        const rewritten = { ...rest, tool: { ...tool, input: { command: "ls" } } };
        answer({ verdict: "pass", payload: rewritten, injections: ["be careful"], reminders: [{ body: "tidy up" }] });
      },
    });
    await using _ = hub;
    const command = "login --password hunter22";
    const decision = await bus.decide("tool:before", call(command));
    expect(seen[0]).toMatchObject({ tool: { input: { command } } });
    expect(decision).toMatchObject({
      verdict: "pass",
      modified: true,
      injections: ["be careful"],
      reminders: [{ spec: { body: "tidy up" } }],
    });
    expect(decision.payload.tool.input).toEqual({ command: "ls" });
    // What is kept of it has none.
    await expect.poll(() => hub.received.length, soon).toBe(1);
    expect(hub.rawBytes.split('"type":"gate"').length).toBeGreaterThan(1);
    expect(JSON.stringify(hub.received)).not.toContain("hunter22");
  });

  it("tells of the hub's guards, and takes nothing but words to show from a strange trail", async () => {
    using folder = hubFolder();
    const rule = { kind: "rule", name: "no-rm", owner: "rules" };
    const step = { actor: rule, stage: "guard", round: 0, action: "no-match", durationMs: 0.5 };
    const long = { ...step, actor: { ...rule, name: "h".repeat(10_000), at: "elsewhere" }, reason: "r".repeat(10_000), more: {} };
    const odd = [null, 1, [], {}, { ...step, round: -1 }, { ...step, action: 3 }, { ...step, actor: { ...rule, kind: "god" } }];
    const older = { handler: "no-rm", owner: "rules", stage: "guard", round: 0, action: "no-match", durationMs: "1" };
    const many = Array.from({ length: 1_000 }, () => step);
    const trails: unknown[] = [[step], "no trail", { length: 3 }, [...odd, older, long], many, undefined];
    const { hub, bus } = await attached(folder.state, {
      onGate: (_, answer) => answer({ verdict: "pass", trail: trails[hub.received.length] as never }),
    });
    await using _ = hub;
    bus.on("tool:before", () => undefined, { name: "after" });
    for (const [index] of trails.entries()) {
      const { verdict, trail } = await bus.decide("tool:before", call());
      expect([verdict, trail[0]?.actor, trail.at(-1)?.actor]).toEqual([
        "pass",
        { kind: "hub", name: "hub" },
        { kind: "guard", name: "after" },
      ]);
      await expect.poll(() => hub.received.length, soon).toBe(index + 1);
    }
    const told = hub.received.map(({ decision }) => (decision?.trail ?? []).slice(1, -1));
    expect(told[0]).toEqual([{ ...step, actor: { ...rule, at: "hub" } }]);
    expect(told[3]).toMatchObject([
      { actor: { kind: "guard", name: "no-rm", owner: "rules", at: "hub" } },
      { actor: { kind: "rule", name: "h".repeat(200), at: "hub" }, reason: "r".repeat(500) },
    ]);
    expect(told.map(({ length }) => length)).toEqual([1, 0, 0, 2, 64, 0]);
  });

  it("names the hub's guards in what is stored, and to a person", async () => {
    using folder = hubFolder();
    const rule = (name: string) => ({ kind: "rule", name });
    const asks = [
      { by: "one", actor: rule("one"), reason: "sure?" },
      null,
      { by: "two", actor: rule("two"), reason: 3 },
      { reason: "nobody" },
    ];
    const verdicts: { readonly [command: string]: object } = {
      deny: { verdict: "deny", actor: rule("no-rm") },
      allow: { verdict: "allow", reason: "known", actor: rule("fine") },
      nobody: { verdict: "deny", reason: "too many" },
      ask: { verdict: "ask", reason: "sure?", actor: rule("one"), asks },
      old: { verdict: "ask", reason: "sure?", by: "one, two", asks: "none" },
    };
    const { hub, bus } = await attached(folder.state, {
      onGate: ({ payload }, answer) => answer(verdicts[(payload as ReturnType<typeof call>).tool.input.command] as never),
    });
    await using _ = hub;
    const decisions = [];
    for (const command of Object.keys(verdicts)) decisions.push(await bus.decide("tool:before", call(command)));
    const deciders = [
      [{ kind: "rule", name: "no-rm", at: "hub" }, 'The rule "no-rm" says no, and gives no reason.'],
      [{ kind: "rule", name: "fine", at: "hub" }, "known"],
      [{ kind: "hub", name: "hub" }, "too many"],
      [{ kind: "rule", name: "one", at: "hub" }, "sure?"],
      [{ kind: "guard", name: "one, two", at: "hub" }, "sure?"],
    ];
    expect(decisions.map(({ actor, reason }) => [actor, reason])).toEqual(deciders);
    expect(decisions[3]?.asks).toMatchObject([
      { by: "one", reason: "sure?" },
      { by: "two", reason: undefined },
    ]);
    await expect.poll(() => hub.received.length, soon).toBe(5);
    expect(hub.received.map(({ decision }) => [decision?.actor, decision?.reason])).toEqual(deciders);
  });

  it("follows what the hub announces, and no more than the options let it", async () => {
    using folder = hubFolder();
    const { hub, bus } = await attached(folder.state, {}, { gates: { timeoutMs: 77, onFailure: "open" } });
    await using _ = hub;
    expect(bus.list()).toMatchObject([{ event: "tool:before", onFailure: "open", timeoutMs: 77 + ANSWER_MARGIN_MS }]);
    hub.say({ type: "gates", gates: [{ ...gate, event: "PreCompact" }] });
    await expect.poll(() => bus.list().map(({ event }) => event), soon).toEqual(["compact:before"]);
    hub.say({ type: "gates", gates: [] });
    await expect.poll(() => bus.count(), soon).toBe(0);
    using other = hubFolder();
    const none = await attached(other.state, {}, { gates: false });
    await using __ = none.hub;
    expect(none.bus.count()).toBe(0);
  });
});

it("gets a name of its own beside a host's handler, and stays when the host clears its bus", async () => {
  using folder = hubFolder();
  const hub = await TestHub.start(folder.state, { gates: [gate] });
  await using _ = hub;
  const { bus } = reportingBus({ source: "agent" });
  bus.on("tool:before", () => undefined, { name: "hub" });
  const line = connectToHub(bus, { folder: folder.state });
  lines.push(line);
  await expect.poll(() => line.state, soon).toBe("attached");
  expect(bus.list().map(({ name }) => name)).toEqual(["hub", "hub-2"]);
  bus.clear();
  expect(bus.list().map(({ name }) => name)).toEqual(["hub-2"]);
  await line.close(0);
  expect(bus.list()).toEqual([]);
});

describe("no answer", () => {
  const short = { ...gate, timeoutMs: 150 };

  it("denies under closed, and passes under open", async () => {
    using folder = hubFolder();
    const { hub, bus, line } = await attached(folder.state, {
      gates: [short, { ...short, event: "prompt:submit", onFailure: "open" }],
    });
    await using _ = hub;
    expect(await bus.decide("tool:before", call())).toMatchObject({
      verdict: "deny",
      cause: { failure: "timeout", cause: { code: "HL_TIMEOUT" } },
    });
    expect(await bus.decide("prompt:submit", { text: "hi" } as never)).toMatchObject({ verdict: "pass" });
    expect(line.counters.gates).toMatchObject({ asked: 2, failed: 2 });
  });

  it("comes from answers that cannot be understood", async () => {
    using folder = hubFolder();
    const wrong = [
      { verdict: "yes" },
      {},
      { verdict: "allow", reason: 3 },
      { verdict: "allow", payload: "text" },
      { verdict: "allow", injections: "x" },
      { verdict: "allow", reminders: [{ text: "x" }] },
      // An answer to a transform says nothing about a gate.
      { type: "transformed" },
      { type: "transformed", verdict: "allow", decision: "allow" },
      { verdict: "allow", decision: "maybe" },
    ];
    let next = 0;
    const { hub, bus } = await attached(folder.state, { onGate: (_, answer) => answer(wrong[next++] as never) });
    await using _ = hub;
    for (const verdict of wrong)
      expect(await bus.decide("tool:before", call()), JSON.stringify(verdict)).toMatchObject({
        verdict: "deny",
        cause: { cause: { code: "HL_INVALID_VERDICT" } },
      });
  });

  it("is nothing a late, double or foreign verdict can change", async () => {
    using folder = hubFolder();
    const late: (() => void)[] = [];
    const { hub, bus, line } = await attached(folder.state, {
      gates: [short],
      onGate: ({ payload }, answer) => {
        if (JSON.stringify(payload).includes("late")) late.push(() => answer({ verdict: "allow" }));
        else for (const verdict of ["deny", "allow", "allow"]) answer({ verdict });
      },
    });
    await using _ = hub;
    expect(await bus.decide("tool:before", call("late"))).toMatchObject({ verdict: "deny" });
    for (const answer of late) answer();
    hub.say({ type: "verdict", id: "somebody-else", verdict: "allow" });
    expect(await bus.decide("tool:before", call("double"))).toMatchObject({ verdict: "deny" });
    await expect.poll(() => line.counters.gates, soon).toEqual({ asked: 2, answered: 1, failed: 1, stray: 4 });
  });

  it("keeps a closed gate closed while the hub is away, at once when it has been away for long", async () => {
    using folder = hubFolder();
    const { hub, bus, line } = await attached(folder.state, { gates: [short] });
    await hub.stop();
    await expect.poll(() => line.state, soon).toBe("waiting");
    const decision = await bus.decide("tool:before", call());
    expect(decision).toMatchObject({ verdict: "deny", by: "hub", cause: { cause: { code: "HL_HUB_UNREACHABLE" } } });
    expect(decision.reason).toContain("hookline up");
    await expect.poll(async () => (await bus.decide("tool:before", call())).verdict, soon).toBe("deny");
    expect(bus.count("tool:before")).toBe(1);
  });

  it("can still be given over the next connection, within the deadline", async () => {
    using folder = hubFolder();
    const { hub, bus, line } = await attached(folder.state, {});
    const decision = bus.decide("tool:before", call());
    await expect.poll(() => hub.frames.some(({ type }) => type === "gate"), soon).toBe(true);
    await hub.die();
    const again: number[] = [];
    await using _ = await TestHub.start(folder.state, {
      gates: [gate],
      onGate: ({ deadlineMs }, answer) => {
        again.push(deadlineMs as number);
        answer({ verdict: "deny", reason: "from the next" });
      },
    });
    expect(await decision).toMatchObject({ verdict: "deny", reason: "from the next" });
    expect(again[0]).toBeLessThan(5_000);
    expect(line.counters.gates).toEqual({ asked: 1, answered: 1, failed: 0, stray: 0 });
  });

  it("denies from the start for gates that must not go unasked", async () => {
    using folder = hubFolder();
    const { bus, line } = start(folder.state, { gates: { events: ["PreToolUse"], timeoutMs: 100 } });
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", cause: { cause: { code: "HL_HUB_UNREACHABLE" } } });
    await using _ = await TestHub.start(folder.state, { onGate: (_, answer) => answer({ verdict: "allow" }) });
    await expect.poll(() => line.state, soon).toBe("attached");
    // The hub announced none, and is asked all the same.
    expect(bus.list()).toMatchObject([{ event: "tool:before", name: "hub" }]);
    await expect.poll(async () => (await bus.decide("tool:before", call())).verdict, soon).toBe("allow");
  });

  it("comes from a payload that is too large to ask about, and from a line that is closed", async () => {
    using folder = hubFolder();
    const { hub, bus, line } = await attached(folder.state, {});
    await using _ = hub;
    expect(await bus.decide("tool:before", call("x".repeat(5_000_000)))).toMatchObject({
      verdict: "deny",
      cause: { cause: { code: "HL_FRAME_TOO_LARGE" } },
    });
    const decision = bus.decide("tool:before", call());
    void line.close(0);
    expect(await decision).toMatchObject({ verdict: "deny" });
    expect(bus.count()).toBe(0);
  });

  it("is cancelled by its caller", async () => {
    using folder = hubFolder();
    const { hub, bus, line } = await attached(folder.state, {});
    await using _ = hub;
    const controller = new AbortController();
    const decision = bus.decide("tool:before", call(), { signal: controller.signal });
    controller.abort();
    expect(await decision).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
    await expect.poll(() => line.counters.gates.failed, soon).toBe(1);
  });
});

describe("a process that starts while the hub cannot answer", () => {
  const short = { ...gate, timeoutMs: 150 };
  const gates = [short, { ...short, event: "prompt:submit", onFailure: "open" } as const];

  async function deadHub(folder: string, options: TestHubOptions = {}) {
    const hub = await TestHub.start(folder, { gates, ...options });
    await hub.die();
    return hub;
  }

  it("denies its first call under closed and passes it under open, and the reason names both ways out", async () => {
    using folder = hubFolder();
    await deadHub(folder.state);
    const { bus, line, codes } = start(folder.state);
    const [closed, open] = await Promise.all([bus.decide("tool:before", call()), bus.decide("prompt:submit", { prompt: "hi" } as never)]);
    expect(closed).toMatchObject({ verdict: "deny", by: "hub", cause: { cause: { code: "HL_HUB_UNREACHABLE" } } });
    for (const text of ["no process listens on", "hookline up", "hookline down"]) expect(closed.reason).toContain(text);
    expect(open.verdict).toBe("pass");
    expect(codes()).toContain("HL_HUB_UNREACHABLE");
    await using _ = await TestHub.start(folder.state, { socket: "next.sock" });
    await expect.poll(() => line.state, soon).toBe("attached");
    // What this hub announces counts, and no more what the file of the other said.
    expect([(await bus.decide("tool:before", call())).verdict, bus.count()]).toEqual(["pass", 0]);
  });

  it("waits for one that stands still, and asks it when it goes on", async () => {
    using folder = hubFolder();
    const hub = await TestHub.start(folder.state, { gates: [short], isMute: true });
    await using _ = hub;
    const { bus } = start(folder.state);
    const denied = await bus.decide("tool:before", call());
    expect(denied).toMatchObject({ verdict: "deny", reason: expect.stringContaining("has not proved itself") });
    hub.options = { gates: [short], onGate: (_, answer) => answer({ verdict: "pass" }) };
    hub.cut();
    await expect.poll(async () => (await bus.decide("tool:before", call())).verdict, soon).toBe("pass");
  });

  it("follows its own options: no gates, or others' failure mode", async () => {
    using folder = hubFolder();
    await deadHub(folder.state);
    for (const own of [false, { onFailure: "open", timeoutMs: 50 }] as const) {
      const { bus } = start(folder.state, { gates: own });
      expect((await bus.decide("tool:before", call())).verdict).toBe("pass");
    }
  });

  it("goes on without a hub when both files are gone, and is guarded as long as the gates are there", async () => {
    using folder = hubFolder();
    await deadHub(folder.state);
    rmSync(join(folder.state, HUB_FILE));
    const { bus } = start(folder.state);
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", reason: expect.stringContaining("there is no hub") });
    rmSync(join(folder.state, GATES_FILE));
    await expect.poll(() => bus.count(), soon).toBe(0);
    expect((await bus.decide("tool:before", call())).verdict).toBe("pass");
  });

  it("names the folder to mount if the hub's socket is invisible", async () => {
    using folder = hubFolder();
    const { file } = await deadHub(folder.state);
    writeFileSync(join(folder.state, HUB_FILE), JSON.stringify({ ...file, line: join(folder.path, "runtime", "line.sock") }));
    const { bus, reports } = start(folder.state);
    const { reason } = await bus.decide("tool:before", call());
    for (const text of [reason, reports[0]?.message]) expect(text).toContain(`mount the folder "${join(folder.path, "runtime")}"`);
  });

  it.each<readonly [string, string, (state: string) => void]>([
    ["there are no gates", "HL_GATES_FILE", (state) => rmSync(join(state, GATES_FILE))],
    ["the gates are broken", "HL_GATES_FILE", (state) => writeFileSync(join(state, GATES_FILE), '{"v":1,"instance":"x","gates":[{}]}')],
    ["others can change the gates", "HL_GATES_FILE", (state) => chmodSync(join(state, GATES_FILE), 0o666)],
    ["others can change the folder", "HL_HUB_FOREIGN", (state) => chmodSync(state, 0o770)],
  ])("closes every gate when %s, and reports it", async (_, code, harm) => {
    using folder = hubFolder();
    await deadHub(folder.state);
    harm(folder.state);
    const { bus, codes } = start(folder.state, { gates: { timeoutMs: 50 } });
    const verdicts = await Promise.all([
      bus.decide("tool:before", call()),
      bus.decide("prompt:submit", { prompt: "hi" } as never),
      bus.decide("command:deploy", {}),
    ]);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(["deny", "deny", "deny"]);
    expect(codes()[0]).toBe(code);
  });

  it("closes nothing without a hub, whatever the folder's mode", async () => {
    using folder = hubFolder();
    chmodSync(folder.state, 0o777);
    const { bus, codes } = start(folder.state);
    expect([bus.count(), codes()]).toEqual([0, ["HL_NO_HUB"]]);
  });

  it("closes everything where a hub is required, until one has been there", async () => {
    using folder = hubFolder();
    const { bus, line, reports } = start(folder.state, { required: true, gates: { timeoutMs: 30, onFailure: "open" } });
    expect(reports.map(({ code }) => code)).toEqual(["HL_NO_HUB"]);
    const unreachable = { code: "HL_HUB_UNREACHABLE", fix: { run: "hookline up" } };
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", by: "hub", cause: { cause: unreachable } });
    expect((await bus.decide("prompt:submit", { prompt: "hi" } as never)).verdict).toBe("deny");
    expect((await bus.transform("tool:result", "text", call())).value).toMatch(/^\[withheld: /);
    {
      await using _ = await TestHub.start(folder.state, { gates: [] });
      await expect.poll(() => line.state).toBe("attached");
      expect((await bus.decide("tool:before", call())).verdict).toBe("pass");
    }
    await expect.poll(() => line.state).not.toBe("attached");
    expect((await bus.decide("tool:before", call())).verdict).toBe("pass");
  });

  it("is refused as required where no gate is asked", () => {
    using folder = hubFolder();
    expect(() => start(folder.state, { required: true, gates: false })).toThrow('"gates" is false');
  });

  it("keeps to the gates when hub.json is broken, or others can get at it", async () => {
    using folder = hubFolder();
    await deadHub(folder.state);
    writeFileSync(join(folder.state, HUB_FILE), "{");
    const { bus } = start(folder.state);
    const decision = await bus.decide("tool:before", call());
    expect(decision).toMatchObject({ verdict: "deny", reason: expect.stringContaining("is not followed") });
    expect((await bus.decide("prompt:submit", { prompt: "hi" } as never)).verdict).toBe("pass");
  });

  it("takes a hub without a gates file at its word", async () => {
    using folder = hubFolder();
    const onGate: TestHubOptions["onGate"] = ({ event }, answer) => answer({ verdict: event === "tool:before" ? "deny" : "pass" });
    const hub = await TestHub.start(folder.state, { gates: [gate], hasNoGatesFile: true, onGate });
    await using _ = hub;
    const { bus } = start(folder.state);
    const decisions = await Promise.all([bus.decide("tool:before", call()), bus.decide("prompt:submit", { prompt: "hi" } as never)]);
    expect(decisions.map(({ verdict }) => verdict)).toEqual(["deny", "pass"]);
    expect(bus.list().map(({ event }) => event)).toEqual(["tool:before"]);
  });

  it("knows nothing of gates that are no longer written, and takes the newest while the hub is away", async () => {
    using folder = hubFolder();
    const { file } = await deadHub(folder.state);
    const { bus } = start(folder.state);
    expect(bus.count()).toBe(2);
    writeGatesFile(folder.state, { instance: file.instance, gates: [{ ...short, event: "compact:before" }] });
    await expect.poll(() => bus.list().map(({ event }) => event), soon).toEqual(["compact:before"]);
  });
});
