import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { ask, createBus } from "@hookline/core";
import { connectToHub, type ForwardOptions } from "@hookline/core/forward";
import { newApprovalId } from "@hookline/core/internal";
import type { Envelope } from "@hookline/core/sinks";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { call } from "../../../../../test/support/reporting-bus.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { createApprovalQuestions } from "../connection/approval-questions.js";
import { SpanBuilder } from "../timeline/build-spans.js";
import { readTimeline } from "../timeline/read-timeline.js";
import { readAnswered } from "./answered.js";

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
  const connect = async (options: ForwardOptions = {}) => {
    const bus = createBus({ source: "agent", onError: () => {} });
    const line = connectToHub(bus, { folder: state, ...options });
    onTestFinished(async () => void (await line.close()));
    await expect.poll(() => line.state).toBe("attached");
    return { bus, line };
  };
  const waiting = async () => {
    await expect.poll(() => approvals.list()).toHaveLength(1);
    return approvals.list()[0] as NonNullable<ReturnType<typeof approvals.list>[0]>;
  };
  const stored = async (event: string): Promise<Envelope[]> =>
    (await store.page({ events: [event] }, { limit: 10 })).events.map(({ body }) => JSON.parse(body) as Envelope);
  return { hub, connect, waiting, stored, approvals };
}

/** Makes the store refuse events whose id begins so, as a full disk would; returns how to end that. */
function refuseEvents(state: string, prefix: string): () => void {
  const database = new DatabaseSync(join(state, "events.db"), { timeout: 5_000 });
  database.exec(
    `CREATE TRIGGER refuse BEFORE INSERT ON events WHEN new.id LIKE '${prefix}%' BEGIN SELECT RAISE(ABORT, 'no space left'); END`,
  );
  return () => {
    database.exec("DROP TRIGGER refuse");
    database.close();
  };
}

const approvalIn = ({ payload }: Envelope) => (payload as { approval: Record<string, unknown> }).approval;
const rule = (name: string) => ({ kind: "rule", name, owner: "rules", at: "hub" });
const PASSED = { verdict: "allow", modified: false, endLoop: false } as const;
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

describe("two calls with one id", () => {
  it("are two decisions: an answer counts for one of them, and the record has both", async () => {
    const { connect, stored, approvals } = await hubWithRules();
    const { bus, line } = await connect();
    const ran: string[] = [];
    const run = (command: string) => Promise.resolve(bus.runTool(call(command), (input) => void ran.push(String(input.command))));
    const calls = [run("deploy one"), run("deploy two"), run("rm -rf /")];
    await expect.poll(() => approvals.list()).toHaveLength(2);
    for (const { id, hash, payload } of approvals.list())
      approvals.answer(id, { verdict: JSON.stringify(payload).includes("deploy one") ? "allow" : "deny", hash, by: "person" });
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(["ok", "blocked", "blocked"]);
    expect(ran).toEqual(["deploy one"]);
    const again = run("deploy one");
    await expect.poll(() => approvals.list()).toHaveLength(1);
    for (const { id, hash } of approvals.list()) approvals.answer(id, { verdict: "deny", hash, by: "person" });
    expect(await again).toMatchObject({ status: "blocked" });
    await line.flush(10_000);
    const verdicts = (await stored("tool:before")).map(({ decision }) => decision?.verdict);
    expect(verdicts.sort()).toEqual(["allow", "deny", "deny", "deny"]);
    expect(await stored("tool:after")).toHaveLength(4);
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
    await expect.poll(() => stored("permission:replied")).toHaveLength(1);
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
    const given = { by: "careful", reason: "not on a Friday", verdict: "deny", eventId: envelope?.id };
    const question = {
      app: "agent",
      session: "s1",
      askedBy: "careful",
      question: "Really?",
      about: "bash deploy",
      waitedMs: expect.any(Number),
    };
    const { answers } = await readAnswered(hub.parts.store, 10);
    expect(answers).toEqual([{ id: row.id, at: expect.any(Number), event: "tool:before", ...given, ...question }]);
  });

  it("is one approval where a process answers itself, and where it takes the question back", async () => {
    const { connect, waiting, stored, approvals } = await hubWithRules();
    const { bus, line } = await connect();
    const cancel = new AbortController();
    const cancelled = Promise.resolve(bus.decide("tool:before", call("deploy"), { signal: cancel.signal }));
    const row = await waiting();
    cancel.abort();
    expect(await cancelled).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
    await expect.poll(() => approvals.list()).toEqual([]);
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
    await expect.poll(() => stored("permission:replied")).toHaveLength(1);
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
    const asked = { ...row, payload: call("deploy"), asks: [], session: row.session, reason: row.reason };
    const forged = { ...asked, payload: call("deploy --force") };
    const signal = new AbortController().signal;
    for (const [source, request] of [
      [other, asked],
      [row.source, forged],
      [row.source, { ...asked, eventId: "another" }],
      [row.source, { ...asked, session: { id: "another" } }],
      [row.source, { ...asked, reason: "another" }],
    ] as const) {
      const approver = approvals.approverFor({ ...(source !== undefined && { source }), asksAgain: true });
      await expect((async () => approver(request, signal))()).rejects.toMatchObject({ code: "HL_BAD_REQUEST" });
    }
    expect(hub.parts.approvals.list()).toEqual([row]);
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada" });
    expect(await deciding).toMatchObject({ verdict: "allow" });
    // Asked again because the answer was lost, the same process gets the same answer.
    const again = approvals.approverFor({ ...(row.source !== undefined && { source: row.source }), asksAgain: true });
    expect(await again(asked, signal)).toMatchObject({ verdict: "allow", by: "ada" });
    const next = createBus({ onError: () => {} });
    next.on("tool:before", () => ask("sure?"), { name: "own" });
    const answered = approvals.approverFor({});
    void next.decide("tool:before", call("x"), { approver: answered });
    expect(approvals.list()[0]?.id).not.toBe(row.id);
  });
});

