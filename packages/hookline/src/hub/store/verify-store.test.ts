import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { setArrivals } from "../../../../../test/support/arrivals.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import type { KeptHead } from "../protocol.js";
import { verifyStore } from "./verify-store.js";

const AT = Date.parse("2026-03-01T12:30:00.000Z");
let count = 0;

function event(parts: Partial<Envelope> = {}): Envelope {
  const n = ++count;
  return {
    v: 2,
    id: `e${n}`,
    seq: n,
    at: new Date(AT + n).toISOString(),
    event: "agent:step",
    source: { app: "agent", host: "h", pid: 1, instance: "i1" },
    session: { id: "s1" },
    payload: {},
    hops: [],
    ...parts,
  };
}

function decided(verdict: "deny" | "pass", text = ""): Envelope {
  return event({ event: "tool:before", payload: { text }, decision: { verdict, modified: false, endLoop: false } });
}

const taken = (...envelopes: Envelope[]) => envelopes.map((envelope) => ({ envelope, body: encodeEnvelope(envelope) }));

async function opened(path: string): Promise<Store> {
  const store = await openStore(path, { ballastBytes: 0 });
  onTestFinished(() => store.close());
  return store;
}

/** Ten events at positions 1 to 10; those at 2, 4, 6, 8 and 10 are in the chain, as its entries 1 to 5. */
async function filled(): Promise<{ readonly path: string; readonly store: Store }> {
  count = 0;
  const path = join(testFolder(), "events.db");
  const store = await opened(path);
  for (const said of ["one", "two", "three", "four"]) await store.append(taken(event(), decided("deny", said)));
  await store.append(taken(event(), event({ event: "permission:replied", payload: { approval: { by: "ann" } } })));
  return { path, store };
}

function tamper(path: string, sql: string): void {
  // The store's thread may be writing to its index.
  const database = new DatabaseSync(path, { timeout: 30_000 });
  database.exec(sql);
  database.close();
}

function problemsOf(path: string, kept: readonly KeptHead[] = []) {
  const { ok, problems } = verifyStore(path, kept);
  expect(ok).toBe(problems.length === 0);
  return problems.map(({ kind, place, id }) => [kind, place, id]);
}

