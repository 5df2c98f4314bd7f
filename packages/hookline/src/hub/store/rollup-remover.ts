import type { DatabaseSync } from "node:sqlite";
import { differenceOfHistograms, histogramText } from "@hookline/core/internal/text";
import { readWho } from "./handler-steps.js";
import { SPAN } from "./handler-writer.js";
import { byHour, hourOf, ROLLUP_KINDS, type Tally } from "./tally.js";

/** Takes what events were out of what is known by minute, hour and handler. Rows of which nothing is left go. */
export function takeOut(database: DatabaseSync, { minutes }: Pick<Tally, "minutes">): void {
  database.function("difference_of_histograms", { deterministic: true }, (a, b) => differenceOfHistograms(String(a), String(b)));
  const count = database.prepare("UPDATE counts SET count = count - ? WHERE minute = ? AND event = ?");
  const add = database.prepare(
    "UPDATE rollup SET events = events - ?, denied = denied - ?, asked = asked - ? WHERE kind = ? AND minute = ? AND name = ?",
  );
  const handler = database.prepare(
    `UPDATE handlers SET calls = calls - ?, denied = denied - ?, asked = asked - ?, failed = failed - ?, times = difference_of_histograms(times, ?)
     WHERE span = ? AND minute = ? AND app = ? AND owner = ? AND handler = ? AND event = ?`,
  );
  for (const [minute, cells] of minutes) {
    for (const [event, { events }] of cells.event) count.run(events, minute, event);
    for (const kind of ROLLUP_KINDS)
      for (const [name, { events, denied, asked }] of cells[kind]) {
        add.run(events, denied, asked, kind, minute, name);
        add.run(events, denied, asked, byHour(kind), hourOf(minute), name);
      }
    for (const { app, event, cells: handlers } of cells.handlers.asked)
      for (const [who, { calls, denied, asked, failed, times }] of handlers) {
        const { owner, handler: name } = readWho(who);
        const counted = [calls, denied, asked, failed, histogramText(times)] as const;
        handler.run(...counted, SPAN.minute, minute, app, owner, name, event);
        handler.run(...counted, SPAN.hour, hourOf(minute), app, owner, name, event);
      }
  }
  database.exec(`
    DELETE FROM counts WHERE count <= 0;
    DELETE FROM rollup WHERE events <= 0 AND denied <= 0 AND asked <= 0;
    DELETE FROM handlers WHERE span <> ${SPAN.ever} AND calls <= 0`);
}
