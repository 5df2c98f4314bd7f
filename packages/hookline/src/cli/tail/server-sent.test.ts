import { expect, it } from "vitest";
import { readSentEvents, type SentEvent } from "./server-sent.js";

async function read(...chunks: readonly string[]): Promise<SentEvent[]> {
  const found: SentEvent[] = [];
  const source = async function* () {
    yield* chunks;
  };
  for await (const event of readSentEvents(source())) found.push(event);
  return found;
}

const stream = ': beat\n\nevent: hook\nid: 7\ndata: {"a":\ndata: 1}\n\nid: 8\r\ndata: x: y\r\n\r\nevent: empty\n\n';
const events = [
  { event: "hook", id: "7", data: '{"a":\n1}' },
  { event: "message", id: "8", data: "x: y" },
];

it("reads events, however they are cut", async () => {
  expect(await read(stream)).toEqual(events);
  expect(await read(...stream)).toEqual(events);
  expect(await read(stream.slice(0, 30), stream.slice(30))).toEqual(events);
});

it("leaves out what has no end", async () => {
  expect(await read("data: half")).toEqual([]);
  expect(await read("data: whole\n")).toEqual([]);
});
