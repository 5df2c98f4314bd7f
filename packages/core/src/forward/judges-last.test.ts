import { allow, ask, type BusOptions, block, handled, modify, type ToolPayload } from "@hookline/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, reportingBus, withCommand } from "../../../../test/support/reporting-bus.js";
import { hubFolder, TestHub } from "../../../../test/support/test-hub.js";
import { connectToHub } from "./connect-to-hub.js";

const gate = { event: "tool:before", timeoutMs: 5_000, onFailure: "closed" } as const;
const folder = hubFolder();
let hub: TestHub;

type Payload = { readonly payload: ToolPayload };
const commandOf = ({ payload }: Payload): string => payload.tool.input.command as string;
/** Writes the forbidden command. */
const toRm = ({ payload }: Payload) => (commandOf({ payload }) === "ls" ? modify(withCommand(payload as never, "rm")) : undefined);

beforeAll(async () => {
  const onGate = ({ payload }: { readonly payload?: unknown }, answer: (verdict: object) => void): void => {
    const command = commandOf({ payload } as Payload);
    if (command === "rm") return answer({ verdict: "deny", reason: "no" });
    if (command === "sure") return answer({ verdict: "ask", reason: "sure?" });
    answer(command === "fix" ? { verdict: "pass", payload: withCommand(payload as never, "fixed") } : { verdict: "pass" });
  };
  hub = await TestHub.start(folder.state, { gates: [gate], onGate: onGate as never });
});

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** What is decided on a bus of a host with handlers of its own, before and after the one of the hub. */
async function decided(
  options: BusOptions,
  prepare: (on: ReturnType<typeof reportingBus>["bus"], phase: "before" | "after") => void,
  command = "ls",
) {
  const { bus } = reportingBus({ source: "agent", ...options });
  prepare(bus, "before");
  const line = connectToHub(bus, { folder: folder.state });
  await bus.decide("tool:before", call("nothing"));
  prepare(bus, "after");
  const decision = await bus.decide("tool:before", call(command));
  await line.close(0);
  return decision;
}

describe.each(["before", "after"] as const)("a host's handler that stops the chain, registered %s the hub's guard,", (when) => {
  const only =
    (register: (bus: ReturnType<typeof reportingBus>["bus"]) => void) => (bus: ReturnType<typeof reportingBus>["bus"], phase: string) =>
      phase === when ? register(bus) : undefined;

  it.each<[string, BusOptions]>([
    ["", { onModify: "stop" }],
    [" and runs all", { onModify: "stop", runAll: true }],
    [" and asks no person", { onModify: "stop", onAsk: "stop" }],
  ])("by a rewrite%s does not keep the hub from judging it", async (_, options) => {
    const decision = await decided(
      options,
      only((bus) => void bus.on("tool:before", toRm as never)),
    );
    expect(decision).toMatchObject({ verdict: "deny", actor: { kind: "hub" }, payload: call("rm") });
  });

  it("by a rewrite at stage rewrite neither", async () => {
    const decision = await decided(
      { onModify: "stop" },
      only((bus) => void bus.on("tool:before", toRm as never, { stage: "rewrite" })),
    );
    expect(decision).toMatchObject({ verdict: "deny", actor: { kind: "hub" } });
  });

  it("by an ask does not keep the hub from judging it, and both questions are there", async () => {
    const asks = only((bus) => void bus.on("tool:before", () => ask("host?"), { name: "host" }));
    expect(await decided({ onAsk: "stop" }, asks, "rm")).toMatchObject({ verdict: "deny", actor: { kind: "hub" } });
    expect(await decided({ onAsk: "stop" }, asks, "ls")).toMatchObject({ verdict: "ask", asks: [{ by: "host" }] });
    const both = await decided({ onAsk: "stop" }, asks, "sure");
    expect([both.verdict, both.asks?.map(({ reason }) => reason).sort()]).toEqual(["ask", ["host?", "sure?"]]);
    const fixed = await decided({ onAsk: "stop" }, asks, "fix");
    expect(fixed).toMatchObject({ verdict: "ask", asks: [{ by: "host" }], payload: call("fixed") });
  });

  it("still stops the host's other handlers", async () => {
    const called: string[] = [];
    const decision = await decided(
      { onModify: "stop" },
      only((bus) => {
        bus.on("tool:before", ({ payload }) => modify(withCommand(payload as never, "pwd")), { priority: 2, tool: "bash" });
        bus.on("tool:before", (event) => void called.push(commandOf(event)), { priority: 1 });
      }),
    );
    expect(decision).toMatchObject({ verdict: "pass", payload: call("pwd") });
    expect(called.filter((command) => command === "pwd")).toEqual([]);
  });
});

it("what the hub says stops none of the host's guards", async () => {
  const seen: string[] = [];
  const options = { onModify: "stop", onAsk: "stop" } as const;
  const watch = (bus: ReturnType<typeof reportingBus>["bus"], phase: string) =>
    phase === "after" ? void bus.on("tool:before", (event) => void seen.push(commandOf(event))) : undefined;
  expect(await decided(options, watch, "fix")).toMatchObject({ verdict: "pass", payload: call("fixed") });
  expect(await decided(options, watch, "sure")).toMatchObject({ verdict: "ask" });
  expect(seen).toEqual(["fixed", "sure"]);
});

it.each<[string, (bus: ReturnType<typeof reportingBus>["bus"]) => void]>([
  ["a handler for once", (bus) => void bus.on("tool:before", toRm as never, { once: true })],
  ["a sentinel that allows", (bus) => bus.setSentinel((event) => [allow(), toRm(event)] as never)],
  [
    "an approver that edits",
    (bus) => {
      bus.on("tool:before", () => ask("sure?"));
      bus.setApprover(({ payload }) => ({ verdict: "allow", payload: withCommand(payload as never, "rm") }));
    },
  ],
  ["a handler that fails open", (bus) => void bus.on("tool:before", () => expect.unreachable(), { onFailure: "open" })],
  ["a handler that clears the bus", (bus) => void bus.on("tool:before", ({ bus: inner }) => void inner.clear(), { priority: 9 })],
  ["a bus that was cleared", (bus) => void bus.clear()],
  ["a bus that was cleared of a category", (bus) => void bus.clear({ category: "tool" })],
  ["an owner that is taken off", (bus) => void bus.offOwner("hub")],
  [
    "a guard that ends the loop elsewhere",
    (bus) => void bus.on("tool:before", (event) => (commandOf(event) === "x" ? block("no", { endLoop: true }) : undefined)),
  ],
])("%s keeps the hub from judging no call that runs", async (_, prepare) => {
  for (const options of [{}, { onModify: "stop" }, { onAsk: "stop" }, { runAll: true }] as const) {
    const decision = await decided({ ...options, onFailure: "open" }, (bus, phase) => phase === "after" && prepare(bus), "rm");
    const again = await decided({ ...options, onFailure: "open" }, (bus, phase) => phase === "after" && prepare(bus), "ls");
    expect(decision).toMatchObject({ verdict: "deny", actor: { kind: "hub" } });
    expect([again.verdict, again.payload.tool.input.command]).not.toEqual([expect.stringMatching(/pass|allow|ask/), "rm"]);
  }
});

it("a handler of another event changes nothing", async () => {
  const decision = await decided(
    { onModify: "stop" },
    (bus, phase) => phase === "after" && void bus.on("command:x" as never, (() => handled("no")) as never),
  );
  expect(decision.verdict).toBe("pass");
});
