import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { afterEach, describe, expect, it } from "vitest";
import { setArrivals } from "../../../../../test/support/arrivals.js";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hookline-store-"));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function opened(path = join(folder(), "events.db")): Promise<Store> {
  const store = await openStore(path);
  cleanUps.push(() => store.close());
  return store;
}

let count = 0;
function envelope(parts: Partial<Envelope> & { readonly tool?: string; readonly text?: string; readonly time?: number } = {}): Envelope {
  const { tool, text, time = Date.now(), ...rest } = parts;
  return {
    v: 2,
    id: `e${String(++count).padStart(8, "0")}`,
    seq: count,
    at: new Date(time).toISOString(),
    event: "agent:step",
    source: { app: "agent", host: "h", pid: 1, instance: "i1" },
    payload: { ...(tool !== undefined && { tool: { name: tool, input: {} } }), ...(text !== undefined && { text }) },
    hops: [],
    ...rest,
  };
}

/** As ingest hands it over. */
function taken(...envelopes: Envelope[]) {
  return envelopes.map((each) => ({ envelope: each, body: encodeEnvelope(each) }));
}
function envelopeIn(event: { readonly body: string } | undefined): Envelope | undefined {
  return event && (JSON.parse(event.body) as Envelope);
}
const deny = { verdict: "deny", modified: false, endLoop: false } as const;

describe("events of a fleet's hosts", () => {
  const ofHost = (host: string, ...envelopes: Envelope[]) => taken(...envelopes).map((each) => ({ ...each, host }));

  it("are stored with their marks in one transaction, or not at all", async () => {
    const store = await opened();
    const [one, two] = [envelope(), envelope()];
    expect(await store.append(ofHost("a", one), { "fleet:a": 7, "stream:EV_00": 40 })).toEqual([1]);
    expect([await store.cursor("fleet:a"), await store.cursor("stream:EV_00")]).toEqual([7, 40]);
    // Marks alone move on, too: all that came may have been there already.
    expect(await store.append(ofHost("a", one), { "fleet:a": 8 })).toEqual([0]);
    expect(await store.append([], { "fleet:a": 9 })).toEqual([]);
    expect(await store.cursor("fleet:a")).toBe(9);
    // No database takes it.
    const broken = { ...envelope(), id: undefined } as unknown as Envelope;
    await expect(store.append(ofHost("a", two, broken), { "fleet:a": 11 })).rejects.toThrow();
    expect([await store.cursor("fleet:a"), await store.get(two.id)]).toEqual([9, undefined]);
  });

  it("are found by their host, whatever the envelope says of its own", async () => {
    const store = await opened();
    const [mine, first, second] = [envelope({ text: "here" }), envelope({ session: { id: "s1" } }), envelope({ text: "there" })];
    await store.append(taken(mine));
    await store.append([...ofHost("a", first), ...ofHost("b", second)]);
    await store.indexed();
    const ids = async (filter: object) => (await store.page(filter)).events.map((event) => envelopeIn(event)?.id);
    expect([await ids({ host: "a" }), await ids({ host: "b", text: "there" }), await ids({ host: "h" })]).toEqual([
      [first.id],
      [second.id],
      [],
    ]);
    expect(await ids({ host: "*" })).toEqual([second.id, first.id]);
    expect((await store.page({})).events.map(({ host }) => host ?? undefined)).toEqual(["b", "a", undefined]);
    expect((await store.page({ session: "s1" })).events.map(({ host }) => host)).toEqual(["a"]);
    expect([await store.session("s1"), (await store.get(first.id))?.host]).toMatchObject([{ host: "a" }, "a"]);
  });

  it("keep their own record if another host has used the id, and are stored once", async () => {
    const store = await opened();
    const mine = envelope();
    const hub = { ...mine.source, app: "hookline-hub" };
    await store.append(taken(mine));
    const sent = ofHost("a", { ...mine, source: hub }, envelope());
    expect(await store.append(sent, { "fleet:a": 2 })).toEqual([2, 3]);
    expect(await store.append(sent, { "fleet:a": 2 })).toEqual([0, 0]);
    expect(await store.append(ofHost("b", mine))).toEqual([4]);
    const rows = (await store.after(0, {}, 10)).map((event) => [event.host, envelopeIn(event)?.id, event.body.includes(mine.id)]);
    expect(rows).toMatchObject([
      [null, mine.id, true],
      ["a", expect.stringMatching(/^of-/), false],
      ["a", sent[1]?.envelope.id, false],
      ["b", expect.stringMatching(/^of-/), false],
    ]);
    expect(new Set(rows.map(([, id]) => id)).size).toBe(4);
  });

  it("come to a store whose id stays", async () => {
    const path = join(folder(), "events.db");
    const store = await openStore(path);
    const id = await store.fact("store");
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    await store.close();
    expect(await (await opened(path)).fact("store")).toBe(id);
    expect(await (await opened()).fact("store")).not.toBe(id);
  });
});

