import { join } from "node:path";
import { ask, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";

const call = { session: { id: "s1" }, tool: { name: "Bash", callId: "1", input: { command: "git push" } } };

async function attachedBus(options: Parameters<typeof createBus>[0] = {}) {
  const state = join(testFolder(), "state");
  const hub = await startHub({ state, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const bus = createBus({ source: "agent", onError: () => {}, ...options });
  bus.on("tool:before", () => ask("really?"), { name: "careful" });
  const line = connectToHub(bus, { source: "agent", folder: state } as never);
  onTestFinished(async () => void (await line.close()));
  await expect.poll(() => line.state).toBe("attached");
  const waiting = () => expect.poll(() => hub.parts.approvals.list());
  return { hub, bus, line, waiting };
}

describe("a process that asks a person at the hub", () => {
  it("goes on with the answer, and with what was edited", async () => {
    const { hub, bus, waiting } = await attachedBus();
    const decision = Promise.resolve(bus.decide("tool:before", call));
    await waiting().toMatchObject([
      { event: "tool:before", by: "careful", reason: "really?", session: { id: "s1" }, payload: call, source: { app: "agent" } },
    ]);
    const [row] = hub.parts.approvals.list();
    const payload = { ...call, tool: { ...call.tool, input: { command: "git push --dry-run" } } };
    hub.parts.approvals.answer(row?.id ?? "", { verdict: "allow", hash: row?.hash ?? "", by: "ada", payload });
    expect(await decision).toMatchObject({ verdict: "allow", by: "ada", modified: true, payload });
  });

  it("is shown under the id that its own bus gave it, with all that ask, and for no longer than a day", async () => {
    const { hub, bus, waiting } = await attachedBus({ askTimeoutMs: 1_000_000_000_000 });
    bus.on("tool:before", () => ask("on a Friday?"), { name: "friday", priority: -1 });
    const asked: string[] = [];
    bus.on("approval:requested", ({ payload }) => void asked.push((payload as { approval: { id: string } }).approval.id));
    void bus.decide("tool:before", call);
    await waiting().toMatchObject([{ by: "careful", asks: [{ by: "careful" }, { by: "friday", reason: "on a Friday?" }] }]);
    const [row] = hub.parts.approvals.list();
    expect(row?.id).toMatch(/^[0-9a-z]{10}$/);
    expect(asked).toEqual([row?.id]);
    expect((row?.expiresAt ?? Number.POSITIVE_INFINITY) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
  });

  it("is told no, and takes its question back when it does not wait any longer", async () => {
    const { hub, bus, waiting } = await attachedBus();
    const denied = Promise.resolve(bus.decide("tool:before", call));
    await waiting().toHaveLength(1);
    const [row] = hub.parts.approvals.list();
    hub.parts.approvals.answer(row?.id ?? "", { verdict: "deny", hash: row?.hash ?? "", reason: "not today" });
    expect(await denied).toMatchObject({ verdict: "deny", reason: "not today" });
    const cancel = new AbortController();
    const cancelled = Promise.resolve(bus.decide("tool:before", call, { signal: cancel.signal }));
    await waiting().toHaveLength(1);
    cancel.abort();
    expect(await cancelled).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
    await waiting().toEqual([]);
  });

  it("asks its own approver where it has one", async () => {
    const { hub, bus } = await attachedBus();
    bus.setApprover(() => ({ verdict: "allow", by: "me" }));
    expect(await bus.decide("tool:before", call)).toMatchObject({ verdict: "allow", by: "me" });
    expect(hub.parts.approvals.list()).toEqual([]);
  });

  it("leaves nothing behind when it goes away, and is denied where there is no hub", async () => {
    const { hub, bus, line, waiting } = await attachedBus();
    const decision = Promise.resolve(bus.decide("tool:before", call));
    await waiting().toHaveLength(1);
    await line.close();
    expect(await decision).toMatchObject({ verdict: "deny", cause: { code: "HL_APPROVER_FAILED" } });
    await waiting().toEqual([]);
    expect(await bus.decide("tool:before", call)).toMatchObject({ verdict: "deny" });
    expect(hub.parts.approvals.list()).toEqual([]);
  });
});