describe("a store with untouched decisions", () => {
  it("verifies, while it is in use and closed, and says how many, since when and its head", async () => {
    const { path, store } = await filled();
    const head = await store.chainHead();
    expect(verifyStore(path)).toMatchObject({ ok: true, decisions: 5, removed: 0, uncovered: 0, faults: 0, problems: [], head });
    expect(head).toMatchObject({ n: 5, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await store.close();
    expect(verifyStore(path, [{ ...head, from: "A note" }])).toMatchObject({ ok: true, since: expect.stringMatching(/^2\d{3}-/), head });
  });

  it("goes on with the same chain after a restart, and a duplicate adds nothing to it", async () => {
    const { path, store } = await filled();
    const before = await store.chainHead();
    await store.close();
    const again = await opened(path);
    const one = decided("pass");
    await again.append(taken(one));
    await again.append(taken(one, one));
    expect(await again.chainHead()).toMatchObject({ chain: before.chain, n: 6 });
    expect(problemsOf(path, [{ ...before, from: "A note" }])).toEqual([]);
  });

  it("chains nothing of a batch that failed", async () => {
    const { path, store } = await filled();
    tamper(path, "CREATE TRIGGER refuse BEFORE INSERT ON counts BEGIN SELECT RAISE(ABORT, 'no'); END");
    await expect(store.append(taken(decided("deny")))).rejects.toThrow("no");
    tamper(path, "DROP TRIGGER refuse");
    await store.append(taken(decided("deny")));
    expect(verifyStore(path)).toMatchObject({ ok: true, decisions: 6, head: { n: 6 } });
  });
});

describe("verifyStore finds", () => {
  const template = mkdtempSync(join(tmpdir(), "hookline-verify-"));
  afterAll(() => rmSync(template, { recursive: true, force: true }));
  let made: string | undefined;

  /** A closed store like any other, changed with SQL. */
  async function tampered(sql: string): Promise<string> {
    if (made === undefined) {
      const { path, store } = await filled();
      await store.close();
      made = join(template, "events.db");
      copyFileSync(path, made);
    }
    const path = join(testFolder(), "events.db");
    copyFileSync(made, path);
    tamper(path, sql);
    return path;
  }

  it("a decision that was edited, in its text, in its bytes or in a column", async () => {
    expect(problemsOf(await tampered(`UPDATE events SET body = replace(body, '"deny"', '"pass"') WHERE place = 4`))).toEqual([
      ["edited", 4, "e4"],
    ]);
    expect(problemsOf(await tampered("UPDATE events SET body = body || ' ' WHERE place = 4"))).toEqual([["edited", 4, "e4"]]);
    expect(problemsOf(await tampered("UPDATE events SET body = CAST(body || x'ff' AS TEXT) WHERE place = 4"))).toEqual([
      ["edited", 4, "e4"],
    ]);
    for (const change of ["verdict = 'pass'", "verdict = NULL", "session = 's9'", "at = at + 1", "event = 'agent:step', verdict = NULL"])
      expect(problemsOf(await tampered(`UPDATE events SET ${change} WHERE place = 6`))).toEqual([["edited", 6, "e6"]]);
  });

  it("a decision that was removed, with its entry in the chain or without", async () => {
    const path = await tampered("DELETE FROM events WHERE place = 4");
    expect(problemsOf(path)).toEqual([["removed", 4, undefined]]);
    expect(verifyStore(path).problems[0]?.message).toMatch(/position 4 was removed, after the event e2 of 2026-03-01T12:30/);
    expect(problemsOf(await tampered("DELETE FROM events WHERE place = 4; DELETE FROM chain WHERE place = 4"))).toEqual([
      ["removed", 6, "e6"],
    ]);
    expect(problemsOf(await tampered("DELETE FROM events WHERE place < 5; DELETE FROM chain WHERE place < 5"))).toEqual([
      ["removed", 6, "e6"],
    ]);
    expect(
      problemsOf(await tampered("DELETE FROM events WHERE place < 5; DELETE FROM chain WHERE place < 5; DELETE FROM chain_notes")),
    ).toContainEqual(["removed", 6, "e6"]);
  });

  it("decisions that changed places", async () => {
    const path = await tampered(`
      UPDATE events SET place = -1 WHERE place = 2; UPDATE events SET place = 2 WHERE place = 8; UPDATE events SET place = 8 WHERE place = -1`);
    expect(problemsOf(path)).toEqual([
      ["edited", 2, "e8"],
      ["edited", 8, "e2"],
    ]);
    expect(
      problemsOf(await tampered("UPDATE chain SET n = CASE n WHEN 2 THEN 3 WHEN 3 THEN 2 ELSE n END")).map(([kind]) => kind),
    ).toContain("reordered");
  });

  it("a decision that was inserted, whatever its columns say", async () => {
    const copy = (verdict: string, body: string) => `
      INSERT INTO events (place, id, at, event, app, instance, session, verdict, asked, body)
      SELECT 1000, 'x', at, 'agent:step', app, instance, session, ${verdict}, 0, ${body} FROM events WHERE place = 2`;
    for (const sql of [
      copy("'pass'", "body"),
      copy("NULL", "body"),
      copy("NULL", `replace(body, '"decision"', '"decisio\\u006e"')`),
      "UPDATE events SET event = 'permission:replied' WHERE place = 1",
    ])
      expect(problemsOf(await tampered(sql)).map(([kind]) => kind)).toEqual(["inserted"]);
  });

  it("what was done to a store that is in use: it goes on from what it knows, and not from what stands there", async () => {
    const { path, store } = await filled();
    const kept = [{ ...(await store.chainHead()), from: "A note" }];
    tamper(path, "DELETE FROM events WHERE place >= 8; DELETE FROM chain WHERE place >= 8");
    expect(problemsOf(path, kept)).toEqual([["cut off", undefined, undefined]]);
    await store.append(taken(decided("deny")));
    expect(problemsOf(path)).toEqual([["removed", 11, "e11"]]);
    tamper(path, "UPDATE events SET body = replace(body, 'two', 'TWO') WHERE place = 4; DELETE FROM events WHERE place = 2");
    await store.append(taken(decided("deny")));
    expect(problemsOf(path)).toEqual([
      ["removed", 2, undefined],
      ["edited", 4, "e4"],
      ["removed", 11, "e11"],
    ]);
  });

  it("a tail that was cut off, with the head that was kept", async () => {
    const kept = verifyStore(await tampered("SELECT 1")).head;
    const path = await tampered("DELETE FROM events WHERE place >= 8; DELETE FROM chain WHERE place >= 8");
    expect(problemsOf(path)).toEqual([]);
    expect(problemsOf(path, [{ ...kept, from: "A note" }])).toEqual([["cut off", undefined, undefined]]);
  });

  it("a store that was replaced, and a chain that was removed", async () => {
    const { path, store } = await filled();
    const kept = [{ ...(await store.chainHead()), from: "A note" }];
    await store.close();
    const { path: other, store: another } = await filled();
    expect(problemsOf(other, kept)).toEqual([["replaced", undefined, undefined]]);
    await another.close();
    tamper(path, "DELETE FROM chain; DELETE FROM chain_notes");
    expect(problemsOf(path).map(([kind]) => kind)).toContain("lost");
    await (await opened(path)).append(taken(decided("deny")));
    expect(problemsOf(path, kept)).toEqual([
      ["lost", undefined, undefined],
      ["replaced", undefined, undefined],
    ]);
    // Retention does not make it forgotten.
    await (await opened(path)).retain({ maxAgeMs: 0 });
    expect(problemsOf(path).map(([kind]) => kind)).toEqual(["edited"]);
  });
});

describe("a chain that was recomputed", () => {
  it("is found with a head that was kept", async () => {
    const { path, store } = await filled();
    const kept = await store.chainHead();
    await store.close();
    const database = new DatabaseSync(path);
    const { hash: sha } = await import("node:crypto");
    database.exec(`UPDATE events SET body = replace(body, 'two', 'TWO') WHERE place = 4`);
    let previous = (database.prepare("SELECT link FROM chain_notes").get() as { link: string }).link;
    for (const row of database.prepare("SELECT n, chain.place AS place, body FROM chain JOIN events USING (place) ORDER BY place").all()) {
      previous = sha("sha256", `${previous} ${row.n} ${row.place}\n${row.body}`);
      database.prepare("UPDATE chain SET link = ? WHERE place = ?").run(previous, row.place as number);
    }
    database.close();
    expect(problemsOf(path)).toEqual([]);
    expect(problemsOf(path, [{ ...kept, from: "A note" }])).toEqual([["edited", undefined, undefined]]);
  });
});

describe("retention", () => {
  const DAY = 86_400_000;

  async function aged(...days: readonly number[]) {
    count = 0;
    const path = join(testFolder(), "events.db");
    const store = await opened(path);
    for (const _ of days) await store.append(taken(decided("deny"), event()));
    setArrivals(path, Object.fromEntries(days.map((age, index) => [1 + 2 * index, age * DAY])));
    return { path, store };
  }

  it("leaves a checkpoint from which the rest verifies", async () => {
    const { path, store } = await aged(9, 9, 8, 7, 1, 1, 1);
    const kept = { ...(await store.chainHead()), from: "A note" };
    await store.retain({ maxAgeMs: 5 * DAY });
    expect(verifyStore(path, [kept])).toMatchObject({ ok: true, decisions: 3, removed: 4, problems: [] });
    await store.append(taken({ ...decided("deny"), at: new Date().toISOString() }));
    expect(verifyStore(path, [kept])).toMatchObject({ ok: true, decisions: 4, removed: 4 });
    await store.retain({ maxAgeMs: 0 });
    const { ok, decisions, removed } = verifyStore(path, [kept]);
    expect({ ok, decisions, removed }).toEqual({ ok: true, decisions: 0, removed: 8 });
    await store.append(taken(decided("deny")));
    await store.close();
    await (await opened(path)).append(taken(decided("deny")));
    expect(verifyStore(path, [kept])).toMatchObject({ ok: true, decisions: 2, removed: 8 });
    const database = new DatabaseSync(path);
    expect(database.prepare("SELECT count(*) AS count FROM chain").get()).toEqual({ count: expect.toSatisfy((n: number) => n <= 3) });
    database.close();
  });

  it("does not cover up what was done before, and what is done after it is found", async () => {
    const { path, store } = await aged(9, 8, 7, 1, 1, 1);
    tamper(path, "DELETE FROM events WHERE place = 1; UPDATE events SET body = body || ' ' WHERE place = 3");
    await store.retain({ maxAgeMs: 5 * DAY });
    expect(verifyStore(path).problems).toMatchObject([{ kind: "edited", message: expect.stringContaining("2 entries") }]);
    await store.retain({ maxAgeMs: 0 });
    expect(verifyStore(path).problems).toMatchObject([{ kind: "edited", message: expect.stringContaining("2 entries") }]);
  });

  it("cannot be forged for an event that was removed by hand", async () => {
    const { path, store } = await aged(9, 8, 1, 1, 1);
    await store.retain({ maxAgeMs: 5 * DAY });
    tamper(path, "DELETE FROM events WHERE place = 7");
    expect(problemsOf(path)).toEqual([["removed", 7, undefined]]);
    tamper(path, `UPDATE chain_notes SET text = replace(text, '"removed":[[1,2]]', '"removed":[[1,4]]')`);
    expect(verifyStore(path).ok).toBe(false);
  });
});
