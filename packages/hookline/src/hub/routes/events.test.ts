import { encodeEnvelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { type HttpHub, makeEnvelope, startHttpHub } from "../../../../../test/support/http-hub.ts";

async function put({ ask }: HttpHub, ...envelopes: ReturnType<typeof makeEnvelope>[]): Promise<void> {
  await ask("/api/hooks/ingest", { body: envelopes.map(encodeEnvelope).join("\n"), headers: { "content-type": "application/x-ndjson" } });
}
const deny = { verdict: "deny", modified: false, endLoop: false } as const;

describe("GET /api/events", () => {
  it("gives pages, newest first, each event with its place", async () => {
    const hub = await startHttpHub();
    const events = Array.from({ length: 25 }, () => makeEnvelope({ payload: { text: 'a "quoted}" ä' } }));
    await put(hub, ...events);
    const seen: unknown[] = [];
    let cursor: number | undefined;
    do {
      const { status, json } = await hub.ask(`/api/events?limit=10${cursor === undefined ? "" : `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      seen.push(...json.events);
      cursor = json.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(events.map((event, index) => ({ ...event, place: index + 1 })).reverse());
  });

  it("filters by what it is asked for", async () => {
    const hub = await startHttpHub();
    const old = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const wanted = {
      a: makeEnvelope({ event: "tool:before", payload: { tool: { name: "bash", input: {} } }, decision: deny }),
      b: makeEnvelope({ event: "session:start", session: { id: "s 1" } }),
      c: makeEnvelope({ at: old, payload: { text: "the needle-work" }, source: { app: "other", host: "h", pid: 1, instance: "i9" } }),
    };
    await put(hub, wanted.a, wanted.b, wanted.c);
    await hub.parts.store.indexed();
    const ids = async (query: string) => {
      const { json } = await hub.ask(`/api/events?${query}`);
      const found = json.events.map(({ id }: { id: string }) => Object.entries(wanted).find(([, event]) => event.id === id)?.[0]);
      return found.reverse().join("");
    };
    expect(await ids("event=PreToolUse")).toBe("a");
    expect(await ids("event=tool:*&event=SessionStart")).toBe("ab");
    expect(await ids("event=*")).toBe("abc");
    expect(await ids("session=s%201")).toBe("b");
    expect(await ids("source=other")).toBe("c");
    expect(await ids("source=i1")).toBe("ab");
    expect(await ids("tool=bash&decision=deny")).toBe("a");
    expect(await ids("since=2h")).toBe("ab");
    expect(await ids("until=2h")).toBe("c");
    expect(await ids(`since=${encodeURIComponent(old)}`)).toBe("abc");
    expect(await ids(`until=${Date.now() - 3_600_000}`)).toBe("c");
    expect(await ids("text=need%20the")).toBe("c");
    expect(await ids("text=nowhere")).toBe("");
  });

  it("refuses parameters it does not understand, and says which", async () => {
    const { ask } = await startHttpHub();
    const bad: readonly (readonly [query: string, message: RegExp])[] = [
      ["evnt=x", /"evnt" here. Did you mean "event"/],
      ["session=a&session=b", /"session" is given too often/],
      ["limit=0", /"limit"/],
      ["limit=1001", /"limit"/],
      ["limit=ten", /"limit"/],
      ["limit=1e2", /"limit"/],
      ["limit=", /"limit" is empty/],
      ["cursor=-1", /"cursor"/],
      ["cursor=99999999999999999999", /"cursor"/],
      ["since=yesterday", /"since" is not a time/],
      ["until=2026-13-45T00:00:00Z", /"until" is not a time/],
      ["decision=maybe", /"decision"/],
      ["event=tol:before%20x", /Unknown event/],
      ["event=tool:befor", /Did you mean "tool:before"/],
      ["event=to*l", /"event" is not a pattern/],
      [`text=${"x".repeat(300)}`, /"text"/],
      [`text=${"x%20".repeat(40)}`, /"text"/],
      ["__proto__=1", /"__proto__"/],
    ];
    for (const [query, message] of bad) {
      const { status, json } = await ask(`/api/events?${query}`);
      expect([query, status, json.error.message]).toEqual([query, 400, expect.stringMatching(message)]);
    }
    for (const text of ["%22", "a%22b", "NEAR(", "a*%20-b", "%00", "%ff%ed%a0%80", "--", "x%20AND"])
      expect((await ask(`/api/events?text=${text}`)).status).toBe(200);
  });

  it("keeps an answer within bounds, and the next page goes on where it ended", async () => {
    const hub = await startHttpHub();
    const events = Array.from({ length: 6 }, () => makeEnvelope({ payload: { text: "x".repeat(3_500_000) } }));
    for (const event of events) await put(hub, event);
    const first = (await hub.ask("/api/events")).json;
    expect(first.events.length).toBeLessThan(6);
    const second = (await hub.ask(`/api/events?cursor=${first.cursor}`)).json;
    expect([...first.events, ...second.events].map(({ id }) => id)).toEqual(events.map(({ id }) => id).reverse());
  });
});

describe("GET /api/events/:id", () => {
  it("gives the event, whatever its id is made of", async () => {
    const hub = await startHttpHub();
    for (const id of ["plain", "a/b", "a%2Fb", "a?b#c&d=e", "..", "a:b", "%", "é".length === 1 ? "~!'()*" : ""]) {
      const envelope = makeEnvelope({ id });
      await put(hub, envelope);
      const { status, json } = await hub.ask(`/api/events/${encodeURIComponent(id).replace(/\.\./, "%2E%2E")}`);
      if (id === "..") expect(status).toBe(400);
      else expect([id, status, json?.event?.id]).toEqual([id, 200, id]);
    }
  });

  it("marks an answer to an approval that only a process reports, whatever it says of who gave it", async () => {
    const hub = await startHttpHub();
    const given = { event: "tool:before", verdict: "allow", by: "ann", given: { via: "dashboard" }, factor: "passkey" };
    for (const [id, approval] of [
      ["a1b2c3d4e5", given],
      ["b1b2c3d4e5", { ...given, actor: { kind: "guard", name: "x" } }],
      ["c1b2c3d4e5", { ...given, actor: { kind: "person", name: "ann" } }],
    ] as const) {
      await put(hub, makeEnvelope({ id, event: "permission:replied", payload: { approval: { ...approval, id } } }));
      expect((await hub.ask(`/api/events/${id}`)).json.claimed).toBe(true);
      const { answers } = (await hub.ask("/api/approvals/answered")).json as { answers: readonly { id: string; claimed?: true }[] };
      expect(answers.find((answer) => answer.id === id)).toMatchObject({ by: "ann", claimed: true });
    }
  });

  it("marks a decision of a person, the hub or the policy that only a process reports", async () => {
    const hub = await startHttpHub();
    for (const [id, actor, claimed] of [
      ["person", { kind: "person", name: "Ann" }, true],
      ["hub", { kind: "hub", name: "hookline" }, true],
      ["policy", { kind: "policy", name: "pause" }, true],
      ["guard", { kind: "guard", name: "no-rm" }, undefined],
    ] as const) {
      await put(hub, makeEnvelope({ id, event: "tool:before", decision: { ...deny, actor, by: actor.name } }));
      expect((await hub.ask(`/api/events/${id}`)).json.claimed).toBe(claimed);
    }
  });

  it("says kindly that there is none", async () => {
    const { ask } = await startHttpHub();
    expect(await ask("/api/events/nowhere")).toMatchObject({
      status: 404,
      json: { error: { code: "HL_NOT_FOUND", message: 'There is no event with the id "nowhere".', fix: expect.any(String) } },
    });
  });
});

describe("what the hub tells of itself", () => {
  it("has sessions, handlers, sinks, sources, a proof and an end", async () => {
    const sink = { name: "log", type: "jsonl", state: "ok", lastError: undefined, sent: 3, dropped: { full: 1 }, behind: 0 } as const;
    const source = { app: "a", host: "h", pid: 1, instance: "i1" };
    const counters = { accepted: 3, acked: 1, pending: 1, dropped: { queue_full: 1 }, seq: 3 };
    const row = { source, connectedAt: "2026-01-01T00:00:00.000Z", received: 1, counters, gaps: 1, lastEventAt: undefined };
    const hub = await startHttpHub({}, () => ({
      sinks: { removeSessions: async () => [], list: () => [sink] },
      sources: { list: () => [row], handlersOf: async () => undefined },
    }));
    await put(hub, makeEnvelope({ session: { id: "s1" }, decision: deny }), makeEnvelope({ session: { id: "s2" } }));
    expect((await hub.ask("/api/sessions?limit=1")).json.sessions).toMatchObject([{ app: "agent", events: 1 }]);
    expect((await hub.ask("/api/sessions")).json.sessions).toHaveLength(2);
    hub.bus.on("tool:before", () => undefined, { name: "guard", health: () => ({ state: "running", restarts: 1 }) });
    hub.bus.on("tool:after", () => undefined, {
      name: "odd",
      health: () => {
        throw new Error("no");
      },
    });
    await hub.ask("/api/decide", { body: JSON.stringify({ event: "tool:before", payload: { tool: { name: "x", input: {} } } }) });
    expect((await hub.ask("/api/handlers")).json).toMatchObject({
      handlers: [
        { name: "guard", event: "tool:before", health: { state: "running", restarts: 1 }, stats: { calls: 1, neverFired: false } },
        { name: "odd", health: { state: "unknown" }, stats: { calls: 0, neverFired: true } },
      ],
      gates: [{ event: "tool:before" }],
    });
    expect((await hub.ask("/api/sinks")).json).toEqual({
      sinks: [{ ...sink, lastError: undefined }].map(({ lastError: _, ...rest }) => rest),
    });
    expect((await hub.ask("/api/sources")).json.sources).toMatchObject([{ source, gaps: 1, counters }]);
    const text = (await hub.ask("/metrics")).text;
    for (const line of [
      "hookline_events_stored_total 2",
      'hookline_sink_dropped_total{sink="log",reason="full"} 1',
      'hookline_source_dropped{app="a",reason="queue_full"} 1',
      'hookline_sources_connected{app="a"} 1',
      'hookline_stream_dropped_total{reason="stalled"} 0',
      "hookline_disk_full 0",
    ])
      expect(text.split("\n")).toContain(line);
    expect(text).toMatch(/^nodejs_eventloop_delay_p99_seconds [\d.e-]+$/m);
    expect(text.split("\n").filter((line) => line !== "" && !/^(# (HELP|TYPE) |[a-z_\d]+(\{.*\})? [\d.e+-]+$)/.test(line))).toEqual([]);
    const nonce = "n".repeat(48);
    const { prove } = await import("@hookline/core/internal/machine");
    const { instance, tokens } = hub.parts;
    expect((await hub.ask(`/api/hooks/proof?nonce=${nonce}`, { token: null })).json).toEqual({
      instance,
      proof: prove(tokens.agent, "hub", instance, nonce),
    });
    for (const wrong of ["", "?nonce=short", `?nonce=${"n".repeat(200)}`, `?nonce=${nonce}%20hub`])
      expect((await hub.ask(`/api/hooks/proof${wrong}`, { token: null })).status).toBe(400);
    expect(await hub.ask("/api/stop", { body: "{}" })).toMatchObject({ status: 202, json: { stopping: true } });
    expect(hub.asked).toEqual(["stop"]);
  });
});
