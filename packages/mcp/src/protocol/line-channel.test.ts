import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { ChannelFault } from "./channel.js";
import { LineChannel } from "./line-channel.js";
import type { Message } from "./message.js";

test("messages that wait for a slow reader share one listener, and all of them end", async () => {
  const output = new PassThrough({ highWaterMark: 1 });
  const channel = new LineChannel(new PassThrough(), output);
  const sent = Array.from({ length: 100 }, (_, number) => channel.send({ jsonrpc: "2.0", method: `note/${number}` }));
  expect(output.listenerCount("drain")).toBe(1);
  const listeners = output.listenerCount("close");
  output.resume();
  await Promise.all(sent);
  expect(output.listenerCount("drain")).toBe(0);
  expect(output.listenerCount("close")).toBe(listeners - 1);
});

test("a message that could not be written again is left out, and what may have been an answer is lost", async () => {
  const input = new PassThrough();
  const [messages, faults]: [Message[], ChannelFault[]] = [[], []];
  const channel = new LineChannel(input, new PassThrough());
  await channel.open({
    message: (message) => void messages.push(message),
    fault: (fault) => void faults.push(fault),
    failed: () => {},
    closed: () => {},
  });
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  input.write(`{"jsonrpc":"2.0","method":"note","params":{"a":${nested(20_000)}}}\n`);
  input.write(`{"jsonrpc":"2.0","id":1,"result":{"a":${nested(20_000)}}}\n`);
  input.write(`{"jsonrpc":"2.0","id":2,"result":{"a":${nested(100)}}}\n`);
  await new Promise((resolve) => setImmediate(resolve));
  const what = "a message with more than 500 levels of nesting";
  expect(faults).toEqual([{ what }, { what, isLost: true }]);
  expect(messages).toEqual([expect.objectContaining({ id: 2 })]);
});

test("a batch is heard as its messages", async () => {
  const input = new PassThrough();
  const heard: string[] = [];
  await new LineChannel(input, new PassThrough()).open({
    message: ({ id }) => void heard.push(`message ${id}`),
    fault: ({ what }) => void heard.push(what),
    failed: () => {},
    closed: () => {},
  });
  input.write('[{"jsonrpc":"2.0","id":1,"result":{}},7,{"jsonrpc":"2.0","id":2,"result":{}}]\n');
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(["message 1", "a line that is not one JSON-RPC message", "message 2"]);
});
