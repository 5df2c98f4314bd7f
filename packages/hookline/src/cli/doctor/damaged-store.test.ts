import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { encodeEnvelope } from "@hookline/core/sinks";
import { openStore } from "hookline/internal";
import { afterEach, describe, expect, it } from "vitest";
import { type CliHome, createCliHome } from "../../../../../test/support/cli-home.js";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import { takeHubLocks } from "../../hub/lifecycle/hub-options.js";

const homes: CliHome[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) await home.close();
});

/** The folders of a user whose hub has stored events, and has ended. */
async function homeWith(count: number) {
  const home = createCliHome();
  homes.push(home);
  mkdirSync(home.state, { recursive: true, mode: 0o700 });
  const path = join(home.state, "events.db");
  const store = await openStore(path, { ballastBytes: 0 });
  await store.append(
    Array.from({ length: count }, (_, index) => {
      const envelope = sampleEnvelope({ payload: { text: `canary-${index}-` } });
      return { envelope, body: encodeEnvelope(envelope) };
    }),
  );
  return { home, path, store };
}

interface Found {
  readonly id: string;
  readonly state: string;
  readonly detail: string;
  readonly fix: string;
}

async function doctor({ run }: CliHome): Promise<readonly Found[]> {
  return (JSON.parse((await run("doctor", "--json")).out) as { checks: Found[] }).checks;
}

describe("doctor", () => {
  it("keeps the log of an empty database, and repairs it", async () => {
    const { home, path, store } = await homeWith(20);
    const log = join(home.folder, "log");
    copyFileSync(`${path}-wal`, log);
    await store.close();
    writeFileSync(path, "");
    copyFileSync(log, `${path}-wal`);
    expect((await doctor(home)).find(({ id }) => id === "store")).toMatchObject({
      state: "fail",
      detail: expect.stringContaining("is empty, but its log"),
      fix: expect.stringContaining("doctor --repair"),
    });
    expect(readFileSync(`${path}-wal`).equals(readFileSync(log))).toBe(true);
    expect((await home.run("doctor", "--repair")).out).toContain("The new store has 20 events.");
  });

  it.each(["verify", "backup"])("%s names the repair of a log without its database", async (command) => {
    const { home, path, store } = await homeWith(20);
    const log = join(home.folder, "log");
    copyFileSync(`${path}-wal`, log);
    await store.close();
    rmSync(path);
    copyFileSync(log, `${path}-wal`);
    const { code, err } = await home.run(command, ...(command === "backup" ? [join(home.folder, "copy")] : []));
    expect(code).toBe(1);
    expect(err).toContain("is missing, but its log");
    expect(err).toContain("doctor --repair");
  });

  it("notices that a part of the text index is missing, and the repair makes it again", async () => {
    const { home, path, store } = await homeWith(20);
    await store.indexed();
    await store.close();
    const database = new DatabaseSync(path);
    const [part] = database.prepare("SELECT name FROM word_parts").all() as unknown as { readonly name: string }[];
    database.exec(`DROP TABLE ${part?.name}`);
    database.close();
    expect((await doctor(home)).find(({ id }) => id === "store")).toMatchObject({
      state: "fail",
      detail: expect.stringContaining(`the table "${part?.name}" is missing`),
    });
    expect((await home.run("doctor", "--repair")).out).toContain("The new store has 20 events.");
    const repaired = await openStore(path, { ballastBytes: 0 });
    await repaired.indexed();
    const { events } = await repaired.page({ text: "canary" });
    await repaired.close();
    expect(events).toHaveLength(20);
  });

  it("counts the events that changed in the file", async () => {
    const { home, path, store } = await homeWith(20);
    await store.close();
    const bytes = readFileSync(path);
    const at = bytes.lastIndexOf("canary-7-");
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(path, bytes);
    expect((await doctor(home)).find(({ id }) => id === "store-events")).toMatchObject({
      state: "warn",
      detail: expect.stringContaining("1 event changed in the file and cannot be shown, at position 8."),
    });
  });

  it("does not repair a store that a hub has open which does not answer", async () => {
    const { home, path, store } = await homeWith(1);
    await store.close();
    const before = statSync(path).ino;
    const hub = takeHubLocks({ state: home.state, data: home.state });
    expect(await home.run("doctor", "--repair")).toMatchObject({ code: 1, err: expect.stringContaining("down --force") });
    hub.release();
    expect(statSync(path).ino).toBe(before);
    expect((await home.run("doctor", "--repair")).out).toContain("The new store has 1 event.");
  });

  it("loses no event if it is killed while it replaces the store", async () => {
    const { home, path, store } = await homeWith(20);
    await store.close();
    const whole = readFileSync(path);
    // Ends the process at the renaming whose number is given, as a kill would.
    const killer = home.write(
      "killer.mjs",
      `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
       const rename = fs.renameSync; let left = Number(process.env.RENAMINGS);
       fs.renameSync = (...names) => { if (String(names[0]).includes("events.db") && left-- === 0) process.kill(process.pid, "SIGKILL"); rename(...names); };
       syncBuiltinESMExports();`,
    );
    let kills = 0;
    for (let isKilled = true; isKilled; ) {
      for (const name of readdirSync(home.state)) if (name.startsWith("events.db")) rmSync(join(home.state, name));
      writeFileSync(path, whole);
      const env = { NODE_OPTIONS: `--import=${killer}`, RENAMINGS: String(kills) };
      isKilled = (await home.runWith({ env }, "doctor", "--repair")).code === null;
      const after = await openStore(path, { ballastBytes: 0 });
      expect((await after.stats()).events).toBe(20);
      await after.close();
      if (isKilled) kills++;
    }
    // The new store takes two, and each of the old files one.
    expect(kills).toBeGreaterThanOrEqual(3);
  });

  it("leaves a store where it is if it cannot be repaired", async () => {
    const home = createCliHome();
    homes.push(home);
    const path = join(home.state, "events.db");
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { code, err } = await home.run("doctor", "--repair");
    expect([code, err]).toEqual([1, expect.stringContaining("The store was not repaired, and is as it was")]);
    expect(readdirSync(home.state)).toEqual(["events.db", "events.lock", "hub.lock"]);
  });
});