describe("the store", () => {
  it("puts what says that it comes from far ahead no later than now, and keeps what it said", async () => {
    const store = await opened();
    const slow = { actor: { kind: "guard", name: "h" } as const, stage: "guard", round: 0, action: "deny", durationMs: 1e300 };
    const far = envelope({ session: { id: "far" }, at: "9999-12-31T23:59:59.999Z", decision: { ...deny, trail: [slow, slow] } });
    await store.append(taken(far, envelope({ session: { id: "near" }, time: Date.now() + 600_000 })));
    const limit = Date.now() + 300_000;
    const sessions = await store.sessions(10);
    expect(sessions.map(({ id }) => id).sort()).toEqual(["far", "near"]);
    for (const { lastAt } of sessions) expect(lastAt).toBeLessThanOrEqual(limit);
    expect(envelopeIn(await store.get(far.id))?.at).toBe(far.at);
    const { latency } = await store.overview({ fromMinute: Math.floor(Date.now() / 60_000) - 5, stepMinutes: 20, steps: 1 });
    expect(latency.p99Ms).toEqual([expect.toSatisfy((ms: number) => ms > 3_000_000 && ms < 4_400_000)]);
  });

  it("pages through what a text is found in, from both ends, alone and with other conditions", async () => {
    const store = await opened();
    const events = Array.from({ length: 25 }, (_, index) =>
      envelope({ text: index % 2 === 0 ? "pair number" : "single", session: { id: `s${index % 3}` } }),
    );
    await store.append(taken(...events));
    await store.indexed();
    const even = events.flatMap((_, index) => (index % 2 === 0 ? [index + 1] : []));
    const pages: number[] = [];
    for (let before: number | undefined, isMore = true; isMore; ) {
      const { events: found, cursor } = await store.page({ text: "num PAIR" }, { limit: 5, ...(before !== undefined && { before }) });
      pages.push(...found.map(({ place }) => place));
      before = cursor;
      isMore = cursor !== undefined;
    }
    expect(pages).toEqual(even.toReversed());
    expect((await store.after(4, { text: "pair" }, 3)).map(({ place }) => place)).toEqual([5, 7, 9]);
    const within = await store.page({ text: "pair", session: "s0" }, { limit: 3, before: 20 });
    expect(within.events.map(({ place }) => place)).toEqual([19, 13, 7]);
    expect((await store.page({ text: "nowhere" })).events).toEqual([]);
  });

  it("finds duplicates in the middle of many, and leaves no gap for them", async () => {
    const store = await opened();
    const known = Array.from({ length: 3 }, () => envelope({ session: { id: "s" } }));
    expect(await store.append(taken(...known))).toEqual([1, 2, 3]);
    const fresh = Array.from({ length: 177 }, () => envelope({ session: { id: "s" } }));
    const many = [...fresh.slice(0, 70), ...known, ...fresh.slice(70), ...fresh.slice(0, 20)];
    const places = await store.append(taken(...many));
    expect(places.filter((place) => place !== 0)).toEqual(Array.from({ length: 177 }, (_, index) => index + 4));
    expect(many.filter((_, index) => places[index] === 0)).toEqual([...known, ...fresh.slice(0, 20)]);
    expect(await store.append(taken(envelope()))).toEqual([181]);
    expect(await store.sessions()).toMatchObject([{ id: "s", events: 180 }]);
    expect(await store.counts(0)).toEqual({ "agent:step": 181 });
  });

  it("gives back what was put in, newest first, page by page", async () => {
    const store = await opened();
    const events = Array.from({ length: 25 }, () => envelope());
    const places = await store.append(taken(...events));
    expect([places.length, new Set(places).size, await store.lastPlace()]).toEqual([25, 25, places.at(-1)]);
    const first = await store.page({}, { limit: 10 });
    expect(first.events.map((event) => envelopeIn(event)?.id)).toEqual(
      events
        .slice(-10)
        .reverse()
        .map(({ id }) => id),
    );
    const second = await store.page({}, { limit: 10, before: first.cursor as number });
    const third = await store.page({}, { limit: 10, before: second.cursor as number });
    expect([second.events.length, third.events.length, third.cursor]).toEqual([10, 5, undefined]);
    expect(envelopeIn(await store.get(events[3]?.id as string))).toEqual(events[3]);
    expect(await store.get("nowhere")).toBeUndefined();
  });

  it("keeps an event once, even if it is sent again or twice in one batch", async () => {
    const store = await opened();
    const [a, b] = [envelope(), envelope()];
    expect((await store.append(taken(a, b, a))).map((place) => place > 0)).toEqual([true, true, false]);
    const [first, second] = await Promise.all([store.append(taken(a)), store.append(taken(b, envelope()))]);
    expect([...first, ...second].map((place) => place > 0)).toEqual([false, false, true]);
    expect((await store.stats()).events).toBe(3);
  });

  it("filters by name, pattern, session, source, tool, decision and time", async () => {
    const store = await opened();
    const now = Date.now();
    const wanted = envelope({ event: "tool:before", session: { id: "s1" }, tool: "bash", decision: deny, time: now - 5_000 });
    await store.append(
      taken(
        wanted,
        envelope({ event: "tool:after", session: { id: "s2" }, tool: "edit", time: now - 60_000 }),
        envelope({ event: "toolbox:x" }),
      ),
    );
    const ids = async (filter: Parameters<Store["page"]>[0]): Promise<number> => (await store.page(filter)).events.length;
    expect(await ids({ events: ["tool:*"] })).toBe(2);
    expect(await ids({ events: ["*"] })).toBe(3);
    expect(await ids({ events: [] })).toBe(0);
    for (const filter of [
      { events: ["tool:before"] },
      { session: "s1" },
      { tool: "bash" },
      { decision: "deny" },
      { events: ["tool:*"], since: now - 10_000 },
    ] as const) {
      expect((await store.page(filter)).events.map((event) => envelopeIn(event)?.id)).toEqual([wanted.id]);
    }
    expect(await ids({ source: "agent" })).toBe(3);
    expect(await ids({ source: "i1", until: now - 30_000 })).toBe(1);
    expect(await ids({ source: "' OR 1=1 --" })).toBe(0);
  });

  it("finds the same as a look at each of many events, page by page and from both ends", async () => {
    const store = await opened();
    const start = Date.now() - 3_600_000;
    const events = Array.from({ length: 24_000 }, (_, index) =>
      envelope({
        event: index % 3 === 0 ? "tool:before" : index % 3 === 1 ? "tool:after" : "agent:step",
        ...(index % 3 !== 2 && { tool: index % 4_001 === 0 ? "rare" : "bash" }),
        ...(index % 977 === 0 && { source: { app: "script", host: "h", pid: 2, instance: `i${index}` } }),
        // Some arrived late, so places are not in the order of times.
        time: start + (index % 500 === 0 ? 0 : index * 100),
      }),
    );
    for (let from = 0; from < events.length; from += 4_000) await store.append(taken(...events.slice(from, from + 4_000)));
    const at = (event: Envelope): number => Date.parse(event.at);
    const wanted: readonly (readonly [Parameters<Store["page"]>[0], (event: Envelope) => boolean])[] = [
      [{ tool: "RARE" }, ({ payload }) => (payload as { tool?: { name: string } }).tool?.name === "rare"],
      [{ source: "script", events: ["tool:before", "agent:*"] }, ({ event, source }) => source.app === "script" && event !== "tool:after"],
      [
        { source: "script", since: start + 900_000, until: start + 1_500_000 },
        (event) => event.source.app === "script" && at(event) >= start + 900_000 && at(event) < start + 1_500_000,
      ],
      [{ events: ["tool:*"], until: start + 1 }, (event) => event.event !== "agent:step" && at(event) < start + 1],
    ];
    for (const [filter, matches] of wanted) {
      const expected = events.filter(matches).map(({ id }) => id);
      expect(expected.length).toBeGreaterThan(2);
      const backwards: (string | undefined)[] = [];
      for (let before: number | undefined; ; ) {
        const { events: found, cursor } = await store.page(filter, { limit: 3, ...(before !== undefined && { before }) });
        backwards.push(...found.map((event) => envelopeIn(event)?.id));
        if (cursor === undefined) break;
        before = cursor;
      }
      expect(backwards).toEqual(expected.toReversed());
      const forwards: (string | undefined)[] = [];
      for (let place = 0; ; ) {
        const found = await store.after(place, filter, 3);
        forwards.push(...found.map((event) => envelopeIn(event)?.id));
        if (found.length < 3) break;
        place = found.at(-1)?.place ?? 0;
      }
      expect(forwards).toEqual(expected);
    }
  });

  it("finds text once it is indexed, whatever a person types", async () => {
    const store = await opened();
    await store.append(taken(envelope({ text: "please delete the Grüße file" }), envelope({ text: "nothing" })));
    await store.indexed();
    for (const text of ["delete", "GRÜSSE grüße".split(" ")[1] as string, "del fil", '"delete" -nothing'.slice(0, 8)])
      expect((await store.page({ text })).events).toHaveLength(1);
    for (const text of ['"', "AND", "delete AND (", "x* NEAR/", "':;--"]) await expect(store.page({ text })).resolves.toBeDefined();
    expect((await store.stats()).unindexed).toBe(0);
  });

  it("resumes a stream from a place", async () => {
    const store = await opened();
    const stored = await store.append(taken(envelope(), envelope({ event: "tool:after" }), envelope()));
    expect((await store.after(stored[0] as number, {}, 10)).map(({ place }) => place)).toEqual(stored.slice(1));
    expect(await store.after(stored[0] as number, { events: ["tool:*"] }, 10)).toHaveLength(1);
  });

  it("remembers how far a reader has got", async () => {
    const path = join(folder(), "events.db");
    const store = await openStore(path);
    expect([await store.cursor("a"), await store.lastPlace()]).toEqual([undefined, 0]);
    await store.setCursor("a", 7);
    await store.setCursor("a", 9);
    await store.close();
    expect(await (await opened(path)).cursor("a")).toBe(9);
  });

  it("counts by name and minute, and sums up sessions", async () => {
    const store = await opened();
    const now = Date.now();
    await store.append(
      taken(
        envelope({ session: { id: "s" }, decision: deny }),
        envelope({ session: { id: "s" } }),
        envelope({ event: "tool:after", time: now - 3_600_000 * 2 }),
      ),
    );
    expect(await store.counts(now - 3_600_000)).toEqual({ "agent:step": 2 });
    expect(await store.counts(0)).toEqual({ "agent:step": 2, "tool:after": 1 });
    expect(await store.sessions()).toMatchObject([{ id: "s", app: "agent", events: 2, denied: 1 }]);
  });

  it("lets go by size, and by age what arrived long ago, from the text index too", async () => {
    const path = join(folder(), "events.db");
    const store = await opened(path);
    const now = Date.now();
    await store.append(taken(envelope({ time: now + 100_000, text: "ancient" }), envelope({ time: now - 100_000, text: "recent" })));
    await store.indexed();
    setArrivals(path, { 1: 100_000, 2: 0 });
    expect(await store.retain({ maxAgeMs: 50_000 })).toBe(1);
    expect((await store.page({ text: "ancient" })).events).toEqual([]);
    expect((await store.page({ text: "recent" })).events).toHaveLength(1);
    await store.append(taken(...Array.from({ length: 6_000 }, () => envelope({ text: "x".repeat(300) }))));
    await store.indexed();
    const { bytes } = await store.stats();
    expect(await store.retain({ maxBytes: Math.floor(bytes / 2) })).toBeGreaterThan(0);
    expect((await store.stats()).bytes).toBeLessThanOrEqual(bytes / 2);
  });

  it("lets no more go for its size than it takes, however large the events are", async () => {
    const store = await opened();
    for (let i = 0; i < 20; i++) await store.append(taken(envelope({ text: `${i} ${"x".repeat(1_000_000)}` })));
    await store.indexed();
    const { bytes } = await store.stats();
    const gone = await store.retain({ maxBytes: bytes - 2_500_000 });
    expect(gone).toBeGreaterThanOrEqual(2);
    expect(gone).toBeLessThanOrEqual(4);
    expect((await store.stats()).events).toBe(20 - gone);
  });

  it("forgets sessions and counts of which no event is left", async () => {
    const store = await opened();
    const start = Date.now() - 3_600_000;
    const old = Array.from({ length: 10 }, (_, i) =>
      envelope({ session: { id: `s${i}` }, time: start + i * 60_000, text: "x ".repeat(200_000) }),
    );
    for (const each of old) await store.append(taken(each));
    await store.indexed();
    const { bytes } = await store.stats();
    await store.retain({ maxBytes: Math.floor(bytes / 2) });
    const left = (await store.page({})).events.map((event) => envelopeIn(event)?.session?.id);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(10);
    expect((await store.sessions()).map(({ id }) => id)).toEqual(left);
    expect(await store.counts(0)).toEqual({ "agent:step": left.length });
  });

  it("takes events while old ones are let go", async () => {
    const path = join(folder(), "events.db");
    const store = await opened(path);
    await store.append(taken(...Array.from({ length: 6_000 }, () => envelope())));
    setArrivals(path, { 1: 100_000, 6001: 0 });
    let isDone = false;
    const retained = store.retain({ maxAgeMs: 50_000 }).then((count) => {
      isDone = true;
      return count;
    });
    await store.append(taken(envelope()));
    expect(isDone).toBe(false);
    expect(await retained).toBe(6_000);
  });

  it("fails what waits for a thread that died, and goes on with another", async () => {
    const threads: Worker[] = [];
    const listen = (message: unknown): void => void threads.push((message as { worker: Worker }).worker);
    subscribe("worker_threads", listen);
    cleanUps.push(() => unsubscribe("worker_threads", listen));
    const store = await opened();
    await store.append(taken(envelope()));
    const asked = store.append(taken(envelope())).catch((error: unknown) => error);
    await threads[0]?.terminate();
    await asked;
    await expect(store.append(taken(envelope()))).rejects.toMatchObject({ code: "HL_STORE_FAILED" });
    const last = envelope();
    await expect.poll(() => store.append(taken(last)).catch(() => [])).toHaveLength(1);
    expect(envelopeIn(await store.get(last.id))?.id).toBe(last.id);
  });

  it("is there again after a restart, and refuses what a newer version wrote", async () => {
    const path = join(folder(), "events.db");
    const store = await openStore(path);
    await store.append(taken(envelope()));
    await store.close();
    await expect(store.append(taken(envelope()))).rejects.toThrow(/closed/);
    const again = await openStore(path);
    expect((await again.stats()).events).toBe(1);
    await again.close();
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 999");
    database.close();
    await expect(openStore(path)).rejects.toThrow(/supports versions up to/);
  });

  it("says which file could not be opened", async () => {
    await expect(openStore(join(folder(), "no", "such", "folder.db"))).rejects.toThrow(/"[^"]*no.such.folder.db" cannot be opened: ENOENT/);
  });

  it("has lost nothing it acknowledged when the process is killed", async () => {
    const path = join(folder(), "events.db");
    const acknowledged = new Set<string>();
    for (let kill = 0; kill < 3; kill++) await appendUntilKilled(path, `k${kill}`, 5 + kill * 7, acknowledged);
    const store = await opened(path);
    for (const id of acknowledged) expect(envelopeIn(await store.get(id))?.id).toBe(id);
    expect(acknowledged.size).toBeGreaterThan(0);
    expect(await store.append(taken(envelope()))).not.toContain(0);
  });
});

