import type { DatabaseSync } from "node:sqlite";
import { histogramText, sumOfHistograms } from "@hookline/core/internal/text";
import { readWho } from "./handler-steps.js";
import type { HandlerCell, HandlerTally } from "./handler-tally.js";
import { hourOf } from "./tally.js";

/** How many minutes a row of `handlers` is about; 0 for all time, so that what fired once has not fired never. */
export const SPAN = { minute: 1, hour: 60, ever: 0 } as const;

/** A handler, and when it was called at last. */
export interface FiredHandler {
  readonly app: string;
  readonly owner: string;
  readonly handler: string;
  readonly event: string;
  readonly lastAt: number;
}

export interface HandlerWriter {
  /** Within the transaction of a batch. */
  add(minute: number, tally: HandlerTally): void;
  /** Calls that stand in no decision, in a transaction of their own. */
  fired(handlers: readonly FiredHandler[]): void;
}

/** Adds what handlers did to what is known of them by minute, by hour and at all. */
export function createHandlerWriter(database: DatabaseSync): HandlerWriter {
  database.function("sum_of_histograms", { deterministic: true }, (a, b) => sumOfHistograms(String(a), String(b)));
  const counts = ["calls", "denied", "asked", "failed"].map((name) => `${name} = ${name} + excluded.${name}`).join(", ");
  const add = database.prepare(
    `INSERT INTO handlers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET ${counts},
     last_at = max(last_at, excluded.last_at), times = sum_of_histograms(times, excluded.times)`,
  );
  const note = database.prepare(
    `INSERT INTO handlers VALUES (${SPAN.ever}, 0, ?, ?, ?, ?, 0, 0, 0, 0, ?, '') ON CONFLICT DO UPDATE SET last_at = max(last_at, excluded.last_at)`,
  );

  return {
    add(minute, { asked }) {
      for (const { app, event, cells } of asked)
        for (const [who, cell] of cells) {
          const { owner, handler } = readWho(who);
          const counted = countsOf(cell);
          add.run(SPAN.minute, minute, app, owner, handler, event, ...counted);
          add.run(SPAN.hour, hourOf(minute), app, owner, handler, event, ...counted);
          note.run(app, owner, handler, event, cell.lastAt);
        }
    },
    fired(handlers) {
      database.exec("BEGIN IMMEDIATE");
      try {
        for (const { app, owner, handler, event, lastAt } of handlers) note.run(app, owner, handler, event, lastAt);
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}

function countsOf({ calls, denied, asked, failed, lastAt, times }: HandlerCell) {
  return [calls, denied, asked, failed, lastAt, histogramText(times)] as const;
}
