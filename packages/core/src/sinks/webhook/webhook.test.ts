import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type LookupFunction, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it } from "vitest";
import type { Envelope } from "../../catalog/envelope.js";
import type { SendResult } from "../sink.js";
import type { WebhookSinkOptions } from "./options.js";
import { readDeadLetters } from "./read-dead-letters.js";
import { redeliver } from "./redeliver.js";
import { createWebhookSink, type WebhookSink } from "./webhook.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const { signal } = new AbortController();
const leftovers: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of leftovers.splice(0).reverse()) await clean();
});

const envelope = (id: string): Envelope => ({
  v: 2,
  id,
  seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  event: "agent:start",
  source: { app: "test", host: "h", pid: 1, instance: "i" },
  payload: { callback: "http://127.0.0.1:9/taken-from-an-event" },
  hops: [],
});

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  leftovers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A receiver that answers each request by the next of its answers, the last one forever. */
async function startReceiver(...answers: RequestListener[]) {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? says(204);
    requests.push({ headers: request.headers as Record<string, string>, body });
    answer(request, response);
  });
  return { url: await listen(server), requests };
}

const says =
  (status: number, headers: Record<string, string> = {}, body = ""): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

/** A peer that answers the first bytes it hears with text of its own, then ends the connection. */
const startRaw = (answer: string) =>
  listen(createTcpServer((socket) => socket.on("error", () => {}).once("data", () => socket.end(answer))));

function open(options: WebhookSinkOptions): WebhookSink {
  const sink = createWebhookSink(options);
  leftovers.push(() => sink.close());
  return sink;
}

function tempFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-webhook-"));
  leftovers.push(() => rmSync(folder, { recursive: true }));
  return join(folder, "state", "dead.jsonl");
}

const causeOf = (result: SendResult) => (result.status === "sent" ? undefined : result.cause);

describe("a webhook", () => {
  it("is signed so that the reference verifies it, with the same id at every try", async () => {
    const { url, requests } = await startReceiver(says(503), says(200));
    const sink = open({ url, secret: [SECRET, "whsec_AAECAwQFBgc="], headers: { "X-Team": "ops" } });
    const batch = [envelope("a"), envelope("b")];
    expect((await sink.send(batch, signal)).status).toBe("retry");
    expect(await sink.send(batch, signal)).toEqual({ status: "sent" });
    for (const { headers, body } of requests) expect(new Webhook(SECRET).verify(body, headers)).toEqual(batch);
    const [first, second] = requests.map(({ headers }) => headers);
    expect(first?.["webhook-id"]).toBe(second?.["webhook-id"]);
    expect(second).toMatchObject({ "content-type": "application/json", "x-team": "ops", "user-agent": "hookline" });
    expect(sink.counters).toEqual({ sent: 2, failed: 0, deadLettered: 0, lost: 0 });
  });

  it("in mode single is one request an event, goes on where it stopped, and sends none twice", async () => {
    const { url, requests } = await startReceiver(says(200), says(400), says(503), says(200));
    const path = tempFile();
    const sink = open({ url, mode: "single", encoding: "cloudevents", deadLetter: path });
    const batch = ["a", "b", "c", "d"].map(envelope);
    expect((await sink.send(batch, signal)).status).toBe("retry");
    expect((await sink.send(batch, signal)).status).toBe("failed");
    expect(requests.map(({ body }) => JSON.parse(body).id)).toEqual(["a", "b", "c", "c", "d"]);
    expect(requests[0]?.headers["content-type"]).toBe("application/cloudevents+json; charset=utf-8");
    expect([...readDeadLetters(path)]).toMatchObject([{ line: 1, letter: { envelopes: [{ id: "b" }] } }]);
    expect(sink.counters).toEqual({ sent: 3, failed: 1, deadLettered: 1, lost: 0 });
    expect(sink.deadLetter([envelope("e"), envelope("f")], "given up")).toBe(true);
    expect([...readDeadLetters(path)]).toHaveLength(3);
  });

  it("sends again what it is given again after it was done", async () => {
    const { url, requests } = await startReceiver();
    const sink = open({ url, mode: "single" });
    const batch = ["a", "b"].map(envelope);
    for (let i = 0; i < 2; i++) expect(await sink.send(batch, signal)).toEqual({ status: "sent" });
    expect(requests.map(({ body }) => JSON.parse(body).id)).toEqual(["a", "b", "a", "b"]);
  });

  const fates: [SendResult["status"], number[]][] = [
    ["sent", [200, 201, 202, 204, 299]],
    ["retry", [408, 429, 500, 501, 502, 503, 504, 599]],
    ["failed", [300, 304, 400, 401, 403, 404, 405, 409, 410, 413, 422, 425, 451]],
  ];
  for (const [status, codes] of fates)
    it(`is ${status} when the answer is ${codes}`, async () => {
      const { url } = await startReceiver(...codes.map((code) => says(code)));
      const sink = open({ url });
      for (const code of codes) {
        const result = await sink.send([envelope(String(code))], signal);
        expect([code, result.status]).toEqual([code, status]);
        if (result.status !== "sent")
          expect(result.cause).toMatchObject({ code: "HL_WEBHOOK_ANSWER", message: expect.stringContaining(`${code}`) });
      }
    });

  it("waits as Retry-After asks, within an hour", async () => {
    const { url } = await startReceiver(
      says(429, { "retry-after": "7" }),
      says(503, { "retry-after": "86400" }),
      says(503, { "retry-after": new Date(Date.now() - 60_000).toUTCString() }),
      says(503),
    );
    const sink = open({ url });
    const results = [];
    for (let i = 0; i < 4; i++) results.push(await sink.send([envelope("a")], signal));
    expect(results.map((result) => "afterMs" in result && result.afterMs)).toEqual([7_000, 3_600_000, 0, false]);
  });

  it("follows no redirect, and dials no URL of an event", async () => {
    const elsewhere = await startReceiver(says(200));
    const codes = [301, 302, 303, 307, 308];
    const { url, requests } = await startReceiver(...codes.map((code) => says(code, { location: elsewhere.url })));
    const sink = open({ url });
    for (const _ of codes)
      expect(await sink.send([envelope("a")], signal)).toMatchObject({
        status: "failed",
        cause: { message: expect.stringContaining("a redirect, which is not followed") },
      });
    expect([requests.length, elsewhere.requests.length]).toEqual([codes.length, 0]);
  });
});

