import { mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminFolder } from "../../packages/fleet/src/credentials/admin-folder.ts";
import { accessOf, type Credential, decodeInvite, encodeInvite } from "../../packages/fleet/src/credentials/credential.ts";
import { serverText } from "../../packages/fleet/src/credentials/server-config.ts";
import { freePort } from "../../packages/fleet/src/dev/nats-process.ts";
import { answerControl } from "../../packages/fleet/src/host/control.ts";
import { askHost } from "../../packages/fleet/src/nats/ask-host.ts";
import { recordAudit } from "../../packages/fleet/src/nats/audit.ts";
import { connectServer } from "../../packages/fleet/src/nats/connect.ts";
import { ensureStreams } from "../../packages/fleet/src/nats/streams.ts";
import { allParts, bucketStream, buckets, eventStream, partOf, subjects } from "../../packages/fleet/src/nats/subjects.ts";
import { natsForTests, startTestServer, type TestServer } from "../support/nats-server.ts";
import { removeFolder } from "../support/remove-folder.ts";

const nats = natsForTests();
const limits = { eventBytes: 64 * 1024 * 1024, largeEventBytes: 16 * 1024 * 1024 };
const API = "$JS.API";

describe.skipIf(nats.isMissing)("what the server lets a credential do", () => {
  let folder: string;
  let admin: AdminFolder;
  let server: TestServer;
  const open: NatsConnection[] = [];
  const connectAs = async (credential: Credential): Promise<NatsConnection> => {
    const connection = await connectServer(accessOf(credential), { name: "test" });
    open.push(connection);
    return connection;
  };
  const credentials: { [name: string]: Credential } = {};
  const at: { [name: string]: NatsConnection } = {};
  const config = (port: number, home: string) =>
    serverText({ listen: `127.0.0.1:${port}`, name: "test", storeDir: home }, 2) + admin.accounts();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "hl-fleet-admin-"));
    const port = await freePort();
    admin = AdminFolder.make(folder, { listen: `127.0.0.1:${port}` });
    const { tenant: acme } = admin.ensureTenant("acme", "root");
    const { tenant: other } = admin.ensureTenant("other", "root");
    Object.assign(credentials, {
      anna: acme.addHost("anna", { team: "web" }),
      ben: acme.addHost("ben", {}),
      hub: acme.addHub("hub", false),
      vera: acme.addPerson("vera", "view"),
      alex: acme.addPerson("alex", "approve"),
      pia: acme.addPerson("pia", "policy"),
      root: acme.person("root"),
      stranger: other.addHost("anna", {}),
      otherRoot: other.person("root"),
    });
    server = await startTestServer({
      program: nats.program,
      config: (to) => config(port, to.folder),
      again: { port, folder: mkdtempSync(join(tmpdir(), "hl-nats-")) },
    });
    for (const [name, credential] of Object.entries(credentials)) at[name] = await connectAs(credential);
    for (const name of ["root", "otherRoot"]) await ensureStreams(connectionOf(name), limits);
    await jetstream(connectionOf("ben")).publish(subjects.events("ben", "tool"), "a secret of ben");
  });
  afterAll(async () => {
    for (const connection of open) await connection.close();
    await server?.close();
    removeFolder(folder);
  });
  const connectionOf = (name: string): NatsConnection => at[name] ?? expect.fail(name);
  /** What the server says to a message: its acknowledgement, its refusal, or that it may not be sent at all. */
  const send = async (name: string, subject: string, data = "", header: { readonly [key: string]: string } = {}): Promise<string> => {
    const sent = headers();
    for (const [key, value] of Object.entries(header)) sent.set(key, value);
    try {
      const { data: answer } = await connectionOf(name).request(subject, data, { timeout: 2000, headers: sent });
      return new TextDecoder().decode(answer);
    } catch (error) {
      return /permission/i.test(String(error)) ? "not permitted" : String(error);
    }
  };
  const count = async (stream: string): Promise<number> =>
    (await (await jetstreamManager(connectionOf("root"))).streams.info(stream)).state.messages;

  it("a host publishes its own events, presence, questions and large events", async () => {
    const own = [
      subjects.events("anna", "tool"),
      subjects.question("anna", "q1"),
      subjects.key(buckets.hosts, "anna"),
      subjects.chunks("events", "anna.e1"),
    ];
    for (const subject of own) expect(JSON.parse(await send("anna", subject, "x")), subject).toMatchObject({ seq: expect.any(Number) });
  });

  const forged: [string, string][] = [
    ["another host's events", subjects.events("ben", "tool")],
    ["another host's events, straight to the fleet hub", subjects.direct("ben", "event")],
    ["its own name in another part", `hl.ev.${partOf("anna") === "00" ? "01" : "00"}.anna.tool`],
    ["another host's question", subjects.question("ben", "q1")],
    ["an answer, even to itself", subjects.answer("anna", "q1")],
    ["another host's presence", subjects.key(buckets.hosts, "ben")],
    ["a confirmation", subjects.key(buckets.cursor, "anna")],
    ["a policy", subjects.key(buckets.policy, "stable")],
    ["the roster", subjects.key(buckets.policy, "roster")],
    ["an allowance", subjects.key(buckets.always, "x")],
    ["a control message", subjects.control("ben", "live")],
    ["another host's large event", subjects.chunks("events", "ben.e1")],
    ["the metadata of an object", subjects.metadata("events", "x")],
    ["a bundle", subjects.chunks("policy", "x")],
    ["an audit entry", subjects.audit("host", "anna", "x")],
    ["an audit entry of another", subjects.audit("host", "ben", "x")],
    ["an audit entry of a person", subjects.audit("person", "anna", "x")],
    ["another's reply", "hl.in.host.ben.x"],
    ["a reply to a person", "hl.in.person.root.x"],
    ["another host's answer to a control message", subjects.reply("ben", "x")],
  ];
  it.each(forged)("a host cannot publish %s", async (_, subject) => {
    expect(await send("anna", subject, "forged")).toBe("not permitted");
  });

  const reads: [string, string, object][] = [
    ["read a message of an event stream", `${API}.STREAM.MSG.GET.EV_${partOf("ben")}`, { seq: 1 }],
    ["read it directly", `${API}.DIRECT.GET.EV_${partOf("ben")}`, { seq: 1 }],
    ["create a consumer", `${API}.CONSUMER.CREATE.EV_${partOf("ben")}`, {}],
    ["create a consumer of its own events", `${API}.CONSUMER.CREATE.EV_${partOf("anna")}.c.${subjects.events("anna", "*")}`, {}],
    ["create a durable consumer", `${API}.CONSUMER.DURABLE.CREATE.EV_${partOf("anna")}.d`, {}],
    ["fetch from a consumer", `${API}.CONSUMER.MSG.NEXT.EV_${partOf("ben")}.c`, {}],
    ["read the presence of all", `${API}.DIRECT.GET.KV_hosts`, { multi_last: ["$KV.hosts.>"] }],
    ["read the presence of one", `${API}.DIRECT.GET.KV_hosts.$KV.hosts.ben`, {}],
    ["read another's confirmation", `${API}.DIRECT.GET.KV_cursor.$KV.cursor.ben`, {}],
    ["read all confirmations", `${API}.DIRECT.GET.KV_cursor`, { multi_last: ["$KV.cursor.>"] }],
    ["read another's answer", `${API}.DIRECT.GET.ASK.${subjects.answer("ben", "q1")}`, {}],
    ["read questions", `${API}.DIRECT.GET.ASK`, { seq: 1 }],
    ["read the audit", `${API}.DIRECT.GET.AUDIT`, { seq: 1 }],
    ["read another's large event", `${API}.DIRECT.GET.OBJ_events`, { seq: 1 }],
    ["list streams", `${API}.STREAM.LIST`, {}],
    ["list names", `${API}.STREAM.NAMES`, {}],
    ["see a stream's subjects", `${API}.STREAM.INFO.EV_${partOf("ben")}`, { subjects_filter: ">" }],
  ];
  it.each(reads)("a host cannot %s", async (_, subject, body) => {
    expect(await send("anna", subject, JSON.stringify(body))).toBe("not permitted");
  });

  const harms: [string, string, object][] = [
    ["purge a stream", `${API}.STREAM.PURGE.EV_${partOf("ben")}`, {}],
    ["delete a stream", `${API}.STREAM.DELETE.EV_${partOf("ben")}`, {}],
    ["delete a message", `${API}.STREAM.MSG.DELETE.EV_${partOf("anna")}`, { seq: 1 }],
    ["change a stream", `${API}.STREAM.UPDATE.EV_${partOf("anna")}`, { name: `EV_${partOf("anna")}` }],
    ["create a stream", `${API}.STREAM.CREATE.MINE`, { name: "MINE", subjects: ["x"] }],
    ["restore a stream", `${API}.STREAM.RESTORE.EV_00`, {}],
    ["take a snapshot", `${API}.STREAM.SNAPSHOT.EV_00`, { deliver_subject: "hl.in.host.anna.s" }],
    ["acknowledge for the hub", `$JS.ACK.EV_00.c.1.1.1.1.0`, {}],
    ["remove the account's place", `${API}.ACCOUNT.PURGE.HL_acme`, {}],
    ["ask the server's own account", "$SYS.REQ.SERVER.PING.VARZ", {}],
  ];
  it.each(harms)("a host cannot %s", async (_, subject, body) => {
    expect(await send("anna", subject, JSON.stringify(body))).toBe("not permitted");
  });

  it.each([
    [subjects.events("anna", "tool"), { "Nats-Rollup": "all" }, `EV_${partOf("anna")}`],
    [subjects.events("anna", "tool"), { "Nats-Rollup": "sub" }, `EV_${partOf("anna")}`],
    [subjects.key(buckets.hosts, "anna"), { "Nats-Rollup": "all", "KV-Operation": "PURGE" }, "KV_hosts"],
    [subjects.question("anna", "q9"), { "Nats-Rollup": "all" }, "ASK"],
    [subjects.chunks("events", "anna.e9"), { "Nats-Rollup": "all" }, "OBJ_events"],
  ])("a host cannot remove others' messages with a header: %s %j", async (subject, header, stream) => {
    await jetstream(connectionOf("ben")).publish(subjects.key(buckets.hosts, "ben"), "here");
    const before = await count(stream);
    expect(await send("anna", subject, "x", header)).toContain("rollup not permitted");
    expect(await count(stream)).toBe(before);
  });

  const watches = [
    subjects.events("ben", "*"),
    "hl.ev.>",
    "hl.now.>",
    subjects.direct("anna", "*"),
    "hl.>",
    ">",
    "hl.in.>",
    "hl.in.host.ben.>",
    "hl.in.person.root.>",
    "_INBOX.>",
    subjects.question("ben", "*"),
    subjects.answer("ben", "*"),
    subjects.told(subjects.answer("ben", "*")),
    "hl.told.>",
    subjects.control("ben", "*"),
    subjects.live("ben", "*"),
    "hl.audit.>",
    subjects.key(buckets.hosts, ">"),
    subjects.key(buckets.cursor, ">"),
    "$O.>",
    "$JS.>",
    "$SYS.>",
    `${API}.>`,
  ];
  it.each(watches)("a host cannot subscribe to %s", async (subject) => {
    const refused = new Promise<string>((resolve) => {
      connectionOf("anna").subscribe(subject, { callback: (error) => void (error !== null && resolve(error.message)) });
    });
    expect(await refused).toMatch(/permission/i);
  });

  it("a host sees what is meant for it", async () => {
    const seen: string[] = [];
    const host = connectionOf("anna");
    for (const subject of [
      subjects.told(subjects.answer("anna", "*")),
      subjects.told(subjects.key(buckets.policy, ">")),
      subjects.control("anna", "*"),
      subjects.key(buckets.cursor, "anna"),
    ])
      host.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) seen.push(message.subject);
        },
      });
    await host.flush();
    await send("alex", subjects.answer("anna", "q5"), "yes");
    await send("hub", subjects.key(buckets.cursor, "anna"), "7");
    await send("root", subjects.key(buckets.policy, "roster"), "r");
    connectionOf("hub").publish(subjects.control("anna", "live"));
    await connectionOf("hub").flush();
    await host.flush();
    expect(seen).toEqual([
      subjects.told(subjects.answer("anna", "q5")),
      subjects.key(buckets.cursor, "anna"),
      subjects.told(subjects.key(buckets.policy, "roster")),
      subjects.control("anna", "live"),
    ]);
    expect(await send("anna", `${API}.DIRECT.GET.KV_cursor.$KV.cursor.anna`)).toBe("7");
    expect(await send("anna", `${API}.DIRECT.GET.ASK.${subjects.answer("anna", "q5")}`)).toBe("yes");
    expect(await send("anna", `${API}.DIRECT.GET.KV_policy.$KV.policy.roster`)).toBe("r");
  });

  it("a host answers control messages under its own name", async () => {
    const control = answerControl(connectionOf("ben"), "ben", { live: () => "done" });
    await connectionOf("ben").flush();
    const ask = (name: string) => askHost(connectionOf(name), { host: "ben", verb: "live", timeoutMs: 2000 }, {});
    for (const name of ["hub", "vera", "root"]) expect((await ask(name)).json()).toEqual({ ok: "done" });
    await expect(ask("anna")).rejects.toThrow(/permission/i);
    control.close();
  });

  it("a host that leaves while it answers ends without a fault", async () => {
    const leaving = await connectAs(credentials.ben ?? expect.fail());
    answerControl(leaving, "ben", { live: () => leaving.close() });
    await leaving.flush();
    const request = askHost(connectionOf("root"), { host: "ben", verb: "live", timeoutMs: 300 }, {});
    await expect(request).rejects.toThrow(/timeout/i);
    expect(leaving.isClosed()).toBe(true);
  });

  it("a host cannot answer what is not for it: no acknowledgement can be forged, nor can a host be made to publish elsewhere", async () => {
    const inbox = "hl.in.person.root.probe";
    const got: string[] = [];
    const [root, host] = [connectionOf("root"), connectionOf("anna")];
    root.subscribe(inbox, { callback: (_, message) => void got.push(message.string()) });
    const answered = new Promise<void>((resolve) => {
      host.subscribe(subjects.told(subjects.key(buckets.policy, "probe")), {
        callback: (_, message) => {
          message.respond("forged");
          resolve();
        },
      });
    });
    const control = answerControl(host, "anna", { live: () => "done" });
    await Promise.all([root.flush(), host.flush()]);
    root.publish(subjects.key(buckets.policy, "probe"), "x", { reply: inbox });
    const before = await count(`EV_${partOf("anna")}`);
    connectionOf("vera").publish(subjects.control("anna", "live"), "{}", { reply: subjects.events("anna", "tool") });
    await answered;
    for (const name of ["vera", "anna", "root"]) await connectionOf(name).flush();
    await host.flush();
    expect(got).toEqual([expect.stringContaining('"stream":"KV_policy"')]);
    expect(await count(`EV_${partOf("anna")}`)).toBe(before);
    control.close();
  });

  // The server checks who may publish where, and not where its reply to a message goes.
  it.each(["anna", "vera", "alex", "pia"])("the server's replies to %s lead nowhere else", async (name) => {
    const [root, one] = [connectionOf("root"), connectionOf(name)];
    const manager = await jetstreamManager(root);
    await jetstream(root).publish(subjects.key(buckets.policy, `held-${name}`), "kept");
    const event = headers();
    event.set("Hl-At", `${"a".repeat(32)} 0 1`);
    // A reply without a body, one of the server's words, and one of the person's.
    const sources: [string, string][] = [[`${API}.DIRECT.GET.KV_policy.$KV.policy.missing`, ""]];
    if (name === "anna") sources.push([subjects.events("anna", "event"), "x"]);
    else
      for (const data of ["", JSON.stringify({ action: "policy-pushed", name: "MINE", subjects: ["mine.>"], seq: 1_000_000 })]) {
        const { seq } = (await one.request(subjects.audit("person", name, "looked"), data, { headers: event, timeout: 2000 })).json<{
          seq: number;
        }>();
        for (const more of [{}, { no_hdr: true }]) sources.push([`${API}.DIRECT.GET.AUDIT`, JSON.stringify({ seq, ...more })]);
      }
    const targets = [
      `${API}.STREAM.DELETE.EV_${partOf("ben")}`,
      `${API}.STREAM.DELETE.AUDIT`,
      `${API}.STREAM.PURGE.${bucketStream(buckets.policy)}`,
      `${API}.STREAM.CREATE.MINE`,
      `${API}.CONSUMER.DELETE.AUDIT.probe`,
      subjects.audit("person", "root", "policy-pushed"),
      subjects.key(buckets.cursor, "ben"),
      subjects.key(buckets.hosts, "ben"),
      subjects.key(buckets.policy, "stable"),
      subjects.events("ben", "event"),
    ].filter((target) => !(name === "pia" && (target.includes("KV_policy") || target.includes("$KV.policy"))));
    await manager.consumers.add("AUDIT", { durable_name: "probe" });
    const state = async () => {
      const streams = await manager.streams.list().next();
      return streams.map(({ config, state }) => [
        config.name,
        config.name === eventStream(partOf("anna")) ? 0 : state.last_seq,
        state.first_seq,
      ]);
    };
    const before = await state();
    for (const target of targets) for (const [subject, data] of sources) one.publish(subject, data, { reply: target });
    await one.flush();
    // It is over when the same way has brought back an answer of its own, and the server has done what was asked before.
    const own = `${API}.DIRECT.GET.KV_policy.$KV.policy.held-${name}`;
    for (let times = 0; times < 20; times++) expect(await send(name, own)).toBe("kept");
    expect(await state()).toEqual(before);
    expect((await manager.consumers.info("AUDIT", "probe")).name).toBe("probe");
    await manager.consumers.delete("AUDIT", "probe");
  });

  it("only the first answer counts, whatever its headers say", async () => {
    expect(JSON.parse(await send("alex", subjects.answer("ben", "first"), "yes"))).toMatchObject({ stream: "ASK" });
    expect(await send("alex", subjects.answer("ben", "first"), "no")).toContain("maximum messages per subject exceeded");
    expect(await send("anna", `${API}.DIRECT.GET.ASK.${subjects.answer("ben", "first")}`)).toBe("not permitted");
  });

  const roles: [string, string, readonly string[]][] = [
    ["answers", subjects.answer("anna", "r"), ["alex", "root", "hub"]],
    ["allows always", subjects.key(buckets.always, "r"), ["alex", "root", "hub"]],
    ["pushes a policy", subjects.key(buckets.policy, "stable"), ["pia", "root"]],
    ["stores a bundle", subjects.chunks("policy", "b1"), ["pia", "root"]],
    ["writes the roster", subjects.key(buckets.policy, "roster"), ["root"]],
    ["confirms events", subjects.key(buckets.cursor, "ben"), ["hub", "root"]],
    ["publishes events of a host", subjects.events("anna", "tool"), ["anna"]],
    ["says that a host is there", subjects.key(buckets.hosts, "anna"), ["anna"]],
    ["removes stored events", `${API}.STREAM.PURGE.EV_${allParts.find((part) => part !== partOf("ben"))}`, ["hub", "root"]],
    ["purges the audit", `${API}.STREAM.PURGE.AUDIT`, []],
    ["deletes the audit", `${API}.STREAM.DELETE.AUDIT`, []],
    ["deletes a stream", `${API}.STREAM.DELETE.NONE`, ["root"]],
  ];
  it.each(roles)("by role: who %s", async (_, subject, allowed) => {
    for (const name of ["anna", "hub", "vera", "alex", "pia", "root"]) {
      const suffix = subject.startsWith("hl.ans") ? `-${name}` : "";
      const answer = await send(name, subject + suffix, subject.startsWith("$JS") ? "" : "x");
      expect(answer === "not permitted", `${name}: ${answer}`).toBe(!allowed.includes(name));
    }
  });

  it("nobody deletes or purges the audit or an entry of it, not even an admin", async () => {
    await send("vera", subjects.audit("person", "vera", "looked"), "x");
    const before = await count("AUDIT");
    expect(before).toBeGreaterThan(0);
    for (const verb of ["PURGE", "DELETE"]) expect(await send("root", `${API}.STREAM.${verb}.AUDIT`)).toBe("not permitted");
    expect(await send("root", `${API}.STREAM.MSG.DELETE.AUDIT`, JSON.stringify({ seq: 1 }))).toBe("not permitted");
    expect(await send("vera", subjects.audit("person", "vera", "looked"), "x", { "Nats-Rollup": "all" })).toContain("rollup not permitted");
    expect(await count("AUDIT")).toBe(before);
  });

  it("a full audit says that what was done counts", async () => {
    const manager = await jetstreamManager(connectionOf("root"));
    const { config } = await manager.streams.info("AUDIT");
    const record = () => recordAudit(connectionOf("vera"), { kind: "person", name: "vera" }, { action: "looked" });
    await manager.streams.update("AUDIT", { max_bytes: 1 });
    await expect(record()).rejects.toThrow('no entry "looked": maximum bytes exceeded. What was done before it counts.');
    await manager.streams.update("AUDIT", { max_bytes: config.max_bytes });
    await record();
  });

  it("tenants are separated: the same name in another tenant is another host", async () => {
    const seen: string[] = [];
    connectionOf("stranger").subscribe(subjects.control("anna", "*"), { callback: (_, message) => void seen.push(message.subject) });
    await connectionOf("stranger").flush();
    connectionOf("hub").publish(subjects.control("anna", "live"));
    await connectionOf("hub").flush();
    await jetstream(connectionOf("stranger")).publish(subjects.events("anna", "tool"), "of the other");
    const streams = await (await jetstreamManager(connectionOf("otherRoot"))).streams.list().next();
    expect(streams.reduce((sum, { state }) => sum + state.messages, 0)).toBe(1);
    await connectionOf("stranger").flush();
    expect(seen).toEqual([]);
  });

  it("a credential that was revoked is disconnected at once and does not come back", async () => {
    const acme = admin.tenant("acme") ?? expect.fail();
    const temporary = acme.addHost("temp", {});
    server.reload(config(server.port, server.folder));
    const connection = await retried(() => connectAs(temporary));
    const closed = connection.closed();
    expect(acme.remove("host", "temp")).toBe(true);
    server.reload(config(server.port, server.folder));
    await closed;
    await expect(connectServer(accessOf(temporary), { name: "test" })).rejects.toThrow("refuses this credential");
    expect(acme.roster.hosts.map(({ name }) => name)).not.toContain("temp");
  });

  it("no file of the admin is readable by others, whatever the umask", () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const modes = files.map((entry) => [entry.name, (statSync(join(entry.parentPath, entry.name)).mode & 0o077).toString(8)]);
    expect(modes.length).toBeGreaterThan(5);
    expect(modes.filter(([, mode]) => mode !== "0")).toEqual([]);
  });

  it("an invitation is one line that cannot be cut or changed", () => {
    const line = encodeInvite(credentials.anna ?? expect.fail());
    expect(line).toMatch(/^[\w-]+$/);
    expect(decodeInvite(line)).toEqual(credentials.anna);
    for (const bad of [
      line.slice(0, -3),
      line.replace(/.(?=.{5}$)/, (one) => (one === "A" ? "B" : "A")),
      `${line.slice(0, 60)}${line[60] === "x" ? "y" : "x"}${line.slice(61)}`,
      "",
      "hl1-",
      "x",
    ])
      expect(() => decodeInvite(bad), bad.slice(-10)).toThrow("incomplete or changed");
  });
});

/** A server reads its configuration a moment after the signal. */
async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left--) {
    try {
      return await act();
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
