import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import type { Scenario } from "./scenarios.ts";

const program = fileURLToPath(new URL("../../packages/hookline/bin/hookline.js", import.meta.url));
const rule =
  '[[rule]]\nname = "no-publish"\nevent = "tool:before"\ndo = "block"\nmatch = "tool.input.command contains \'publish\'"\nmessage = "not published here"\n';

/** A real hub with a rule: the rule applies to the SDK's calls, and when the hub is killed, calls are denied. */
export const lostHub: Scenario = {
  name: "hub: its rule blocks, and a lost hub denies",
  async run(play) {
    const home = mkdtempSync(join(tmpdir(), "hookline-sdk-"));
    const config = join(home, "config", "hookline");
    mkdirSync(config, { recursive: true, mode: 0o700 });
    writeFileSync(join(config, "hookline.toml"), rule, { mode: 0o600 });
    const own = { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config"), XDG_RUNTIME_DIR: "" };
    const hub = spawn(process.execPath, [program, "up", "--port", "0"], { env: { ...process.env, ...own }, stdio: "ignore" });
    const before = { ...process.env };
    Object.assign(process.env, own);
    const bus = createBus({ source: "sdk-test", onError: () => {} });
    try {
      while (!existsSync(join(home, "state", "hookline", "hub.json"))) await sleep(50);
      const forwarder = connectToHub(bus);
      while (forwarder.state !== "attached") await sleep(50);
      const call = (command: string) => [{ command, callId: "c1" }];
      const blocked = await play(bus, call("npm publish"));
      assert.deepEqual(blocked.ran, []);
      assert.match(blocked.told, /not published here/);
      assert.deepEqual((await play(bus, call("npm test"))).ran, ["npm test"]);
      hub.kill("SIGKILL");
      await once(hub, "exit");
      assert.deepEqual(await ranBy(() => play(bus, call("npm test"))), []);
      await forwarder.close();
    } finally {
      hub.kill("SIGKILL");
      for (const key of Object.keys(own)) {
        const value = before[key];
        if (value === undefined) delete process.env[key];
        else process.env[key] = value;
      }
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/** A model call may be denied first: then nothing ran either. */
async function ranBy(play: () => Promise<{ readonly ran: readonly string[] }>): Promise<readonly string[]> {
  try {
    return (await play()).ran;
  } catch {
    return [];
  }
}
