import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HookError } from "@hookline/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../test/support/test-folder.js";
import { takeLock } from "./lock.js";

const built = fileURLToPath(new URL("../../dist/machine/lock.js", import.meta.url));

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
