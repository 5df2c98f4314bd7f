import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HookError } from "@hookline/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import { takeLock } from "./lock.js";

const built = fileURLToPath(new URL("../../dist/machine/lock.js", import.meta.url));

/** Root may write anywhere. */
const OTHER_USER = process.getuid?.() === 0 ? 65_534 : undefined;

const busy = () => new HookError("HL_HUB_RUNNING", "Another process holds it.");

/** A process that takes the lock, says so, and stays. */
async function holder(path: string) {
  const script = `const { takeLock } = await import(${JSON.stringify(built)});
    const busy = () => Object.assign(new Error("busy"), { code: "BUSY" });
    try { takeLock(${JSON.stringify(path)}, { busy }); console.log("held"); setInterval(() => {}, 1000); } catch (error) { console.log(error.code); }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, said: String(said).trim() };
}

describe("takeLock", () => {
  it("is held by one process at a time, and free when that one is killed", async () => {
    const path = join(testFolder(), "hub.lock");
    const { child, said } = await holder(path);
    expect(said).toBe("held");
    expect(() => takeLock(path, { busy })).toThrow(expect.objectContaining({ code: "HL_HUB_RUNNING" }));
    child.kill("SIGKILL");
    await once(child, "exit");
    takeLock(path, { busy }).release();
    takeLock(path, { busy }).release();
  });

  it("has one winner when many start at once", async () => {
    const path = join(testFolder(), "hub.lock");
    const all = await Promise.all(Array.from({ length: 4 }, () => holder(path)));
    expect(all.map(({ said }) => said).sort()).toEqual(["BUSY", "BUSY", "BUSY", "held"]);
  });
});

describe("isLocked", () => {
  it("looks at a lock in a folder that cannot be written to", async ({ skip }) => {
    const as = OTHER_USER === undefined ? {} : { uid: OTHER_USER, gid: OTHER_USER };
    const run = (script: string) =>
      spawnSync(process.execPath, ["--input-type=module", "-e", script], { ...as, cwd: "/", encoding: "utf8" });
    skip(run(`await import(${JSON.stringify(built)})`).status !== 0, "the other user cannot read this clone");
    const folder = testFolder();
    const path = join(folder, "hub.lock");
    takeLock(path, { busy }).release();
    if (OTHER_USER !== undefined) for (const name of [folder, path]) chownSync(name, OTHER_USER, OTHER_USER);
    const look = () => {
      const script = `const { isLocked } = await import(${JSON.stringify(built)}); console.log(isLocked(${JSON.stringify(path)}));`;
      const { stdout, stderr } = run(script);
      return stdout.trim() || stderr;
    };
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    expect(look()).toBe("false");
    const { said } = await holder(path);
    expect(said).toBe("held");
    expect(look()).toBe("true");
  });
});
