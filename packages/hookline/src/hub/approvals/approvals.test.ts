import { ask, block, createBus } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { createApprovals } from "./approvals.js";
import { hashOf } from "./hash-of.js";

const call = (command: string) => ({ session: { id: "s" }, tool: { name: "Bash", callId: "1", input: { command } } });

function waitingCall(asked: unknown = call("git push")) {
  const told: [string, object][] = [];
  const approvals = createApprovals({ tell: (event, payload) => void told.push([event, payload]) });
  const bus = createBus({ onAsk: "return", onError: () => {} });
  bus.on("tool:before", () => ask("really?"), { name: "careful", match: "tool.input.command =~ 'push'" });
  bus.on("tool:before", () => block("never"), { match: "tool.input.command contains '--force'" });
  const cancel = new AbortController();
  const decide = (command = "git push") =>
    Promise.resolve(bus.decide("tool:before", call(command), { signal: cancel.signal, approver: approvals.approverFor({ asked }) }));
  return { approvals, decide, told, cancel };
}

describe("a call that waits for a person", () => {
  it("is shown as it would run, and goes on with the answer", async () => {
    const { approvals, decide, told } = waitingCall();
    const decision = decide();
    const [row] = approvals.list();
    expect(row).toMatchObject({ event: "tool:before", by: "careful", reason: "really?", session: { id: "s" }, payload: call("git push") });
    expect(row?.asked).toBeUndefined();
    approvals.answer(row?.id ?? "", { verdict: "allow", hash: row?.hash ?? "", by: "ada", reason: "fine" });
    expect(await decision).toMatchObject({ verdict: "allow", by: "ada", reason: "fine", modified: false });
    expect(approvals.list()).toEqual([]);
    expect(told.map(([event]) => event)).toEqual(["approval:requested", "permission:replied"]);
    const denied = decide();
    const [next] = approvals.list();
    approvals.answer(next?.id ?? "", { verdict: "deny", hash: next?.hash ?? "" });
    expect(await denied).toMatchObject({ verdict: "deny", by: "a person" });
  });

  it("is answered once, and only for what was shown", async () => {
    const { approvals, decide } = waitingCall();
    const decision = decide();
    const [row] = approvals.list();
    const id = row?.id ?? "";
    const gone = expect.objectContaining({ code: "HL_APPROVAL_GONE" });
    expect(() => approvals.answer("x", { verdict: "allow", hash: row?.hash ?? "" })).toThrow(gone);
    expect(() => approvals.answer(id, { verdict: "allow", hash: hashOf("tool:before", call("git push -n")) })).toThrow(
      expect.objectContaining({ code: "HL_APPROVAL_CHANGED" }),
    );
    expect(approvals.list()).toHaveLength(1);
    approvals.answer(id, { verdict: "deny", hash: row?.hash ?? "" });
    expect(() => approvals.answer(id, { verdict: "allow", hash: row?.hash ?? "" })).toThrow(gone);
    expect(await decision).toMatchObject({ verdict: "deny" });
  });

  it("may be edited; every guard sees the edit", async () => {
    const { approvals, decide } = waitingCall();
    const edited = decide();
    const [row] = approvals.list();
    approvals.answer(row?.id ?? "", { verdict: "allow", hash: row?.hash ?? "", payload: call("git push --force") });
    expect(await edited).toMatchObject({ verdict: "deny", reason: "never" });
  });

  it("shows what was asked for at first, where that was rewritten", async () => {
    const { approvals, decide, cancel } = waitingCall(call("git push origin"));
    const decision = decide();
    expect(approvals.list()).toMatchObject([{ payload: call("git push"), asked: call("git push origin") }]);
    cancel.abort();
    await decision;
  });

  it("is gone when its process no longer waits for it, and no person decided it", async () => {
    const { approvals, decide, told, cancel } = waitingCall();
    const decision = decide();
    cancel.abort();
    expect(await decision).toMatchObject({ verdict: "deny", actor: { kind: "policy", name: "bus" }, cause: { code: "HL_CANCELLED" } });
    expect(approvals.list()).toEqual([]);
    expect(told.at(-1)).toMatchObject(["permission:replied", { approval: { verdict: "deny", cause: "HL_CANCELLED" } }]);
  });
});

describe("hashOf", () => {
  it("tells payloads apart by what they say, not by the order of their keys", () => {
    expect(hashOf("e", { a: 1, b: [1, { c: 2, d: 3 }] })).toBe(hashOf("e", { b: [1, { d: 3, c: 2 }], a: 1 }));
    const others = [hashOf("e", { a: 1 }), hashOf("f", { a: 1 }), hashOf("e", { a: "1" }), hashOf("e", { a: [1] }), hashOf("e", undefined)];
    expect(new Set(others).size).toBe(others.length);
    const long = (end: string) => ({ text: "x".repeat(20_000) + end, b: 1 });
    const longs = ["", "y", "\ud800", "\ud801", "\ufffd"].map((end) => hashOf("e", long(end)));
    expect(new Set([...longs, hashOf("e", [long("")]), hashOf("e", { ...long(""), b: 2 })]).size).toBe(7);
    expect(hashOf("e", long(""))).toBe(hashOf("e", { b: 1, text: "x".repeat(20_000) }));
  });
});
