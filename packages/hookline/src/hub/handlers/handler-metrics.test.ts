import { block } from "@hookline/core";
import { expect, it } from "vitest";
import { makeEnvelope, startHttpHub } from "../../../../../test/support/http-hub.ts";

const body = JSON.stringify({ event: "tool:before", payload: { tool: { name: "x", input: {} } } });

it("counts calls and denials by handler, and escapes their names", async () => {
  const hub = await startHttpHub();
  hub.bus.on("tool:before", () => block("no"), { name: 'a"b' });
  await hub.ask("/api/decide", { body });
  const lines = (await hub.ask("/metrics")).text.split("\n");
  for (const [name, value] of Object.entries({ calls: 1, denies: 1, failures: 0, timeouts: 0 }))
    expect(lines).toContain(`hookline_handler_${name}_total{owner="",handler="a\\"b"} ${value}`);
});

it("has questions and durations from the stored decisions", async () => {
  const hub = await startHttpHub();
  const actor = { kind: "rule", name: "ask-rm", owner: "rules", at: "hub" } as const;
  const step = { actor, stage: "guard", round: 0, action: "ask", durationMs: 256 } as const;
  const trail = [{ ...step, actor: { kind: "hub", name: "hub" }, action: "pass" } as const, step];
  const envelope = makeEnvelope({ event: "tool:before", decision: { verdict: "pass", modified: false, endLoop: false, trail } });
  await hub.parts.ingest.append([hub.parts.ingest.acceptEnvelope(envelope)].filter((one) => "envelope" in one));
  const lines = (await hub.ask("/metrics")).text.split("\n").filter((line) => line.includes('handler="ask-rm"'));
  const labels = 'owner="rules",handler="ask-rm"';
  for (const line of [
    `hookline_handler_asked_total{${labels}} 1`,
    `hookline_handler_duration_seconds_bucket{${labels},le="0.1"} 0`,
    `hookline_handler_duration_seconds_bucket{${labels},le="0.5"} 1`,
    `hookline_handler_duration_seconds_bucket{${labels},le="+Inf"} 1`,
    `hookline_handler_duration_seconds_sum{${labels}} 0.26`,
    `hookline_handler_duration_seconds_count{${labels}} 1`,
  ])
    expect(lines).toContain(line);
});

it("gives at most 200 handlers series of their own, and adds up the others", async () => {
  const hub = await startHttpHub();
  for (let index = 0; index < 203; index++) hub.bus.on("tool:before", () => undefined, { name: `guard-${index}` });
  await hub.ask("/api/decide", { body });
  const calls = (await hub.ask("/metrics")).text.split("\n").filter((line) => line.startsWith("hookline_handler_calls_total{"));
  expect(calls).toHaveLength(201);
  expect(calls.at(-1)).toBe('hookline_handler_calls_total{owner="",handler="(others)"} 3');
});
