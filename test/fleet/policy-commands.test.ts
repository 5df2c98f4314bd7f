import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { freePort, type NatsProcess, startNats } from "../../packages/fleet/src/dev/nats-process.ts";
import { createCliHome } from "../support/cli-home.ts";
import { call } from "../support/hook-files.ts";
import { natsForTests } from "../support/nats-server.ts";
import { wordRule } from "../support/word-rule.ts";
import { until } from "./fleet-fixture.ts";

const nats = natsForTests();
const [admin, laptop, person] = [createCliHome(), createCliHome(), createCliHome()] as const;
let server: NatsProcess | undefined;
afterAll(async () => {
  for (const home of [admin, laptop, person]) await home.close();
  await server?.stop();
});

interface Status {
  readonly from?: string;
  readonly bundle?: { readonly serial: number; readonly signer: string };
}

const statusOf = async (): Promise<Status> => JSON.parse((await laptop.run("policy", "status", "--json")).out) as Status;
const rulesOf = async (): Promise<string[]> =>
  (JSON.parse((await laptop.run("rules", "list", "--json")).out) as { name: string; state: string }[]).map(
    ({ name, state }) => `${name} ${state}`,
  );
const push = (...more: string[]) => admin.run("fleet", "policy", "push", join(admin.folder, "policy"), ...more);

