import type { DecisionStep, Envelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { type HttpHub, makeEnvelope, startHttpHub } from "../../../../../test/support/http-hub.ts";
import { claudeCode } from "../../agents/claude-code/definition.js";
import { everyPermission } from "../../rules/default-failure.js";
import { readHandlerRow } from "../connection/read-handler-row.js";
import type { HandlerRow } from "../protocol.js";

const MINUTE = 60_000;
const source = { app: "agent", host: "h", pid: 7, instance: "i1" };

const guard = (name: string) => ({ kind: "guard", name }) as const;

function decided(event: string, trail: readonly Partial<DecisionStep>[], { age = 0, app = "agent" } = {}): Envelope {
  const steps = trail.map((step) => ({ actor: guard(""), stage: "guard", round: 0, action: "pass", ...step }));
  return makeEnvelope({
    event,
    at: new Date(Date.now() - age * MINUTE).toISOString(),
    source: { ...source, app },
    decision: { verdict: "pass", modified: false, endLoop: false, trail: steps },
  });
}

async function put(hub: HttpHub, ...envelopes: Envelope[]): Promise<void> {
  const accepted = envelopes.map((envelope) => hub.parts.ingest.acceptEnvelope(envelope));
  await hub.parts.ingest.append(accepted.filter((one) => "envelope" in one));
}

describe("GET /api/handlers", () => {
  it("has what each did in the time asked for, and when it fired at last", async () => {
    const hub = await startHttpHub();
    const pass = () => undefined;
    const rules = { owner: "rules", permissions: everyPermission };
    hub.bus.on("tool:before", pass, { name: "no-rm", ...rules });
    hub.bus.on("tool:*", pass, { name: "wide", stage: "guard", ...rules });
    hub.bus.on("tool:before", pass, { name: "idle", ...rules });
    hub.bus.on("tool:after", pass, { name: "watch", ...rules });
    const rule = (name: string, durationMs: number, action = "pass") => ({
      actor: { kind: "rule", name, owner: "rules", at: "hub" } as const,
      durationMs,
      action,
    });
    await put(
      hub,
      decided("tool:before", [{ actor: { kind: "hub", name: "hub" } }, rule("no-rm", 1), rule("wide", 1)]),
      decided("tool:before", [{ actor: { kind: "hub", name: "hub" } }, rule("no-rm", 256, "deny")], { app: "other" }),
      decided("tool:before", [{ actor: { kind: "hub", name: "hub" } }, rule("no-rm", 1), { ...rule("idle", 0), action: "no-match" }], {
        age: 100,
      }),
      decided("tool:before", [{ actor: { ...guard("no-rm"), owner: "rules" } }]),
    );
    const rows = async (query: string) => (await hub.ask(`/api/handlers${query}`)).json.handlers as HandlerRow[];
    const [noRm, wide, idle, watch] = await rows("");
    expect(noRm?.window).toEqual({ calls: 2, denied: 1, asked: 0, failed: 0, p50Ms: 1, p95Ms: 260, p99Ms: 260 });
    expect([wide?.window?.calls, idle?.window, idle?.lastAt]).toEqual([1, { calls: 0, denied: 0, asked: 0, failed: 0 }, undefined]);
    // It only observes, so no decision tells of it.
    expect([watch?.window, watch?.lastAt]).toEqual([undefined, undefined]);
    expect(noRm).toMatchObject({ lastAt: expect.any(Number), stats: { calls: 0, neverFired: true } });
    expect((await rows("?minutes=200"))[0]?.window?.calls).toBe(3);
    expect((await rows("?minutes=44640"))[0]?.window?.calls).toBe(3);
    await hub.bus.emit("tool:after", { tool: { name: "x", input: {} }, status: "ok" } as never);
    expect((await rows("?minutes=1"))[3]).toMatchObject({ lastAt: expect.any(Number), stats: { calls: 1 } });
    for (const minutes of ["0", "44641", "x"]) expect((await hub.ask(`/api/handlers?minutes=${minutes}`)).status).toBe(400);
  });

  it("says which are for tools that no attached agent has, and which tools are known", async () => {
    const hub = await startHttpHub({}, ({ store }) => ({
      knownTools: async () => ({ attached: [claudeCode], seen: await store.tools() }),
    }));
    const rules = { owner: "rules", permissions: everyPermission };
    for (const tool of ["bash", "bsah", "deploy"]) hub.bus.on("tool:before", () => undefined, { name: tool, tool, ...rules });
    const call = (event: string, name: string) => makeEnvelope({ event, payload: { tool: { name, input: {} } } });
    await put(hub, call("tool:before", "Deploy"), call("tool:after", "Build"));
    expect((await hub.ask("/api/tools")).json).toEqual({ attached: ["claude-code"], seen: expect.arrayContaining(["Deploy", "Build"]) });
    const { handlers } = (await hub.ask("/api/handlers")).json as { handlers: HandlerRow[] };
    expect(handlers.map(({ note }) => note)).toEqual([undefined, expect.stringContaining('Did you mean "Bash"?'), undefined]);
  });

  it("has the same for a process, over all that run its app, whatever it says of itself", async () => {
    const said = { stage: "guard", onFailure: "open", timeoutMs: 5_000 };
    const rows = [
      { id: 1, event: "tool:before", name: "guard", ...said, stats: { calls: 9, lastFiredAt: 5 } },
      { id: 2, event: "to*ol:**", name: "guard", ...said },
      { id: 3, event: "tool:before", name: "guard", owner: "ext", ...said },
    ].map((row) => readHandlerRow(row) as HandlerRow);
    const listed = { source, connectedAt: "", received: 0, counters: undefined, gaps: 0, lastEventAt: undefined };
    const hub = await startHttpHub({}, () => ({
      sources: { list: () => [listed], handlersOf: async (instance) => (instance === "i1" ? rows : undefined) },
    }));
    await put(
      hub,
      decided("tool:before", [{ actor: guard("guard") }]),
      decided("tool:before", [{ actor: guard("guard") }], { app: "other" }),
      decided("tool:before", [{ actor: { ...guard("guard"), at: "hub" } }]),
    );
    const { status, json } = await hub.ask("/api/sources/i1/handlers?minutes=15");
    expect([status, json.handlers.map(({ window }: HandlerRow) => window?.calls)]).toEqual([200, [1, undefined, 0]]);
    expect(json.handlers[0].stats.calls).toBe(9);
    expect((await hub.ask("/api/sources/nobody/handlers")).status).toBe(404);
    expect((await hub.ask("/api/sources/i1/handlers?minutes=0")).status).toBe(400);
  });
});
