import { encodeEnvelope } from "@hookline/core/sinks";
import { LineClient } from "../../support/line-client.ts";
import { sampleEnvelope } from "../../support/sample-envelope.ts";
import { inHub } from "../hub-subject.ts";
import type { FuzzTarget } from "../target.ts";

const call = { tool: { name: "bash", input: { command: "ls" } } };

/** Lines of an attached process. After each input the hub still answers a question, or it has said goodbye. */
export const line: FuzzTarget = {
  name: "line",
  samples: [
    encodeEnvelope(sampleEnvelope()),
    JSON.stringify({ type: "gate", id: "g1", event: "tool:before", payload: call, deadlineMs: 500 }),
    JSON.stringify({ type: "transform", id: "t1", event: "tool:result", value: "text", payload: call, deadlineMs: 500 }),
    JSON.stringify({ type: "counters", accepted: 2, acked: 1, pending: 0, dropped: { refused: 1 }, seq: 2 }),
    JSON.stringify({ type: "hello", v: 1, nonce: "n".repeat(32) }),
    JSON.stringify({ type: "login", proof: "p", source: { app: "a", host: "h", pid: 1, instance: "i" } }),
    JSON.stringify({ type: "registered", handlers: [{ id: "1", event: "tool:before", name: "n" }] }),
    JSON.stringify({
      ...{ type: "approve", id: "a1", event: "tool:before", eventId: "e", payload: call, by: "g", expiresAt: 1, asks: [] },
      actor: { kind: "guard", name: "g" },
    }),
    JSON.stringify({ type: "cancel", id: "a1" }),
  ],
  words: [
    "type",
    "gate",
    "approve",
    "transform",
    "cancel",
    "counters",
    "hello",
    "login",
    "report",
    "bye",
    "id",
    "deadlineMs",
    "payload",
    "event",
    "effects",
    "late",
  ],
  open: () =>
    inHub((crew) => {
      const { line: path, token } = crew.hubFile();
      let client: LineClient | undefined;
      let number = 0;
      return async (input) => {
        client = client === undefined || client.isClosed ? await LineClient.attached(path, token, `fuzz${++number}`) : client;
        const id = `ask-${++number}`;
        client.socket.write(Buffer.concat([input, Buffer.from("\n")]));
        client.say({ type: "gate", id, event: "tool:before", payload: call, deadlineMs: 60_000 });
        const own = client;
        await own.next((frame) => (frame.type === "verdict" && frame.id === id) || frame.type === "bye").catch(() => {});
        const wrong = own.frames.find((frame) => frame.type === "refused" && !(frame.code.startsWith("HL_") && frame.reason !== ""));
        const isGone = own.frames.some(({ type }) => type === "bye");
        own.frames.length = 0;
        if (isGone) own.socket.destroy();
        if (isGone) client = undefined;
        return wrong === undefined ? undefined : `refused without a reason: ${JSON.stringify(wrong)}`;
      };
    }),
};
