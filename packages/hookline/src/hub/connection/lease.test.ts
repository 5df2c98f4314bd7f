import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { Envelope } from "@hookline/core/sinks";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";

const rule = (tool: string): string =>
  `[[rule]]\nname = "no-${tool}"\nevent = "tool:before"\ntool = "${tool}"\ndo = "block"\nmessage = "no"\n`;
const call = (name: string, session = "s1", cwd?: string) => ({
  session: { id: session },
  tool: { name, input: { query: "x" } },
  ...(cwd !== undefined && { cwd }),
});

async function stage() {
  const folder = testFolder();
  const [state, config] = [join(folder, "state"), join(folder, "hookline.toml")];
  writeFileSync(config, rule("deploy"));
  const hub = await startHub({ state, config, port: 0, onProblem: () => {} });
  onTestFinished(() => hub.close());
  const bus = createBus({ source: "agent", onError: () => {} });
  const line = connectToHub(bus, { folder: state });
  onTestFinished(async () => void (await line.close()));
  await expect.poll(() => line.state).toBe("attached");
  /** The kind of the decision, and whether the hub was asked. */
  const decide = async (payload: ReturnType<typeof call>) => {
    const before = line.counters.gates.asked;
    const { verdict } = await bus.decide("tool:before", payload);
    return { verdict, isAsked: line.counters.gates.asked > before };
  };
  /** The process has a lease, and the hub knows the session. */
  const leased = (payload: ReturnType<typeof call>) => expect.poll(() => decide(payload)).toEqual({ verdict: "pass", isAsked: false });
  return { hub, line, decide, leased, config };
}

describe("a call that concerns no guard of the hub", () => {
  it("passes in the process under a lease, and is recorded as such", async () => {
    const { hub, line, decide, leased } = await stage();
    expect(await decide(call("search"))).toEqual({ verdict: "pass", isAsked: true });
    await leased(call("search"));
    expect(await decide(call("deploy"))).toEqual({ verdict: "deny", isAsked: true });
    expect(await line.flush(20_000)).toBe(true);
    const { events } = await hub.parts.store.page({ events: ["tool:before"] }, { limit: 1_000 });
    const trails = events.map(({ body }) => (JSON.parse(body) as Envelope).decision?.trail ?? []);
    const local = trails.flat().find(({ actor }) => actor.name === "prefilter");
    expect(local).toMatchObject({ actor: { kind: "policy", at: "hub" }, action: "pass" });
    expect(local?.reason).toMatch(/^No guard of the hub concerns this call \(policy [0-9a-f]{16}\)\.$/);
  });

  it("is asked about once for each session and folder, which the hub has to know", async () => {
    const { decide, leased } = await stage();
    await leased(call("search"));
    expect(await decide(call("search", "s2"))).toMatchObject({ isAsked: true });
    await leased(call("search", "s2"));
    expect(await decide(call("search", "s2", "/srv"))).toMatchObject({ isAsked: true });
  });

  it("is denied once a rule names it and the hub says that the rule is in force", async () => {
    const { hub, decide, leased, config } = await stage();
    await leased(call("search"));
    writeFileSync(config, rule("deploy") + rule("search"));
    await hub.parts.policy.list();
    expect(await decide(call("search"))).toEqual({ verdict: "deny", isAsked: true });
    await leased(call("other"));
  });
});