/** A process that asks for "deploy" and waits for the answer: at the hub, or with `own` at an approver of its own that never answers. */
function startAsking(state: string, own: boolean, events = ["*"]): ChildProcess {
  const script = `
    import { createBus } from "@hookline/core";
    import { connectToHub } from "@hookline/core/forward";
    const bus = createBus({ source: "agent", onError: () => {} });
    const line = connectToHub(bus, ${JSON.stringify({ folder: state, events })});
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

/** Lets the hub, which waits a while for a process that lost its connection, believe that this time has passed. */
function letGraceGoBy(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20_000 });
  onTestFinished(() => void vi.useRealTimers());
}

describe("the record of a question", () => {
  it.each<[string, ForwardOptions]>([
    ["sends every event", {}],
    ["sends no approvals", { events: ["tool:*"] }],
  ])("keeps a person's answer that the store first refuses, if the process %s", async (_, options) => {
    const { state, connect, waiting, stored, approvals } = await hubWithRules();
    const { bus, line } = await connect(options);
    const deciding = Promise.resolve(bus.decide("tool:before", call("deploy")));
    const row = await waiting();
    const accept = refuseEvents(state, "replied-");
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada" });
    expect(await deciding).toMatchObject({ verdict: "allow", by: "ada" });
    expect(await stored("permission:replied")).toEqual([]);
    accept();
    await line.flush(20_000);
    await expect.poll(() => stored("permission:replied")).toHaveLength(1);
    const [requested, ...more] = (await stored("approval:requested")).map(approvalIn);
    const [replied] = (await stored("permission:replied")).map(approvalIn);
    expect(more).toEqual([]);
    expect(requested).toMatchObject({ id: row.id, actor: rule("careful") });
    expect(replied).toMatchObject({ id: row.id, verdict: "allow", by: "ada" });
  });

  it("has question and answer if the process sends no approvals, also if it takes the question back", async () => {
    const { connect, waiting, stored, approvals } = await hubWithRules();
    const { bus } = await connect({ events: ["tool:*"] });
    const cancel = new AbortController();
    const deciding = Promise.resolve(bus.decide("tool:before", call("deploy"), { signal: cancel.signal }));
    const row = await waiting();
    cancel.abort();
    expect(await deciding).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
    await expect.poll(() => stored("permission:replied")).toHaveLength(1);
    expect((await stored("approval:requested")).map(approvalIn)).toMatchObject([{ id: row.id }]);
    expect((await stored("permission:replied")).map(approvalIn)).toMatchObject([
      { id: row.id, verdict: "deny", cause: "HL_CANCELLED", actor: { kind: "policy" } },
    ]);
    expect(approvals.list()).toEqual([]);
  });

  it("has question and answer under one id for a process that gives another kind of id", async () => {
    const { hub, waiting, stored, approvals } = await hubWithRules();
    const told: unknown[] = [];
    const questions = createApprovalQuestions(hub.parts.approvals, (frame) => void told.push(frame));
    const source = { app: "old", host: "", pid: 1, instance: "old" };
    // 10 letters, but not of an approval id: "i", "l", "o" and "u" are not used.
    for (const id of ["old-1:approval-1", "loudloudlo"]) {
      questions.ask(
        { type: "approve", id, event: "tool:before", payload: call("deploy"), by: "careful", expiresAt: Date.now() + 60_000 },
        { source },
      );
      const row = await waiting();
      expect(row.id).not.toBe(id);
      approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada" });
      await expect.poll(() => told.at(-1)).toMatchObject({ type: "approved", id, verdict: "allow" });
    }
    await expect.poll(() => stored("permission:replied")).toHaveLength(2);
    const ids = async (event: string) => (await stored(event)).map((envelope) => approvalIn(envelope).id);
    expect(await ids("approval:requested")).toEqual(await ids("permission:replied"));
  });

  it("has question and answer for a call by HTTP that is always allowed", async () => {
    const { hub, waiting, stored, approvals } = await hubWithRules();
    const source = { app: "python", host: "", pid: 0, instance: "python" };
    const asking = () =>
      hub.parts.decisions.ask(
        {
          request: { event: "tool:before", payload: call("deploy"), source },
          isRecorded: true,
          isPatient: true,
          id: randomUUID(),
          deadlineAt: Date.now() + 60_000,
        },
        new AbortController().signal,
      );
    const first = asking();
    const row = await waiting();
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada", always: true });
    await first;
    const policy = { kind: "policy", name: "ada", owner: "always-allow", at: "hub" };
    expect((await asking()).decision).toMatchObject({ verdict: "allow", actor: policy });
    await expect.poll(() => stored("permission:replied")).toHaveLength(2);
    const questions = (await stored("approval:requested")).map(approvalIn);
    const replies = (await stored("permission:replied")).map(approvalIn);
    expect(questions.map(({ id }) => id)).toEqual(replies.map(({ id }) => id));
    expect(replies[0]).toMatchObject({ verdict: "allow", actor: policy, always: true });
  });

  it("does not hide the call from the hub's handlers, which were not asked about it", async () => {
    const { hub, connect, waiting, approvals } = await hubWithRules();
    const seen: unknown[] = [];
    hub.parts.bus.on("tool:before", ({ payload }) => void seen.push(payload), { name: "audit" });
    const { bus } = await connect({ gates: false });
    bus.on("tool:before", () => ask("sure?"), { name: "own" });
    const deciding = Promise.resolve(bus.decide("tool:before", call("ls")));
    const row = await waiting();
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada" });
    expect(await deciding).toMatchObject({ verdict: "allow", actor: { kind: "person", name: "ada", at: "hub" } });
    await expect.poll(() => seen).toMatchObject([call("ls")]);
  });
});

describe("a question whose process is gone", () => {
  it.each([
    ["the hub", false],
    ["an approver of its own", true],
  ])("has one reply after the process is killed while it waits for %s", async (_, own) => {
    const { hub, state, connect, waiting, stored, approvals } = await hubWithRules();
    const child = startAsking(state, own);
    if (!own) await waiting();
    await expect.poll(() => stored("approval:requested")).toHaveLength(1);
    child.kill("SIGKILL");
    await expect.poll(() => hub.parts.sources.list()).toEqual([]);
    letGraceGoBy();
    await expect.poll(() => stored("permission:replied")).toHaveLength(1);
    const [requested] = (await stored("approval:requested")).map(approvalIn);
    const [replied] = (await stored("permission:replied")).map(approvalIn);
    expect(replied).toMatchObject({
      id: requested?.id,
      eventId: requested?.eventId,
      verdict: "deny",
      cause: "HL_CANCELLED",
      isPresumed: true,
    });
    expect(approvals.list()).toEqual([]);
    // The real answer comes late, for example from the spool: it is kept, and the timeline shows it.
    const { bus, line } = await connect();
    await bus.emit("permission:replied", {
      session: { id: "s1" },
      approval: { ...replied, verdict: "allow", by: "eve", isPresumed: undefined, cause: undefined },
    });
    await line.flush(10_000);
    const replies = await stored("permission:replied");
    expect(replies.map(approvalIn)).toMatchObject([
      { verdict: "allow", by: "eve" },
      { verdict: "deny", isPresumed: true },
    ]);
    const builder = new SpanBuilder();
    const gate = {
      ...replies[0],
      id: String(requested?.eventId),
      event: "tool:before",
      payload: call("deploy"),
      decision: PASSED,
    } as Envelope;
    for (const envelope of [...(await stored("approval:requested")), ...replies.reverse(), gate]) builder.add(envelope);
    builder.end();
    const [question] = await stored("approval:requested");
    expect(builder.spans).toMatchObject([{ kind: "tool", waitMs: Date.parse(replies[1]?.at ?? "") - Date.parse(question?.at ?? "") }]);
  });

  it("has one reply if its process and the hub are gone, and the next hub starts", async () => {
    const { hub, state, start, waiting, stored } = await hubWithRules();
    // Only the hub reports the question, so the next hub knows that it was asked there.
    const child = startAsking(state, false, ["tool:*"]);
    const { id } = await waiting();
    await expect.poll(() => stored("approval:requested")).toHaveLength(1);
    child.kill("SIGKILL");
    await hub.close();
    const next = await start();
    letGraceGoBy();
    await expect.poll(() => next.stored("permission:replied")).toHaveLength(1);
    expect((await next.stored("permission:replied")).map(approvalIn)).toMatchObject([{ id, verdict: "deny", cause: "HL_CANCELLED" }]);
  });

  it("has one reply if the hub is restarted and the process asks the next one", async () => {
    const { hub, state, start, waiting, stored } = await hubWithRules();
    startAsking(state, false);
    const { id } = await waiting();
    await expect.poll(() => stored("approval:requested")).toHaveLength(1);
    await hub.close();
    const next = await start();
    const row = await next.waiting();
    expect(row.id).toBe(id);
    next.approvals.answer(id, { verdict: "allow", hash: row.hash, by: "ada" });
    await expect.poll(() => next.stored("permission:replied")).toHaveLength(1);
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
    // The forged one, the hub's, and the report of the process that asked, whose id was taken.
    await expect.poll(() => stored("permission:replied")).toHaveLength(3);
    const own = (await stored("permission:replied")).filter(({ source }) => source.app === "hookline-hub");
    expect(own.map(approvalIn)).toMatchObject([{ id: row.id, verdict: "deny", by: "ada" }]);
    expect(await readAnswered(hub.parts.store, 10)).toEqual({
      answers: [expect.objectContaining({ id: row.id, verdict: "deny", by: "ada" })],
    });
    expect(hub.parts.approvals.list()).toEqual([]);
  });

  it.each([
    ["the report of the process that asked, if it came first", "deploy", 1],
    ["the question that was shown, if the report has another", "harmless", 2],
  ])("shows with an answer %s", async (_, reported, count) => {
    const { hub, connect, waiting, stored, approvals } = await hubWithRules();
    const { bus, line } = await connect();
    const asks = [{ by: "careful", reason: "Really?", actor: rule("careful") }] as never;
    const asked = {
      id: newApprovalId(),
      event: "tool:before",
      eventId: "e1",
      session: { id: "s1" },
      reason: "Really?",
      by: "careful",
      asks,
    };
    await bus.emit("approval:requested", { approval: { ...asked, payload: call(reported) } });
    await line.flush(10_000);
    const approver = approvals.approverFor({ asksAgain: true });
    const answering = Promise.resolve(approver({ ...asked, payload: call("deploy") } as never, new AbortController().signal));
    const row = await waiting();
    await expect.poll(() => stored("approval:requested")).toHaveLength(count);
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada" });
    await answering;
    await expect.poll(() => stored("permission:replied")).toHaveLength(1);
    const { answers } = await readAnswered(hub.parts.store, 10);
    expect(answers).toMatchObject([{ id: row.id, by: "ada", askedBy: "careful", question: "Really?", about: "bash deploy" }]);
    expect(answers[0]?.waitedMs).toBeGreaterThanOrEqual(0);
    expect(await stored("approval:requested")).toHaveLength(count);
  });
});
