import { encodeEnvelope } from "@hookline/core/sinks";
import { LineClient } from "../../support/line-client.ts";
import { sampleEnvelope } from "../../support/sample-envelope.ts";
import { Judge } from "../judge.ts";
import { createRandom } from "../oracle.ts";
import { Crew } from "../processes.ts";
import { exchange, statusesIn, type Where } from "../raw.ts";
import type { Scenario } from "../scenario.ts";
import { readRows } from "../store-rows.ts";

const FUZZ = { short: 60, full: 2_000 };
const MIB = 1024 * 1024;

/** Bodies and lines that are too long, too deep, not UTF-8, not JSON, or not as long as they say: refused, and the hub is as it was. */
export const badInput: Scenario = async (seed, size) => {
  await using crew = new Crew();
  const judge = new Judge();
  const hub = await crew.startHub();
  const { url, token, line } = crew.hubFile();
  const tcp = { host: "127.0.0.1", port: Number(new URL(url).port) };
  const head = (headers: string): string =>
    `POST /api/hooks/ingest HTTP/1.1\r\nHost: 127.0.0.1:${tcp.port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n${headers}\r\n`;
  for (const [name, body] of Object.entries(badBodies())) {
    for (const type of ["application/json", "application/x-ndjson"]) {
      const bytes = typeof body === "string" ? Buffer.from(body) : body;
      const request = [head(`Content-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n`), bytes];
      for (const where of [tcp, { path: crew.socket("http") }]) await judgeAnswer(judge, `${name} as ${type}`, where, request);
    }
  }
  // In the short form the rest of half a request is not waited for: the sender hangs up.
  const requests = Object.entries(badRequests(head));
  await Promise.all(requests.map(([name, request]) => judgeAnswer(judge, name, tcp, request, size === "short")));
  await judgeFuzz(judge, { where: tcp, head, count: FUZZ[size], seed });
  await judgeLines(judge, line, token);
  judge.expect("own", hub.isRunning, "the hub died");
  const { events } = await crew.get<{ events: unknown[] }>("/api/events?limit=10");
  judge.expect("own", events.length === 0, `${events.length} bad events are stored: ${JSON.stringify(events).slice(0, 200)}`);
  await hub.ask("close");
  judge.look(
    "I2",
    readRows(crew.store).length,
    readRows(crew.store).map(({ id }) => `${id} is stored`),
  );
  return judge.verdict("bad input", seed);
};

function badBodies(): { readonly [name: string]: string | Uint8Array } {
  const good = encodeEnvelope(sampleEnvelope());
  const nested = (depth: number): string => good.replace('"payload":{', `"payload":{"deep":${"[".repeat(depth)}${"]".repeat(depth)},`);
  return {
    "one over the limit": `{"event_type":"a:b","context":{"text":"${"x".repeat(4 * MIB)}"}}`,
    "65 deep": nested(66),
    "5 million deep": nested(5_000_000 / 5),
    "half an event": good.slice(0, -10),
    "no JSON": "hello there",
    "an array": `[${good}]`,
    "a number": "12",
    null: "null",
    "two in one line": `${good}${good}`,
    "a good line and a bad one": `${good}\n{"v":1}\n`,
    "not UTF-8": Buffer.concat([
      Buffer.from('{"event_type":"a:b","context":{"text":"'),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from('"}}'),
    ]),
    "UTF-16": Buffer.from('{"event_type":"a:b"}', "utf16le"),
    "a foreign version": good.replace('"v":2', '"v":3'),
    "no id": good.replace(/"id":"[^"]*"/, '"id":""'),
    "a number for an id": good.replace(/"id":"[^"]*"/, '"id":7'),
    "a time that is none": good.replace(/"at":"[^"]*"/, '"at":"yesterday"'),
    "a NUL in the name": good.replace('"event":"agent:step"', '"event":"agent:\\u0000step"'),
    "a negative number": good.replace(/"seq":\d+/, '"seq":-1'),
    "hops that are none": good.replace(/"hops":\[[^\]]*\]/, '"hops":"i1"'),
    "a source that is none": good.replace(/"source":\{[^}]*\}/, '"source":null'),
  };
}