/** Runs a process that appends and prints each acknowledged id, and kills it after so many lines. */
async function appendUntilKilled(path: string, prefix: string, lines: number, acknowledged: Set<string>): Promise<void> {
  const entry = fileURLToPath(new URL("../../../dist/internal/index.js", import.meta.url));
  const script = `
    const { openStore } = await import(${JSON.stringify(entry)});
    const store = await openStore(${JSON.stringify(path)});
    for (let i = 0; ; i++) {
      const ids = Array.from({ length: 20 }, (_, j) => "${prefix}-" + i + "-" + j);
      const envelopes = ids.map((id) => ({ v: 2, id, seq: 1, at: new Date().toISOString(), event: "agent:step", source: { app: "a", host: "", pid: 1, instance: "i" }, payload: {}, hops: [] }));
      await store.append(envelopes.map((envelope) => ({ envelope, body: JSON.stringify(envelope) })));
      console.log(ids.join(" "));
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  let seen = 0;
  let rest = "";
  for await (const chunk of child.stdout) {
    const parts = (rest + String(chunk)).split("\n");
    rest = parts.pop() as string;
    for (const line of parts) for (const id of line.split(" ")) acknowledged.add(id);
    seen += parts.length;
    if (seen >= lines) child.kill("SIGKILL");
  }
}

describe("origins", () => {
  it("have their process, whether it is known before, with or after the first event, and go with their events", async () => {
    const store = await opened();
    const origin = { key: "k1", instance: "i1", description: { way: "connection", since: "2026-01-01T00:00:00.000Z" } } as const;
    const known = { ...origin, owner: "0 1 2 boot", description: { ...origin.description, process: { pid: 1 } } } as const;
    const others = ["before", "after"].map((key) => ({ first: { ...origin, key, instance: key }, then: { ...known, key, instance: key } }));
    const [before, after] = others as [(typeof others)[0], (typeof others)[0]];
    const put = async (from: typeof origin | typeof known | typeof before.first | typeof before.then) => {
      const event = envelope();
      await store.append(taken(event).map((one) => ({ ...one, origin: from })));
      return event.id;
    };
    await store.identify(before.then);
    const ids = [await put(before.first), await put(known), await put(after.first)];
    await store.identify(after.then);
    for (const id of ids) expect(JSON.parse((await store.get(id))?.origin ?? "{}")).toMatchObject({ process: { pid: 1 } });
    expect(await Promise.all(["before", "i1", "after"].map((instance) => store.ownerOf(instance)))).toEqual(Array(3).fill("0 1 2 boot"));
    await store.retain({ maxAgeMs: -1_000 });
    await put(known);
    await store.retain({ maxAgeMs: 60_000 });
    expect(await store.ownerOf("before")).toBeUndefined();
  });
});
