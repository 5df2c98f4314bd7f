import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { connectToHub, type ForwardOptions } from "@hookline/core/forward";
import type { Envelope } from "@hookline/core/sinks";
import { startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { call } from "../../../../../test/support/reporting-bus.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

/** A real hub with a hook that never answers, and a process that asks it. */
async function decideWith(timeoutMs: number, gates: ForwardOptions["gates"]) {
  const folder = testFolder();
  const state = join(folder, "state");
  const module = join(folder, "slow.mjs");
  const config = join(folder, "hookline.toml");
  writeFileSync(module, "export const handle = () => new Promise(() => {});\n");
  writeFileSync(config, `[[hook]]\nname = "slow-hook"\nmodule = "${module}"\nevent = "tool:before"\ntimeoutMs = ${timeoutMs}\n`);
  const hub = await startHub({ state, config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const bus = createBus({ source: "agent", onError: () => {} });
  const line = connectToHub(bus, { folder: state, ...(gates !== undefined && { gates }) });
  onTestFinished(async () => void (await line.close()));
  await expect.poll(() => line.state).toBe("attached");
  const decision = await bus.decide("tool:before", call("ls"));
  await line.flush(10_000);
  const { events } = await hub.parts.store.page({ events: ["tool:before"] }, { limit: 10 });
  return { decision, stored: JSON.parse(events[0]?.body ?? "{}") as Envelope };
}

it("a hook of the hub that does not answer is named by the reason, and not the hub", async () => {
  const { decision, stored } = await decideWith(100, undefined);
  expect(decision).toMatchObject({
    verdict: "deny",
    reason: expect.stringMatching(/"slow-hook" did not .*answer "tool:before" within 100 ms/),
  });
  expect(stored.decision).toMatchObject({ by: "slow-hook", reason: decision.reason });
});

it("it is named where the process waits for less than the hook may take, too", async () => {
  const { decision, stored } = await decideWith(60_000, { timeoutMs: 3_000 });
  const reason = `Handler "hub" failed on "tool:before": The hub's guard "slow-hook" did not answer "tool:before" within 3000 ms. Run: hookline status`;
  expect(decision).toMatchObject({ verdict: "deny", reason, cause: { failure: "timeout" } });
  expect(stored.decision).toMatchObject({ verdict: "deny", reason });
  expect(stored.decision?.trail).toMatchObject([
    { actor: { kind: "hub", name: "hub" }, action: "failed", failure: "timeout" },
    { actor: { name: "slow-hook", at: "hub" }, action: "cancelled" },
  ]);
});

it("what is missing then means what the process says it means", async () => {
  const { decision } = await decideWith(60_000, { timeoutMs: 1_000, onFailure: "open" });
  expect(decision.verdict).toBe("pass");
});