describe("a store that is cut while the hub runs", () => {
  it("is what status and doctor report, with one remedy, which works", async () => {
    const { home, path, store } = await homeWith(2_000);
    await store.close();
    const data = join(home.folder, "data");
    mkdirSync(data, { mode: 0o700 });
    copyFileSync(path, join(data, "events.db"));
    expect(await home.run("up", "--detach", "--port", "0", "--data", data)).toMatchObject({ code: 0 });
    truncateSync(join(data, "events.db"), Math.floor(statSync(path).size / 2));
    await expect.poll(async () => (await home.run("status")).err).toContain("The store fails");

    const found = await doctor(home);
    const failed = found.filter(({ state }) => state === "fail");
    expect(failed.map(({ id }) => id).sort()).toEqual(["disk-full", "store"]);
    for (const { fix } of failed) expect(fix).toMatch(/down --force; .*doctor --repair.* && .*up --detach/);

    expect(await home.run("down", "--force")).toMatchObject({ code: 0 });
    copyFileSync(join(data, "events.db"), path);
    const { code, out } = await home.run("doctor", "--repair");
    // The page of the first events can be anywhere in the file, so what is lost need not be one piece.
    const [, kept = ""] = /The new store has ([\d,]+) events\./.exec(out) ?? [];
    const [, lost = "", last] = /Lost: ([\d,]+) events, at the positions .*–([\d,]+)\./.exec(out) ?? [];
    const amount = (text: string) => Number(text.replace(",", ""));
    expect({ code, all: amount(kept) + amount(lost), last }).toEqual({ code: 0, all: 2_000, last: "2000" });
    expect(amount(lost)).toBeGreaterThan(0);
    expect(existsSync(path)).toBe(true);
  });

  it("leaves the metrics that the hub has without it", async () => {
    const { home, path, store } = await homeWith(2_000);
    await store.close();
    expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
    truncateSync(path, 8_192);
    await expect.poll(async () => (await home.run("status")).err).toContain("The store fails");
    const read = (name: string) => JSON.parse(readFileSync(join(home.state, name), "utf8"));
    const headers = { authorization: `Bearer ${read("operator.json").token}` };
    const answer = await fetch(`${read("hub.json").url}/metrics`, { headers });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringMatching(/^hookline_store_failed 1$/m)]);
    expect(text).toContain("hookline_handler_calls_total");
    expect(await home.run("down", "--force")).toMatchObject({ code: 0 });
  });
});
