import { statSync } from "node:fs";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { dial, type HttpHub, makeEnvelope, sendRaw, startHttpHub, until } from "../../../../test/support/http-hub.ts";

const quick = { headersTimeoutMs: 300, requestTimeoutMs: 400, answerTimeoutMs: 400, keepAliveTimeoutMs: 300, checkEveryMs: 50 };

function frame(
  hub: HttpHub,
  { head = "POST /api/hooks/ingest HTTP/1.1", body = '{"event_type":"agent:start"}', ...headers }: Record<string, string> = {},
) {
  const all: Record<string, string> = {
    Host: `127.0.0.1:${hub.port}`,
    Authorization: `Bearer ${hub.parts.tokens.operator}`,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
    ...headers,
  };
  const lines = Object.entries(all).filter(([, value]) => value !== "-");
  return `${head}\r\n${lines.map(([name, value]) => `${name.replace(/ \d$/, "")}: ${value}`).join("\r\n")}\r\n\r\n${body}`;
}

/** Sends the first part of each request, says so when the answers to whole ones are there, and sends the rest when it is told. */
const SLOW_PEER = `
const { connect } = require("node:net");
const { parentPort, workerData: { port, requests, isStalled } } = require("node:worker_threads");
const peers = requests.map(([first]) => {
  const socket = connect(port, "127.0.0.1").on("error", () => {}).on("data", (chunk) => (peer.answer += chunk)).setNoDelay();
  const peer = { socket, answer: "", ended: new Promise((resolve) => socket.on("close", resolve)) };
  socket.write(first);
  return peer;
});
const ready = setInterval(async () => {
  if (peers.some(({ socket }) => socket.connecting) || peers[2].answer === "") return;
  clearInterval(ready);
  parentPort.postMessage("ready");
  Atomics.wait(isStalled, 0, 0);
  peers.forEach(({ socket }, index) => socket.write(requests[index][1]));
  await Promise.all(peers.map(({ ended }) => ended));
  parentPort.postMessage(peers.map(({ answer }) => answer));
}, 1);
`;

