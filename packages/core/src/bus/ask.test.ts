import { type ApprovalRequest, ask, block, type createBus, modify } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, never, reportingBus, withCommand } from "../../../../test/support/reporting-bus.js";

function askingBus(options: Parameters<typeof createBus>[0] = {}) {
  const { bus, codes } = reportingBus(options);
  bus.on("tool:before", () => ask("really?"), { name: "careful" });
  return { bus, codes };
}

/** The actor where no person has acted. */
const BUS = { kind: "policy", name: "bus" };

describe("a guard that asks", () => {
  it("is answered by the approver after the chain", async () => {
    const { bus } = askingBus();
    const order: string[] = [];
    const requests: ApprovalRequest[] = [];
    bus.on("tool:before", () => void order.push("last guard"));
    bus.setApprover(async (request) => {
      order.push("approver");
      requests.push(request);
      return { verdict: "allow", by: "ada", reason: "looks fine" };
    });
    expect(await bus.decide("tool:before", call("x"))).toMatchObject({ verdict: "allow", allowed: true, by: "ada", reason: "looks fine" });
    expect(order).toEqual(["last guard", "approver"]);
    expect(requests[0]).toMatchObject({
      event: "tool:before",
      by: "careful",
      reason: "really?",
      session: { id: "s1" },
      payload: call("x"),
    });
    bus.setApprover(() => ({ verdict: "deny", reason: "no way" }));
    const denied = await bus.decide("tool:before", call("x"));
    expect(denied).toMatchObject({ verdict: "deny", by: "approver", reason: "no way" });
    expect(denied.cause).toBeUndefined();
  });

  it("is denied when there is no approver, and never in a person's name", async () => {
    const { bus } = askingBus({ askTimeoutMs: 20 });
    const replies: unknown[] = [];
    bus.on("permission:replied", ({ payload }) => void replies.push(payload.approval));
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", actor: BUS, cause: { code: "HL_NO_APPROVER" } });
    let signal: AbortSignal | undefined;
    bus.setApprover((_request, given) => {
      signal = given;
      return never();
    });
    expect(await bus.decide("tool:before", call())).toMatchObject({
      verdict: "deny",
      by: "bus",
      actor: BUS,
      cause: { code: "HL_APPROVAL_TIMEOUT", failure: "timeout" },
    });
    expect(signal?.aborted).toBe(true);
    bus.setApprover(() => {
      throw new Error("crashed");
    });
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", cause: { code: "HL_APPROVER_FAILED" } });
    bus.setApprover(() => ({ verdict: "sure" }) as never);
    const last = await bus.decide("tool:before", call());
    expect(last).toMatchObject({ verdict: "deny", cause: { code: "HL_APPROVER_FAILED" } });
    expect(last.trail.at(-1)).toMatchObject({ actor: BUS, stage: "approval", action: "failed", failure: "crash" });
    expect(replies).toMatchObject([
      { verdict: "deny", actor: BUS, cause: "HL_NO_APPROVER" },
      { verdict: "deny", actor: BUS, cause: "HL_APPROVAL_TIMEOUT" },
      { verdict: "deny", actor: BUS, cause: "HL_APPROVER_FAILED" },
      { verdict: "deny", actor: BUS, cause: "HL_APPROVER_FAILED" },
    ]);
  });

  it("outlives the timeout of the handler that asked", async () => {
    const { bus } = reportingBus();
    bus.on("tool:before", async () => ask("?"), { timeoutMs: 15 });
    bus.setApprover(async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { verdict: "allow" };
    });
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "allow" });
  });

  it("is asked again, with every guard, about a payload the approver edited", async () => {
    const { bus } = askingBus();
    const seen: unknown[] = [];
    bus.on(
      "tool:before",
      ({ payload }) => {
        seen.push(payload.tool.input.command);
        return payload.tool.input.command === "rm" ? block("no rm") : undefined;
      },
      { name: "no-rm" },
    );
    bus.setApprover((request) => ({ verdict: "allow", by: "ada", payload: withCommand(request.payload as ReturnType<typeof call>, "rm") }));
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "deny", by: "no-rm" });
    bus.setApprover((request) => ({
      verdict: "allow",
      by: "ada",
      payload: withCommand(request.payload as ReturnType<typeof call>, "pwd"),
    }));
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({
      verdict: "allow",
      by: "ada",
      modified: true,
      payload: { tool: { input: { command: "pwd" } } },
    });
    expect(seen).toEqual(["ls", "rm", "ls", "pwd"]);
  });

  it("asks a person again when a guard rewrites what was approved", async () => {
    const { bus } = askingBus();
    const approved: unknown[] = [];
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "edited" ? modify(withCommand(payload, "safer")) : undefined));
    bus.setApprover((request) => {
      const { command } = (request.payload as ReturnType<typeof call>).tool.input;
      approved.push(command);
      return { verdict: "allow", ...(command === "ls" && { payload: withCommand(request.payload as ReturnType<typeof call>, "edited") }) };
    });
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({
      verdict: "allow",
      payload: { tool: { input: { command: "safer" } } },
    });
    expect(approved).toEqual(["ls", "safer"]);
  });

  it("cannot be answered with another tool", async () => {
    const { bus } = askingBus();
    bus.setApprover(() => ({ verdict: "allow", payload: { tool: { name: "other", input: {} } } }));
    expect(await bus.decide("tool:before", call())).toMatchObject({ verdict: "deny", cause: { code: "HL_BAD_MODIFY" } });
  });

  it("tells who asked and who replied", async () => {
    const { bus } = askingBus();
    const told: unknown[] = [];
    bus.on("approval:requested", ({ payload }) => void told.push(["asked", (payload.approval as { by: string }).by]));
    bus.on(
      "permission:replied",
      ({ payload }) => void told.push(["replied", payload.session, (payload.approval as { verdict: string }).verdict]),
    );
    bus.setApprover(() => ({ verdict: "allow" }));
    await bus.decide("tool:before", call());
    expect(told).toEqual([
      ["asked", "careful"],
      ["replied", { id: "s1" }, "allow"],
    ]);
  });

  it("is the host's business under onAsk return and stop", () => {
    for (const [onAsk, reached] of [
      ["return", ["late"]],
      ["stop", []],
    ] as const) {
      const { bus } = askingBus({ onAsk });
      const called: string[] = [];
      bus.on("tool:before", () => void called.push("late"));
      expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "ask", allowed: false, reason: "really?", by: "careful" });
      expect(called).toEqual(reached);
    }
  });

  it("is answered by an approver for one call, whatever the bus would do", async () => {
    for (const onAsk of ["return", "stop", "resolve"] as const) {
      const { bus } = askingBus({ onAsk });
      const called: string[] = [];
      bus.on("tool:before", () => void called.push("late"));
      bus.setApprover(() => ({ verdict: "deny" }));
      const approver = () => ({ verdict: "allow", by: "ada", payload: withCommand(call("x"), "edited") }) as const;
      expect(await bus.decide("tool:before", call("x"), { approver })).toMatchObject({
        verdict: "allow",
        by: "ada",
        modified: true,
        payload: withCommand(call("x"), "edited"),
      });
      expect(called).toEqual(["late", "late"]);
      expect(await bus.event("tool:before").decide(call("x"), { approver })).toMatchObject({ verdict: "allow", by: "ada" });
    }
    const { bus } = askingBus();
    expect(() => bus.decide("tool:before", call("x"), { approver: 1 } as never)).toThrow(/HL_BAD_OPTION|approver/);
  });

  it("is given up when the caller cancels", async () => {
    const { bus } = askingBus();
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    bus.setApprover((_request, given) => {
      signal = given;
      controller.abort();
      return never();
    });
    expect(await bus.decide("tool:before", call(), { signal: controller.signal })).toMatchObject({
      verdict: "deny",
      cause: { code: "HL_CANCELLED" },
    });
    expect(signal?.aborted).toBe(true);
  });
});
