import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, type NatsProcess, startNats } from "../../packages/fleet/src/dev/nats-process.ts";
import { createCliHome } from "../support/cli-home.ts";
import { type Account, AGENT, HUB, ManagedMachine, noManagedMachine, OPERATOR, OPERATORS, ROOT } from "../support/managed-machine.ts";
import { natsForTests } from "../support/nats-server.ts";
import { until } from "./fleet-fixture.ts";

const nats = natsForTests();
/** Of the machine: one rule that allows what the fleet forbids, and one that asks. */
const RULES = `
[[rule]]
name = "deploys"
event = "tool:before"
match = "tool.input.command contains 'make deploy'"
do = "allow"

[[rule]]
name = "pushes"
event = "tool:before"
match = "tool.input.command contains 'git push'"
do = "ask"
message = "A push leaves this machine."
`;
const FLEET_RULE = `
[[rule]]
name = "no-deploys"
event = "tool:before"
match = "tool.input.command contains 'make deploy'"
do = "block"
message = "The fleet deploys nothing from here."
`;
/** A process with a bus, as an agent's user would start it. Prints the decision. */
const ASKING = `
import { createBus } from "/opt/hookline/node_modules/@hookline/core/dist/index.js";
import { connectToHub } from "/opt/hookline/node_modules/@hookline/core/dist/forward/index.js";
const bus = createBus({ onError: (error) => console.error(error.code, error.message) });
const line = connectToHub(bus, { source: "test" });
const { verdict, reason } = await bus.decide("tool:before", { tool: { name: "shell", input: { command: process.argv[1] } } });
console.log(verdict, reason ?? "");
await line.close();
`;

