import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore } from "hookline/internal";
import { afterEach, describe, expect, it } from "vitest";
import { salvage } from "./salvage.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function storePath(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-salvage-"));
  folders.push(folder);
  return join(folder, "events.db");
}

const PAGE = 4_096;
const deny = { verdict: "deny", modified: false, endLoop: false } as const;

/** Every tenth event is a decision, and every fiftieth is larger than a page. */
function event(n: number) {
  const envelope: Envelope = {
    v: 2,
    id: `e${String(n).padStart(8, "0")}`,
    seq: n,
    at: new Date().toISOString(),
    event: n % 10 === 0 ? "tool:before" : "agent:step",
    source: { app: "agent", host: "h", pid: 1, instance: "i1" },
    session: { id: `s${n % 7}` },
    payload: { text: `canary-${n}-${"é".repeat(n % 50 === 0 ? 9_000 : 100)}` },
    hops: [],
    ...(n % 10 === 0 && { decision: deny }),
  };
  return { envelope, body: encodeEnvelope(envelope) };
}

/** A store of so many events; with a log, some of them are in the log alone. */
async function storeOf(count: number, { log = 0 } = {}): Promise<string> {
  const path = storePath();
  const first = await openStore(path, { ballastBytes: 0 });
  await first.append(Array.from({ length: count - log }, (_, index) => event(index + 1)));
  await first.close();
  if (log === 0) return path;
  const second = await openStore(path, { ballastBytes: 0 });
  await second.append(Array.from({ length: log }, (_, index) => event(count - log + index + 1)));
  const copy = storePath();
  for (const end of ["", "-wal"]) copyFileSync(path + end, copy + end);
  await second.close();
  return copy;
}

async function read(path: string): Promise<Map<string, Envelope>> {
  const store = await openStore(path, { ballastBytes: 0 });
  try {
    const { events } = await store.page({}, { limit: 10_000 });
    return new Map(events.map(({ body }) => JSON.parse(body) as Envelope).map((envelope) => [envelope.id, envelope]));
  } finally {
    await store.close();
  }
}

function lostCount(lost: readonly (readonly [number, number])[]): number {
  return lost.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

describe("salvage", () => {
  it("puts a whole store with its log into a new one, byte for byte and at the same positions", async () => {
    const from = await storeOf(600, { log: 150 });
    const to = storePath();
    expect(salvage(from, to)).toEqual({ events: 600, damaged: 0, lost: [], isEndUnknown: false, unread: [] });
    const events = await read(to);
    for (let n = 1; n <= 600; n++) expect(events.get(event(n).envelope.id)?.payload).toEqual(event(n).envelope.payload);
    const store = await openStore(to, { ballastBytes: 0 });
    const sessions = await store.sessions();
    expect(sessions.reduce((sum, session) => sum + session.events, 0)).toBe(600);
    expect(await store.lastPlace()).toBe(600);
    await store.close();
  });

  it("reads what is left of a store that was cut, and says what is lost", async () => {
    const from = await storeOf(1_000);
    truncateSync(from, Math.floor(readFileSync(from).length / 2 / PAGE) * PAGE);
    const to = storePath();
    const { events, damaged, lost } = salvage(from, to);
    expect(events).toBeGreaterThan(200);
    expect(damaged).toBe(0);
    const found = await read(to);
    expect(found.size).toBe(events);
    for (const [id, envelope] of found) expect(envelope.payload).toEqual(event(Number(id.slice(1))).envelope.payload);
    expect(lostCount(lost)).toBe(1_000 - events);
    const store = await openStore(to, { ballastBytes: 0 });
    expect(await store.append([event(1_001)])).toEqual([1_001]);
    await store.close();
  });

  it("says so if it cannot know how many events there were", async () => {
    const from = await storeOf(300);
    const database = new DatabaseSync(from);
    const { rootpage } = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() as {
      rootpage: number;
    };
    database.close();
    const bytes = readFileSync(from).fill(0, (rootpage - 1) * PAGE, rootpage * PAGE);
    writeFileSync(from, bytes);
    expect(salvage(from, storePath())).toMatchObject({ events: 300, lost: [], isEndUnknown: true });
  });

  it("finds the rows although the pages that lead to them are gone", async () => {
    const from = await storeOf(1_000);
    const bytes = readFileSync(from);
    const interior = Array.from({ length: bytes.length / PAGE }, (_, page) => page).filter(
      (page) => page > 0 && bytes[page * PAGE] === 0x05,
    );
    expect(interior.length).toBeGreaterThan(0);
    for (const page of interior) bytes.fill(0xff, page * PAGE, (page + 1) * PAGE);
    writeFileSync(from, bytes);
    const to = storePath();
    expect(salvage(from, to)).toMatchObject({ events: 1_000, damaged: 0, lost: [] });
  });

  it("marks a row whose text changed", async () => {
    const from = await storeOf(100);
    const bytes = readFileSync(from);
    const at = bytes.indexOf("canary-33-");
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(from, bytes);
    const to = storePath();
    expect(salvage(from, to)).toMatchObject({ events: 100, damaged: 1, lost: [] });
    expect((await read(to)).get("e00000033")).toMatchObject({ damaged: true });
  });

  it.each(["missing", "empty"])("reads the events of a log whose database is %s", async (how) => {
    const from = await storeOf(400, { log: 200 });
    if (how === "missing") rmSync(from);
    else truncateSync(from, 0);
    const to = storePath();
    const { events } = salvage(from, to);
    expect(events).toBeGreaterThanOrEqual(200);
    const found = await read(to);
    for (let n = 201; n <= 400; n++) expect(found.get(event(n).envelope.id)?.payload).toEqual(event(n).envelope.payload);
    expect(existsSync(`${from}-wal`)).toBe(true);
  });

  it("survives any garbage", async () => {
    const from = await storeOf(200);
    const whole = readFileSync(from);
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % below;
    };
    for (let round = 0; round < 25; round++) {
      const bytes = Buffer.from(whole);
      for (let flip = 0; flip < 200; flip++) bytes[random(bytes.length)] = random(256);
      writeFileSync(from, bytes);
      const to = storePath();
      const { events } = salvage(from, to);
      expect(events).toBeLessThanOrEqual(200);
    }
  });
});
