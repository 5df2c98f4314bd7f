import type { HubFrame } from "@hookline/core/internal/wire";
import { encodeEnvelope } from "@hookline/core/sinks";
import { LineClient } from "../../support/line-client.ts";
import { sampleEnvelope } from "../../support/sample-envelope.ts";
import { inHub } from "../hub-subject.ts";
import type { FuzzTarget } from "../target.ts";

/** However busy the machine is. */
const SILENT_MS = 60_000;

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
    JSON.stringify({ type: "lease", n: 1, version: "0123456789abcdef" }),
    JSON.stringify({ type: "unleased", version: "0123456789abcdef" }),
    JSON.stringify({ type: "delivered", ids: ["e1", "e2"] }),
    JSON.stringify({ type: "handlers", handlers: [{ id: "1", event: "tool:before", name: "n" }] }),
    JSON.stringify({
      ...{ type: "approve", id: "a1", event: "tool:before", eventId: "e", payload: call, by: "g", expiresAt: 1, asks: [] },
      actor: { kind: "guard", name: "g" },
    }),
    JSON.stringify({ type: "unapprove", id: "a1" }),
  ],
  words: [
    "type",
    "gate",
    "approve",
    "transform",
    "unapprove",
    "lease",
    "unleased",
    "delivered",
    "handlers",
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
        const isLastWord = (frame: HubFrame) => (frame.type === "verdict" && frame.id === id) || frame.type === "bye";
        const silence = await whyMissing(own.next(isLastWord));
        const wrong = own.frames.find((frame) => frame.type === "refused" && !(frame.code.startsWith("HL_") && frame.reason !== ""));
        const isGone = own.frames.some(({ type }) => type === "bye");
        own.frames.length = 0;
        if (isGone || silence !== undefined) {
          own.socket.destroy();
          client = undefined;
        }
        if (silence !== undefined) return `the hub neither answered nor said goodbye: ${silence}`;
        return wrong === undefined ? undefined : `refused without a reason: ${JSON.stringify(wrong)}`;
      };
    }),
};

function whyMissing(word: Promise<unknown>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(`it was silent for ${SILENT_MS / 1_000} s`), SILENT_MS);
    void word
      .then(
        () => resolve(undefined),
        (error: Error) => resolve(error.message),
      )
      .finally(() => clearTimeout(timer));
  });
}
