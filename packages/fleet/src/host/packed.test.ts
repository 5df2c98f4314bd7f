import { describe, expect, it } from "vitest";
import type { EventMessage } from "../nats/event-message.js";
import { packed } from "./packed.js";

const message = (kind: EventMessage["kind"], previous: number, position: number, body = `{"n":${position}}`): EventMessage => ({
  kind,
  store: "0".repeat(32),
  previous,
  position,
  body,
});
const packedOf = (messages: readonly EventMessage[], maxChars = 1_000) =>
  packed(messages, maxChars).map(({ kind, previous, position, body }) => `${kind} ${previous}-${position} ${body.replaceAll("\n", "|")}`);

describe("packed messages", () => {
  it.each<[string, EventMessage[], string[]]>([
    ["nothing", [], []],
    ["one event", [message("event", 0, 1)], ['event 0-1 {"n":1}']],
    ["events in a row", [message("event", 0, 1), message("event", 1, 2), message("event", 2, 3)], ['events 0-3 {"n":1}|{"n":2}|{"n":3}']],
    [
      "something else between them",
      [message("event", 0, 1), message("event", 1, 2), message("gap", 2, 5, ""), message("event", 5, 6), message("event", 6, 7)],
      ['events 0-2 {"n":1}|{"n":2}', "gap 2-5 ", 'events 5-7 {"n":6}|{"n":7}'],
    ],
    [
      "an event after positions that are not for the fleet",
      [message("event", 0, 3), message("event", 3, 4)],
      ['event 0-3 {"n":3}', 'event 3-4 {"n":4}'],
    ],
    [
      "an event with line ends",
      [message("event", 0, 1), message("event", 1, 2, '{\n"n":2}'), message("event", 2, 3)],
      ['event 0-1 {"n":1}', 'event 1-2 {|"n":2}', 'event 2-3 {"n":3}'],
    ],
    ["pointers to large events", [message("large", 0, 1, "{}"), message("large", 1, 2, "{}")], ["large 0-1 {}", "large 1-2 {}"]],
  ])("keep the chain with %s", (_, messages, wanted) => {
    expect(packedOf(messages)).toEqual(wanted);
  });

  it("are at most as large as wanted, with at least one event each", () => {
    const events = Array.from({ length: 5 }, (_, index) => message("event", index, index + 1, "x".repeat(index === 2 ? 50 : 10)));
    expect(packed(events, 30).map(({ previous, position, body }) => [previous, position, body.length])).toEqual([
      [0, 2, 21],
      [2, 3, 50],
      [3, 5, 21],
    ]);
  });
});
