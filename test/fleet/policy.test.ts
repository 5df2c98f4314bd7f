import { createPrivateKey } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { accessOf, type Credential } from "../../packages/fleet/src/credentials/credential.ts";
import { openPinnedRoster } from "../../packages/fleet/src/credentials/pinned-roster.ts";
import { fetchRoster, publishRoster as putRoster } from "../../packages/fleet/src/credentials/published-roster.ts";
import { followPolicy, type PolicyChannel } from "../../packages/fleet/src/host/policy-channel.ts";
import { connectServer } from "../../packages/fleet/src/nats/connect.ts";
import { followLink } from "../../packages/fleet/src/nats/link.ts";
import { readValues } from "../../packages/fleet/src/nats/policy-keys.ts";
import {
  type Channel,
  fetchBundle,
  type Pointer,
  pointerFor,
  pushBundle,
  type Ring,
  readChannel,
  readHistory,
  shareOf,
} from "../../packages/fleet/src/nats/policy-store.ts";
import { AUDIT_STREAM, buckets, objectStores, objectStream, ROSTER_KEY, subjects } from "../../packages/fleet/src/nats/subjects.ts";
import { packBundle, readBundle } from "../../packages/hookline/src/bundles/bundle.ts";
import { type BundlePolicy, createBundlePolicy } from "../../packages/hookline/src/hub/bundles/bundle-policy.ts";
import { call } from "../support/hook-files.ts";
import { natsForTests } from "../support/nats-server.ts";
import { DAY_MS, wordRule } from "../support/word-rule.ts";
import { FleetFixture, openHub, until } from "./fleet-fixture.ts";

const nats = natsForTests();

interface PushOptions {
  readonly by?: string;
  readonly channel?: Channel;
  readonly ring?: Ring;
  readonly serial?: number;
  readonly notAfter?: number;
  readonly extra?: string;
}

