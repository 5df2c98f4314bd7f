import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { afterEach, describe, expect, it } from "vitest";
import { readStoreVersion } from "./schema.js";
import { verifyStore } from "./verify-store.js";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function storePath(): string {
  const path = mkdtempSync(join(tmpdir(), "hookline-health-"));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return join(path, "events.db");
}

async function opened(path: string, onFault: (fault: { readonly text: string }) => void = () => {}): Promise<Store> {
  const store = await openStore(path, { onFault });
  cleanUps.push(() => store.close().catch(() => {}));
  return store;
}

function events(first: number, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const n = first + index;
    const envelope: Envelope = {
      v: 2,
      id: `e${String(n).padStart(8, "0")}`,
      seq: n,
      at: new Date().toISOString(),
      event: "agent:step",
      source: { app: "agent", host: "h", pid: 1, instance: "i1" },
      payload: { text: `canary-${n}-${"x".repeat(300)}` },
      hops: [],
    };
    return { envelope, body: encodeEnvelope(envelope) };
  });
}

async function bodies(store: Store): Promise<Envelope[]> {
  const { events: rows } = await store.page({}, { limit: 10_000 });
  return rows.map(({ body }) => JSON.parse(body) as Envelope);
}

/** As a publisher does it: what was not acknowledged is sent again. */
async function appendAtLast(store: Store, batch: ReturnType<typeof events>): Promise<void> {
  for (;;) {
    try {
      return void (await store.append(batch));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe("a flipped bit", () => {
  it("marks the row, and every other row is served", async () => {
    const path = storePath();
    const first = await openStore(path);
    await first.append(events(1, 50));
    await first.close();
    const bytes = readFileSync(path);
    const at = bytes.indexOf("canary-25-");
    bytes[at - 3] = (bytes[at - 3] as number) ^ 0x04;
    bytes[at] = (bytes[at] as number) ^ 0x01;
    writeFileSync(path, bytes);

    const store = await opened(path);
    const read = await bodies(store);
    expect(read).toHaveLength(50);
    const damaged = read.filter((envelope) => "damaged" in envelope);
    expect(damaged).toMatchObject([{ id: "e00000025", event: "agent:step", source: { app: "agent" }, payload: {} }]);
    expect(await store.get("e00000025").then((event) => JSON.parse(event?.body ?? "null"))).toMatchObject({ damaged: true });
    expect(read.filter(({ payload }) => String((payload as { text?: string }).text).startsWith("canary-"))).toHaveLength(49);
  });
});

describe("files that change while the store is open", () => {
  it("are written again if they are removed, with everything that was acknowledged", async () => {
    const path = storePath();
    const faults: string[] = [];
    const store = await opened(path, ({ text }) => faults.push(text));
    await store.append(events(1, 100));
    for (const name of readdirSync(dirname(path)).filter((each) => each.startsWith("events.db"))) rmSync(join(dirname(path), name));
    await appendAtLast(store, events(101, 100));
    await store.close();

    const again = await opened(path);
    expect(new Set((await bodies(again)).map(({ id }) => id))).toEqual(new Set(events(1, 200).map(({ envelope }) => envelope.id)));
    expect(faults[0]).toContain("was removed while the hub was running");
  });

  it("are written again if only the index of the log is removed, also where another process has begun one", async () => {
    const path = storePath();
    const faults: string[] = [];
    const store = await opened(path, ({ text }) => faults.push(text));
    await store.append(events(1, 100));
    rmSync(`${path}-shm`);
    const other = new DatabaseSync(path);
    cleanUps.push(() => other.close());
    other.prepare("SELECT count(*) FROM events").get();
    await appendAtLast(store, events(101, 100));
    expect(faults[0]).toContain("events.db-shm");
    await store.close();

    const again = await opened(path);
    expect(new Set((await bodies(again)).map(({ id }) => id))).toEqual(new Set(events(1, 200).map(({ envelope }) => envelope.id)));
    expect(readdirSync(dirname(path)).filter((name) => name.includes(".foreign-"))).toEqual([]);
  });

  it("are written again if another file takes the place, which is kept", async () => {
    const path = storePath();
    const other = storePath();
    const foreign = await openStore(other);
    await foreign.append(events(900, 5));
    await foreign.close();
    const store = await opened(path);
    await store.append(events(1, 20));
    copyFileSync(other, `${path}.new`);
    renameSync(`${path}.new`, path);
    await appendAtLast(store, events(21, 20));
    await store.close();

    const again = await opened(path);
    expect((await bodies(again)).map(({ id }) => id).sort()).toEqual(events(1, 40).map(({ envelope }) => envelope.id));
    expect(readdirSync(dirname(path)).filter((name) => name.includes(".foreign-"))).toHaveLength(1);
  });

  it("stay when another program opens and closes the store", async () => {
    const path = storePath();
    const first = await openStore(path);
    await first.append(events(1, 10));
    await first.close();
    const store = await opened(path);
    await store.append(events(11, 10));
    // The log can be removed only if no other program has it open.
    const script = `const { DatabaseSync } = require("node:sqlite");
      try { new DatabaseSync(process.argv[1]).exec("PRAGMA journal_mode = DELETE"); console.log("left"); } catch (error) { console.log(error.message); }`;
    expect(spawnSync(process.execPath, ["-e", script, path], { encoding: "utf8" }).stdout.trim()).toBe("database is locked");
    expect(existsSync(`${path}-wal`)).toBe(true);
  });

  it("are damaged if the log is cut: nothing more is acknowledged, also at once", async () => {
    const path = storePath();
    const faults: string[] = [];
    const store = await opened(path, ({ text }) => faults.push(text));
    await store.append(events(1, 500));
    const { size } = statSync(path);
    truncateSync(`${path}-wal`, 50_000);
    await expect(store.append(events(501, 1))).rejects.toMatchObject({ code: "HL_STORE_DAMAGED" });
    expect(faults).toEqual([expect.stringMatching(/events\.db-wal" was cut: it has 50000 bytes of \d+$/)]);
    await store.setCursor("sink", 1).catch(() => {});
    await store.close();
    // Neither was the gap filled, nor its zeros put into the database.
    expect([statSync(`${path}-wal`).size, statSync(path).size]).toEqual([50_000, size]);
  });

  it("are damaged if the database is cut: nothing more is acknowledged, and the process goes on", async () => {
    const path = storePath();
    const first = await openStore(path);
    await first.append(events(1, 500));
    await first.close();
    const faults: string[] = [];
    const store = await opened(path, ({ text }) => faults.push(text));
    await store.append(events(501, 1));
    truncateSync(path, 8_192);
    while (faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(store.append(events(600, 1))).rejects.toMatchObject({
      code: "HL_STORE_DAMAGED",
      fix: { run: "hookline doctor --repair" },
    });
    expect(faults[0]).toContain("was cut");
  });
});

describe("a log without its database", () => {
  it.each(["missing", "empty"])("is refused and kept, if the database is %s", async (how) => {
    const path = storePath();
    const store = await opened(path);
    await store.append(events(1, 10));
    const copy = storePath();
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    if (how === "empty") writeFileSync(copy, "");
    const before = readFileSync(`${copy}-wal`);
    await expect(openStore(copy)).rejects.toMatchObject({ code: "HL_STORE_DAMAGED" });
    // Readers refuse it, too.
    expect(() => verifyStore(copy)).toThrow(/its log .* has events|There is no store/);
    expect(readStoreVersion(copy)).toBeUndefined();
    expect(existsSync(`${copy}-wal`) && readFileSync(`${copy}-wal`).equals(before)).toBe(true);
  });
});
