import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call } from "../../../../../test/support/reporting-bus.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

const rule = (name: string, word: string, message: string) =>
  `[[rule]]\nname = "${name}"\nevent = "tool:before"\nmatch = "tool.input.command contains '${word}'"\ndo = "ask"\nmessage = "${message}"\n`;

async function hubWithRules() {
  const folder = testFolder();
  const [state, config] = [join(folder, "state"), join(folder, "hookline.toml")];
  writeFileSync(config, rule("deploys", "deploy", "Really?") + rule("fridays", "friday", "On a Friday?"));
  const hub = await startHub({ state, config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const connect = () => {
    const bus = createBus({ source: "agent", onError: () => {} });
    const line = connectToHub(bus, { folder: state });
    onTestFinished(async () => void (await line.close()));
    return { bus, line };
  };
  const { approvals } = hub.parts;
  const waiting = async () => {
    await expect.poll(() => approvals.list()).toHaveLength(1);
    return approvals.list()[0] as NonNullable<ReturnType<typeof approvals.list>[0]>;
  };
  return { hub, connect, waiting, approvals };
}

describe("a person whom a process asks because of the hub's rules", () => {
  it("is told of the rules by their names, beside the guards of the process", async () => {
    const { hub, connect, waiting, approvals } = await hubWithRules();
    const { bus, line } = connect();
    await expect.poll(() => line.state).toBe("attached");
    bus.on("tool:before", () => ask("Mine?"), { name: "own" });
    const decision = Promise.resolve(bus.decide("tool:before", call("deploy on friday")));
    const row = await waiting();
    const asks = [
      { by: "deploys", reason: "Really?" },
      { by: "fridays", reason: "On a Friday?" },
      { by: "own", reason: "Mine?" },
    ];
    expect(row).toMatchObject({ by: "deploys", reason: "Really?", asks, cwd: process.cwd() });
    expect(row.payload).toEqual(call("deploy on friday"));
    approvals.answer(row.id, { verdict: "deny", hash: row.hash, by: "ada" });
    expect(await decision).toMatchObject({ verdict: "deny", by: "ada" });
    await line.flush(10_000);
    const { events } = await hub.parts.store.page({ events: ["approval:requested"], source: "agent" }, { limit: 10 });
    expect(events.map(({ body }) => JSON.parse(body).payload.approval)).toMatchObject([{ by: "deploys", asks }]);
  });

  it("allows the same for good, whether it is the very first call of a process or a later one", async () => {
    const { connect, waiting, approvals } = await hubWithRules();
    const { bus } = connect();
    const first = Promise.resolve(bus.decide("tool:before", call("deploy")));
    const row = await waiting();
    expect(row).toMatchObject({ by: "deploys", reason: "Really?" });
    approvals.answer(row.id, { verdict: "allow", hash: row.hash, by: "ada", always: true });
    const steps = [{ actor: { kind: "hub" } }, { actor: { kind: "rule", name: "deploys", at: "hub" } }, { actor: { kind: "rule" } }];
    expect(await first).toMatchObject({ verdict: "allow", trail: [...steps, { actor: { kind: "person", name: "ada", at: "hub" } }] });
    expect(await bus.decide("tool:before", call("deploy"))).toMatchObject({
      verdict: "allow",
      by: "ada",
      trail: [...steps, { actor: { kind: "policy", name: "ada", owner: "always-allow", at: "hub" }, action: "allow" }],
    });
  });
});