describe.skipIf(nats.isMissing || noManagedMachine !== undefined)("a managed hub in a fleet", { timeout: 240_000 }, () => {
  const admin = createCliHome();
  let machine: ManagedMachine;
  let server: NatsProcess | undefined;
  let hub: Awaited<ReturnType<ManagedMachine["startHub"]>>;
  let invitation = "";
  const ask = async (command: string) =>
    (await machine.run(AGENT, ["/opt/hookline/bin/node", "--input-type=module", "-e", ASKING, command])).out.trim();
  const run = async (...args: string[]) => {
    const { code, out, err } = await admin.run(...args);
    expect(code, `${args.join(" ")}\n${err}`).toBe(0);
    return out;
  };
  const root = (...args: string[]) => machine.hookline(ROOT, ...args);
  const policy = async () =>
    JSON.parse((await root("policy", "status", "--json")).out) as { readonly bundle?: { readonly serial: number } };
  const questions = async () =>
    JSON.parse(await run("approvals", "--fleet", "--json")) as readonly { readonly id: string; readonly hash: string }[];
  /** The question of a call that waits. */
  const question = async (decided: Promise<string>) => {
    let isOpen = true;
    void decided.then(() => (isOpen = false));
    await until("the question is shown in the fleet", async () => !isOpen || (await questions()).length === 1, 120_000);
    return (await questions())[0] ?? expect.fail(`It was decided: ${await decided}`);
  };

  beforeAll(async () => {
    const port = await freePort();
    await run("fleet", "init", "--listen", `127.0.0.1:${port}`, "--admin", "root");
    server = await startNats({ program: nats.program, folder: join(admin.state, "fleet-admin"), port });
    await run("fleet", "init");
    await run("fleet", "up", "--detach", "--port", "0", "--name", "central");
    invitation = /join (\S+)$/m.exec(await run("fleet", "invite", "build-server", "--label", "kind=ci"))?.[1] ?? "";
    machine = await new ManagedMachine().ready();
    expect((await machine.checkout("service", "install", "--system", "--ids", `${HUB.uid}:${HUB.uid}:${OPERATORS}`)).code).toBe(0);
    await machine.run(ROOT, ["tee", "/etc/hookline/hookline.toml"], { input: RULES });
  }, 240_000);
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]();
    await admin.close();
    await server?.stop();
  }, 60_000);

  it("joins by root alone, and while it runs: only it can write its files", async () => {
    expect(await root("fleet", "join", invitation)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/managed hub of this machine does not run.*\n.*systemctl start hookline/),
    });
    hub = await machine.startHub();
    expect(await ask("make deploy")).toMatch(/^allow/);
    for (const account of [AGENT, OPERATOR] satisfies Account[]) {
      const { code, err } = await machine.hookline(account, "fleet", "join", invitation);
      expect([code, err]).toEqual([1, expect.stringMatching(/only root|need a factor/)]);
    }
    expect(await root("fleet", "status")).toMatchObject({ code: 1, err: expect.stringContaining("is not in a fleet") });
    expect(await root("fleet", "join", invitation)).toMatchObject({
      code: 0,
      err: expect.stringContaining('joined the fleet as host "build-server"'),
    });
    expect((await root("fleet", "status")).err).toContain('is in the fleet "main" as host "build-server"');
    await until("it is present", async () => /build-server +present/.test(await run("fleet", "status")));
  });

  it("keeps its credential from the users of agents", async () => {
    const { out } = await machine.sh(ROOT, "stat -c '%a %u' /var/lib/hookline/fleet /var/lib/hookline/fleet/fleet.json");
    expect(out).toBe(`700 ${HUB.uid}\n600 ${HUB.uid}\n`);
    for (const line of [
      "cat /var/lib/hookline/fleet/fleet.json",
      "cat /var/lib/hookline/fleet/credential.json",
      "rm -f /var/lib/hookline/fleet/fleet.json",
    ])
      expect([line, (await machine.sh(AGENT, line)).err]).toEqual([line, expect.stringMatching(/Permission denied|cannot remove/)]);
    const { code, err } = await machine.hookline(AGENT, "fleet", "leave");
    expect([code, err]).toEqual([1, expect.stringContaining("only root")]);
  });

  it("lets the fleet's policy count more than that of the machine, also after a restart", async () => {
    admin.write("policy/rules.toml", FLEET_RULE);
    await run("fleet", "policy", "push", join(admin.folder, "policy"), "--yes");
    await until("the policy is in force", async () => (await policy()).bundle?.serial === 1);
    expect(await ask("make deploy")).toBe("deny The fleet deploys nothing from here.");
    expect((await root("config", "show", "--origin")).out).toMatch(/no-deploys" {2}# fleet policy@1\/rules.toml:\d/);
    hub.kill("SIGTERM");
    await until("it has ended", async () => (await machine.sh(ROOT, "test -e /run/hookline/hub.json")).code !== 0);
    hub = await machine.startHub();
    expect(await ask("make deploy")).toBe("deny The fleet deploys nothing from here.");
  });

  it("takes a denial that a key in a file has signed, and no approval", async () => {
    const denied = ask("git push origin one");
    const first = await question(denied);
    await run("deny", first.id, "--fleet", "--hash", first.hash.slice(0, 12), "--reason", "not now");
    expect(await denied).toMatch(/^deny .*not now/);
    const waiting = ask("git push origin two");
    const second = await question(waiting);
    await run("approve", second.id, "--fleet", "--hash", second.hash.slice(0, 12));
    await until("the alarm", async () => (await root("alarms")).out.includes("does not prove that a person gave it"));
    expect((await root("deny", second.id, "--reason", "by root")).code).toBe(0);
    expect(await waiting).toMatch(/^deny/);
  });

  it("sends its events to the fleet, and leaves by root", async () => {
    await until("its events are there", async () =>
      (await run("tail", "--fleet", "--host", "build-server", "--no-follow", "--json")).includes("make deploy"),
    );
    expect(await root("fleet", "leave")).toMatchObject({ code: 0, err: expect.stringContaining('"build-server" has left the fleet') });
    expect((await machine.sh(ROOT, "ls /var/lib/hookline/fleet")).out).not.toContain("credential.json");
    await until("the fleet's policy no longer counts", async () => (await ask("make deploy")).startsWith("allow"));
  });
});
