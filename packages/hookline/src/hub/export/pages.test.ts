import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createReader } from "../store/reader.js";
import { sumOf } from "../store/row-sum.js";
import { migrate } from "../store/schema.js";
import { inReadingOrder } from "./pages.js";

it("finds the events of a session whose clock was ahead", async () => {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  migrate(database);
  const insert = database.prepare(
    "INSERT INTO events (id, at, event, app, instance, session, body, sum) VALUES (?, ?, 'agent:step', 'a', 'i', 's', ?, ?)",
  );
  // Stored at the time of arrival, as nothing comes from the future.
  const body = JSON.stringify({ at: "2099-01-01T00:00:00.000Z" });
  for (let n = 1; n <= 3; n++) insert.run(`e${n}`, 1_000 + n, body, sumOf(body));
  const reader = createReader(database);
  const none = async () => ({ events: [], cursor: undefined });
  const store = {
    page: none,
    after: async () => [],
    inTime: async (...question: Parameters<typeof reader.inTime>) => reader.inTime(...question),
  };
  const pages = await inReadingOrder(store, { sessions: ["s"] }, 10);
  expect((await pages.next(10)).map(({ place }) => place)).toEqual([1, 2, 3]);
});
