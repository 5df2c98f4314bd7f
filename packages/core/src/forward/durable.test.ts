import fs, { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { reportingBus } from "../../../../test/support/reporting-bus.js";
import { hubFolder, TestHub } from "../../../../test/support/test-hub.js";
import { decodeEnvelope } from "../catalog/envelope.js";
import { connectToHub } from "./connect-to-hub.js";
import type { HubConnection, HubConnectionCounters } from "./hub-connection.js";
import type { ForwardOptions } from "./options.js";

const lines: HubConnection[] = [];
afterEach(async () => {
  await Promise.all(lines.splice(0).map((line) => line.close(0)));
});

function start(folder: string, options: ForwardOptions = {}) {
  const made = reportingBus({ source: "agent" });
  const line = connectToHub(made.bus, { folder, durable: true, ...options });
  lines.push(line);
  const emit = (count: number, size = 0) => {
    for (let index = 0; index < count; index++) made.bus.emit("myapp:counted", { index, text: "x".repeat(size) });
  };
  return { ...made, line, emit };
}

const soon = { timeout: 60_000, interval: 5 };
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const files = (spool: string) => (existsSync(spool) ? readdirSync(spool).sort() : []).filter((name) => !name.endsWith(".sock"));
const numbersIn = (spool: string) =>
  files(spool).flatMap((name) =>
    readFileSync(join(spool, name), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => decodeEnvelope(line).seq),
  );
const sum = ({ acked, pending, spooled, dropped }: HubConnectionCounters) =>
  acked + pending + spooled + Object.values(dropped).reduce((total, count) => total + count, 0);

it("has each event on disk before its dispatch returns, without a hub", async () => {
  using folder = hubFolder();
  const { bus, line } = start(folder.state);
  bus.emit("myapp:one", { password: "hunter22" });
  expect(numbersIn(folder.spool)).toEqual([1]);
  const [name = ""] = files(folder.spool);
  expect(name).toMatch(new RegExp(`^${bus.source.instance}\\.\\d+\\.[\\w-]+\\.live$`));
  expect(statSync(join(folder.spool, name)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder.spool, name), "utf8")).not.toContain("hunter22");
  expect(line.counters).toMatchObject({ accepted: 1, pending: 1 });
});

it("drops nothing that it cannot read back for a moment, because there are no descriptors left", async () => {
  using folder = hubFolder();
  const { line, emit, reports } = start(folder.state);
  emit(9_000, 1_000);
  const { openSync } = fs;
  const exhausted = (path: fs.PathLike, flags: fs.OpenMode, mode?: fs.Mode | null): number => {
    if (String(path).endsWith(".live")) throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    return openSync(path, flags, mode);
  };
  const use = (open: typeof openSync): void => {
    fs.openSync = open;
    syncBuiltinESMExports();
  };
  onTestFinished(() => use(openSync));
  use(exhausted);
  await using hub = await TestHub.start(folder.state);
  await expect.poll(() => reports.length, soon).toBeGreaterThan(0);
  expect(await line.flush(100)).toBe(false);
  expect(line.counters).toMatchObject({ accepted: 9_000, dropped: {} });
  use(openSync);
  await expect.poll(() => line.counters.acked, soon).toBe(9_000);
  expect(hub.numbers()).toEqual(upTo(9_000));
});

it("leaves to the hub what was never sent, when the line is closed", async () => {
  using folder = hubFolder();
  const { line, emit } = start(folder.state);
  emit(5);
  expect(await line.close(0)).toMatchObject({ accepted: 5, pending: 0, spooled: 5 });
  expect(files(folder.spool).every((name) => name.endsWith(".ndjson"))).toBe(true);
  expect(numbersIn(folder.spool)).toEqual(upTo(5));
});

it("keeps on disk what memory has no room for, reads it back in order, and removes it when it is acknowledged", async () => {
  using folder = hubFolder();
  const { line, emit } = start(folder.state);
  // Three segments and more than the window.
  emit(6_000, 2_000);
  expect(files(folder.spool)).toHaveLength(4);
  expect(line.counters).toMatchObject({ accepted: 6_000, pending: 6_000, dropped: {} });
  await using hub = await TestHub.start(folder.state);
  await expect.poll(() => line.counters.acked, soon).toBeGreaterThan(100);
  emit(500);
  expect(await line.flush(15_000)).toBe(true);
  expect(hub.numbers()).toEqual(upTo(6_500));
  await expect.poll(() => numbersIn(folder.spool), soon).toEqual([]);
  expect(files(folder.spool)).toHaveLength(1);
  await line.close();
  expect(files(folder.spool)).toEqual([]);
});

it("sends again after a cut, in order", async () => {
  using folder = hubFolder();
  await using hub = await TestHub.start(folder.state);
  const { line, emit } = start(folder.state);
  hub.isAckHeld = true;
  emit(3_000, 100);
  await expect.poll(() => hub.received.length, soon).toBe(3_000);
  hub.received.length = 0;
  hub.isAckHeld = false;
  hub.cut();
  emit(3_000);
  expect(await line.flush(15_000)).toBe(true);
  expect(hub.numbers()).toEqual(upTo(6_000));
  expect(line.counters).toMatchObject({ accepted: 6_000, acked: 6_000, pending: 0, dropped: {} });
});

it("drops the newest when the spool is full, and goes on when there is room", async () => {
  using folder = hubFolder();
  const { line, emit } = start(folder.state, { maxSpoolBytes: 50_000 });
  emit(100, 1_000);
  const { dropped, pending } = line.counters;
  expect(dropped.spool_full).toBe(100 - pending);
  expect(numbersIn(folder.spool)).toEqual(upTo(pending));
  await using hub = await TestHub.start(folder.state);
  expect(await line.flush()).toBe(true);
  await expect.poll(() => numbersIn(folder.spool), soon).toEqual([]);
  emit(1);
  expect(await line.flush()).toBe(true);
  expect(hub.numbers()).toEqual([...upTo(pending), 101]);
  expect(sum(line.counters)).toBe(101);
});

it("falls back to memory when the disk fails, in order, says so, and comes back to it", async () => {
  using folder = hubFolder();
  const { line, emit, codes } = start(folder.state, { queue: { maxCount: 3_000 } });
  // More than the window, so that some are on disk alone.
  emit(2_500);
  mkdirSync(folder.spool, { recursive: true });
  chmodSync(folder.spool, 0o777);
  // Forces a new segment, which the folder's mode forbids.
  emit(30, 200_000);
  expect(codes()).toContain("HL_SPOOL_FAILED");
  chmodSync(folder.spool, 0o700);
  emit(5);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  emit(5);
  await using hub = await TestHub.start(folder.state);
  expect(await line.flush(15_000)).toBe(true);
  expect(hub.numbers()).toEqual(upTo(2_540));
  expect(sum(line.counters)).toBe(2_540);
});

it("counts what cannot be read back", async () => {
  using folder = hubFolder();
  const { line, emit, codes } = start(folder.state);
  emit(6_000, 2_000);
  const [, second = ""] = files(folder.spool);
  renameSync(join(folder.spool, second), join(folder.path, "gone"));
  rmSync(join(folder.path, "gone"));
  await using hub = await TestHub.start(folder.state);
  expect(await line.flush(15_000)).toBe(true);
  const { acked, dropped } = line.counters;
  expect(dropped.spool_failed).toBeGreaterThan(1_000);
  expect(acked).toBe(hub.stored.size);
  expect(acked + (dropped.spool_failed ?? 0)).toBe(6_000);
  expect(codes()).toEqual(["HL_NO_HUB", "HL_SPOOL_FAILED"]);
});