describe("a receiver in trouble", () => {
  const retry = { status: "retry", cause: { code: "HL_WEBHOOK_UNREACHABLE" } };

  it("that never answers, or stalls in the middle, is left at the timeout", async () => {
    const silent = await startReceiver(() => {});
    const stalling = await startReceiver((_, response) => void response.writeHead(200).write("begun"));
    for (const { url } of [silent, stalling])
      expect(await open({ url, timeoutMs: 50 }).send([envelope("a")], signal)).toMatchObject({
        ...retry,
        cause: { message: expect.stringContaining("no answer within 50 ms") },
      });
  });

  const broken = {
    "closes at once": "",
    "closes within the head": "HTTP/1.1 200 OK\r\nContent-Le",
    "closes within the body": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    "closes within a chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nshort",
    "is not a web server": "SSH-2.0-OpenSSH_9.6\r\n",
    "switches protocols": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
  };
  for (const [what, answer] of Object.entries(broken))
    it(`that ${what} is tried again`, async () => {
      expect(await open({ url: await startRaw(answer) }).send([envelope("a")], signal)).toMatchObject(retry);
    });

  it("that does not run or has no address is tried again", async () => {
    const { url } = await startReceiver();
    await leftovers.pop()?.();
    expect(await open({ url }).send([envelope("a")], signal)).toMatchObject(retry);
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }), []);
    expect(await open({ url: "https://nowhere.test/", lookup }).send([envelope("a")], signal)).toMatchObject(retry);
  });

  it("that answers with 5 MB, and has not ended then, is not read to the end, and the next request passes", async () => {
    const flood: RequestListener = (_, response) => void response.writeHead(200).write(Buffer.alloc(5_000_000));
    const { url, requests } = await startReceiver(flood, says(200));
    const sink = open({ url, timeoutMs: 5_000 });
    expect(await sink.send([envelope("a")], signal)).toEqual({ status: "sent" });
    expect(await sink.send([envelope("b")], signal)).toEqual({ status: "sent" });
    expect(requests).toHaveLength(2);
  });

  it("that closed a kept connection is reached over a new one at once", async () => {
    let connections = 0;
    const answer = "HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n";
    const server = createTcpServer((socket) => {
      connections++;
      let heard = 0;
      socket.on("error", () => {}).on("data", () => (++heard === 1 ? socket.write(answer) : socket.resetAndDestroy()));
    });
    const sink = open({ url: await listen(server) });
    expect(await sink.send([envelope("a")], signal)).toEqual({ status: "sent" });
    expect(await sink.send([envelope("b")], signal)).toEqual({ status: "sent" });
    expect(connections).toBe(2);
  });

  it("is let go when the caller aborts or the sink is closed, and the batch is the caller's again", async () => {
    const { url } = await startReceiver(() => {});
    const sink = open({ url, closeTimeoutMs: 20 });
    const controller = new AbortController();
    const aborted = sink.send([envelope("a")], controller.signal);
    setImmediate(() => controller.abort());
    expect(await aborted).toMatchObject(retry);
    const cut = sink.send([envelope("b")], signal);
    await sink.close();
    expect(await cut).toMatchObject(retry);
    expect(await sink.send([envelope("c")], signal)).toMatchObject({ status: "failed", cause: { code: "HL_SINK_CLOSED" } });
  });
});

