import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminFolder } from "../../packages/fleet/src/credentials/admin-folder.ts";
import { accessOf, decodeInvite } from "../../packages/fleet/src/credentials/credential.ts";
import { freePort, type NatsProcess, startNats } from "../../packages/fleet/src/dev/nats-process.ts";
import { connectServer } from "../../packages/fleet/src/nats/connect.ts";
import { type CliHome, createCliHome } from "../support/cli-home.ts";
import { natsForTests } from "../support/nats-server.ts";
import { until } from "./fleet-fixture.ts";

const nats = natsForTests();
// What the commands write is private also where nothing else sees to it.
process.umask(0);

describe.skipIf(nats.isMissing)("the commands of a fleet", () => {
  const admin = createCliHome();
  const laptop = createCliHome();
  const person = createCliHome();
  const homes = [admin, laptop, person];
  let server: NatsProcess | undefined;
  let port = 0;
  const folder = join(admin.state, "fleet-admin");
  beforeAll(async () => {
    port = await freePort();
  });
  afterAll(async () => {
    for (const home of homes) await home.close();
    await server?.stop();
  });

  const start = async (): Promise<void> => {
    server = await startNats({ program: nats.program, folder, port });
  };
  const inviteOf = async (name: string, ...more: string[]): Promise<string> => {
    const { code, out, err } = await admin.run("fleet", "invite", name, ...more);
    expect(code, err).toBe(0);
    return /^hookline fleet join (\S+)$/m.exec(out)?.[1] ?? expect.fail(out);
  };
  const doctor = async (home: CliHome) => {
    const { out } = await home.run("fleet", "doctor", "--json");
    const { checks } = JSON.parse(out) as { checks: { id: string; state: string; detail: string; fix: string }[] };
    return checks;
  };

  it("init makes keys and a configuration before there is a server, and says what to start", async () => {
    const { code, out, err } = await admin.run("fleet", "init", "--listen", `127.0.0.1:${port}`, "--admin", "root");
    expect([code, out.trim()]).toEqual([0, join(folder, "nats-server.conf")]);
    expect(err).toContain(`nats-server --config ${join(folder, "nats-server.conf")}`);
    expect(readFileSync(join(folder, "nats-server.conf"), "utf8")).toContain('"sync_interval": "always"');
  });

  it("doctor names the missing server once, with the command that starts it", async () => {
    const failed = (await doctor(admin)).filter(({ state }) => state === "fail");
    expect(failed.map(({ id }) => id)).toEqual(["server"]);
    expect(failed[0]?.fix).toContain("nats-server --config");
  });

  it("init creates the streams when the server is up, and a second init changes nothing", async () => {
    await start();
    expect((await admin.run("fleet", "init")).err).toContain("24 streams created");
    const keys = readFileSync(join(folder, "tenant-main", "root-key.pem"), "utf8");
    expect((await admin.run("fleet", "init")).err).toContain("All 24 streams are as they should be");
    expect(readFileSync(join(folder, "tenant-main", "root-key.pem"), "utf8")).toBe(keys);
  });

  it("invite gives one line, and join with it saves private files; the same line works again", async () => {
    const line = await inviteOf("laptop", "--label", "team=web");
    const { code, err } = await laptop.run("fleet", "join", line);
    expect([code, err]).toEqual([0, expect.stringContaining('has joined the fleet as host "laptop"')]);
    const saved = JSON.parse(readFileSync(join(laptop.state, "fleet", "fleet.json"), "utf8"));
    expect(saved).toMatchObject({ role: "host", name: "laptop", labels: { team: "web" }, urls: [`nats://127.0.0.1:${port}`] });
    for (const name of readdirSync(join(laptop.state, "fleet")))
      expect(statSync(join(laptop.state, "fleet", name)).mode & 0o077, name).toBe(0);
    expect((await laptop.run("fleet", "join", line)).code).toBe(0);
  });

  it("a hub that has joined does not join as another", async () => {
    expect(await laptop.run("fleet", "join", await inviteOf("other"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("hookline fleet leave"),
    });
  });

  it("a second invitation makes the first one worthless", async () => {
    const first = await inviteOf("twice");
    await inviteOf("twice");
    expect(await person.run("fleet", "join", first)).toMatchObject({ code: 1, err: expect.stringContaining("refuses this credential") });
  });

  it.each([
    [["fleet", "join", "hl1-AAAA"], "incomplete or changed"],
    [["fleet", "join", "nats://127.0.0.1:1"], "--creds"],
    [["fleet", "join", "nats://127.0.0.1:1", "--creds", "missing.json"], "is not a credential"],
    [["fleet", "invite", "A.B"], "cannot be the name of a host"],
    [["fleet", "invite", "x", "--label", "nonsense"], "key=value"],
    [["fleet", "people", "add", "x", "--role", "king"], "view, approve, policy, admin"],
    [["fleet", "people", "remove", "root"], "only admin"],
    [["fleet", "people", "remove", "nobody"], 'no person "nobody"'],
    [["fleet", "hosts", "revoke", "nobody"], 'no host "nobody"'],
    [["fleet", "init", "--url", "http://x"], "tls://host"],
    [["fleet", "init", "--replicas", "2"], "1, 3 or 5"],
    [["fleet", "invite", "x", "--tenant", "none"], "hookline fleet init --tenant none"],
  ])("%j fails with what to do", async (args, text) => {
    const { code, err } = await admin.run(...args);
    expect(code).toBe(1);
    expect(err).toContain(text);
    expect(err).not.toContain("HOOKLINE_DEBUG");
  });

  it("a person joins with a file, sees the hosts, and cannot change the fleet", async () => {
    const { code, err, out: line } = await admin.run("fleet", "people", "add", "vera");
    const file = join(folder, "tenant-main", "hand-over", "vera.json");
    expect([code, err, line.trim()]).toEqual([
      0,
      expect.stringContaining(`The keys are in ${file}, which only you can read`),
      `hookline fleet join nats://127.0.0.1:${port} --creds vera.json`,
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await person.run("fleet", "join", `nats://127.0.0.1:${port}`, "--creds", file)).err).toContain("as vera, with the role view");
    const { out } = await person.run("fleet", "status", "--json");
    const { hosts } = JSON.parse(out) as { hosts: { name: string; state: string }[] };
    expect(hosts).toContainEqual(expect.objectContaining({ name: "laptop", state: "away", labels: { team: "web" } }));
    expect(await person.run("fleet", "invite", "x")).toMatchObject({ code: 1, err: expect.stringContaining("does not administer") });
  });

  it("a person follows the events of one host as they happen", async () => {
    expect(await laptop.run("fleet", "tail", "laptop")).toMatchObject({ code: 1, err: expect.stringContaining("credential of a person") });
    const hub = laptop.start("up");
    const tail = person.start("fleet", "tail", "laptop", "--json");
    await until("the host answers", () => tail.err.includes("Events of laptop as they happen"));
    await until("the event is shown", async () => {
      await laptop.run("emit", "myapp:noted", "--payload", '{"text":"seen live"}');
      return tail.out.includes("seen live");
    });
    expect(JSON.parse(tail.out.split("\n")[0] ?? "")).toMatchObject({ event: "myapp:noted", host: "laptop" });
    tail.child.kill();
    hub.child.kill();
    await Promise.all([tail.ended, hub.ended]);
  });

  it("a person who may answers a call of a host from another machine, and the audit says so", async () => {
    laptop.write(
      "config/hookline/hookline.toml",
      `[[rule]]\nname = "publish"\nevent = "tool:before"\nmatch = "tool.name == 'Bash'"\ndo = "ask"\nmessage = "It leaves this machine."\n`,
    );
    const hub = laptop.start("up");
    await until("the hub is up", async () => (await laptop.run("status")).code === 0);
    const { url, token } = JSON.parse(readFileSync(join(laptop.state, "hub.json"), "utf8")) as { url: string; token: string };
    const decide = (command: string) =>
      fetch(`${url}/api/decide`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ event: "tool:before", wait: true, payload: { tool: { name: "Bash", callId: "1", input: { command } } } }),
      }).then((answer) => answer.json() as Promise<{ verdict: string }>);
    const listed = async () =>
      JSON.parse((await person.run("approvals", "--fleet", "--json")).out) as { id: string; host: string; hash: string }[];
    const hashes = new Map<string, string>();
    const waiting = async (): Promise<string> => {
      await until("the question is shown", async () => (await listed()).length === 1);
      const { id: found, hash } = (await listed())[0] ?? expect.fail();
      hashes.set(found, hash);
      return found;
    };

    const first = decide("npm publish");
    const id = await waiting();
    expect((await person.run("approvals", "--fleet")).out).toMatch(/laptop.*It leaves this machine.*npm publish/s);
    expect(await person.run("approve", id, "--fleet", "--hash", hashes.get(id) ?? "")).toMatchObject({
      code: 1,
      err: expect.stringContaining('The role of vera is "view". Only "approve" and "admin" answer calls.'),
    });
    const file = join(person.folder, "alex.json");
    await admin.run("fleet", "people", "add", "alex", "--role", "approve", "--out", file);
    await person.run("fleet", "leave");
    expect((await person.run("fleet", "join", `nats://127.0.0.1:${port}`, "--creds", file)).code).toBe(0);
    expect((await person.run("approve", id, "--fleet")).err).toContain("no terminal to ask you");
    expect((await person.run("approve", id, "--fleet", "--hash", "0123456789ab")).err).toContain("Nothing was answered");
    const { code, err } = await person.run("approve", id, "--fleet", "--reason", "tested", "--hash", hashes.get(id) ?? "");
    expect([code, err]).toEqual([0, expect.stringContaining("npm publish")]);
    expect(await first).toMatchObject({ verdict: "allow" });

    const second = decide("npm unpublish");
    const other = await waiting();
    expect(await person.run("deny", other.slice(0, 12), "--fleet", "--hash", hashes.get(other) ?? "")).toMatchObject({ code: 0 });
    expect(await second).toMatchObject({ verdict: "deny" });
    expect(await listed()).toEqual([]);
    expect(await person.run("approve", id, "--fleet")).toMatchObject({
      code: 1,
      err: expect.stringContaining("hookline approvals --fleet"),
    });

    const third = decide("npm pack");
    const last = await waiting();
    expect(await person.run("fleet", "approve", last, "--always", "--hash", hashes.get(last) ?? "")).toMatchObject({ code: 0 });
    expect(await third).toMatchObject({ verdict: "allow" });
    expect(await decide("npm pack")).toMatchObject({ verdict: "allow" });
    const call = /^([0-9a-f]{16}) +alex +laptop/m.exec((await person.run("fleet", "always")).out)?.[1] ?? expect.fail();
    expect(await person.run("fleet", "always", "forget", call)).toMatchObject({ code: 0 });
    expect((await person.run("fleet", "always")).err).toContain("No call is always allowed");
    expect((await person.run("fleet", "audit")).out).toMatch(/person alex +call allowed.*call denied.*always withdrawn/s);
    hub.child.kill();
    await hub.ended;
  });

  it("doctor runs at least 15 checks, finds nothing wrong with the server, and each names a command", async () => {
    const checks = await doctor(admin);
    expect(checks.length).toBeGreaterThanOrEqual(15);
    expect(checks.filter(({ state }) => state === "fail")).toEqual([]);
    expect(checks.filter(({ fix }) => !/^(\S*npx |\S*)(hookline|nats-server|timedatectl)/.test(fix))).toEqual([]);
    const stateOf = (id: string) => checks.find((check) => check.id === id)?.state;
    for (const id of [
      "server",
      "version",
      "own-name",
      "own-inbox",
      "others-events",
      "sync-interval",
      "streams",
      "roster",
      "configuration",
      "clock",
    ])
      expect([id, stateOf(id)]).toEqual([id, "ok"]);
    for (const id of ["readers", "hubs", "two-admins", "hosts-present"]) expect([id, stateOf(id)]).toEqual([id, "warn"]);
  });

  it("commands that change the fleet at once lose nothing, and sign each roster once", async () => {
    const before = AdminFolder.open(folder)?.tenant("main")?.roster.serial ?? expect.fail();
    const names = ["at-once-1", "at-once-2", "at-once-3"];
    const lines = await Promise.all(names.map((name) => inviteOf(name)));
    const tenant = AdminFolder.open(folder)?.tenant("main") ?? expect.fail();
    expect(tenant.roster.serial).toBe(before + names.length);
    expect(tenant.roster.hosts.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(tenant.users.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    const serials = lines.map((line) => decodeInvite(line).rosterSerial);
    expect(new Set(serials)).toEqual(new Set([before + 1, before + 2, before + 3]));
    const { out } = await person.run("fleet", "status", "--json");
    expect(JSON.parse(out)).toMatchObject({ hosts: expect.arrayContaining(names.map((name) => expect.objectContaining({ name }))) });
  });

  it("keeps the keys of admins alone, until they are removed", async () => {
    const kept = () => readdirSync(join(folder, "tenant-main")).filter((name) => name.startsWith("person-"));
    expect(kept()).toEqual(["person-root.json"]);
    await admin.run("fleet", "people", "add", "second", "--role", "admin", "--out", join(admin.folder, "second.json"));
    expect(kept()).toEqual(["person-root.json", "person-second.json"]);
    expect((await admin.run("fleet", "people", "remove", "second")).code).toBe(0);
    expect(kept()).toEqual(["person-root.json"]);
  });

  it("records who changed the fleet, under the admin's name", async () => {
    const { admin: root } = AdminFolder.open(folder)?.tenant("main") ?? expect.fail();
    const connection = await connectServer(accessOf(root ?? expect.fail()), { name: "test" });
    const { direct } = await jetstreamManager(connection);
    const entries: [string, unknown][] = [];
    for await (const message of await direct.getBatch("AUDIT", { seq: 1, batch: 100 })) entries.push([message.subject, message.json()]);
    await connection.close();
    expect(entries[0]).toEqual([
      "hl.audit.person.root.host-invited",
      { action: "host-invited", subject: "laptop", details: { labels: { team: "web" }, serial: expect.any(Number) } },
    ]);
    expect(entries.map(([subject]) => subject)).toContain("hl.audit.person.root.person-added");
  });

  it("a revoked host is refused by the server", async () => {
    const line = await inviteOf("lost");
    expect((await admin.run("fleet", "hosts", "revoke", "lost")).code).toBe(0);
    expect(await person.run("fleet", "join", line)).toMatchObject({ code: 1, err: expect.stringContaining("refuses this credential") });
    expect((await admin.run("fleet", "hosts")).out).not.toContain("lost");
  });

  it("init brings a server up to date that runs with the accounts of an older version", async () => {
    const credential = decodeInvite(await inviteOf("older"));
    const path = join(folder, "accounts.conf");
    const [accounts = "", system = ""] = readFileSync(path, "utf8").slice("accounts: ".length).split("\nsystem_account");
    const old = Object.entries(JSON.parse(accounts) as object).filter(([name]) => !name.includes("/"));
    writeFileSync(path, `accounts: ${JSON.stringify(Object.fromEntries(old))}\nsystem_account${system}`);
    process.kill(server?.pid ?? expect.fail(), "SIGHUP");
    const ask = async (): Promise<string> => {
      const connection = await connectServer(accessOf(credential), { name: "older" });
      return (await connection.request("$JS.API.INFO").finally(() => connection.close())).string();
    };
    await until("the server does not know the host", () =>
      ask().then(
        () => false,
        () => true,
      ),
    );
    expect((await admin.run("fleet", "init")).code).toBe(0);
    await until("the host is served", () =>
      ask().then(
        (answer) => answer.includes("account_info_response"),
        () => false,
      ),
    );
  });

  it("leave removes the credential", async () => {
    expect((await laptop.run("fleet", "leave")).err).toContain('"laptop" has left the fleet');
    // The roster that a hub has seen stays: after another join, no older one counts.
    expect(readdirSync(join(laptop.state, "fleet")).filter((name) => name !== "roster.b64")).toEqual([]);
    expect((await laptop.run("fleet", "leave")).err).toContain("is not in a fleet");
  });

  it("join keeps an invitation while the server is away", async () => {
    const line = await inviteOf("early");
    await server?.stop();
    const { code, err } = await laptop.run("fleet", "join", line);
    expect([code, err]).toEqual([0, expect.stringContaining("keeps trying")]);
    await start();
  });

  it("with --tls, the server is encrypted and its certificate comes with the invitation", async () => {
    await server?.stop();
    expect(await admin.run("fleet", "init", "--tls", "--url", `tls://localhost:${port}`)).toMatchObject({ code: 0 });
    await start();
    expect((await admin.run("fleet", "init")).err).toContain("All 24 streams");
    const line = await inviteOf("secure");
    expect((await laptop.run("fleet", "leave")).code).toBe(0);
    expect((await laptop.run("fleet", "join", line)).err).toContain('as host "secure"');
    const checks = await doctor(admin);
    expect(checks.find(({ id }) => id === "tls")).toMatchObject({ state: "ok", detail: "TLS" });
    for (const name of readdirSync(join(folder, "tls"))) expect(statSync(join(folder, "tls", name)).mode & 0o077, name).toBe(0);
  });
});
