import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "hookline/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { migrations, readStoreVersion } from "./schema.js";
import { TAKEN } from "./store.js";
import { verifyStore } from "./verify-store.js";

const MINUTE = 60_000;
const AT = Date.parse("2026-03-01T12:30:00.000Z");

interface Old {
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly session: string | null;
  readonly tool: string | null;
  readonly verdict: string | null;
  readonly text: string;
}

const EVENTS: readonly Old[] = [
  { id: "e1", at: AT - 90 * MINUTE, event: "session:start", session: "s1", tool: null, verdict: null, text: "hello" },
  { id: "e2", at: AT, event: "tool:before", session: "s1", tool: "bash", verdict: "deny", text: "rm everything" },
  { id: "e3", at: AT + 1, event: "tool:before", session: "s1", tool: "bash", verdict: "ask", text: "git push" },
  { id: "e4", at: AT + 2, event: "tool:before", session: "s2", tool: "read", verdict: "pass", text: "harmless" },
  { id: "e5", at: AT + 3, event: "tool:after", session: null, tool: "read", verdict: null, text: "not indexed yet" },
];

const COLUMNS = "id, at, event, app, instance, session, tool, verdict, body";

/** A store as that version has left it: its own steps alone, rows in every table, the last event not yet indexed. */
function oldStore(version: number): string {
  const path = join(testFolder(), "events.db");
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  for (const step of migrations.slice(0, version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${version}`);
  const put = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).run(...values);
  for (const [index, { id, at, event, session, tool, verdict, text }] of EVENTS.entries()) {
    const source = { app: "agent", host: "h", pid: 1, instance: "i1" };
    const body = JSON.stringify({ v: 1, id, seq: index, at: new Date(at).toISOString(), event, source, payload: { text }, hops: [] });
    put(`INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, 'agent', 'i1', ?, ?, ?, ?)`, id, at, event, session, tool, verdict, body);
    const minute = Math.floor(at / MINUTE);
    put("INSERT INTO counts VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1", minute, event);
    if (index < 4) put("INSERT INTO words (rowid, body) VALUES (?, ?)", index + 1, body);
    if (version < 3) continue;
    const add =
      "INSERT INTO rollup VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET events = events + 1, denied = denied + excluded.denied, asked = asked + excluded.asked, last_at = excluded.last_at";
    for (const [kind, name] of [
      ["app", "agent"],
      ["tool", tool],
    ] as const)
      for (const [table, start] of [
        [kind, minute],
        [`${kind}/hour`, minute - (minute % 60)],
      ] as const)
        if (name !== null) put(add, table, start, name, Number(verdict === "deny"), Number(verdict === "ask"), at);
  }
  put("UPDATE progress SET place = 4");
  const sessions = "INSERT INTO sessions (id, app, first_at, last_at, events, denied) VALUES (?, 'agent', ?, ?, ?, ?)";
  put(sessions, "s1", AT - 90 * MINUTE, AT + 1, 3, 1);
  put(sessions, "s2", AT + 2, AT + 2, 1, 0);
  if (version >= 4) put("UPDATE sessions SET instance = 'i1', asked = (id = 's1')");
  if (version >= 5) put("UPDATE events SET asked = (verdict = 'ask') WHERE verdict IS NOT NULL");
  if (version >= 2) put("INSERT INTO cursors VALUES ('sink', 3)");
  database.close();
  return path;
}

async function opened(path: string) {
  const store = await openStore(path, { ballastBytes: 0 });
  onTestFinished(() => store.close());
  return store;
}

const bytesOf = (path: string): readonly unknown[] => {
  const database = new DatabaseSync(path);
  const rows = database.prepare(`SELECT place, ${COLUMNS}, hex(body) AS bytes FROM events ORDER BY place`).all();
  database.close();
  return rows;
};

const versionOf = (path: string): unknown => {
  const database = new DatabaseSync(path);
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  database.close();
  return version;
};

async function holdsEverything(path: string): Promise<void> {
  const store = await opened(path);
  await store.indexed();
  const ids = async (filter: object) => (await store.page(filter)).events.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  expect(await ids({})).toEqual(["e5", "e4", "e3", "e2", "e1"]);
  expect([await ids({ text: "everything" }), await ids({ text: "indexed" }), await ids({ decision: "deny" })]).toEqual([
    ["e2"],
    ["e5"],
    ["e2"],
  ]);
  expect([await ids({ session: "s1", tool: "bash" }), await ids({ decision: "ask" })]).toEqual([["e3", "e2"], ["e3"]]);
  expect(await store.counts(AT)).toEqual({ "tool:before": 3, "tool:after": 1 });
  expect(await store.sessions()).toMatchObject([
    { id: "s2", events: 1, denied: 0, asked: 0 },
    { id: "s1", source: "i1", events: 3, denied: 1, asked: 1, firstAt: AT - 90 * MINUTE, lastAt: AT + 1 },
  ]);
  const range = (stepMinutes: number, steps: number) => ({ stepMinutes, steps, fromMinute: Math.floor(AT / MINUTE / 60) * 60 - 120 });
  for (const overview of [await store.overview(range(10, 18)), await store.overview(range(60, 3))])
    expect(overview).toMatchObject({
      topTools: expect.arrayContaining([
        { tool: "bash", count: 2, denied: 1 },
        { tool: "read", count: 2, denied: 0 },
      ]),
      agents: [{ app: "agent", events: 5, lastAt: AT + 3 }],
    });
  // What comes now goes on where that ended.
  const trail = [{ actor: { kind: "guard", name: "guard" } as const, stage: "guard", round: 0, action: "deny", durationMs: 4 }];
  const decision = { verdict: "deny", modified: false, endLoop: false, trail } as const;
  const source = { app: "agent", host: "h", pid: 1, instance: "i1" };
  const more = {
    v: 2,
    seq: 6,
    at: new Date(AT + 4).toISOString(),
    event: "tool:before",
    source,
    session: { id: "s2" },
    payload: {},
    decision,
    hops: [],
  } as const;
  const envelopes = [
    { ...more, id: "e2" },
    { ...more, id: "e6" },
  ];
  expect(await store.append(envelopes.map((envelope) => ({ envelope, body: JSON.stringify(envelope) })))).toEqual([TAKEN, 6]);
  const minute = Math.floor(AT / MINUTE);
  expect(await store.handlers({ app: "agent", fromMinute: minute, untilMinute: minute })).toMatchObject([
    { handler: "guard", calls: 1, denied: 1 },
  ]);
  expect((await store.sessions())[0]).toMatchObject({ id: "s2", events: 2, denied: 1 });
}

describe("a store of an older version", () => {
  it.each([1, 2, 3, 4, 5, 6, 7])("of version %i is brought up, and nothing of it is lost or rewritten", async (version) => {
    const path = oldStore(version);
    const before = bytesOf(path);
    await holdsEverything(path);
    expect(bytesOf(path).slice(0, before.length)).toEqual(before);
    // The chain begins after what was there, and covers what came since.
    expect(verifyStore(path)).toMatchObject({ ok: true, uncovered: 3, decisions: 1, head: { n: 1 }, since: expect.any(String) });
    expect(versionOf(path)).toBe(migrations.length);
    if (version >= 2) expect(await (await opened(path)).cursor("sink")).toBe(3);
  });

  it("is taken up again where a killed process has left it, between two steps or within one", async () => {
    const path = oldStore(1);
    const script = `
      const { DatabaseSync } = require("node:sqlite");
      const database = new DatabaseSync(${JSON.stringify(path)});
      const steps = ${JSON.stringify(migrations)};
      database.exec("BEGIN IMMEDIATE; " + steps[1] + "; PRAGMA user_version = 2; COMMIT");
      database.exec("PRAGMA cache_spill = 1; BEGIN IMMEDIATE; " + steps[2] + "; PRAGMA user_version = 3");
      process.kill(process.pid, "SIGKILL");`;
    expect(spawnSync(process.execPath, ["-e", script]).signal).toBe("SIGKILL");
    expect(versionOf(path)).toBe(2);
    await holdsEverything(path);
  });

  it("finds the steps as they were: a store that is out there has been made by them", () => {
    const digest = (text: string): string => createHash("sha256").update(text.replace(/\s+/g, " ")).digest("hex").slice(0, 12);
    expect(migrations.map(digest)).toEqual([
      "c4c4142399f5",
      "25a8820ab929",
      "8bc41eb90516",
      "05e4e68aa0d4",
      "59fe0769f3cc",
      "dfe18fd7768c",
      "e14d8a7d6095",
      "3807d5c22d35",
      "8b604f6a19db",
      "a54e1518b3e0",
      "0c8f7cc5c89c",
      "22e8e959a139",
      "bac429fc05d1",
      "e1aa5e0a62d3",
      "0a7c95344452",
      "24447d90129d",
      "9495cb4b454b",
    ]);
  });

  it("shows a session in which the hub has written as that of its agent, and leaves every event as it was", async () => {
    const path = oldStore(4);
    const database = new DatabaseSync(path);
    for (const step of migrations.slice(4, 6)) database.exec(step);
    const put = (sql: string, ...values: (string | number)[]) => database.prepare(sql).run(...values);
    const approval = { source: { app: "codex", instance: "x1" } };
    const asked = (session: string) => {
      const body = JSON.stringify({ id: `a-${session}`, event: "approval:requested", payload: { approval } });
      put(
        "INSERT INTO events VALUES (NULL, ?, ?, 'approval:requested', 'hookline-hub', 'h1', ?, NULL, NULL, ?, 0)",
        `a-${session}`,
        AT,
        session,
        body,
      );
    };
    put("UPDATE sessions SET app = 'hookline-hub', instance = 'h1' WHERE id = 's1'");
    put(
      "INSERT INTO sessions (id, app, first_at, last_at, events, denied, instance) VALUES ('s3', 'hookline-hub', ?, ?, 1, 0, 'h1')",
      AT,
      AT + 5,
    );
    for (const session of ["s1", "s3"]) asked(session);
    put("PRAGMA user_version = 6");
    const rows = () =>
      database
        .prepare("SELECT * FROM events ORDER BY place")
        .all()
        .map(({ imported: _, host: __, origin: ___, sum: ____, ...row }) => row);
    const before = rows();
    const sessions = await (await opened(path)).sessions();
    expect(sessions.map(({ id, app, source }) => [id, app, source])).toEqual([
      ["s3", "codex", "x1"],
      ["s2", "agent", "i1"],
      ["s1", "agent", "i1"],
    ]);
    expect(rows()).toEqual(before);
    database.close();
  });
});

it("gives no version of a store that cannot be reached", () => {
  const folder = testFolder();
  symlinkSync("loop", join(folder, "loop"));
  expect(readStoreVersion(join(folder, "loop", "events.db"))).toBeUndefined();
});
