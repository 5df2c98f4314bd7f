import { createServer } from "node:net";
import { jetstreamManager, RetentionPolicy } from "@nats-io/jetstream";
import { createUser } from "@nats-io/nkeys";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectServer } from "../../packages/fleet/src/nats/connect.ts";
import { differences, ensureStreams, fleetStreams } from "../../packages/fleet/src/nats/streams.ts";
import { allParts, checkName, partOf } from "../../packages/fleet/src/nats/subjects.ts";
import { natsForTests, startTestServer, type TestServer } from "../support/nats-server.ts";

const nats = natsForTests();
const small = { eventBytes: 64 * 1024 * 1024, largeEventBytes: 16 * 1024 * 1024 };
const access = (urls: readonly string[]) => ({
  urls,
  seed: new TextDecoder().decode(createUser().getSeed()),
  inboxPrefix: "hl.in.person.me",
});

describe.skipIf(nats.isMissing)("the streams and buckets", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ program: nats.program });
  });
  afterAll(() => server.close());

  it("are created once, repaired when they differ, and otherwise left alone", async () => {
    const connection = await connect({ servers: server.url });
    const states = async () => new Set((await ensureStreams(connection, small)).map(({ was }) => was));
    expect(await states()).toEqual(new Set(["created"]));
    expect(await states()).toEqual(new Set(["same"]));
    const manager = await jetstreamManager(connection);
    await manager.streams.update("EV_03", { max_bytes: 1_000_000 });
    expect((await ensureStreams(connection, small)).filter(({ was }) => was === "updated")).toEqual([{ name: "EV_03", was: "updated" }]);
    expect(await states()).toEqual(new Set(["same"]));
    // The server does not change a work queue into anything else.
    const { config } = await manager.streams.info("EV_04");
    await manager.streams.delete("EV_04");
    await manager.streams.add({ ...config, retention: RetentionPolicy.Workqueue });
    expect((await ensureStreams(connection, small)).filter(({ was }) => was === "updated")).toEqual([{ name: "EV_04", was: "updated" }]);
    for (const wanted of fleetStreams(small)) expect(differences((await manager.streams.info(wanted.name)).config, wanted)).toEqual([]);
    await connection.close();
  });
});

describe("a server that a fleet cannot use", () => {
  it.each([
    [{ version: "2.11.9", jetstream: true }, "2.11.9"],
    [{ version: "2.15.0", jetstream: false }, "without JetStream"],
  ])("is refused with a sentence: %j", async (facts, sentence) => {
    const info = { server_id: "S", max_payload: 1_048_576, proto: 1, headers: true, nonce: "n", ...facts };
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (bytes) => bytes.includes("PING") && socket.write("PONG\r\n"));
      socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    await expect(connectServer(access([`nats://127.0.0.1:${port}`]), { name: "test" })).rejects.toThrow(sentence);
    server.close();
  });

  it("is named when nothing listens there", async () => {
    await expect(connectServer(access(["nats://127.0.0.1:1"]), { name: "test" })).rejects.toMatchObject({
      code: "HL_FLEET_SERVER",
      message: expect.stringContaining("nats://127.0.0.1:1"),
    });
  });
});

describe("names", () => {
  it("are one token of a subject", () => {
    for (const bad of ["", "A", "a.b", "*", ">", "a b", "-a", "a".repeat(64), "a\n"])
      expect(() => checkName("host", bad)).toThrow("cannot be");
    expect(checkName("host", "laptop-7_x")).toBe("laptop-7_x");
  });

  it("spread over all parts, always in the same way", () => {
    expect(new Set(Array.from({ length: 500 }, (_, at) => partOf(`host-${at}`)))).toEqual(new Set(allParts));
    expect(["laptop", "build-1", "anna"].map(partOf)).toEqual(["14", "08", "05"]);
  });
});