describe("requests that are not what they seem", () => {
  it("are told from good ones: a good one is stored", async () => {
    const hub = await startHttpHub();
    expect(await sendRaw(hub.port, frame(hub))).toMatch(/^HTTP\/1.1 200 /);
    expect(
      await sendRaw(
        hub.port,
        frame(hub, { Host: `LocalHost:${hub.port}`, Origin: `http://localhost:${hub.port}`, "Sec-Fetch-Site": "same-origin" }),
      ),
    ).toMatch(/^HTTP\/1.1 200 /);
    expect(await sendRaw(hub.port, frame(hub, { Host: `[::1]:${hub.port}`, "Sec-Fetch-Site": "none" }))).toMatch(/^HTTP\/1.1 200 /);
    expect((await hub.parts.store.stats()).events).toBe(3);
  });

  const body = '{"event_type":"agent:start"}';
  const variants: { readonly [name: string]: (hub: HttpHub) => string | Uint8Array } = {
    "no Host": (hub) => frame(hub, { Host: "-" }),
    "an empty Host": (hub) => frame(hub, { Host: "" }),
    "a foreign Host": (hub) => frame(hub, { Host: "evil.example" }),
    "a foreign Host with our port": (hub) => frame(hub, { Host: `evil.example:${hub.port}` }),
    "a Host that begins like ours": (hub) => frame(hub, { Host: `127.0.0.1.evil.example:${hub.port}` }),
    "a Host with another port": (hub) => frame(hub, { Host: "127.0.0.1:1" }),
    "a Host without the port": (hub) => frame(hub, { Host: "127.0.0.1" }),
    "a Host with a user": (hub) => frame(hub, { Host: `x@127.0.0.1:${hub.port}` }),
    "a Host with a path": (hub) => frame(hub, { Host: `127.0.0.1:${hub.port}/` }),
    "a wildcard Host": (hub) => frame(hub, { Host: `0.0.0.0:${hub.port}` }),
    "two Hosts": (hub) => frame(hub, { "Host 2": "evil.example" }),
    "a foreign Origin": (hub) => frame(hub, { Origin: "http://evil.example" }),
    "a null Origin": (hub) => frame(hub, { Origin: "null" }),
    "an https Origin": (hub) => frame(hub, { Origin: `https://127.0.0.1:${hub.port}` }),
    "an Origin of another port": (hub) => frame(hub, { Origin: "http://127.0.0.1:1" }),
    "an Origin of our other name": (hub) => frame(hub, { Origin: `http://localhost:${hub.port}` }),
    "an empty Origin": (hub) => frame(hub, { Origin: "" }),
    "a cross-site fetch": (hub) => frame(hub, { "Sec-Fetch-Site": "cross-site" }),
    "a same-site fetch": (hub) => frame(hub, { "Sec-Fetch-Site": "same-site" }),
    "two tokens": (hub) => frame(hub, { "Authorization 2": "Bearer x" }),
    "a form": (hub) => frame(hub, { "Content-Type": "application/x-www-form-urlencoded" }),
    "plain text": (hub) => frame(hub, { "Content-Type": "text/plain" }),
    "a multipart form": (hub) => frame(hub, { "Content-Type": "multipart/form-data; boundary=x" }),
    "no content type": (hub) => frame(hub, { "Content-Type": "-" }),
    "two content types": (hub) => frame(hub, { "Content-Type 2": "text/plain" }),
    "a content type that begins like ours": (hub) => frame(hub, { "Content-Type": "application/jsonp" }),
    "another charset": (hub) => frame(hub, { "Content-Type": "application/json; charset=utf-16" }),
    "a compressed body": (hub) => frame(hub, { "Content-Encoding": "gzip" }),
    "an absolute target": (hub) => frame(hub, { head: "POST http://evil.example/api/hooks/ingest HTTP/1.1" }),
    "a target with a fragment": (hub) => frame(hub, { head: "POST /api/hooks/ingest#x HTTP/1.1" }),
    "a dotted path": (hub) => frame(hub, { head: "POST /api/hooks/health/../ingest HTTP/1.1" }),
    "an encoded dotted path": (hub) => frame(hub, { head: "POST /api/hooks/health/%2e%2E/ingest HTTP/1.1" }),
    "an empty part in the path": (hub) => frame(hub, { head: "POST //api/hooks/ingest HTTP/1.1" }),
    "a backslash in the path": (hub) => frame(hub, { head: "POST /api\\hooks\\ingest HTTP/1.1" }),
    "a star for a path": (hub) => frame(hub, { head: "OPTIONS * HTTP/1.1" }),
    "a path in capitals": (hub) => frame(hub, { head: "POST /API/hooks/ingest HTTP/1.1" }),
    "a slash at the end": (hub) => frame(hub, { head: "POST /api/hooks/ingest/ HTTP/1.1" }),
    "an unknown parameter": (hub) => frame(hub, { head: "POST /api/hooks/ingest?x=1 HTTP/1.1" }),
    "a path too long": (hub) => frame(hub, { head: `POST /api/hooks/ingest?${"x".repeat(9_000)} HTTP/1.1` }),
    "headers too long": (hub) => frame(hub, { "X-Long": "x".repeat(70_000) }),
    "a GET with a body": (hub) => frame(hub, { head: "GET /api/hooks/ingest HTTP/1.1" }),
    "another method": (hub) => frame(hub, { head: "PUT /api/hooks/ingest HTTP/1.1" }),
    "an invented method": (hub) => frame(hub, { head: "BREW /api/hooks/ingest HTTP/1.1" }),
    "a method in small letters": (hub) => frame(hub, { head: "post /api/hooks/ingest HTTP/1.1" }),
    "a proxy's method": () => "CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n",
    "an overridden method": (hub) => frame(hub, { head: "GET /api/hooks/ingest HTTP/1.1", body: "", "X-HTTP-Method-Override": "POST" }),
    "HTTP of another version": (hub) => frame(hub, { head: "POST /api/hooks/ingest HTTP/3.0" }),
    "a length and chunks": (hub) => frame(hub, { "Transfer-Encoding": "chunked", body: `0\r\n\r\n${body}` }),
    "two lengths": (hub) => frame(hub, { "Content-Length 2": "5" }),
    "a negative length": (hub) => frame(hub, { "Content-Length": "-5" }),
    "a length that is not a number": (hub) => frame(hub, { "Content-Length": "0x1c" }),
    "a length with a sign": (hub) => frame(hub, { "Content-Length": "+28" }),
    "a transfer encoding of another kind": (hub) =>
      frame(hub, { "Content-Length": "-", "Transfer-Encoding": "gzip, chunked", body: "0\r\n\r\n" }),
    "a hidden transfer encoding": (hub) => frame(hub, { "Content-Length": "-", "Transfer-Encoding": "xchunked", body: "0\r\n\r\n" }),
    "a chunk of no size": (hub) => frame(hub, { "Content-Length": "-", "Transfer-Encoding": "chunked", body: "zz\r\n{}\r\n0\r\n\r\n" }),
    "a chunk with a bare line feed": (hub) => frame(hub, { "Content-Length": "-", "Transfer-Encoding": "chunked", body: "1c\n{}\n0\n\n" }),
    "a space before a colon": (hub) => frame(hub).replace("Content-Length:", "Content-Length :"),
    "a folded header": (hub) => frame(hub).replace("Content-Type:", "X-Fold: a\r\n b: c\r\nContent-Type:"),
    "a NUL in a header": (hub) => frame(hub, { "X-Odd": "a\0b" }),
    "a bare line feed between headers": (hub) => frame(hub).replace("\r\nContent-Type", "\nX: y\rContent-Type"),
    "an expectation": (hub) => frame(hub, { Expect: "something" }),
    "a token of others": (hub) => frame(hub, { Authorization: `Bearer ${"x".repeat(43)}` }),
    "a token with more behind it": (hub) => frame(hub, { Authorization: `Bearer ${hub.parts.tokens.operator} x` }),
    "no HTTP at all": () => "hello\r\n\r\n",
    TLS: () => Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5, 13, 10, 13, 10]),
  };

  it("are all answered with 4xx and JSON that says why, and change nothing", async () => {
    const hub = await startHttpHub(quick);
    const odd: unknown[] = [];
    for (const [name, make] of Object.entries(variants)) {
      const answer = await sendRaw(hub.port, make(hub));
      const [, status, rest = ""] = /^HTTP\/1\.1 (\d{3}) [^\r]*\r\n(.*)$/s.exec(answer) ?? [];
      const shown = rest.slice(rest.indexOf("\r\n\r\n") + 4);
      if (!/^4\d\d$/.test(status ?? "") || !/^\{"error":\{"code":"HL_[A-Z_]+","message":".+"/.test(shown)) odd.push([name, answer]);
      if (answer.split("HTTP/1.1 ").length > 2) odd.push([name, "two answers", answer]);
    }
    expect(odd).toEqual([]);
    expect((await hub.parts.store.stats()).events).toBe(0);
    expect(hub.asked).toEqual([]);
    expect((await hub.ask("/api/sinks")).status).toBe(200);
  });

  it("cannot be hidden behind another on the same connection", async () => {
    const hub = await startHttpHub(quick);
    const second = frame(hub, { head: "POST /api/stop HTTP/1.1", body: "{}" });
    const smuggled = frame(hub, { body: second, Authorization: "-", Connection: "keep-alive" });
    expect(await sendRaw(hub.port, smuggled)).toMatch(/^HTTP\/1.1 401 /);
    const unread = frame(hub, { head: "POST /nowhere HTTP/1.1", body: second, Connection: "keep-alive" });
    expect((await sendRaw(hub.port, unread)).match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 404"]);
    expect(hub.asked).toEqual([]);
  });
});

describe("connections", () => {
  it("that send nothing, half a header, half a body or read nothing are closed", async () => {
    const hub = await startHttpHub(quick);
    await hub.parts.ingest.append([takeLarge(hub), takeLarge(hub), takeLarge(hub)]);
    const whole = frame(hub);
    const beginnings = [
      "",
      "POST /api/hooks",
      whole.slice(0, whole.indexOf("\r\n\r\n")),
      whole.slice(0, -5),
      frame(hub, { "Content-Length": "-", "Transfer-Encoding": "chunked", body: "5\r\nab" }),
    ];
    const reading = frame(hub, { head: "GET /api/events HTTP/1.1", body: "", "Content-Type": "-", Connection: "keep-alive" });
    let closed = 0;
    for (let i = 0; i < 60; i++) {
      const socket = dial(hub.port);
      const text = i % 6 === 5 ? reading : (beginnings[i % 6] as string);
      // Without a reader, the client sees the end as an error or not at all, so the test looks at the server's own count.
      if (i % 6 === 5) socket.pause();
      else socket.resume();
      socket.on("close", () => closed++);
      if (text !== "") socket.write(text);
    }
    await until(() => closed >= 50);
    await until(() => hub.server.connections === 0);
    expect((await hub.ask("/api/hooks/health")).status).toBe(200);
  });

  it("beyond the most there may be close the one that has been silent longest", async () => {
    const hub = await startHttpHub({ ...quick, maxConnections: 3 });
    const silent = [dial(hub.port), dial(hub.port), dial(hub.port)];
    await until(() => hub.server.connections === 3);
    const told = new Promise((resolve) => silent[0]?.on("data", (chunk) => resolve(String(chunk))));
    expect((await hub.ask("/api/sinks")).status).toBe(200);
    expect(await told).toMatch(/^HTTP\/1.1 503 [\s\S]*Retry-After: 1[\s\S]*HL_TOO_MANY/);
    for (const socket of silent) socket.destroy();
  });

  it("that send a request bit by bit go for others, whatever token they have", async () => {
    const hub = await startHttpHub({ ...quick, headersTimeoutMs: 60_000, requestTimeoutMs: 60_000, maxConnections: 2 });
    const slow = [dial(hub.port), dial(hub.port)];
    for (const socket of slow) socket.write(frame(hub, { "Content-Length": "500" }));
    await until(() => hub.server.connections === 2);
    const gone = new Promise((resolve) => slow[0]?.resume().once("close", resolve));
    for (const _ of slow) expect((await hub.ask("/api/sinks")).status).toBe(200);
    await gone;
    for (const socket of slow) socket.destroy();
  });

  it("with an answer under way keep their places", async () => {
    const hub = await startHttpHub({ ...quick, maxConnections: 2 });
    const stream = frame(hub, { head: "GET /api/stream HTTP/1.1", body: "", "Content-Type": "-", "Content-Length": "-" });
    const speaking = [dial(hub.port), dial(hub.port)];
    for (const socket of speaking) socket.write(stream);
    await Promise.all(speaking.map((socket) => new Promise((resolve) => socket.once("data", resolve))));
    expect(await sendRaw(hub.port, "")).toMatch(/^HTTP\/1.1 503 /);
    expect(hub.server.connections).toBe(2);
    for (const socket of speaking) socket.destroy();
  });

  it("of others on the port do not shut out those on the socket", async () => {
    const hub = await startHttpHub({ ...quick, headersTimeoutMs: 5_000, requestTimeoutMs: 5_000, maxConnections: 2 });
    const others = [dial(hub.port), dial(hub.port)];
    await until(() => hub.server.connections === 2);
    expect((await hub.ask("/api/sinks", { isOverSocket: true, headers: { host: "localhost" } })).status).toBe(200);
    for (const other of others) other.destroy();
  });

  it("are not closed for what came while the hub was held up", async () => {
    const times = { headersTimeoutMs: 600, requestTimeoutMs: 600, keepAliveTimeoutMs: 100 };
    const hub = await startHttpHub({ ...quick, ...times, answerTimeoutMs: 8_000 });
    const whole = frame(hub);
    const isStalled = new Int32Array(new SharedArrayBuffer(4));
    // Nothing at first, half a request, and a whole one: what is missing, or the next one, comes during the stall.
    const requests = [
      ["", whole],
      [whole.slice(0, -5), whole.slice(-5)],
      [whole.replace("Connection: close", "Connection: keep-alive"), whole],
    ];
    const peer = new Worker(SLOW_PEER, { eval: true, workerData: { port: hub.port, requests, isStalled } });
    await new Promise((resolve) => peer.once("message", resolve));
    Atomics.store(isStalled, 0, 1);
    Atomics.notify(isStalled, 0);
    // Node gives a connection that rests a second more than it is told.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    const answers = await new Promise<readonly string[]>((resolve) => peer.once("message", resolve));
    expect(answers.map((answer) => answer.match(/HTTP\/1.1 \d+/g))).toEqual([
      ["HTTP/1.1 200"],
      ["HTTP/1.1 200"],
      ["HTTP/1.1 200", "HTTP/1.1 200"],
    ]);
  });

  it("on the Unix socket need no host, and the socket is its owner's alone", async () => {
    const hub = await startHttpHub();
    expect(statSync(hub.socketPath).mode & 0o777).toBe(0o600);
    for (const host of ["localhost", "hookline", "127.0.0.1:80", ""])
      expect((await hub.ask("/api/sinks", { isOverSocket: true, headers: { host } })).status).toBe(200);
    expect((await hub.ask("/api/sinks", { isOverSocket: true, headers: { host: "evil.example" } })).status).toBe(421);
    expect((await hub.ask("/api/sinks", { isOverSocket: true, headers: { origin: "http://evil.example" } })).status).toBe(403);
    expect((await hub.ask("/api/sinks", { isOverSocket: true, token: null })).status).toBe(401);
  });

  it("that are open when the hub closes are ended, and the port is free", async () => {
    const hub = await startHttpHub();
    const socket = dial(hub.port);
    await until(() => hub.server.connections === 1);
    const ended = new Promise((resolve) => socket.resume().on("close", resolve));
    await hub.server.close();
    await ended;
    await new Promise((resolve) => connect(hub.port, "127.0.0.1").on("error", resolve));
  });
});

function takeLarge({ parts }: HttpHub) {
  const result = parts.ingest.acceptEnvelope(makeEnvelope({ payload: { text: "x".repeat(4_000_000) } }));
  if ("code" in result) throw new Error(result.reason);
  return result;
}
