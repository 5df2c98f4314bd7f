// The far end of a sink: takes a webhook's posts, or a socket's lines, and writes each event down before it acknowledges it.
// receiver.ts <ReceiverSettings as JSON>
import { openSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { answerWith, sayReady } from "../../faults/programs/answers.ts";
import type { ReceiverSettings } from "../world.ts";

const settings = JSON.parse(process.argv[2] as string) as ReceiverSettings;
const log = openSync(settings.log, "a", 0o600);
let taken = 0;

function take(events: readonly { readonly id: string; readonly payload: unknown }[]): void {
  taken += events.length;
  writeSync(log, events.map(({ id, payload }) => `${JSON.stringify({ id, payload })}\n`).join(""));
}

async function serveWebhook(port: number): Promise<number> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    take(JSON.parse(body));
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function serveSocket(path: string): Promise<number> {
  // What a killed one left.
  rmSync(path, { force: true });
  const server = createSocketServer((socket) => {
    let rest = "";
    socket.on("error", () => {});
    // Not `node:readline`: it ends a line also at U+2028, which JSON leaves in a text.
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() as string;
      if (lines.length === 0) return;
      const events = lines.map((line) => JSON.parse(line));
      take(events);
      socket.write(`${JSON.stringify({ type: "ack", id: events.at(-1).id })}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return 0;
}

answerWith({ taken: () => taken });
sayReady({ port: await (settings.path === undefined ? serveWebhook(settings.port ?? 0) : serveSocket(settings.path)) });
