import type { DatabaseSync } from "node:sqlite";
import type { HandlerWriter } from "./handler-writer.js";
import { createSessionWriter } from "./session-table.js";
import { byHour, hourOf, ROLLUP_KINDS, type Tally } from "./tally.js";
import { createUsageWriter } from "./usage-table.js";

/** Adds what a batch was to what is known by minute and by session. */
export function createRollupWriter(database: DatabaseSync, handlers: HandlerWriter): (tally: Tally) => void {
  const count = database.prepare(
    "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT (minute, event) DO UPDATE SET count = count + excluded.count",
  );
  const add = database.prepare(
    `INSERT INTO rollup VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, minute, name) DO UPDATE SET events = events + excluded.events,
     denied = denied + excluded.denied, asked = asked + excluded.asked, last_at = max(last_at, excluded.last_at)`,
  );
  const addToSession = createSessionWriter(database);
  const addUsage = createUsageWriter(database);

  return ({ minutes, sessions, usage }) => {
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
    for (const [id, row] of sessions) addToSession(id, row);
    for (const tally of usage.values()) addUsage(tally);
  };
}
