import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliHome, createCliHome } from "../../../../test/support/cli-home.ts";
import { findLockHolder } from "../machine/lock.js";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

describe.skipIf(process.platform === "win32")("a hub whose parent ends", () => {
  let home: CliHome;
  beforeEach(() => {
    home = createCliHome();
  });
  afterEach(() => home.close());

  /** With the variable that npm sets for all that runs below it. */
  const start = (program: string, ...args: readonly string[]): ChildProcess & { readonly said: string } => {
    const child = spawn(program, args, { cwd: repository, env: { ...home.env, npm_lifecycle_event: "npx" } });
    const given = Object.assign(child, { said: "" });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (given.said += text));
    return given;
  };
  const hub = (): number | undefined => findLockHolder(join(home.state, "hub.lock"));
  const hubIsUp = async (): Promise<void> => {
    while ((await home.run("status", "--json")).code !== 0) await sleep(50);
  };

  it.each(["SIGTERM", "SIGKILL"] as const)("stops cleanly if npx gets %s", async (signal) => {
    const npx = start("npx", "hookline", "up", "--port", "0");
    await hubIsUp();
    const closed = once(npx, "close");
    npx.kill(signal);
    // Its output ends when the hub has, which writes there too.
    await closed;
    expect(npx.said).toContain("The hub has stopped. Stored events are kept.");
    expect(hub()).toBeUndefined();
  });

  it.each([
    ["in the background of a shell that ends", "sh", "-c", `nohup "$0" "$1" up --port 0 >/dev/null 2>&1 &`, process.execPath, main],
    ["with --detach by npx", "npx", "hookline", "up", "--detach", "--port", "0"],
  ])("keeps running if it was started %s", async (_, program, ...args) => {
    const parent = start(program, ...args);
    if (parent.exitCode === null) await once(parent, "exit");
    await hubIsUp();
    const found = hub();
    expect(found).toBeTypeOf("number");
    // Longer than it would take the hub to notice.
    await sleep(1500);
    expect([(await home.run("status")).code, hub()]).toEqual([0, found]);
  });
});