describe("the address that is dialled", () => {
  const answering =
    (...addresses: string[]): LookupFunction =>
    (_, options, callback) => {
      const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address ?? "", found[0]?.family);
    };

  for (const address of [
    "169.254.169.254",
    "::ffff:a9fe:a9fe",
    "fe80::1",
    "fd00:ec2::254",
    "0.0.0.0",
    "224.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "0x7f.1",
  ])
    it(`is never ${address}, whatever name leads there`, async () => {
      const sink = open({ url: "https://innocent.test/hook", lookup: answering(address) });
      expect(await sink.send([envelope("a")], signal)).toMatchObject({ status: "failed", cause: { code: "HL_WEBHOOK_TARGET" } });
    });

  it("is checked again at each connection: a name that moves is refused", async () => {
    const { url, requests } = await startReceiver(says(200, { connection: "close" }));
    const answers = [answering("127.0.0.1"), answering("169.254.169.254")];
    const lookup: LookupFunction = (...args) => answers.shift()?.(...args);
    const sink = open({ url: url.replace("127.0.0.1", "moving.test"), allowHttp: true, lookup });
    expect(await sink.send([envelope("a")], signal)).toEqual({ status: "sent" });
    expect(await sink.send([envelope("b")], signal)).toMatchObject({ status: "failed", cause: { code: "HL_WEBHOOK_TARGET" } });
    expect(requests).toHaveLength(1);
  });

  it("is loopback when localhost is spoken to in plain http, and never with allowPrivate: false", async () => {
    const { url, requests } = await startReceiver();
    const local = url.replace("127.0.0.1", "localhost");
    const failed = { status: "failed", cause: { code: "HL_WEBHOOK_TARGET" } };
    expect(await open({ url: local, lookup: answering("10.0.0.1") }).send([envelope("a")], signal)).toMatchObject(failed);
    const strict = open({ url: local, allowHttp: true, allowPrivate: false, lookup: answering("127.0.0.1") });
    expect(await strict.send([envelope("a")], signal)).toMatchObject(failed);
    expect(await open({ url: local, lookup: answering("169.254.1.1", "127.0.0.1") }).send([envelope("a")], signal)).toEqual({
      status: "sent",
    });
    expect(requests).toHaveLength(1);
  });
});

