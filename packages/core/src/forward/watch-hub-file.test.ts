import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writeGatesFile } from "./gates-file.js";
import { HUB_FILE, removeHubFile, writeHubFile } from "./hub-file.js";
import type { HubSighting } from "./watch-hub-file.js";
import { type HubWatch, watchHubFile } from "./watch-hub-file.js";

const built = fileURLToPath(new URL("../../dist/forward/watch-hub-file.js", import.meta.url));
let base = "";
let folder = "";
let watches: HubWatch[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "hookline-watch-"));
  folder = join(base, "state", "hookline");
});
afterEach(() => {
  for (const watch of watches) watch.close();
  watches = [];
  rmSync(base, { recursive: true, force: true });
});

function start(options?: { pollMs?: number }): { watch: HubWatch; told: HubSighting[] } {
  const told: HubSighting[] = [];
  const watch = watchHubFile(folder, (sighting) => void told.push(sighting), options);
  watches.push(watch);
  return { watch, told };
}

const write = (instance: string) =>
  writeHubFile(folder, {
    url: "http://127.0.0.1:4665",
    line: "/run/line.sock",
    http: "/run/http.sock",
    token: `token-of-the-hub-${instance}`,
    pid: 4_711,
    startedAt: "2026-01-31T12:00:00.000Z",
    instance,
  });
const words = (told: readonly HubSighting[]) => told.map(({ hub }) => (hub.state === "found" ? hub.file.instance : hub.state));
const within1s = { timeout: 1000, interval: 10 };

it("tells within a second that a file appears in a folder not yet made, changes, and goes", async () => {
  const { watch, told } = start();
  expect(watch.sighting).toEqual({ hub: { state: "none" }, gates: { state: "none" } });
  write("first");
  await expect.poll(() => words(told), within1s).toEqual(["first"]);
  write("second");
  await expect.poll(() => words(told), within1s).toEqual(["first", "second"]);
  removeHubFile(folder, "second");
  await expect.poll(() => words(told), within1s).toEqual(["first", "second", "none"]);
  rmSync(folder, { recursive: true });
  write("third");
  await expect.poll(() => words(told), within1s).toEqual(["first", "second", "none", "third"]);
  expect(watch.sighting.hub).toMatchObject({ state: "found", file: { instance: "third" } });
});

it("starts with what is there and does not tell it", async () => {
  write("first");
  const { watch, told } = start({ pollMs: 20 });
  expect(watch.sighting.hub).toMatchObject({ state: "found" });
  write("first");
  await sleep(200);
  expect(told).toEqual([]);
});

it("hears of a change by file events long before it polls", async () => {
  write("first");
  const { told } = start({ pollMs: 60_000 });
  write("second");
  await expect.poll(() => words(told), within1s).toEqual(["second"]);
});

it("tells many changes at once as one, and the last of them always", async () => {
  write("first");
  const { told } = start();
  for (let index = 0; index < 200; index++) write(`n${index}`);
  await expect.poll(() => words(told).at(-1), within1s).toBe("n199");
  expect(told.length).toBeLessThan(5);
});

it("polls on when the folder is too busy for file events, or is replaced", async () => {
  write("first");
  const { told } = start({ pollMs: 100 });
  for (let index = 0; index < 500; index++) writeFileSync(join(folder, "store-wal"), "x".repeat(index));
  await sleep(50);
  write("second");
  await expect.poll(() => words(told), within1s).toEqual(["second"]);
  renameSync(folder, `${folder}-old`);
  await expect.poll(() => words(told), within1s).toEqual(["second", "none"]);
  write("third");
  await expect.poll(() => words(told), within1s).toEqual(["second", "none", "third"]);
});

it("tells that the gates beside it have changed, and of gates that are alone", async () => {
  write("first");
  const { told } = start({ pollMs: 60_000 });
  const gates = [{ event: "tool:before", timeoutMs: 1_000, onFailure: "closed" }] as const;
  writeGatesFile(folder, { instance: "first", gates });
  await expect.poll(() => told.at(-1)?.gates, within1s).toEqual({ state: "found", file: { instance: "first", gates } });
  removeHubFile(folder, "first");
  await expect.poll(() => told.at(-1), within1s).toMatchObject({ hub: { state: "none" }, gates: { state: "found" } });
});

it("tells of a broken file, and goes on when the listener throws", async () => {
  let calls = 0;
  const throwing = watchHubFile(folder, () => {
    calls += 1;
    throw new Error("the listener's own");
  });
  watches.push(throwing);
  write("first");
  await expect.poll(() => calls, within1s).toBe(1);
  writeFileSync(join(folder, HUB_FILE), "{");
  await expect.poll(() => calls, within1s).toBe(2);
  expect(throwing.sighting.hub.state).toBe("broken");
});

it("tells nothing after close, also from within the listener, and may be closed twice", async () => {
  const { watch, told } = start({ pollMs: 10 });
  const once: HubWatch = watchHubFile(folder, () => once.close(), { pollMs: 10 });
  write("first");
  await expect.poll(() => words(told), within1s).toEqual(["first"]);
  await expect.poll(() => once.sighting.hub.state, within1s).toBe("found");
  write("second");
  watch.close();
  watch.close();
  await sleep(150);
  expect(words(told)).toEqual(["first"]);
  expect(once.sighting.hub).toMatchObject({ file: { instance: "first" } });
});

it.each([Number.NaN, -1, 0, Number.POSITIVE_INFINITY, 1e12])("never throws, with pollMs %d either", (pollMs) => {
  expect(start({ pollMs }).watch.sighting.hub).toEqual({ state: "none" });
  expect(() => watchHubFile("/nul\0", () => {}, { pollMs }).close()).not.toThrow();
});

it("follows a folder by events once it has found it", async () => {
  const { told } = start({ pollMs: 2000 });
  write("first");
  await expect.poll(() => words(told), { interval: 10 }).toEqual(["first"]);
  write("second");
  await expect.poll(() => words(told), within1s).toEqual(["first", "second"]);
});

it.runIf(process.platform === "linux")("keeps no process alive, leaves no handle after close, and no file events in a busy folder", () => {
  write("first");
  // The kernel's own list of what this process watches.
  const program = `import { readdirSync, readFileSync, writeFileSync } from "node:fs";
    const { watchHubFile } = await import(${JSON.stringify(built)});
    const folder = process.argv[1];
    const read = (fd) => { try { return readFileSync("/proc/self/fdinfo/" + fd, "utf8"); } catch { return ""; } };
    const watches = () => readdirSync("/proc/self/fdinfo").map(read).join("").split("inotify wd:").length - 1;
    const seen = [];
    for (let index = 0; index < 50; index++) {
      const watch = watchHubFile(folder, () => {});
      if (index === 0) seen.push(watches());
      watch.close();
    }
    seen.push(watches(), process.getActiveResourcesInfo().filter((name) => name === "Timeout").length);
    for (const place of [folder, folder + "/absent"]) watchHubFile(place, () => {}, { pollMs: 60_000 });
    seen.push(watches());
    for (let index = 0; index < 500; index++) writeFileSync(folder + "/store-" + (index % 2), "x");
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen.push(watches());
    watchHubFile(folder, () => {});
    console.log(seen.join());`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program, folder], {
    encoding: "utf8",
    timeout: 5000,
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "1,0,0,1,0\n", stderr: "" });
});