describe.skipIf(nats.isMissing)("the fleet's policy", { timeout: 180_000 }, () => {
  const credentials: { [name: string]: Credential } = {};
  const open: { close(): unknown }[] = [];
  let fleet: FleetFixture;

  const connectAs = async (name: string): Promise<NatsConnection> => {
    const connection = await connectServer(accessOf(credentials[name] ?? expect.fail(name)), { name: "test", forever: true });
    open.push(connection);
    return connection;
  };
  const publishRoster = async (): Promise<void> => putRoster(await connectAs("root"), fleet.tenant.signedRoster);

  beforeAll(async () => {
    fleet = await FleetFixture.start({ program: nats.program });
    const { tenant } = fleet;
    for (const [name, labels] of Object.entries({ anna: { team: "web" }, ben: {}, cleo: {} }))
      credentials[name] = tenant.addHost(name, labels);
    for (const [name, role] of [
      ["pia", "policy"],
      ["alex", "approve"],
    ] as const)
      credentials[name] = tenant.addPerson(name, role);
    credentials.root = tenant.person("root") ?? expect.fail();
    fleet.reload();
    await fleet.ensure();
    await publishRoster();
  });
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });
  afterAll(() => fleet?.close());

  /** What a person pushes: signed with the person's key, and put on the server with the person's credential. */
  const push = async (
    word: string,
    { by = "pia", channel = "stable", ring, serial, notAfter = Date.now() + DAY_MS, extra = "" }: PushOptions = {},
  ) => {
    const connection = await connectAs(by === "alex" ? "pia" : by);
    const read = { channel: await readChannel(connection, channel), history: await readHistory(connection) };
    const next = serial ?? Math.max(0, ...read.history.value.map((one) => one.serial)) + 1;
    const key = createPrivateKey(credentials[by]?.signingKey ?? expect.fail(by));
    const files = new Map([["rules.toml", Buffer.from(`${wordRule(`no-${word}`, word)}${extra}`)]]);
    const bytes = packBundle(files, new Set(), { name: "acme", channel, serial: next, notAfter, signer: { name: by, key } });
    const { digest, name, signer } = readBundle(bytes);
    const pushed = { channel, name, serial: next, digest, notAfter, signer: signer.name, ...(ring !== undefined && { ring }) };
    return pushBundle(connection, bytes, pushed, read);
  };

  interface Host {
    readonly policy: BundlePolicy;
    readonly channel: PolicyChannel;
    readonly alarms: string[];
    rules(): string[];
    /** How many bundles it has put into force or refused. */
    judged(): number;
    stop(): Promise<void>;
  }
  const startHost = async (name: string, given: { readonly channel?: string } = {}): Promise<Host> => {
    const state = join(fleet.folder, "hosts", name);
    mkdirSync(join(state, "fleet"), { recursive: true, mode: 0o700 });
    const alarms: string[] = [];
    const onProblem = (): void => {};
    const policy = createBundlePolicy({ state, data: state, alarm: ({ text }) => void alarms.push(text), onProblem, isJoined: () => true });
    await policy.configure(given);
    const connection = await connectAs(name);
    const { rootKey, fleet: id, labels = {} } = credentials[name] ?? expect.fail(name);
    const roster = openPinnedRoster({ folder: join(state, "fleet"), rootKey, fleet: id, onProblem });
    const link = followLink(connection);
    let judged = 0;
    const onTaken = (): void => void judged++;
    const channel = followPolicy({ connection, link, settings: { name, labels }, policy, roster, onProblem, onTaken });
    open.push(channel, policy);
    await channel.check();
    return {
      policy,
      channel,
      alarms,
      judged: () => judged,
      rules: () => policy.inForce().flatMap(({ rules = [] }) => rules.map((rule) => rule.name)),
      async stop() {
        channel.close();
        policy.close();
        await connection.close();
      },
    };
  };
  const serials = (...hosts: readonly Host[]) => hosts.map(({ policy }) => policy.status().bundle?.serial);

  it("reaches every host after a push, by the hint alone, also a host that comes later or was cut off", async () => {
    const early = await startHost("anna");
    expect(early.rules()).toEqual([]);
    const { serial } = await push("curl", { extra: `# ${"x".repeat(400_000)}\n` });
    await expect.poll(() => early.rules(), { timeout: 20_000 }).toEqual(["no-curl"]);
    const late = await startHost("ben");
    expect(serials(early, late)).toEqual([serial, serial]);

    await fleet.killServer(0);
    await fleet.startServer(0);
    const next = await push("wget");
    await expect.poll(() => serials(early, late), { timeout: 40_000 }).toEqual([next.serial, next.serial]);

    // A restart without the server: the last policy counts.
    await late.stop();
    await fleet.killServer(0);
    const state = join(fleet.folder, "hosts", "ben");
    const policy = createBundlePolicy({ state, data: state, alarm: () => {}, onProblem: () => {}, isJoined: () => true });
    open.push(policy);
    await policy.configure({});
    expect(policy.status()).toMatchObject({ from: "fleet", bundle: { serial: next.serial, signer: "pia" } });
    await fleet.startServer(0);
  });

  it("has a roster that can be published while the server reads its accounts again", async () => {
    const admin = await connectAs("root");
    let isDone = false;
    const put = async (): Promise<void> => {
      while (!isDone) await putRoster(admin, fleet.tenant.signedRoster);
    };
    const reload = async (): Promise<void> => {
      for (let times = 0; times < 40; times++) {
        fleet.tenant.addHost(`new-${times}`, {});
        fleet.reload();
        await sleep(25);
      }
      isDone = true;
    };
    await Promise.all([put(), reload()]);
    expect(await fetchRoster(admin, credentials.root ?? expect.fail())).toBeDefined();
  });

  it("decides on a real host, is told in its presence, and no longer counts after the host has left", async () => {
    const { serial } = await push("curl");
    const settings = fleet.settings("host", "dora");
    fleet.reload();
    await publishRoster();
    const hub = await openHub(fleet, settings);
    open.push(hub);
    const verdict = async (): Promise<unknown> => {
      const response = await fetch(new URL("/api/decide", hub.file.url), {
        method: "POST",
        headers: { authorization: `Bearer ${hub.file.token}`, "content-type": "application/json" },
        body: JSON.stringify({ event: "tool:before", payload: call("curl x"), timeoutMs: 10_000 }),
      });
      return ((await response.json()) as { readonly verdict: unknown }).verdict;
    };
    await until("the policy is in force", async () => (await verdict()) === "deny");
    expect(hub.parts.fleet.part?.status()).toMatchObject({ policy: { serial, channel: "stable" } });
    rmSync(join(fleet.state(settings), "fleet", "fleet.json"));
    await hub.parts.fleet.follow();
    expect(await verdict()).toBe("pass");
  });

  it("is refused with an alarm if it is older, expired, signed by a person who may not, or not whole", async () => {
    await push("first");
    const good = await push("curl");
    const host = await startHost("anna");
    expect(serials(host)).toEqual([good.serial]);
    const refused = async (why: string): Promise<void> => {
      await host.channel.check();
      expect([host.policy.status().refused, host.alarms.at(-1)]).toEqual([expect.stringContaining(why), expect.stringContaining(why)]);
      expect(serials(host)).toEqual([good.serial]);
    };
    await push("nmap", { by: "alex" });
    await refused('whose role in the fleet is "approve"');
    await push("nmap", { notAfter: Date.now() - 1 });
    await refused("was valid until");
    // A server that shows an old pointer again, whatever it says about it.
    const root = await connectAs("root");
    const old = await push("old", { serial: good.serial - 1 });
    const pointer: Pointer = { ...old, serial: good.serial + 50 };
    await jetstream(root).publish(subjects.key(buckets.policy, "stable"), JSON.stringify({ current: pointer }));
    await refused("is older than serial");
    const cut = await push("cut");
    await (await jetstreamManager(root)).streams.purge(objectStream(objectStores.policy), {
      filter: subjects.chunks(objectStores.policy, cut.object),
    });
    await expect(fetchBundle(root, cut)).rejects.toThrow("is not whole");
    await host.channel.check();
    expect(serials(host)).toEqual([good.serial]);
    const { serial } = await push("fixed");
    await host.channel.check();
    expect([serials(host), host.policy.status().refused, host.rules()]).toEqual([[serial], undefined, ["no-fixed"]]);
  });

  it("goes to the ring: by label, by percentage, by the host's own channel; the others keep what they had", async () => {
    const stable = await push("curl");
    const [anna, ben, cleo] = [await startHost("anna"), await startHost("ben"), await startHost("cleo", { channel: "canary" })];
    const checkAll = async () => {
      for (const host of [anna, ben, cleo]) await host.channel.check();
      return serials(anna, ben, cleo);
    };
    expect(await checkAll()).toEqual([stable.serial, stable.serial, stable.serial]);
    const labelled = await push("wget", { channel: "canary", ring: { labels: { team: "web" } } });
    expect(await checkAll()).toEqual([labelled.serial, stable.serial, labelled.serial]);
    const none = await push("none", { ring: { percent: 0 } });
    expect(none.serial).toBe(labelled.serial + 1);
    expect(await checkAll()).toEqual([labelled.serial, stable.serial, labelled.serial]);
    const all = await push("all", { ring: { percent: 100 } });
    expect(await checkAll()).toEqual([all.serial, all.serial, all.serial]);

    const shares = Array.from({ length: 2_000 }, (_, index) => shareOf(`host-${index}`, all.digest));
    expect(shares.every((share) => share >= 0 && share < 100)).toBe(true);
    const tenth = shares.filter((share) => share < 10).length;
    expect(tenth).toBeGreaterThan(120);
    expect(tenth).toBeLessThan(280);
    expect(pointerFor({ name: "x", labels: {}, channel: "stable" }, { stable: undefined, canary: { current: all } })).toMatchObject({
      serial: all.serial,
    });
  });

  it("strands no host that has left a ring: it keeps the newer bundle, without an alarm, and a rollback with the ring reaches it", async () => {
    const stable = await push("curl");
    const anna = await startHost("anna");
    const canary = await push("wget", { channel: "canary", ring: { labels: { team: "web" } } });
    await anna.channel.check();
    // A push to the canary without the ring: what is left for this host is older.
    await push("nmap", { channel: "canary" });
    const before = anna.policy.status().bundle?.confirmedAt ?? 0;
    await expect
      .poll(async () => {
        await anna.channel.check();
        return anna.policy.status().bundle?.confirmedAt ?? 0;
      })
      .toBeGreaterThan(before);
    expect([serials(anna), anna.alarms, anna.policy.status().refused]).toEqual([[canary.serial], [], undefined]);
    expect(stable.serial).toBeLessThan(canary.serial);
    const back = await push("curl", { channel: "canary", ring: { labels: { team: "web" } } });
    await anna.channel.check();
    expect([serials(anna), anna.rules()]).toEqual([[back.serial], ["no-curl"]]);

    const hosts = Array.from({ length: 200 }, (_, index) => ({ name: `host-${index}`, labels: {}, channel: "stable" }));
    const reached = (current: Pointer) =>
      hosts.filter((host) => pointerFor(host, { stable: undefined, canary: { current } }) !== undefined);
    const tenth: Pointer = { ...back, ring: { percent: 10 } };
    expect(reached(tenth).length).toBeGreaterThan(0);
    expect(reached({ ...tenth, digest: "other", ring: { percent: 10, seed: back.digest } })).toEqual(reached(tenth));
    expect(reached({ ...tenth, digest: "other" })).not.toEqual(reached(tenth));
  });

  it("is judged again after a refusal only if the roster or the pointer changes", async () => {
    const host = await startHost("anna");
    await push("nmap", { by: "alex" });
    const judged = async (): Promise<number> => {
      const before = host.judged();
      await host.channel.check();
      return host.judged() - before;
    };
    // The hint of the push may have been faster.
    await host.channel.check();
    expect(host.policy.status().refused).toContain('"approve"');
    expect([await judged(), await judged()]).toEqual([0, 0]);
    fleet.tenant.addHost("later", {});
    await publishRoster();
    expect([await judged(), await judged()]).toEqual([1, 0]);
    await push("fixed");
    await host.channel.check();
    expect([host.rules(), host.policy.status().refused]).toEqual([["no-fixed"], undefined]);
  });

  it("has one history: two pushes at once do not use one serial, and old content goes on under a new serial", async () => {
    const connection = await connectAs("pia");
    const first = await push("curl");
    const host = await startHost("anna");
    await push("wget");
    await host.channel.check();
    expect(host.rules()).toEqual(["no-wget"]);
    const back = readBundle(await fetchBundle(connection, first));
    const read = { channel: await readChannel(connection, "stable"), history: await readHistory(connection) };
    const serial = Math.max(...read.history.value.map((one) => one.serial)) + 1;
    const key = createPrivateKey(credentials.pia?.signingKey ?? "");
    const bytes = packBundle(back.files, back.executables, {
      name: "acme",
      channel: "stable",
      serial,
      notAfter: back.notAfter,
      signer: { name: "pia", key },
    });
    const pushed = {
      channel: "stable",
      name: "acme",
      serial,
      digest: readBundle(bytes).digest,
      notAfter: back.notAfter,
      signer: "pia",
    } as const;
    await pushBundle(connection, bytes, pushed, read);
    await expect(pushBundle(connection, bytes, pushed, read)).rejects.toThrow("Another push was faster");
    await host.channel.check();
    expect([host.rules(), serials(host)]).toEqual([["no-curl"], [serial]]);
  });

  it("is not trusted any more from a person who was removed from the roster, and a forged roster changes nothing", async () => {
    const { tenant } = fleet;
    credentials.paul = tenant.addPerson("paul", "policy");
    fleet.reload();
    await publishRoster();
    const host = await startHost("anna");
    const { serial } = await push("paul", { by: "paul" });
    await host.channel.check();
    expect(serials(host)).toEqual([serial]);
    const before = tenant.signedRoster;
    tenant.remove("person", "paul");
    await publishRoster();
    const { signedRoster } = tenant;
    const later = await push("later", { by: "root" });
    await host.channel.check();
    expect(serials(host)).toEqual([later.serial]);
    // The old roster, and one with a wrong signature.
    const root = await connectAs("root");
    for (const forged of [before, { ...signedRoster, signature: signedRoster.signature.replace(/^./, "A") }]) {
      await putRoster(root, forged);
      await host.channel.check();
      expect(serials(host)).toEqual([later.serial]);
    }
    await publishRoster();
  });

  // The server does not check where its reply to a message goes. Only fleet hubs and admins have that in the account with the streams.
  it("and the roster hold against a fleet hub that lets the server reply to their keys", async () => {
    const good = await push("curl");
    credentials.harm = fleet.tenant.addHub("harm", false);
    fleet.reload();
    await publishRoster();
    const [root, attacker] = [await connectAs("root"), await connectAs("harm")];
    const keys = ["stable", "history", ROSTER_KEY];
    const attack = async (): Promise<void> => {
      for (const key of [...keys, ...keys, ...keys])
        attacker.publish(subjects.audit("hub", "harm", "looked"), "x", { reply: subjects.key(buckets.policy, key) });
      await attacker.flush();
      const isThere = async (key: string) =>
        (await readValues(root, key)).values.some((value) => String(Buffer.from(value)).includes(AUDIT_STREAM));
      for (const key of keys) await until(`a reply is in ${key}`, () => isThere(key));
    };
    await attack();
    // A host that comes later, and everybody who looks.
    const host = await startHost("ben");
    await host.channel.check();
    expect([serials(host), host.alarms]).toEqual([[good.serial], []]);
    expect((await readChannel(root, "stable")).value?.current).toEqual(good);
    expect((await readHistory(root)).value[0]).toEqual(good);
    expect((await fetchRoster(root, credentials.root ?? expect.fail()))?.serial).toBe(fleet.tenant.roster.serial);
    // Both can be replaced as ever, by a person of the role policy, too.
    const next = await push("nmap");
    fleet.tenant.addPerson("nora", "policy");
    fleet.reload();
    await publishRoster();
    await attack();
    await host.channel.check();
    expect([serials(host), host.rules()]).toEqual([[next.serial], ["no-nmap"]]);
    expect((await fetchRoster(root, credentials.root ?? expect.fail()))?.people.map(({ name }) => name)).toContain("nora");
  });
});
