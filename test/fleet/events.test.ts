import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import type { Hub } from "hookline/hub";
import type { FleetSettings } from "hookline/internal/fleet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectServer } from "../../packages/fleet/src/nats/connect.ts";
import { allParts, partOf, subjects } from "../../packages/fleet/src/nats/subjects.ts";
import { natsForTests } from "../support/nats-server.ts";
import { sampleEnvelope } from "../support/sample-envelope.ts";
import { FleetFixture, openHub, until } from "./fleet-fixture.ts";

const nats = natsForTests();

/** Stores events in a hub as a process would; gives their ids. */
async function feed(hub: Hub, count: number, more: (index: number) => object = () => ({})): Promise<string[]> {
  const events = Array.from({ length: count }, (_, index) => hub.parts.ingest.acceptEnvelope(sampleEnvelope(more(index))));
  const accepted = events.flatMap((event) => ("code" in event ? [] : [event]));
  expect(accepted).toHaveLength(count);
  await hub.parts.ingest.append(accepted);
  return accepted.map(({ envelope }) => envelope.id);
}

/** Of one host in the fleet's store, or all of a store. */
async function idsOf(hub: Hub, host?: string): Promise<string[]> {
  const ids: string[] = [];
  for (let place = 0; ; ) {
    const rows = await hub.parts.store.after(place, host === undefined ? {} : { host }, 1000);
    if (rows.length === 0) return ids;
    ids.push(...rows.map(({ body }) => (JSON.parse(body) as { id: string }).id));
    place = rows.at(-1)?.place ?? place;
  }
}

