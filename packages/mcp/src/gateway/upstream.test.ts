import { expect, test } from "vitest";
import type { Channel, ChannelListener } from "../protocol/channel.js";
import type { Message, RequestId } from "../protocol/message.js";
import { greetingOf } from "./greet.js";
import { Upstream } from "./upstream.js";

const GREETING = greetingOf({ info: undefined, capabilities: {} }, "legacy", "any");

/** A server that answers `initialize` as it should, and everything else with what `answer` makes of the id. */
function serverWith(answer: (id: RequestId) => Message): Channel {
  let listener: ChannelListener | undefined;
  return {
    async open(given) {
      listener = given;
    },
    async send({ id, method }) {
      if (id === undefined) return;
      const hello = { jsonrpc: "2.0", id, result: { protocolVersion: "2025-06-18", capabilities: {} } };
      queueMicrotask(() => listener?.message(method === "initialize" ? hello : answer(id as RequestId)));
    },
    async close() {},
  };
}

test.each<[string, (id: RequestId) => Message]>([
  ["a text for a result", (id) => ({ jsonrpc: "2.0", id, result: "text" })],
  ["a list for a result", (id) => ({ jsonrpc: "2.0", id, result: [1] })],
  ["a text for an error", (id) => ({ jsonrpc: "2.0", id, error: "text" })],
  ["neither a result nor an error", (id) => ({ jsonrpc: "2.0", id })],
])("an answer with %s is reported, and ends the request", async (_, answer) => {
  const heard: string[] = [];
  const upstream = new Upstream({
    connect: () => serverWith(answer),
    onMessage: () => void heard.push("a message"),
    onFault: ({ what }) => void heard.push(what),
    onReady: () => {},
    onLost: () => {},
  });
  upstream.start(GREETING);
  await expect(upstream.request("tools/call", {})).rejects.toThrow("Its answer has no result and no error that can be used.");
  expect(heard).toHaveLength(1);
  await upstream.close();
});

test("a server that does not answer initialize ends the calls that wait for it, and is tried again", async () => {
  const silent = { open: async () => {}, send: async () => {}, close: async () => {} };
  const lost: string[] = [];
  let tries = 0;
  const upstream = new Upstream({
    connect: () => (tries++ === 0 ? silent : serverWith((id) => ({ jsonrpc: "2.0", id, result: { ok: true } }))),
    onMessage: () => {},
    onFault: () => {},
    onReady: () => {},
    onLost: (why) => void lost.push(why),
    helloMs: 20,
  });
  upstream.start(GREETING);
  await expect(upstream.request("tools/call", {})).rejects.toThrow("It did not answer initialize within 0.02 s.");
  expect(await upstream.request("tools/call", {})).toMatchObject({ result: { ok: true } });
  expect(lost).toEqual(["It did not answer initialize within 0.02 s."]);
  await upstream.close();
});

test("a server that ends at a question of the modern era is started again and greeted in the old way, before any request fails", async () => {
  let starts = 0;
  const heard: unknown[] = [];
  const upstream = new Upstream({
    connect: () => {
      starts++;
      let listener: ChannelListener | undefined;
      const old = serverWith((id) => ({ jsonrpc: "2.0", id, result: { ok: true } }));
      return {
        isProcess: true,
        open(given) {
          listener = given;
          return old.open(given);
        },
        async send(message) {
          heard.push(message.method);
          if (message.method === "server/discover") queueMicrotask(() => listener?.closed("It exited with code 1."));
          else await old.send(message);
        },
        close: () => old.close(),
      };
    },
    onMessage: () => {},
    onFault: () => {},
    onReady: () => {},
    onLost: (why) => void heard.push(why),
  });
  upstream.start(greetingOf({ info: undefined, capabilities: {} }, "modern", "any"));
  expect(await upstream.request("tools/call", {})).toMatchObject({ result: { ok: true } });
  expect([starts, heard]).toEqual([2, ["server/discover", "initialize", "notifications/initialized", "tools/call"]]);
  await upstream.close();
});

test("a server that never answers what it does not know is greeted in the old way, too", async () => {
  const old = serverWith((id) => ({ jsonrpc: "2.0", id, result: { ok: true } }));
  const upstream = new Upstream({
    connect: () => ({ ...old, send: async (message) => (message.method === "server/discover" ? undefined : old.send(message)) }),
    onMessage: () => {},
    onFault: () => {},
    onReady: () => {},
    onLost: () => {},
    probeMs: 10,
  });
  upstream.start(greetingOf({ info: undefined, capabilities: {} }, "modern", "any"));
  expect((await upstream.ready()).era).toBe("legacy");
  await upstream.close();
});