describe("what failed for good", () => {
  it("is kept with its cause, delivered by redeliver under the same id, and then gone", async () => {
    const { url, requests } = await startReceiver(says(400), says(422), says(200));
    const path = tempFile();
    const sink = open({ url, secret: SECRET, deadLetter: path });
    const batch = [envelope("a"), envelope("b")];
    expect((await sink.send(batch, signal)).status).toBe("failed");
    const [kept] = [...readDeadLetters(path)];
    expect(kept).toMatchObject({ letter: { url, cause: expect.stringMatching(/HL_WEBHOOK_ANSWER: .* 400/), envelopes: batch } });
    expect(await redeliver(path, sink)).toEqual({ sent: 0, kept: 1, malformed: 0 });
    expect([...readDeadLetters(path)]).toEqual([kept]);
    expect(await redeliver(path, sink)).toEqual({ sent: 1, kept: 0, malformed: 0 });
    expect(readFileSync(path, "utf8")).toBe("");
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("is not kept without a file, and is counted when the file cannot be written", async () => {
    const { url } = await startReceiver(says(400));
    expect(open({ url }).deadLetter([envelope("a")], "given up")).toBe(false);
    const path = tempFile();
    const sink = open({ url, deadLetter: join(path, "dead.jsonl") });
    expect(open({ url, deadLetter: path }).deadLetter([envelope("a")], "makes a file of the folder's name")).toBe(true);
    expect(await sink.send([envelope("a")], signal)).toMatchObject({ status: "failed" });
    expect(sink.counters).toEqual({ sent: 0, failed: 1, deadLettered: 0, lost: 1 });
  });

  it("says no secret, in no error and in no file", async () => {
    const secrets = ["MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "hunter22hunter22", "query-token-1", "abcdef0123456789XYZ"];
    const echo: RequestListener = ({ headers, url }, response) => void response.writeHead(400).end(JSON.stringify([headers, url]));
    const path = tempFile();
    const options = { secret: SECRET, headers: { authorization: `Bearer ${secrets[1]}` }, deadLetter: path };
    const tail = `/services/${secrets[3]}?token=${secrets[2]}`;
    const causes: unknown[] = [];
    for (const url of [(await startReceiver(echo)).url, await startRaw(`HTTP/1.1 ${secrets[1]}\r\n\r\n`), "http://127.0.0.1:1"]) {
      const sink = open({ ...options, url: new URL(tail, url).href });
      causes.push(causeOf(await sink.send([envelope("a")], signal)));
      sink.deadLetter([envelope("b")], new Error(`fetch of ${url}${tail} with ${SECRET} and ${secrets[1]}`));
    }
    expect(causes.every((cause) => cause instanceof Error)).toBe(true);
    expect(existsSync(path)).toBe(true);
    const said = inspect(causes, { depth: 9, showHidden: true }) + readFileSync(path, "utf8");
    for (const secret of secrets) expect(said).not.toContain(secret);
  });
});

describe("createWebhookSink", () => {
  const url = "https://example.com/";
  const wrong: [object, string][] = [
    [{}, "HL_BAD_OPTION"],
    [{ url: 3 }, "HL_BAD_OPTION"],
    [{ url, secrt: "x" }, "HL_UNKNOWN_OPTION"],
    [{ url, secret: [] }, "HL_BAD_OPTION"],
    [{ url, secret: "hunter22!" }, "HL_BAD_OPTION"],
    [{ url, mode: "both" }, "HL_BAD_OPTION"],
    [{ url, encoding: "xml" }, "HL_BAD_OPTION"],
    [{ url, timeoutMs: 0 }, "HL_BAD_OPTION"],
    [{ url, timeoutMs: 2 ** 31 }, "HL_BAD_OPTION"],
    [{ url, headers: { Host: "hunter22" } }, "HL_BAD_OPTION"],
    [{ url, headers: { "Webhook-Id": "hunter22" } }, "HL_BAD_OPTION"],
    [{ url, headers: { "x-a": "hunter22\r\nx-b: 1" } }, "HL_BAD_OPTION"],
    [{ url, deadLetter: "" }, "HL_BAD_OPTION"],
    [{ url, lookup: "dns" }, "HL_BAD_OPTION"],
    [{ url: "http://example.com/hunter22" }, "HL_WEBHOOK_TARGET"],
  ];
  for (const [options, code] of wrong)
    it(`refuses ${JSON.stringify(options)}`, () => {
      const create = () => createWebhookSink(options as WebhookSinkOptions);
      expect(create).toThrow(expect.objectContaining({ code }));
      expect(create).not.toThrow(/hunter22/);
    });
});
