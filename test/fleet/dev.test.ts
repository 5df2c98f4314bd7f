import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { createCliHome } from "../support/cli-home.ts";
import { natsForTests } from "../support/nats-server.ts";

const nats = natsForTests();

describe("fleet dev", () => {
  const home = createCliHome();
  afterAll(() => home.close());

  it("says what to install where there is no server", async () => {
    const { code, err } = await home.runWith({ env: { NATS_SERVER: "", PATH: "/nowhere" } }, "fleet", "dev");
    expect([code, err]).toEqual([1, expect.stringContaining("Install nats-server 2.12")]);
  });

  it.skipIf(nats.isMissing)(
    "starts a server, a fleet hub and three hosts, and removes all of it when it ends",
    { timeout: 240_000 },
    async () => {
      Object.assign(home.env, { NATS_SERVER: nats.program });
      const dev = home.start("fleet", "dev");
      while (!dev.err.includes("Ctrl-C ends")) {
        if (dev.child.exitCode !== null) expect.fail(dev.err);
        await sleep(100);
      }
      expect(dev.out).toMatch(/^http:\/\/\w+\.localhost:\d+\/login#\S+$/m);
      const [, state = "", run = ""] = /XDG_STATE_HOME=(\S+) XDG_RUNTIME_DIR=(\S+)/.exec(dev.err) ?? [];
      const admin = { XDG_STATE_HOME: state, XDG_RUNTIME_DIR: run };
      const hosts = async () => {
        const { out } = await home.runWith({ env: admin }, "fleet", "status", "--json");
        return (JSON.parse(out) as { hosts: { name: string; state: string; hub?: string }[] }).hosts;
      };
      // A host is known to the fleet hub when its first events are confirmed.
      while ((await hosts()).some((host) => host.state !== "present" || host.hub === undefined)) await sleep(200);
      expect((await hosts()).map(({ name }) => name)).toEqual(["build-server", "laptop-anna", "laptop-ben"]);
      for (const { name } of await hosts()) {
        const { out } = await home.runWith({ env: admin }, "tail", "--no-follow", "--json", "--host", name);
        expect(out.trim().split("\n").length, name).toBeGreaterThan(1);
      }
      const { out } = await home.runWith({ env: admin }, "fleet", "doctor", "--json");
      const { checks } = JSON.parse(out) as { checks: { id: string; state: string; detail: string }[] };
      expect(checks.filter(({ state }) => state === "fail")).toEqual([]);
      // None of its hubs has seen a change that no operator made.
      expect((await home.runWith({ env: admin }, "alarms")).out).not.toContain("fleet.json");
      const questions = async () =>
        JSON.parse((await home.runWith({ env: admin }, "approvals", "--fleet", "--json")).out) as {
          id: string;
          host: string;
          hash: string;
        }[];
      while ((await questions()).length === 0) await sleep(200);
      const [{ id, host, hash }] = (await questions()) as [{ id: string; host: string; hash: string }];
      const approved = await home.runWith({ env: admin }, "approve", id, "--fleet", "--hash", hash.slice(0, 12));
      expect([host, approved.code], approved.err).toEqual(["laptop-anna", 0]);
      const replies = async () =>
        (await home.runWith({ env: admin }, "tail", "--no-follow", "--json", "--host", host, "--event", "permission:replied")).out;
      while (!(await replies()).includes('"by":"admin"')) await sleep(200);
      dev.child.kill("SIGINT");
      expect((await dev.ended).code).toBe(0);
      expect(existsSync(state)).toBe(false);
    },
  );

  it.skipIf(nats.isMissing)("removes all of it too if npx, which has started it, is told to end", async () => {
    const env = { ...home.env, NATS_SERVER: nats.program };
    const npx = spawn("npx", ["hookline", "fleet", "dev"], { cwd: fileURLToPath(new URL("../..", import.meta.url)), env });
    let said = "";
    for (const stream of [npx.stdout, npx.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    const closed = new Promise((resolve) => npx.once("close", resolve));
    while (!said.includes("Ctrl-C ends")) {
      if (npx.exitCode !== null) expect.fail(said);
      await sleep(100);
    }
    const [, state = ""] = /XDG_STATE_HOME=(\S+)/.exec(said) ?? [];
    expect(existsSync(state)).toBe(true);
    npx.kill("SIGTERM");
    // Its output ends with the last process that writes to it.
    await closed;
    expect(said).toContain("Ending the fleet.");
    expect(existsSync(state)).toBe(false);
  });
});
