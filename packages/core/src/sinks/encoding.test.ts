import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { sampleEnvelope } from "../../../../test/support/sample-envelope.js";
import { testFolder } from "../../../../test/support/test-folder.js";
import { decodeLine } from "../adapters/codewhale/line.js";
import { createJsonlSink } from "./jsonl/jsonl.js";
import { createStdoutSink } from "./stdout/stdout.js";
import { createUnixSocketSink } from "./unix-socket/unix-socket.js";
import { createWebhookSink } from "./webhook/webhook.js";

const envelope = sampleEnvelope({ event: "tool:after", payload: { tool: { name: "Bash", callId: "1", input: {} }, status: "ok" } });
const never = new AbortController().signal;

it("writes codewhale's { at, event } lines to a file, a stream and a socket", async () => {
  const folder = testFolder();
  const path = join(folder, "events.jsonl");
  const file = createJsonlSink({ path, encoding: "codewhale" });
  expect(await file.send([envelope], never)).toEqual({ status: "sent" });
  await file.close();

  const stream = new PassThrough();
  const stdout = createStdoutSink({ stream, encoding: "codewhale" });
  expect(await stdout.send([envelope], never)).toEqual({ status: "sent" });

  const heard = new Promise<string>((resolve) => {
    const server = createServer((socket) => socket.once("data", (chunk) => resolve(String(chunk)))).listen(join(folder, "s.sock"));
    onTestFinished(() => void server.close());
  });
  const socket = createUnixSocketSink({ path: join(folder, "s.sock"), encoding: "codewhale" });
  await expect.poll(() => socket.send([envelope], never)).toEqual({ status: "sent" });

  for (const line of [readFileSync(path, "utf8"), String(stream.read()), await heard]) {
    expect(Object.keys(JSON.parse(line))).toEqual(["at", "event"]);
    expect(decodeLine(line.trim())).toMatchObject({ at: envelope.at, event: "tool:after" });
  }
  await socket.close();
});

it("is one of those there are, in every sink", () => {
  const encoding = "xml" as never;
  for (const create of [createJsonlSink, createStdoutSink, createUnixSocketSink]) expect(() => create({ encoding })).toThrow('"encoding"');
  expect(() => createWebhookSink({ url: "https://example.com", encoding })).toThrow('"encoding"');
});
