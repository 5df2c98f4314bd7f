import { describe, expect, it } from "vitest";
import { outgoingOf } from "./outgoing.js";

const STORE = "0".repeat(32);
const row = (place: number, more: object = {}) => ({ place, body: `{"n":${place}}`, imported: 0, host: null, ...more });
const sent = (options: Partial<Parameters<typeof outgoingOf>[0]>) => {
  const { messages, missing } = outgoingOf({ store: STORE, sent: 0, rows: [], last: 0, start: 0, limit: 500, ...options });
  return { chain: messages.map(({ kind, previous, position }) => `${kind} ${previous}-${position}`), missing };
};

describe("the messages of a host", () => {
  it.each([
    ["nothing new", { sent: 3, last: 3 }, [], 0],
    ["events in order", { rows: [row(1), row(2)], last: 2 }, ["event 0-1", "event 1-2"], 0],
    ["a gap of retention, counted", { sent: 2, rows: [row(6)], last: 6 }, ["gap 2-5", "event 5-6"], 3],
    ["a store that retention has emptied", { sent: 2, last: 9 }, ["gap 2-9"], 7],
    ["what was gone before the host joined", { start: 4, rows: [row(5)], last: 5 }, ["event 0-5"], 0],
    ["a gap from before to after", { start: 4, rows: [row(8)], last: 8 }, ["skip 0-4", "gap 4-7", "event 7-8"], 3],
    ["imported events between others", { rows: [row(1), row(2, { imported: 1 }), row(3)], last: 3 }, ["event 0-1", "event 1-3"], 0],
    ["events of other hosts at the end", { rows: [row(1), row(2, { host: "a" })], last: 2 }, ["event 0-1", "skip 1-2"], 0],
    ["an imported event and then a gap", { rows: [row(1, { imported: 1 }), row(4)], last: 4 }, ["skip 0-1", "gap 1-3", "event 3-4"], 2],
    ["no more than fit", { rows: [row(1), row(2), row(3), row(4)], last: 4, limit: 4 }, ["event 0-1", "event 1-2"], 0],
  ])("are right for %s", (_, options, chain, missing) => {
    expect(sent(options)).toEqual({ chain, missing });
  });
});
