import { createBus } from "@hookline/core";
import { expect, it } from "vitest";
import { SessionEvents } from "./session-events.js";

it("takes ids and words of which no text can be made", async () => {
  const bus = createBus({ source: "acp" });
  const heard: unknown[] = [];
  bus.on("exec:terminal", ({ payload }) => void heard.push(payload.command));
  bus.on("tool:progress", ({ payload }) => void heard.push(payload.tool.input.title));
  const events = new SessionEvents(bus, {});
  const odd = { toString: null };
  const update = { sessionUpdate: "tool_call", toolCallId: odd, title: "List", status: "pending" };
  events.fromAgent({ jsonrpc: "2.0", method: "session/update", params: { sessionId: odd, update } });
  events.fromAgent({ jsonrpc: "2.0", id: 1, method: "terminal/create", params: { sessionId: odd, command: "ls", args: [odd, "a b"] } });
  expect(events.known(odd, { toolCallId: odd })).toMatchObject({ title: "List" });
  expect(heard).toEqual(["List", `ls '{"toString":null}' 'a b'`]);
});
