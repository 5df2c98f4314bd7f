import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "../serve.ts";
import { latencyOf } from "../statistics.ts";
import { lineOf, payloadOf } from "../workload.ts";

// What people write without the library. Every sender waits for the answer that its event is on disk, as the line does.
interface Target {
  readonly url: string;
  readonly token: string;
}

/** Milliseconds for so many events, by so many senders, each of which sends one after the other. */
async function timeAll(count: number, senders: number, send: (line: string) => Promise<void>): Promise<number> {
  const run = randomBytes(8).toString("hex");
  const lines = Array.from({ length: count }, (_, number) => lineOf(number, { run }));
  const start = performance.now();
  const work = async (): Promise<void> => {
    for (let line = lines.pop(); line !== undefined; line = lines.pop()) await send(line);
  };
  await Promise.all(Array.from({ length: senders }, work));
  return performance.now() - start;
}

function post(agent: Agent, { url, token }: Target, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(line), authorization: `Bearer ${token}` };
    const outgoing = request(`${url}/api/hooks/ingest`, { method: "POST", agent, headers }, (answer) => {
      answer.resume();
      answer.once("end", () => (answer.statusCode === 200 ? resolve() : reject(new Error(`The hub answered ${answer.statusCode}.`))));
    });
    outgoing.once("error", reject);
    outgoing.end(line);
  });
}

function connectAndSend(path: string, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${line}\n`));
    socket.once("error", reject);
    socket.once("data", () => {
      socket.destroy();
      resolve();
    });
  });
}

/** One connection, one line there and one back. */
function openEcho(path: string) {
  const socket = connect(path);
  let text = "";
  let heard: (value: unknown) => void = () => {};
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      heard(JSON.parse(text.slice(0, end)));
      text = text.slice(end + 1);
    }
  });
  return (value: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      heard = resolve;
      socket.write(`${JSON.stringify(value)}\n`);
    });
}

let echo: ReturnType<typeof openEcho> | undefined;

const methods = {
  /** One POST per event over connections that are kept. */
  async postEach(count: number, senders: number, target: Target): Promise<number> {
    const agent = new Agent({ keepAlive: true, maxSockets: senders });
    try {
      return await timeAll(count, senders, (line) => post(agent, target, line));
    } finally {
      agent.destroy();
    }
  },
  /** One Unix connection per event. */
  connectEach: (count: number, senders: number, path: string) => timeAll(count, senders, (line) => connectAndSend(path, line)),
  /** Microseconds there and back. */
  async timeEchoes(count: number, pauseMs: number, path: string) {
    echo ??= openEcho(path);
    const payloads = Array.from({ length: count }, (_, number) => payloadOf(number % 1_000));
    const times = new Float64Array(count);
    for (const [number, payload] of payloads.entries()) {
      if (pauseMs > 0) await sleep(pauseMs);
      const start = performance.now();
      await echo({ id: number, event: "tool:before", payload });
      times[number] = (performance.now() - start) * 1_000;
    }
    return latencyOf(times);
  },
};
export type PlainClientMethods = typeof methods;
serve(methods);