it.skipIf(nats.isMissing)(
  "fleet policy push shows what changes, asks, and reaches the hosts; status and rollback",
  { timeout: 600_000 },
  async () => {
    const port = await freePort();
    await admin.run("fleet", "init", "--listen", `127.0.0.1:${port}`, "--admin", "root");
    server = await startNats({ program: nats.program, folder: join(admin.state, "fleet-admin"), port });
    expect((await admin.run("fleet", "init")).code).toBe(0);
    const invitation = /join (\S+)$/m.exec((await admin.run("fleet", "invite", "laptop", "--label", "team=web")).out)?.[1] ?? "";
    expect(await admin.run("fleet", "policy")).toMatchObject({ code: 0, out: expect.stringMatching(/laptop +- +- +away/) });
    expect((await laptop.run("fleet", "join", invitation)).code).toBe(0);
    expect((await laptop.run("up", "--detach", "--port", "0")).code).toBe(0);
    const before = await admin.run("fleet", "policy");
    expect(before.err).toContain("No policy was pushed yet");
    expect(before.out).not.toContain("in force");

    // The past of the fleet: one call that the new rule would have blocked.
    expect((await admin.run("up", "--detach", "--port", "0")).code).toBe(0);
    const { url, token } = JSON.parse(readFileSync(join(admin.state, "hub.json"), "utf8")) as {
      readonly url: string;
      readonly token: string;
    };
    await fetch(new URL("/api/decide", url), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ event: "tool:before", payload: call("curl x"), record: true, source: { app: "test", instance: "t1" } }),
    });

    admin.write("policy/rules.toml", wordRule("no-curl", "curl"));
    const dry = await push("--dry-run");
    expect([dry.code, dry.out, dry.err]).toEqual([
      0,
      expect.stringMatching(/^\+ no-curl\n(.|\n)*blocked +0 +1 +1/),
      expect.stringContaining("policy@1 (stable): 1 rule, for 1 of 1 host of the roster."),
    ]);
    expect(await push()).toMatchObject({ code: 1, err: expect.stringContaining("--yes") });
    expect((await push("--dry-run", "--label", "team=api")).err).toContain("for 0 of 1 host");
    expect((await push("--channel", "beta")).err).toContain("stable, canary");
    expect((await push("--percent", "200")).err).toContain("from 0 to 100");
    expect(await push("--yes", "--not-after", "2020-01-01")).toMatchObject({ code: 2, err: expect.stringContaining("is over already") });
    expect(await push("--yes", "--not-after", "soon")).toMatchObject({
      code: 2,
      err: expect.stringContaining("such as 2026-01-31T12:00Z"),
    });
    expect(await statusOf()).not.toHaveProperty("bundle");

    expect((await push("--yes")).err).toContain("policy@1 (stable) is pushed");
    await until("the policy is in force", async () => (await statusOf()).bundle?.serial === 1);
    expect([await statusOf(), await rulesOf()]).toEqual([expect.objectContaining({ from: "fleet" }), ["no-curl active"]]);

    admin.write("policy/rules.toml", wordRule("no-wget", "wget"));
    const next = await push("--yes", "--channel", "canary", "--label", "team=web");
    // The canary comes in the place of the stable one.
    expect([next.code, next.out]).toEqual([0, expect.stringMatching(/^\+ no-wget\n- no-curl\n/)]);
    await until("the canary is in force", async () => (await statusOf()).bundle?.serial === 2);
    admin.write("policy/rules.toml", `${wordRule("no-wget", "wget")}${wordRule("no-nmap", "nmap")}`);
    expect((await push("--yes")).out).toMatch(/^\+ no-nmap\n(?!-)/);
    await until("the next is in force", async () => (await statusOf()).bundle?.serial === 3);
    expect(await admin.run("fleet", "policy", "rollback", "--to", "77")).toMatchObject({
      code: 1,
      err: expect.stringContaining("3, 2, 1"),
    });
    expect((await admin.run("fleet", "policy", "rollback", "--yes")).err).toContain("The content of policy@1 (stable) comes back.");
    await until("the old content is in force", async () => (await statusOf()).bundle?.serial === 4);
    expect(await rulesOf()).toEqual(["no-curl active"]);
    await expect
      .poll(async () => (await admin.run("fleet", "policy", "status")).out, { timeout: 40_000 })
      .toMatch(/laptop +4 +4 +in force/);
    expect((await admin.run("fleet", "status")).out).toMatch(/laptop .* 4 /);
    expect((await admin.run("fleet", "audit")).out).toMatch(/policy pushed +policy@3 +channel stable\n.*policy rolled back +policy@4 +/);

    const file = join(person.folder, "alex.json");
    await admin.run("fleet", "people", "add", "alex", "--role", "approve", "--out", file);
    expect((await person.run("fleet", "join", `nats://127.0.0.1:${port}`, "--creds", file)).code).toBe(0);
    person.write("policy/rules.toml", wordRule("mine", "mine"));
    expect(await person.run("fleet", "policy", "push", join(person.folder, "policy"), "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining('The role of alex is "approve"'),
    });
    expect((await person.run("fleet", "policy", "status")).out).toContain("policy@4, signed by root");

    // After a server was wiped, its serials would begin at 1 again.
    expect(await push("--yes", "--serial", "4")).toMatchObject({ code: 1, err: expect.stringContaining("at least 5") });
    expect((await push("--yes", "--serial", "50")).err).toContain("policy@50 (stable) is pushed");
    await until("the policy with the given serial is in force", async () => (await statusOf()).bundle?.serial === 50);

    // A host whose table [policy] is wrong says so to the fleet.
    const config = laptop.write("config/hookline/hookline.toml", '[policy]\nonStale = "loosen"\n');
    await expect
      .poll(() => admin.run("fleet", "policy", "status"), { timeout: 60_000 })
      .toMatchObject({ code: 1, err: expect.stringContaining(`The table [policy] of laptop is wrong: ${config}:2:1: "onStale" must be`) });
    expect((await admin.run("fleet", "policy", "status")).err).toMatch(/The hub keeps .*\nRun on laptop: hookline policy status\n/);

    // The policy survives a restart and a lost file; it ends with the command.
    await laptop.run("down");
    expect((await laptop.run("fleet", "leave")).code).toBe(0);
    await laptop.run("up", "--detach", "--port", "0");
    expect([await statusOf(), await rulesOf()]).toEqual([{ isConfigured: false }, []]);
  },
);
