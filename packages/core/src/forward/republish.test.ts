import { afterEach, expect, it } from "vitest";
import { hubFolder, TestHub } from "../../../../test/support/test-hub.js";
import { createBus } from "../bus/bus.js";
import type { HookEvent } from "../bus/types.js";
import type { Envelope } from "../catalog/envelope.js";
import { connectToHub } from "./connect-to-hub.js";
import type { HubConnection } from "./hub-connection.js";
import { republish } from "./republish.js";

const lines: HubConnection[] = [];
afterEach(async () => {
  await Promise.all(lines.splice(0).map((line) => line.close(0)));
});

function envelope(payload: unknown, hops: readonly string[] = ["first"]): Envelope {
  const source = { app: "far-agent", host: "there", pid: 1, instance: "first" };
  return { v: 2, id: "id-1", seq: 1, at: "2026-01-31T12:00:00.000Z", event: "myapp:far", source, payload, hops };
}

it("stamps what came from elsewhere, whatever it says of itself", () => {
  const bus = createBus();
  const seen: unknown[] = [];
  bus.on("myapp:far", (event: HookEvent) => void seen.push(event.payload));
  republish(bus, envelope({ a: 1, _forwarded: false, _forwarded_from: "me" }));
  for (const value of ["text", [1], null, 3]) republish(bus, envelope(value));
  const stamp = { _forwarded: true, _forwarded_from: "far-agent" };
  expect(seen).toEqual([{ a: 1, ...stamp }, ...["text", [1], null, 3].map((value) => ({ value, ...stamp }))]);
});

it("is sent on with the instances it has passed, and never back to one of them", async () => {
  using folder = hubFolder();
  await using hub = await TestHub.start(folder.state, { instance: "this-hub" });
  const bus = createBus({ source: { app: "relay", instance: "relay" } });
  const line = connectToHub(bus, { folder: folder.state });
  lines.push(line);
  republish(bus, envelope({ n: 1 }));
  republish(bus, envelope({ n: 2 }, ["first", "relay"]));
  republish(bus, envelope({ n: 3 }, ["first", "this-hub"]));
  republish(
    bus,
    envelope(
      { n: 4 },
      Array.from({ length: 64 }, (_, index) => `i${index}`),
    ),
  );
  bus.emit("myapp:near", { n: 5, _forwarded: true, _forwarded_from: "far-agent", hops: ["this-hub"] });
  await line.flush();
  expect(hub.received.map(({ payload, hops, seq }) => [(payload as { n: number }).n, hops, seq])).toEqual([
    [1, ["first", "relay"], 1],
    [5, ["relay"], 3],
  ]);
  expect(line.counters).toMatchObject({ accepted: 3, acked: 2, dropped: { loop: 1 } });
});
