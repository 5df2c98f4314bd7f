import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createReader } from "./reader.js";
import { sumOf } from "./row-sum.js";
import { migrate } from "./schema.js";

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
