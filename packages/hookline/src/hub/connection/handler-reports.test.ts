import { expect, it } from "vitest";
import { createHandlerReports } from "./handler-reports.js";

const plain = {
  actor: { kind: "rule", name: "n" },
  id: 1,
  event: "tool:before",
  name: "n",
  stage: "guard",
  onFailure: "closed",
  timeoutMs: 5,
  priority: 3,
};

it("believes of a process's handlers what has the right type, and nothing else", async () => {
  const reports = createHandlerReports(() => {});
  const asked = reports.ask();
  const odd = { toString: null };
  reports.hear({
    handlers: [
      {
        ...plain,
        owner: "rules",
        tool: ["Edit", 5],
        health: { state: "ok", restarts: 2 },
        stats: { calls: 7, lastFiredAt: 1_000, p50Ms: 0.5 },
      },
      {
        ...plain,
        id: 2,
        owner: odd,
        actor: { kind: odd, name: "n" },
        description: odd,
        tool: 5,
        match: [],
        permissions: [odd, "a"],
        health: null,
        stats: null,
        stage: odd,
        onFailure: 1,
      },
      {
        ...plain,
        id: 3,
        health: { state: odd, restarts: -1 },
        stats: { lastFiredAt: 1e20, calls: "x", p50Ms: odd, suspendedUntil: 1e300 },
        priority: 1e300,
      },
      { ...plain, id: 4, name: "x".repeat(10_000), description: "y".repeat(10_000), permissions: Array(5_000).fill("p"), extra: odd },
      ...[null, 5, [], {}, { ...plain, id: 1.5 }, { ...plain, id: odd }, { ...plain, name: odd }, { ...plain, event: null }],
    ],
  });
  const [good, bad, far, long, ...others] = JSON.parse(JSON.stringify(await asked));
  expect(good).toEqual({
    ...plain,
    owner: "rules",
    once: false,
    tool: ["Edit"],
    health: { state: "ok", restarts: 2 },
    stats: { calls: 7, failures: 0, timeouts: 0, denies: 0, p50Ms: 0.5, lastFiredAt: 1_000, neverFired: false },
  });
  expect(bad).toEqual({
    ...plain,
    id: 2,
    actor: { kind: "guard", name: "n" },
    once: false,
    stage: "observe",
    onFailure: "open",
    permissions: ["a"],
  });
  expect(far).toMatchObject({ id: 3, priority: 0, health: { state: "unknown" }, stats: { calls: 0, neverFired: false } });
  expect([far.stats.lastFiredAt, far.stats.p50Ms, far.stats.suspendedUntil, far.health.restarts]).toEqual(Array(4).fill(undefined));
  expect([long.name.length, long.description.length, long.permissions.length, long.extra]).toEqual([200, 2_000, 100, undefined]);
  expect(others).toEqual([]);

  const again = reports.ask();
  reports.hear({ handlers: "none" });
  expect(await again).toBeUndefined();
});
