import type { DatabaseSync } from "node:sqlite";
import type { HandlerWriter } from "./handler-writer.js";
import { byHour, hourOf, ROLLUP_KINDS, type SessionTally, type Tally } from "./tally.js";

const USAGE = ["llm_in", "llm_out", "llm_cost", "turn_in", "turn_out", "turn_cost"];

/** Adds what a batch was to what is known by minute and by session. */
export function createRollupWriter(database: DatabaseSync, handlers: HandlerWriter): (tally: Tally) => void {
  const count = database.prepare(
    "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT (minute, event) DO UPDATE SET count = count + excluded.count",
  );
  const add = database.prepare(
    `INSERT INTO rollup VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, minute, name) DO UPDATE SET events = events + excluded.events,
     denied = denied + excluded.denied, asked = asked + excluded.asked, last_at = max(last_at, excluded.last_at)`,
  );
  const session = database.prepare(
    `INSERT INTO sessions (id, app, first_at, last_at, events, denied, asked, instance, agent, parent, ${USAGE.join(", ")})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
     first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at), events = events + excluded.events,
     denied = denied + excluded.denied, asked = asked + excluded.asked,
     app = CASE app WHEN '' THEN excluded.app ELSE app END,
     instance = CASE excluded.instance WHEN '' THEN instance ELSE excluded.instance END, agent = coalesce(excluded.agent, agent),
     parent = coalesce(parent, excluded.parent),
     ${USAGE.map((name) => `${name} = coalesce(${name} + excluded.${name}, ${name}, excluded.${name})`).join(", ")}`,
  );

  return ({ minutes, sessions }) => {
    for (const [minute, cells] of minutes) {
      for (const [event, { events }] of cells.event) count.run(minute, event, events);
      for (const kind of ROLLUP_KINDS)
        for (const [name, { events, denied, asked, lastAt }] of cells[kind]) {
          add.run(kind, minute, name, events, denied, asked, lastAt);
          // For weeks at a glance: a sixtieth of the rows.
          add.run(byHour(kind), hourOf(minute), name, events, denied, asked, lastAt);
        }
    }
    for (const [minute, cells] of minutes) handlers.add(minute, cells.handlers);
    for (const [id, row] of sessions) session.run(id, ...valuesOf(row));
  };
}

function valuesOf({ app, firstAt, lastAt, events, denied, asked, instance, agent, parent, llm, turn }: SessionTally) {
  const usage = [llm, turn].flatMap(({ inputTokens, outputTokens, costUsd }) => [inputTokens, outputTokens, costUsd]);
  return [app, firstAt, lastAt, events, denied, asked, instance, agent, parent, ...usage];
}
