import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createReader } from "./reader.js";
import { sumOf } from "./row-sum.js";
import { migrate } from "./schema.js";
import type { EventFilter } from "./store.js";

it.each(["page", "after"] as const)("%s: a search in shares goes on where it was, also when its events have few names by then", (how) => {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  migrate(database);
  const insert = database.prepare("INSERT INTO events (id, at, event, app, instance, body, sum) VALUES (?, ?, ?, 'a', 'i', '{}', ?)");
  for (let n = 1; n <= 20; n++) insert.run(`e${n}`, n, `tool:t${n % 3}`, sumOf("{}"));
  const reader = createReader(database);
  const [filter, share] = [{ events: ["tool:*"] }, { limit: 100, rest: { first: 6, last: 20 } }];
  const { events } = how === "page" ? reader.page(filter, undefined, share) : reader.after(0, filter, share);
  expect(events.map(({ place }) => place).sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, index) => index + 6));
});

it.each([20, 30_000])("after: gives %i events of a session by place, whatever their times, and a page of them at once", (count) => {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  migrate(database);
  const insert = database.prepare(
    "INSERT INTO events (id, at, event, app, instance, session, body, sum) VALUES (?, ?, ?, 'a', 'i', ?, '{}', ?)",
  );
  database.exec("BEGIN");
  for (let n = 1; n <= count; n++) insert.run(`e${n}`, count - n, `tool:t${n % 3}`, n % 2 === 0 ? "mine" : "other", sumOf("{}"));
  database.exec("COMMIT");
  database.prepare("INSERT INTO sessions (id, app, first_at, last_at, events, denied) VALUES ('mine', 'a', 0, 0, ?, 0)").run(count);
  const reader = createReader(database);
  const read = (filter: EventFilter) => reader.after(4, { session: "mine", ...filter }, { limit: 5 }).events.map(({ place }) => place);
  expect(read({})).toEqual([6, 8, 10, 12, 14]);
  expect(read({ events: ["tool:t1"] }).slice(0, 2)).toEqual([10, 16]);
  expect(read({ events: ["tool:*"], since: count - 12 })).toEqual([6, 8, 10, 12]);
});
