import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ask, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { Envelope } from "@hookline/core/sinks";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call } from "../../../../../test/support/reporting-bus.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { readTimeline } from "../timeline/read-timeline.js";

const RULES = `
[[rule]]
name = "no-rm"
event = "tool:before"
match = "tool.input.command contains 'rm '"
do = "block"
message = "not here"

[[rule]]
name = "careful"
event = "tool:before"
match = "tool.input.command contains 'deploy'"
do = "ask"
message = "Really?"
`;

async function hubWithRules() {
  const folder = testFolder();
  const [state, config] = [join(folder, "state"), join(folder, "hookline.toml")];
  writeFileSync(config, RULES);
  const start = () => startAt(state, config);
  return { state, start, ...(await start()) };
}

async function startAt(state: string, config: string) {
  const hub = await startHub({ state, config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const { approvals, store } = hub.parts;
  const connect = async () => {
    const bus = createBus({ source: "agent", onError: () => {} });
    const line = connectToHub(bus, { folder: state });
    onTestFinished(async () => void (await line.close()));
    await expect.poll(() => line.state, { timeout: 10_000 }).toBe("attached");
    return { bus, line };
  };
  const waiting = async () => {
    await expect.poll(() => approvals.list(), { timeout: 10_000 }).toHaveLength(1);
    return approvals.list()[0] as NonNullable<ReturnType<typeof approvals.list>[0]>;
  };
  const stored = async (event: string): Promise<Envelope[]> =>
    (await store.page({ events: [event] }, { limit: 10 })).events.map(({ body }) => JSON.parse(body) as Envelope);
  return { hub, connect, waiting, stored, approvals };
}

const approvalIn = ({ payload }: Envelope) => (payload as { approval: Record<string, unknown> }).approval;
const rule = (name: string) => ({ kind: "rule", name, owner: "rules", at: "hub" });
const hubHandler = { kind: "hub", name: "hub" };

describe("a call of a process that the hub's rules decide", () => {
  it("is stored with the rule that denied it", async () => {
    const { connect, stored } = await hubWithRules();
    const { bus, line } = await connect();
    const decision = await bus.decide("tool:before", call("rm -rf /"));
    expect(decision).toMatchObject({ verdict: "deny", by: "no-rm", actor: rule("no-rm"), reason: "not here" });
    await line.flush(10_000);
    const [envelope] = await stored("tool:before");
    expect(envelope).toMatchObject({ v: 2, decision: { verdict: "deny", by: "no-rm", actor: rule("no-rm") } });
    expect(envelope?.decision?.trail?.map(({ actor, action }) => ({ actor, action }))).toEqual([
      { actor: hubHandler, action: "deny" },
      { actor: rule("no-rm"), action: "deny" },
    ]);
  });
});

describe("a question to a person", () => {
  it("is one approval from the process to the timeline, also if the person has the name of the rule that asks", async () => {
    const { hub, connect, waiting, stored, approvals } = await hubWithRules();
    const { bus, line } = await connect();
    const heard: string[] = [];
    for (const event of ["approval:requested", "permission:replied"] as const)
      bus.on(event, ({ payload }) => void heard.push(`${event} ${approvalIn({ payload } as Envelope).id}`), { stage: "observe" });
    const deciding = Promise.resolve(bus.decide("tool:before", call("deploy")));
    const row = await waiting();
    expect(row).toMatchObject({ by: "careful", actor: rule("careful"), reason: "Really?" });
    approvals.answer(row.id, { verdict: "deny", hash: row.hash, by: "careful", reason: "not on a Friday" });
    const person = { kind: "person", name: "careful", at: "hub" };
    expect(await deciding).toMatchObject({ verdict: "deny", by: "careful", actor: person, reason: "not on a Friday" });
    await line.flush(10_000);
    await expect.poll(() => stored("permission:replied"), { timeout: 10_000 }).toHaveLength(1);
    const [requested, ...more] = await stored("approval:requested");
    const [replied] = await stored("permission:replied");
    const [envelope] = await stored("tool:before");
    expect(more).toEqual([]);
    expect(heard).toEqual([`approval:requested ${row.id}`, `permission:replied ${row.id}`]);
    expect(approvalIn(requested as Envelope)).toMatchObject({ id: row.id, eventId: envelope?.id, actor: rule("careful") });
    expect(replied?.source.app).toBe("hookline-hub");
    expect(approvalIn(replied as Envelope)).toMatchObject({ id: row.id, eventId: envelope?.id, verdict: "deny", actor: person });
    expect(envelope?.decision?.trail?.map(({ actor, action }) => ({ actor, action }))).toEqual([
      { actor: hubHandler, action: "ask" },
      { actor: rule("no-rm"), action: "no-match" },
      { actor: rule("careful"), action: "ask" },
      { actor: person, action: "deny" },
    ]);
    const overview = await hub.parts.store.overview({ fromMinute: Math.floor(Date.now() / 60_000) - 5, stepMinutes: 10, steps: 1 });
    expect(overview.topRules).toEqual([{ rule: "careful", denied: 1, asked: 1 }]);
    const { spans } = await readTimeline(hub.parts.store, "s1", 10);
    expect(spans).toMatchObject([{ kind: "tool", verdict: "deny", waitMs: expect.any(Number) }]);
  });

  it("is one approval where a process answers itself, and where it takes the question back", async () => {
    const { connect, waiting, stored, approvals } = await hubWithRules();
    const { bus, line } = await connect();
    const cancel = new AbortController();
    const cancelled = Promise.resolve(bus.decide("tool:before", call("deploy"), { signal: cancel.signal }));
    const row = await waiting();
    cancel.abort();
    expect(await cancelled).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
    await expect.poll(() => approvals.list(), { timeout: 10_000 }).toEqual([]);
    bus.setApprover(() => ({ verdict: "allow", by: "careful" }));
    expect(await bus.decide("tool:before", call("deploy"))).toMatchObject({ actor: { kind: "person", name: "careful" } });
    await line.flush(10_000);
    const replies = (await stored("permission:replied")).map(approvalIn);
    const questions = (await stored("approval:requested")).map(({ id: _, ...envelope }) => approvalIn(envelope as Envelope));
    expect(replies.map(({ id }) => id)).toEqual(questions.map(({ id }) => id));
    expect(replies).toMatchObject([
      { verdict: "allow", by: "careful" },
      { id: row.id, verdict: "deny", cause: "HL_CANCELLED" },
    ]);
  });

  it("is one approval where a client asks by HTTP", async () => {
    const { hub, waiting, stored, approvals } = await hubWithRules();
    const source = { app: "python", host: "", pid: 0, instance: "python" };
    const request = { event: "tool:before", payload: call("deploy"), source };
    const question = { request, isRecorded: true, isPatient: true, deadlineAt: Date.now() + 60_000 };
    const outcome = hub.parts.decisions.ask(question, new AbortController().signal);
    const row = await waiting();
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada" });
    expect((await outcome).decision).toMatchObject({ verdict: "allow", actor: { kind: "person", name: "ada", at: "hub" } });
    await expect.poll(() => stored("permission:replied"), { timeout: 10_000 }).toHaveLength(1);
    const told = [...(await stored("approval:requested")), ...(await stored("permission:replied"))].map(approvalIn);
    const [envelope] = await stored("tool:before");
    expect(told).toMatchObject([
      { id: row.id, eventId: envelope?.id },
      { id: row.id, eventId: envelope?.id, verdict: "allow" },
    ]);
    expect(envelope?.decision?.trail?.map(({ actor }) => actor.at)).toEqual(["hub", "hub", "hub"]);
  });

  it("cannot be taken over by a process that gives its id", async () => {
    const { hub, connect, waiting, approvals } = await hubWithRules();
    const { bus } = await connect();
    const deciding = Promise.resolve(bus.decide("tool:before", call("deploy")));
    const row = await waiting();
    const other = { app: "other", host: "", pid: 1, instance: "other" };
    const asked = { ...row, payload: call("deploy"), asks: [], session: undefined, reason: undefined };
    const forged = { ...asked, payload: call("deploy --force") };
    const signal = new AbortController().signal;
    for (const [source, request] of [
      [other, asked],
      [row.source, forged],
    ] as const) {
      const approver = approvals.approverFor({ ...(source !== undefined && { source }), tellsOfQuestions: true });
      await expect((async () => approver(request, signal))()).rejects.toMatchObject({ code: "HL_BAD_REQUEST" });
    }
    expect(hub.parts.approvals.list()).toEqual([row]);
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada" });
    expect(await deciding).toMatchObject({ verdict: "allow" });
    // Asked again because the answer was lost, the same process gets the same answer.
    const again = approvals.approverFor({ ...(row.source !== undefined && { source: row.source }), tellsOfQuestions: true });
    expect(await again(asked, signal)).toMatchObject({ verdict: "allow", by: "ada" });
    const next = createBus({ onError: () => {} });
    next.on("tool:before", () => ask("sure?"), { name: "own" });
    const answered = approvals.approverFor({});
    void next.decide("tool:before", call("x"), { approver: answered });
    expect(approvals.list()[0]?.id).not.toBe(row.id);
  });
});

/** A process that asks for "deploy" and waits for the answer: at the hub, or with `own` at an approver of its own that never answers. */
function startAsking(state: string, own: boolean): ChildProcess {
  const script = `
    import { createBus } from "@hookline/core";
    import { connectToHub } from "@hookline/core/forward";
    const bus = createBus({ source: "agent", onError: () => {} });
    const line = connectToHub(bus, { folder: ${JSON.stringify(state)} });
    while (line.state !== "attached") await new Promise((resolve) => setTimeout(resolve, 20));
    ${own ? "bus.setApprover(() => new Promise(() => {}));" : ""}
    setInterval(() => {}, 1_000);
    await bus.decide("tool:before", ${JSON.stringify(call("deploy"))});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("a question whose process is gone", () => {
  it.each([
    ["the hub", false],
    ["an approver of its own", true],
  ])("has one reply after the process is killed while it waits for %s", { timeout: 60_000 }, async (_, own) => {
    const { state, waiting, stored, approvals } = await hubWithRules();
    const child = startAsking(state, own);
    if (!own) await waiting();
    await expect.poll(() => stored("approval:requested"), { timeout: 20_000 }).toHaveLength(1);
    child.kill("SIGKILL");
    await expect.poll(() => stored("permission:replied"), { timeout: 30_000 }).toHaveLength(1);
    const [requested] = (await stored("approval:requested")).map(approvalIn);
    const [replied] = (await stored("permission:replied")).map(approvalIn);
    expect(replied).toMatchObject({ id: requested?.id, eventId: requested?.eventId, verdict: "deny", cause: "HL_CANCELLED" });
    expect(approvals.list()).toEqual([]);
  });

  it("has one reply if its process and the hub are gone, and the next hub starts", { timeout: 60_000 }, async () => {
    const { hub, state, start, waiting, stored } = await hubWithRules();
    const child = startAsking(state, false);
    const { id } = await waiting();
    await expect.poll(() => stored("approval:requested"), { timeout: 20_000 }).toHaveLength(1);
    child.kill("SIGKILL");
    await hub.close();
    const next = await start();
    await expect.poll(() => next.stored("permission:replied"), { timeout: 30_000 }).toHaveLength(1);
    expect((await next.stored("permission:replied")).map(approvalIn)).toMatchObject([{ id, verdict: "deny", cause: "HL_CANCELLED" }]);
  });

  it("has one reply if the hub is restarted and the process asks the next one", { timeout: 60_000 }, async () => {
    const { hub, state, start, waiting, stored } = await hubWithRules();
    startAsking(state, false);
    const { id } = await waiting();
    await expect.poll(() => stored("approval:requested"), { timeout: 20_000 }).toHaveLength(1);
    await hub.close();
    const next = await start();
    const row = await next.waiting();
    expect(row.id).toBe(id);
    next.approvals.answer(id, { verdict: "allow", hash: row.hash, by: "ada" });
    await expect.poll(() => next.stored("permission:replied"), { timeout: 10_000 }).toHaveLength(1);
    expect((await next.stored("approval:requested")).map(approvalIn)).toMatchObject([{ id }]);
    expect((await next.stored("permission:replied")).map(approvalIn)).toMatchObject([{ id, verdict: "allow", by: "ada" }]);
  });

  it("keeps the answer of a person even if a process has reported another under its id", async () => {
    const { hub, connect, waiting, stored, approvals } = await hubWithRules();
    const { bus } = await connect();
    const deciding = Promise.resolve(bus.decide("tool:before", call("deploy")));
    const row = await waiting();
    const other = await connect();
    await other.bus.emit("permission:replied", { approval: { id: row.id, event: "tool:before", verdict: "allow", by: "eve" } });
    await other.line.flush(10_000);
    approvals.answer(row.id, { verdict: "deny", hash: row.hash, by: "ada" });
    expect(await deciding).toMatchObject({ verdict: "deny", by: "ada" });
    await expect.poll(() => stored("permission:replied"), { timeout: 10_000 }).toHaveLength(2);
    const own = (await stored("permission:replied")).filter(({ source }) => source.app === "hookline-hub");
    expect(own.map(approvalIn)).toMatchObject([{ id: row.id, verdict: "deny", by: "ada" }]);
    expect(hub.parts.approvals.list()).toEqual([]);
  });
});
