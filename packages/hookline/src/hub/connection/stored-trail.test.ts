import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, createBus, modify } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { Envelope } from "@hookline/core/sinks";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, withCommand } from "../../../../../test/support/reporting-bus.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { readTimeline } from "../timeline/read-timeline.js";

const RULES = `
[[rule]]
name = "quiet"
event = "tool:before"
match = "tool.input.command =~ '^npm '"
do = "modify"
set = { "tool.input.command" = "{value} --silent" }

[[rule]]
name = "no-push"
event = "tool:before"
match = "tool.input.command contains 'push'"
do = "block"
message = "not today"
`;

async function attachedBus() {
  const folder = testFolder();
  const state = join(folder, "state");
  const config = join(folder, "hookline.toml");
  writeFileSync(config, RULES);
  const hub = await startHub({ state, config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const bus = createBus({ source: "agent", onError: () => {} });
  const line = connectToHub(bus, { folder: state });
  onTestFinished(async () => void (await line.close()));
  await expect.poll(() => line.state).toBe("attached");
  const stored = async (): Promise<Envelope[]> => {
    await line.flush(10_000);
    const { events } = await hub.parts.store.page({ events: ["tool:before"] }, { limit: 10 });
    return events.map(({ body }) => JSON.parse(body) as Envelope).reverse();
  };
  return { hub, bus, stored };
}

describe("what is stored of a call that a process asked the hub about", () => {
  it("says which of the hub's guards did what, and what was asked before they rewrote it", async () => {
    const { hub, bus, stored } = await attachedBus();
    bus.on("tool:before", () => undefined, { name: "own", tool: "web" });
    await bus.decide("tool:before", call("npm i"));
    await bus.decide("tool:before", call("git push"));
    await bus.decide("tool:before", call("ls"));
    const [rewritten, denied, passed] = await stored();
    const rule = (name: string) => ({ actor: { kind: "rule", name, owner: "rules", at: "hub" } });
    const hubStep = { actor: { kind: "hub", name: "hub" } };
    expect(rewritten?.payload).toMatchObject({ tool: { input: { command: "npm i --silent" } } });
    expect(rewritten?.decision).toMatchObject({ verdict: "pass", modified: true, asked: call("npm i") });
    expect(rewritten?.payload).not.toHaveProperty("cwd");
    expect(rewritten?.decision?.trail).toMatchObject([
      { ...hubStep, action: "modify" },
      { ...rule("quiet"), stage: "rewrite", action: "modify" },
      { ...rule("no-push"), action: "no-match" },
      { actor: { kind: "guard", name: "own" }, action: "no-match" },
    ]);
    expect(denied?.decision?.asked).toBeUndefined();
    expect(denied?.decision).toMatchObject({ verdict: "deny", by: "no-push", reason: "not today" });
    expect(denied?.decision?.trail).toMatchObject([
      { ...hubStep, action: "deny" },
      { ...rule("quiet"), action: "no-match" },
      { ...rule("no-push"), action: "deny", reason: "not today" },
    ]);
    expect(passed?.decision?.trail?.map(({ actor, action }) => `${actor.name} ${action}`)).toEqual([
      "hub pass",
      "quiet no-match",
      "no-push no-match",
      "own no-match",
    ]);
    const overview = await hub.parts.store.overview({ fromMinute: Math.floor(Date.now() / 60_000) - 5, stepMinutes: 10, steps: 1 });
    expect(overview.topRules).toMatchObject([{ rule: "no-push", denied: 1 }]);
  });

  it("says what was asked before a handler of the process, and before a person, changed it", async () => {
    const { hub, bus, stored } = await attachedBus();
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "npm i x")), { name: "mine", match: "tool.input.command == x" });
    bus.on("tool:before", () => ask("sure?"), { name: "careful", match: "tool.input.command == make" });
    await bus.decide("tool:before", call("x"));
    const waiting = Promise.resolve(bus.decide("tool:before", call("make")));
    await expect.poll(() => hub.parts.approvals.list()).toHaveLength(1);
    const [row] = hub.parts.approvals.list();
    hub.parts.approvals.answer(row?.id ?? "", { verdict: "allow", hash: row?.hash ?? "", payload: call("make -n") });
    await waiting;
    const [twice, edited] = await stored();
    expect(twice?.payload).toMatchObject({ tool: { input: { command: "npm i x --silent" } } });
    expect(twice?.decision?.asked).toEqual(call("x"));
    const looks = (twice?.decision?.trail ?? []).filter(({ actor }) => actor.name === "hub" || actor.name === "quiet");
    expect(looks.map(({ actor, action, round }) => `${actor.name} ${action} ${round}`)).toContain("quiet modify 0");
    expect(edited).toMatchObject({ payload: call("make -n"), decision: { verdict: "allow", modified: true, asked: call("make") } });
  });

  it("becomes a span that says what it was about, and counts the hub's time once", async () => {
    const { hub, bus, stored } = await attachedBus();
    await bus.decide("tool:before", call(`npm i\u0000\n\u202e${"x".repeat(500)}`));
    const [envelope] = await stored();
    const own = envelope?.decision?.trail?.filter(({ actor }) => actor.at !== "hub") ?? [];
    const { spans } = await readTimeline(hub.parts.store, "s1", 10);
    expect(spans).toMatchObject([{ kind: "tool", name: "bash", gateMs: own.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0) }]);
    expect(spans[0]?.detail).toMatch(/^npm i\\x00 \\u202ex+…$/);
    expect(spans[0]?.detail).toHaveLength(120);
  });
});
