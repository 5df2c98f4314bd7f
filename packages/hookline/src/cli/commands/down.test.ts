import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HubFile } from "@hookline/core/internal/machine";
import { expect, it, onTestFinished } from "vitest";
import { inPidNamespace } from "../../../../../test/faults/mount.ts";
import { createCliHome } from "../../../../../test/support/cli-home.ts";

/** A hub with a closed guard. */
async function hubAtHome() {
  const home = createCliHome();
  onTestFinished(() => home.close());
  home.write("config/hookline/hookline.toml", '[[rule]]\nname = "no"\nevent = "tool:before"\ndo = "block"\n');
  expect(await home.run("up", "--detach", "--port", "0")).toMatchObject({ code: 0 });
  const path = join(home.state, "hub.json");
  const file = JSON.parse(readFileSync(path, "utf8")) as HubFile;
  const left = () => ["hub.json", "gates.json", "operator.json"].filter((name) => existsSync(join(home.state, name)));
  return { ...home, path, file, left };
}

/** Another program, which must not be harmed. */
async function bystander() {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return child;
}

it("removes what a killed hub left, says what is no longer guarded, and harms no process that has its number", async () => {
  const { run, path, file, left } = await hubAtHome();
  process.kill(file.pid, "SIGKILL");
  await expect.poll(async () => (await run("status")).err).toContain("was left behind, and no process listens on");
  const other = await bystander();
  writeFileSync(path, JSON.stringify({ ...file, pid: other.pid }), { mode: 0o600 });
  expect((await run("doctor")).out).toContain("tool:before: denied while no hub runs");
  const down = await run("down", "--force");
  expect(down).toMatchObject({ code: 0, out: "", err: expect.stringContaining("hub.json, operator.json, gates.json") });
  expect(down.err).toContain("No hub guards tool:before any more");
  expect([left(), other.exitCode, other.signalCode]).toEqual([[], null, null]);
  expect(await run("down")).toMatchObject({ code: 0, err: "No hub is running.\n" });
});

// Each look at a hub that stands still takes 3 s.
it("ends a hub that stands still only if it is told to, and only the process that holds its lock", async () => {
  const { run, path, file, left } = await hubAtHome();
  process.kill(file.pid, "SIGSTOP");
  onTestFinished(() => {
    try {
      process.kill(file.pid, "SIGKILL");
    } catch {
      // As it should be.
    }
  });
  expect(await run("down")).toMatchObject({ code: 4, err: expect.stringContaining("Run: hookline down --force") });
  expect(left()).toHaveLength(3);
  const other = await bystander();
  writeFileSync(path, JSON.stringify({ ...file, pid: other.pid }), { mode: 0o600 });
  expect(await run("down", "--force")).toMatchObject({
    code: 0,
    err: expect.stringContaining(`(process ${file.pid}) was ended by SIGKILL`),
  });
  expect([left(), other.exitCode, other.signalCode]).toEqual([[], null, null]);
});

const elsewhere = inPidNamespace();

it.skipIf(elsewhere === undefined)(
  "stops a hub from another PID namespace, and sends no signal to the process that has its number there",
  { timeout: 90_000 },
  async () => {
    const { run, file, left, env, folder } = await hubAtHome();
    const runElsewhere = async (...args: readonly string[]) => {
      const main = new URL("../../../dist/cli/main.js", import.meta.url).pathname;
      const [command = "", ...rest] = [...(elsewhere ?? []), process.execPath, main, ...args];
      const child = spawn(command, rest, { env, cwd: folder });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
      const [code] = await once(child, "close");
      return { code, said };
    };
    expect(await runElsewhere("status")).toMatchObject({ code: 0, said: expect.stringContaining(file.url) });
    process.kill(file.pid, "SIGSTOP");
    expect(await runElsewhere("down", "--force")).toMatchObject({ code: 1, said: expect.stringContaining("another container") });
    process.kill(file.pid, "SIGCONT");
    expect(await runElsewhere("down")).toMatchObject({ code: 0, said: expect.stringContaining("has stopped") });
    expect([left(), await run("down")]).toEqual([[], { code: 0, out: "", err: "No hub is running.\n" }]);
  },
);