function badRequests(head: (headers: string) => string): { readonly [name: string]: readonly (string | Uint8Array)[] } {
  const json = "Content-Type: application/json\r\n";
  const half = '{"event_type":"a:b","context":{';
  return {
    "chunked without an end": [head(`${json}Transfer-Encoding: chunked\r\n`), '5\r\n{"eve\r\n'],
    "chunks that lie": [head(`${json}Transfer-Encoding: chunked\r\n`), "zz\r\n{}\r\n0\r\n\r\n"],
    "endless chunks": [
      head(`${json}Transfer-Encoding: chunked\r\n`),
      ...Array.from({ length: 80 }, () => `10000\r\n${"x".repeat(65_536)}\r\n`),
    ],
    "a length and chunks": [head(`${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`), "0\r\n\r\n"],
    "two lengths": [head(`${json}Content-Length: 5\r\nContent-Length: 6\r\n`), "hello"],
    "a length too long": [head(`${json}Content-Length: 4000\r\n`), half],
    "a length too short": [head(`${json}Content-Length: 10\r\n`), half],
    "a length beyond all": [head(`${json}Content-Length: 99999999999999999999\r\n`), half],
    "a length that is negative": [head(`${json}Content-Length: -1\r\n`), half],
    "a gigabyte announced": [head(`${json}Content-Length: 1073741824\r\n`), half],
    compressed: [head(`${json}Content-Encoding: gzip\r\nContent-Length: 4\r\n`), Buffer.from([0x1f, 0x8b, 8, 0])],
    "no type": [head("Content-Length: 2\r\n"), "{}"],
    "a form": [head("Content-Type: text/plain\r\nContent-Length: 2\r\n"), "{}"],
    "no HTTP": ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
    "headers without end": [`GET / HTTP/1.1\r\nHost: x\r\n${"X-Filling: x\r\n".repeat(10_000)}`],
  };
}

/** Every answer is 4xx, or none at all. */
async function judgeAnswer(
  judge: Judge,
  name: string,
  where: Where,
  request: readonly (string | Uint8Array)[],
  end = false,
): Promise<void> {
  const answer = await exchange(where, request, { end });
  const wrong = statusesIn(answer).filter((status) => status < 400 || status >= 500);
  judge.look(
    "own",
    1,
    wrong.map((status) => `${name}: ${status} ${answer.slice(-200)}`),
  );
}

interface Fuzz {
  readonly where: Where;
  readonly head: (headers: string) => string;
  readonly count: number;
  readonly seed: number;
}

/** A good body with some bytes cut out or turned into control characters or halves of letters: never JSON again. */
async function judgeFuzz(judge: Judge, { where, head, count, seed }: Fuzz): Promise<void> {
  const random = createRandom(seed);
  const good = Buffer.from(encodeEnvelope(sampleEnvelope()));
  for (let index = 0; index < count; index++) {
    const bytes = Buffer.from(good.subarray(0, good.length - random.pick([0, 0, random.between(1, good.length - 1)])));
    bytes[random.between(0, bytes.length - 1)] = random.pick([0, 1, 0x1f, 0xff, 0xc0, 0x80]);
    await judgeAnswer(judge, `${bytes}`, where, [head(`Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n`), bytes]);
  }
}

/** The same by the line: a bad envelope is refused by its number, and what is no frame at all ends the connection. */
async function judgeLines(judge: Judge, path: string, token: string): Promise<void> {
  for (const [name, body] of Object.entries(badBodies())) {
    const client = await LineClient.attached(path, token);
    client.socket.write(Buffer.concat([typeof body === "string" ? Buffer.from(body.split("\n").at(-2) ?? body) : body, Buffer.from("\n")]));
    const answer = await client.next(({ type }) => type === "refused" || type === "bye").catch(() => ({ type: "closed" }));
    judge.expect("own", ["refused", "bye", "closed"].includes(answer.type), `${name}: ${JSON.stringify(answer)}`);
    client.socket.destroy();
  }
  const early = new LineClient(path);
  early.say(encodeEnvelope(sampleEnvelope()));
  await early.closed();
  judge.expect("own", !early.frames.some(({ type }) => type === "ack"), "an event before the login was acknowledged");
  const long = await LineClient.attached(path, token);
  long.socket.write("x".repeat(5 * MIB));
  long.socket.write("\n");
  const { type } = await long.next((frame) => frame.type === "refused" || frame.type === "bye");
  judge.expect("own", type === "refused" || type === "bye", "a line of 5 MiB was taken");
  long.socket.destroy();
}