describe.skipIf(nats.isMissing).each([1, 3] as const)("events of hosts, on %i server(s)", (servers) => {
  let fleet: FleetFixture;
  let hub: Hub;
  const hosts: { [name: string]: Hub } = {};
  const problems: string[] = [];
  let settings: { readonly [name in "hub" | "second" | "anna" | "ben"]: FleetSettings };
  const sent: { [name: string]: string[] } = { anna: [], ben: [] };
  const host = (name: string): Hub => hosts[name] ?? expect.fail(name);
  const arrive = (name: string) =>
    until(`all events of ${name} are in the fleet's store`, async () => (await idsOf(hub, name)).length >= (sent[name]?.length ?? 0));
  const send = async (name: string, count: number, more?: (index: number) => object) => {
    sent[name]?.push(...(await feed(host(name), count, more)));
  };

  beforeAll(async () => {
    fleet = await FleetFixture.start({ program: nats.program, servers });
    settings = {
      hub: fleet.settings("hub", "main"),
      second: fleet.settings("hub", "second"),
      anna: fleet.settings("host", "anna"),
      ben: fleet.settings("host", "ben"),
    };
    fleet.reload();
    await fleet.ensure();
    hosts.anna = await openHub(fleet, settings.anna, problems);
    hosts.ben = await openHub(fleet, settings.ben, problems);
    hub = await openHub(fleet, settings.hub, problems);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([...Object.values(hosts), hub].map((each) => each?.close()));
    await fleet?.close();
  });

  it("reach the fleet's store once and in order, with the names of their credentials", async () => {
    await send("anna", 1200, (index) => ({ source: { app: "agent", host: "ben", pid: 1, instance: "i1" }, payload: { index } }));
    await send("ben", 300);
    await arrive("anna");
    await arrive("ben");
    expect(await idsOf(hub, "anna")).toEqual(sent.anna);
    expect(await idsOf(hub, "ben")).toEqual(sent.ben);
    const manager = await jetstreamManager(await fleet.admin());
    for (const name of ["anna", "ben"])
      await until("the server has removed them", async () => (await manager.streams.info(`EV_${partOf(name)}`)).state.messages === 0);
  });

  it("may be 4 MB large, and leave nothing in the object store", async () => {
    const text = "ä€".repeat(800_000);
    await send("anna", 1, () => ({ payload: { text } }));
    await send("anna", 3);
    await arrive("anna");
    expect(await idsOf(hub, "anna")).toEqual(sent.anna);
    const large = await hub.parts.store.get(sent.anna?.at(-4) ?? "");
    expect((JSON.parse(large?.body ?? "{}") as { payload: { text: string } }).payload.text).toBe(text);
    const manager = await jetstreamManager(await fleet.admin());
    await until("the object is removed", async () => (await manager.streams.info("OBJ_events")).state.messages === 0);
  });

  it("are confirmed, and the table of hosts shows presence and lag", async () => {
    await until("the hosts are confirmed", () =>
      ["anna", "ben"].every((name) => host(name).parts.fleet.part?.status().confirmed === sent[name]?.length),
    );
    await until("the hosts are present", () => hub.parts.fleet.part?.hosts?.().filter(({ isPresent }) => isPresent).length === 2);
    expect(hub.parts.fleet.part?.hosts?.()).toMatchObject([
      { name: "anna", position: sent.anna?.length, missing: 0, presence: { state: "present" } },
      { name: "ben", position: sent.ben?.length, missing: 0 },
    ]);
  });

  it("go straight to the fleet hub while their stream is gone, and by the stream again afterwards", async () => {
    const manager = await jetstreamManager(await fleet.admin());
    const stream = `EV_${partOf("ben")}`;
    const { batches: before } = host("ben").parts.fleet.part?.status() ?? {};
    await manager.streams.delete(stream);
    await send("ben", 700);
    await arrive("ben");
    expect(await idsOf(hub, "ben")).toEqual(sent.ben);
    expect(host("ben").parts.fleet.part?.status().batches).toBe(before);
    await fleet.ensure();
    await until("the stream takes events", async () => {
      await send("ben", 1);
      return Number(host("ben").parts.fleet.part?.status().batches) > Number(before);
    });
    await arrive("ben");
    expect(await idsOf(hub, "ben")).toEqual(sent.ben);
    await until("they are confirmed", () => host("ben").parts.fleet.part?.status().confirmed === sent.ben?.length);
  });

  it("are sent again when the server loses some of them, in the middle or at the end", async () => {
    const manager = await jetstreamManager(await fleet.admin());
    const stream = `EV_${partOf("ben")}`;
    for (const later of [5, 0]) {
      await hub.close();
      await send("ben", 50);
      await until("the server has them", () => host("ben").parts.fleet.part?.status().sent === sent.ben?.length);
      expect((await manager.streams.info(stream)).state.messages).toBeGreaterThan(0);
      await manager.streams.purge(stream);
      await send("ben", later);
      hub = await openHub(fleet, settings.hub, problems);
      await arrive("ben");
      expect(await idsOf(hub, "ben")).toEqual(sent.ben);
    }
  });

  it("are sent again from the host's store after the servers have lost everything", async () => {
    await send("anna", 20);
    for (const index of fleet.servers.keys()) await fleet.killServer(index);
    await send("anna", 20);
    for (const index of fleet.servers.keys()) fleet.wipe(index);
    await Promise.all([...fleet.servers.keys()].map((index) => fleet.startServer(index)));
    await fleet.ensure();
    await send("anna", 20);
    await arrive("anna");
    expect(await idsOf(hub, "anna")).toEqual(sent.anna);
  }, 120_000);

  it("are stored once even if all of them are published again", async () => {
    await hosts.ben?.close();
    hosts.ben = await openHub(fleet, settings.ben, problems);
    const before = await idsOf(hub, "ben");
    // The host has lost its note of what is confirmed, and the bucket is gone as well.
    const manager = await jetstreamManager(await fleet.admin());
    await manager.streams.purge("KV_cursor");
    await hosts.ben.close();
    const database = new DatabaseSync(join(fleet.state(settings.ben), "events.db"));
    database.exec("DELETE FROM cursors WHERE name LIKE 'fleet:%:confirmed'");
    database.close();
    hosts.ben = await openHub(fleet, settings.ben, problems);
    await until("the host sends all again", () => Number(host("ben").parts.fleet.part?.status().sent) >= before.length);
    await send("ben", 3);
    await arrive("ben");
    expect(await idsOf(hub, "ben")).toEqual(sent.ben);
  });

  it("that retention removes before they are sent become one counted record", async () => {
    for (const index of fleet.servers.keys()) await fleet.killServer(index);
    const lost = await feed(host("anna"), 40);
    // Everything that has arrived until now, and in the second after it.
    await host("anna").parts.store.retain({ maxAgeMs: -1000 });
    await send("anna", 2);
    await Promise.all([...fleet.servers.keys()].map((index) => fleet.startServer(index)));
    await until("the events after the gap arrive", async () => (await idsOf(hub, "anna")).length === (sent.anna?.length ?? 0) + 1);
    const ids = await idsOf(hub, "anna");
    expect(ids.filter((id) => lost.includes(id))).toEqual([]);
    const gap = ids.find((id) => id.startsWith("gap-")) ?? "";
    expect(JSON.parse((await hub.parts.store.get(gap))?.body ?? "{}")).toMatchObject({
      event: "fleet:gap",
      payload: { missing: { count: 40 } },
    });
    expect(ids.filter((id) => id !== gap)).toEqual(sent.anna);
    expect(hub.parts.fleet.part?.hosts?.().find(({ name }) => name === "anna")).toMatchObject({ missing: 40 });
  }, 120_000);

  it("keep their order and their own times when the host's clock is wrong", async () => {
    const ahead = new Date(Date.now() + 86_400_000).toISOString();
    const start = sent.ben?.length ?? 0;
    await send("ben", 10, (index) => ({ at: index % 2 === 0 ? ahead : "2021-05-05T05:05:05.000Z" }));
    await arrive("ben");
    expect((await idsOf(hub, "ben")).slice(start)).toEqual(sent.ben?.slice(start));
    const stored = await hub.parts.store.get(sent.ben?.[start] ?? "");
    expect(JSON.parse(stored?.body ?? "{}")).toMatchObject({ at: ahead });
  });

  it("are not lost when another host, or this machine, used their ids first", async () => {
    const taken = sampleEnvelope({ payload: { of: "ben" } });
    sent.ben?.push(...(await feed(host("ben"), 1, () => taken)));
    await arrive("ben");
    await feed(host("anna"), 1, () => ({ ...taken, payload: { of: "anna" } }));
    await until("both are there", async () =>
      (await hub.parts.store.after(0, { host: "anna" }, 10_000)).some(({ body }) => body.includes('"of":"anna"')),
    );
    expect((await hub.parts.store.get(taken.id))?.host).toBe("ben");
    sent.anna = await idsOf(hub, "anna");
  });

  it("are refused one by one if they are not events, and each refusal is a record", async () => {
    await hosts.ben?.close();
    const connection = await connectServer(settings.ben, { name: "test" });
    const storeId = "f".repeat(32);
    const put = (kind: string, at: string, body: string) => {
      const fields = headers();
      fields.set("Hl-At", at);
      // A stream of a cluster answers nothing while it elects a leader.
      return jetstream(connection).publish(subjects.events("ben", kind), body, { headers: fields, retries: 40 });
    };
    await put("event", `${storeId} 0 1`, '{"not":"an envelope"}');
    await put("large", `${storeId} 1 2`, '{"object":"../../x","chunks":1,"size":1,"digest":""}');
    await put("event", "nonsense", "{}");
    await put("event", `${storeId} 5 4`, "{}");
    await put("events", `${storeId} 2 5`, `${JSON.stringify(sampleEnvelope())}\n${JSON.stringify(sampleEnvelope())}`);
    await put("events", `${storeId} 5 7`, `{}\n${JSON.stringify(sampleEnvelope({ id: "after-the-bad-ones" }))}`);
    await until("the good one is stored", async () => (await hub.parts.store.get("after-the-bad-ones"))?.host === "ben");
    const gaps = (await idsOf(hub, "ben")).filter((id) => id.startsWith(`gap-${storeId}`));
    expect(gaps).toEqual(["0-1", "1-2", "2-5", "5-6"].map((positions) => `gap-${storeId}-${positions}`));
    await connection.close();
  });

  it("of a store that was restored from a backup are sent again, and only the new ones are stored", async () => {
    hosts.ben = await openHub(fleet, settings.ben, problems);
    await until("the host is confirmed", () => {
      const { confirmed, last } = host("ben").parts.fleet.part?.status() ?? {};
      return confirmed !== undefined && Number(last) > 0 && confirmed === last;
    });
    await host("ben").close();
    const path = join(fleet.state(settings.ben), "events.db");
    const database = new DatabaseSync(path);
    database.exec("DELETE FROM events WHERE place > 100; UPDATE sqlite_sequence SET seq = 100 WHERE name = 'events'");
    database.close();
    const before = await idsOf(hub, "ben");
    hosts.ben = await openHub(fleet, settings.ben, problems);
    const fresh = await feed(host("ben"), 5);
    await until("the new ones arrive", async () => (await idsOf(hub, "ben")).length === before.length + fresh.length);
    expect(await idsOf(hub, "ben")).toEqual([...before, ...fresh]);
  });

  it("are sent again by hosts that wait for nothing after the fleet's store is lost", async () => {
    const newest = await feed(host("anna"), 1205);
    const isThere = async () => (await idsOf(hub, "anna")).join().endsWith(newest.join());
    await until("the events are there", isThere);
    await until("the host is confirmed", () => {
      const { confirmed, last } = host("anna").parts.fleet.part?.status() ?? {};
      return Number(last) > 0 && confirmed === last;
    });
    await hub.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(join(fleet.state(settings.hub), `events.db${end}`), { force: true });
    hub = await openHub(fleet, settings.hub, problems);
    await until("the events are there again", isThere);
    expect((await idsOf(hub, "anna")).filter((id) => !id.startsWith("gap-"))).toEqual(await idsOf(host("anna")));
  });

  it("of some parts go to another fleet hub, and no part has two readers", async () => {
    const other = partOf("anna");
    expect(other).not.toBe(partOf("ben"));
    let second = await openHub(fleet, settings.second, problems);
    const faultsOf = (each: Hub) => Object.keys(Object(each.parts.fleet.part?.status().faults));
    await until("the second hub is refused", () => faultsOf(second).includes(other));
    await hub.close();
    hub = await openHub(fleet, { ...settings.hub, parts: allParts.filter((part) => part !== other) }, problems);
    await second.close();
    second = await openHub(fleet, { ...settings.second, parts: [other] }, problems);
    await until(
      "the second hub has its part",
      () => faultsOf(second).length === 0 && second.parts.fleet.part?.status().isConnected === true,
    );
    const [forSecond, forFirst] = [await feed(host("anna"), 5), await feed(host("ben"), 5)];
    // The second store begins with what the host still has: all of it.
    await until("the events of anna are there", async () => (await idsOf(second, "anna")).join().endsWith(forSecond.join()));
    await until("the events of ben are there", async () => (await idsOf(hub, "ben")).join().endsWith(forFirst.join()));
    expect(await idsOf(second, "ben")).toEqual([]);
    expect((await idsOf(hub, "anna")).filter((id) => forSecond.includes(id))).toEqual([]);
    await second.close();
  });
});
