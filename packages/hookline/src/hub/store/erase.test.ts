import { join } from "node:path";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { createArrivals } from "./arrivals.js";
import { openChain } from "./chain.js";
import { eraseSome } from "./erase.js";
import { createHandlerWriter } from "./handler-writer.js";
import { openDatabase } from "./open-database.js";
import { createOriginWriter } from "./origin-table.js";
import { toRow } from "./row.js";
import { createWriter } from "./writer.js";

const ERASURE = { session: "s1", by: "ann" };

/** A store with an event for each text, all of one session. */
function filled(texts: readonly string[]) {
  const database = openDatabase(join(testFolder(), "events.db"));
  onTestFinished(() => database.close());
  const chain = openChain(database);
  const parts = {
    handlers: createHandlerWriter(database),
    chain,
    origins: createOriginWriter(database),
    arrivals: createArrivals(database),
  };
  const rows = texts.map((text, index) => {
    const envelope: Envelope = {
      v: 2,
      id: `e${index}`,
      seq: index,
      at: new Date().toISOString(),
      event: "agent:step",
      source: { app: "a", host: "h", pid: 1, instance: "i" },
      session: { id: ERASURE.session },
      payload: { text },
      hops: [],
    };
    return toRow({ envelope, body: encodeEnvelope(envelope) });
  });
  createWriter(database, parts).write(rows);
  const count = () => (database.prepare("SELECT count(*) AS count FROM events").get() as { count: number }).count;
  return { database, chain, count };
}

it("deletes a session of which an event is damaged", () => {
  const { database, chain, count } = filled(["one", "two", "three"]);
  database.exec("UPDATE events SET body = substr(body, 2) WHERE id = 'e1'");
  expect(eraseSome(database, chain, ERASURE)).toBe(3);
  expect(count()).toBe(0);
});

it("takes few large events at a time", () => {
  const { database, chain, count } = filled(Array.from({ length: 5 }, () => "x".repeat(4 * 1024 * 1024)));
  expect(eraseSome(database, chain, ERASURE)).toBe(2);
  while (eraseSome(database, chain, ERASURE) > 0);
  expect(count()).toBe(0);
});
