import { expect, test } from "vitest";
import type { ChannelListener } from "../protocol/channel.js";
import type { Message } from "../protocol/message.js";
import { Flow } from "./flow.js";
import { greetingOf } from "./greet.js";
import { Upstream } from "./upstream.js";

test("a server that asks and never reads is not read until it has taken the answers, also if another side has paused it", async () => {
  const blocked: (() => void)[] = [];
  const paused: string[] = [];
  let server: ChannelListener | undefined;
  let answers: Flow | undefined;
  const upstream = new Upstream({
    connect: () => ({
      async open(listener) {
        server = listener;
      },
      async send({ id, method }: Message) {
        if (method === "initialize") queueMicrotask(() => server?.message({ jsonrpc: "2.0", id, result: {} }));
        else if (method === undefined) await new Promise<void>((resolve) => blocked.push(resolve));
      },
      close: async () => {},
      pause: () => void paused.push("paused"),
      resume: () => void paused.push("resumed"),
    }),
    onMessage: ({ id }) => answers?.send({ jsonrpc: "2.0", id, result: {} }),
    onFault: () => {},
    onReady: () => {},
    onLost: () => {},
  });
  answers = new Flow((message) => upstream.tell(message), upstream);
  upstream.start(greetingOf({ info: undefined, capabilities: {} }, "legacy", "any"));
  await upstream.ready();
  for (let id = 0; id < 300; id++) server?.message({ jsonrpc: "2.0", id, method: "ping" });
  expect(paused).toEqual(["paused"]);
  upstream.pause();
  await new Promise((resolve) => setImmediate(resolve));
  for (const unblock of blocked.splice(0)) unblock();
  await new Promise((resolve) => setImmediate(resolve));
  expect(paused).toEqual(["paused"]);
  upstream.resume();
  expect(paused).toEqual(["paused", "resumed"]);
  await upstream.close();
});
