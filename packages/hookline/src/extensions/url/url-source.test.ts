import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type LookupFunction, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { type Bus, createBus, type HookError } from "@hookline/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OwnedSource } from "../handler-source.js";
import { createUrlSource } from "./url-source.js";
import type { UrlSpec } from "./url-spec.js";

vi.setConfig({ testTimeout: 40_000 });
const leftovers: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of leftovers.splice(0).reverse()) await clean();
});

interface Running {
  readonly port: number;
  readonly url: string;
  /** How many connections were made. */
  readonly connections: () => number;
  stop(): Promise<void>;
}

async function listen(server: Server, { scheme = "http", port = 0 } = {}): Promise<Running> {
  const sockets: Socket[] = [];
  server.on("connection", (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  leftovers.push(stop);
  const { port: taken } = server.address() as AddressInfo;
  return { port: taken, url: `${scheme}://127.0.0.1:${taken}/hook`, connections: () => sockets.length, stop };
}

const serve = (answer: RequestListener, port = 0) => listen(createServer(answer), { port });

/** Speaks in bytes: `answer` is told which request of its connection, and which connection, it has before it. */
function serveRaw(answer: (socket: Socket, request: number, connection: number) => void): Promise<Running> {
  let connections = 0;
  const server = createTcpServer((socket) => {
    const connection = ++connections;
    let requests = 0;
    socket.on("data", (chunk) => {
      if (chunk.includes("POST ")) answer(socket, ++requests, connection);
    });
  });
  return listen(server);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function json(response: ServerResponse, answer: unknown): void {
  response.setHeader("content-type", "application/json; charset=utf-8").end(JSON.stringify(answer));
}

const raw = (body: string, head = "") =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${head}\r\n${body}`;

interface Guard {
  readonly bus: Bus;
  readonly source: OwnedSource;
  readonly errors: HookError[];
}

function guarded(spec: Partial<UrlSpec> & { readonly url: string }, onFailure: "open" | "closed" = "closed"): Guard {
  const errors: HookError[] = [];
  const source = createUrlSource({ name: "hook", hooks: [{ event: "tool:before" }], timeoutMs: 15_000, ...spec });
  leftovers.push(() => source.close());
  const bus = createBus({ onError: (error) => void errors.push(error) });
  bus.on("tool:before", ((event: never) => source.handle(event)) as never, { name: "hook", onFailure, timeoutMs: 0 });
  return { bus, source, errors };
}

const payload = { session: { id: "s" }, tool: { name: "bash", callId: "1", input: { command: "ls" } } };
const decide = ({ bus }: { readonly bus: Bus }) => bus.decide("tool:before", payload);
const causeOf = async (guard: Guard) => (await decide(guard)).cause?.cause as HookError;

/** A port without a listener. */
async function deadUrl(): Promise<string> {
  const { url, stop } = await serve(() => {});
  await stop();
  return url;
}

describe("a url", () => {
  it("is sent one JSON document, and answers", async () => {
    const seen: { method: string | undefined; headers: IncomingMessage["headers"]; body: string }[] = [];
    const { url } = await serve(async (request, response) => {
      seen.push({ method: request.method, headers: request.headers, body: await bodyOf(request) });
      json(response, { decision: "deny", reason: "no" });
    });
    const guard = guarded({ url, headers: { authorization: "Bearer t" } });
    expect(guard.source.health()).toEqual({ state: "loaded" });
    expect(await decide(guard)).toMatchObject({ verdict: "deny", reason: "no", by: "hook" });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "POST", headers: { "content-type": "application/json", authorization: "Bearer t" } });
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ v: 1, event: "tool:before", payload });
    expect(guard.errors).toEqual([]);
    expect(guard.source.health()).toEqual({ state: "running" });
  });

  it("may speak another dialect", async () => {
    const bodies: string[] = [];
    const { url } = await serve(async (request, response) => {
      bodies.push(await bodyOf(request));
      json(response, {
        hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not here" },
      });
    });
    expect(await decide(guarded({ url, dialect: "claude-code" }))).toMatchObject({ verdict: "deny", reason: "not here" });
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ hook_event_name: "PreToolUse", tool_name: "bash", tool_input: { command: "ls" } });
  });

  it("allows, asks and rewrites in its words", async () => {
    const answers: unknown[] = [{ decision: "allow" }, { decision: "pass" }, { input: { command: "ls -l" } }];
    const { url } = await serve((_, response) => json(response, answers.shift()));
    const guard = guarded({ url });
    expect(await decide(guard)).toMatchObject({ verdict: "allow" });
    expect(await decide(guard)).toMatchObject({ verdict: "pass" });
    expect(await decide(guard)).toMatchObject({ payload: { tool: { input: { command: "ls -l" } } } });
  });

  it.each([
    ["204", (response: ServerResponse) => response.writeHead(204).end()],
    ["200 and content-length: 0", (response: ServerResponse) => response.writeHead(200, { "content-length": 0 }).end()],
    ["200 and no chunk", (response: ServerResponse) => response.writeHead(200, { "transfer-encoding": "chunked" }).end()],
    ["an empty object", (response: ServerResponse) => json(response, {})],
  ])("has no opinion: %s", async (_, answer) => {
    const { url } = await serve((_, response) => void answer(response));
    const guard = guarded({ url });
    expect(await decide(guard)).toMatchObject({ verdict: "pass" });
    expect(guard.errors).toEqual([]);
  });

  it("may end its answer by closing the connection, as long as there is one", async () => {
    const { url } = await serveRaw((socket) =>
      socket.end('HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{"decision":"deny","reason":"old"}'),
    );
    expect(await decide(guarded({ url }))).toMatchObject({ verdict: "deny", reason: "old" });
  });

  it("reads its headers again for each event", async () => {
    const tokens: unknown[] = [];
    const { url } = await serve((request, response) => {
      tokens.push(request.headers["x-token"]);
      response.writeHead(204).end();
    });
    let count = 0;
    const guard = guarded({ url, headers: async () => ({ "X-Token": `t${++count}` }) });
    await decide(guard);
    await decide(guard);
    expect(tokens).toEqual(["t1", "t2"]);
  });
});

describe("no answer, no pass:", () => {
  const answering = (answer: RequestListener) => async () => ({ url: (await serve(answer)).url });
  const saying = (bytes: string | Buffer) => async () => ({ url: (await serveRaw((socket) => socket.end(bytes))).url });
  const status = (code: number) =>
    answering((_, response) => void response.writeHead(code, { "content-type": "application/json" }).end('{"decision":"allow"}'));
  const typed = (type: string | undefined) =>
    answering(
      (_, response) => void response.writeHead(200, type === undefined ? {} : { "content-type": type }).end('{"decision":"allow"}'),
    );
  const body = (bytes: string | Buffer) =>
    answering((_, response) => void response.setHeader("content-type", "application/json").end(bytes));
  const found =
    (...addresses: string[]): LookupFunction =>
    (_, __, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
  const failing: LookupFunction = (_, __, callback) =>
    callback(Object.assign(new Error("getaddrinfo ENOTFOUND host.test"), { code: "ENOTFOUND" }), []);

  const cases: readonly (readonly [string, () => Promise<Partial<UrlSpec> & { readonly url: string }>, string, string])[] = [
    ["connection refused", async () => ({ url: await deadUrl() }), "spawn_error", "HL_URL_UNREACHABLE"],
    ["an unknown name", async () => ({ url: "https://host.test/", lookup: failing }), "spawn_error", "HL_URL_UNREACHABLE"],
    ["a name without an address", async () => ({ url: "https://host.test/", lookup: found() }), "spawn_error", "HL_URL_UNREACHABLE"],
    [
      "a name of a metadata service",
      async () => ({ url: "https://h.test/", lookup: found("169.254.169.254") }),
      "spawn_error",
      "HL_URL_TARGET",
    ],
    [
      "a link-local name",
      async () => ({ url: "https://h.test/", lookup: found("fe80::1", "169.254.1.1") }),
      "spawn_error",
      "HL_URL_TARGET",
    ],
    [
      "a localhost that is elsewhere",
      async () => ({ url: "http://localhost:9/", lookup: found("10.0.0.1") }),
      "spawn_error",
      "HL_URL_TARGET",
    ],
    [
      "no TLS where TLS is meant",
      async () => ({ url: (await serve(() => {})).url.replace("http:", "https:") }),
      "spawn_error",
      "HL_URL_UNREACHABLE",
    ],
    ["a failing TLS handshake", async () => listen(createTlsServer({}), { scheme: "https" }), "spawn_error", "HL_URL_UNREACHABLE"],
    [
      "headers that cannot be read",
      async () => ({ url: await deadUrl(), headers: () => fail("no such file") }),
      "spawn_error",
      "HL_URL_REQUEST",
    ],
    [
      "headers that cannot be sent",
      async () => ({ url: await deadUrl(), headers: () => ({ a: "b\nc" }) }),
      "spawn_error",
      "HL_URL_REQUEST",
    ],
    ["a lost connection", answering((request) => request.socket.destroy()), "crash", "HL_URL_LOST"],
    ["a reset", answering((request) => void request.socket.resetAndDestroy()), "crash", "HL_URL_LOST"],
    ["half a head", saying("HTTP/1.1 200 OK\r\ncontent-ty"), "crash", "HL_URL_LOST"],
    ["half a body", saying(raw('{"decision":"allow"}', "x: y\r\n").replace("length: 20", "length: 99")), "crash", "HL_URL_LOST"],
    [
      "half a body in chunks",
      saying('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n14\r\n{"decision":"allow"}\r\n'),
      "crash",
      "HL_URL_LOST",
    ],
    ["no body at all after a length", saying(raw("").replace("length: 0", "length: 20")), "crash", "HL_URL_LOST"],
    ["an empty body without a length", saying("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"), "protocol_error", "HL_URL_ANSWER"],
    ["something that is not HTTP", saying("SSH-2.0-OpenSSH_9.9\r\n"), "protocol_error", "HL_URL_ANSWER"],
    ["another protocol", saying("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"), "protocol_error", "HL_URL_ANSWER"],
    ...[201, 202, 203, 205, 206, 226, 300, 304, 400, 401, 404, 429, 500, 503].map(
      (code) => [`status ${code}`, status(code), "protocol_error", "HL_URL_ANSWER"] as const,
    ),
    ["HTML", typed("text/html"), "protocol_error", "HL_URL_ANSWER"],
    ["something like JSON", typed("application/jsonlines"), "protocol_error", "HL_URL_ANSWER"],
    ["no content type", typed(undefined), "protocol_error", "HL_URL_ANSWER"],
    [
      "compression",
      answering((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end()),
      "protocol_error",
      "HL_URL_ANSWER",
    ],
    ["bytes that are not text", body(Buffer.from([0xff, 0xfe])), "protocol_error", "HL_URL_ANSWER"],
    ["half a document", body('{"decision":'), "protocol_error", "HL_URL_ANSWER"],
    ["two documents", body('{}{"decision":"allow"}'), "protocol_error", "HL_URL_ANSWER"],
    ["a wrong shape", body("[1]"), "invalid_verdict", "HL_URL_ANSWER"],
    ["an unknown key", body('{"colour":"red"}'), "invalid_verdict", "HL_URL_ANSWER"],
    ["a flood", body(JSON.stringify({ decision: "allow", reason: "x".repeat(1_048_576) })), "invalid_verdict", "HL_URL_ANSWER"],
    ["its time being up", async () => ({ url: (await serve(() => {})).url, timeoutMs: 100 }), "timeout", "HL_TIMEOUT"],
    [
      "its time being up in the body",
      async () => ({ url: (await serveRaw((socket) => socket.write(raw("{}").slice(0, -1)))).url, timeoutMs: 300 }),
      "timeout",
      "HL_TIMEOUT",
    ],
    [
      "its time being up over its headers",
      async () => ({ url: await deadUrl(), timeoutMs: 100, headers: () => new Promise<never>(() => {}) }),
      "timeout",
      "HL_TIMEOUT",
    ],
  ];

  function fail(message: string): never {
    throw new Error(message);
  }

  it.each(cases)("%s", async (_, prepare, failure, code) => {
    const { url, ...spec } = await prepare();
    const guard = guarded({ url, ...spec });
    const decision = await decide(guard);
    expect(decision).toMatchObject({ verdict: "deny", allowed: false, cause: { code: "HL_HANDLER_FAILED", failure } });
    expect(decision.cause?.cause).toMatchObject({ code, failure, handler: "hook", event: "tool:before" });
    expect(guard.source.health()).toEqual({ state: "degraded" });
    expect(await decide(guarded({ url, ...spec }, "open"))).toMatchObject({ verdict: "pass" });
  });

  it("an unknown word denies even where it is open on failure", async () => {
    const { url } = await body('{"decision":"yes"}')();
    expect(await decide(guarded({ url }, "open"))).toMatchObject({ verdict: "deny", cause: { failure: "invalid_verdict" } });
  });

  it("an event that JSON does not carry whole", async () => {
    const { url, connections } = await serve((_, response) => json(response, { decision: "allow" }));
    const { bus } = guarded({ url });
    const input = { command: (() => "rm") as never };
    expect(await bus.decide("tool:before", { ...payload, tool: { ...payload.tool, input } })).toMatchObject({
      verdict: "deny",
      cause: { failure: "invalid_verdict", cause: { code: "HL_NOT_WHOLE", message: expect.stringContaining("tool.input.command") } },
    });
    expect(connections()).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])("a redirect by %d, which is not followed", async (code) => {
    const elsewhere = await serve((_, response) => json(response, { decision: "allow" }));
    const { url } = await serve((_, response) => void response.writeHead(code, { location: elsewhere.url }).end());
    const cause = await causeOf(guarded({ url }));
    expect(cause).toMatchObject({ code: "HL_URL_ANSWER", failure: "protocol_error", message: expect.stringContaining("not followed") });
    expect(await decide(guarded({ url }, "open"))).toMatchObject({ verdict: "pass" });
    expect(elsewhere.connections()).toBe(0);
  });
});

describe("connections", () => {
  it("are kept", async () => {
    const { url, connections } = await serve((_, response) => json(response, {}));
    const guard = guarded({ url });
    for (let i = 0; i < 20; i++) expect(await decide(guard)).toMatchObject({ verdict: "pass" });
    expect(connections()).toBe(1);
  });

  it("are made again when the server was started again", async () => {
    const first = await serve((_, response) => json(response, {}));
    const guard = guarded({ url: first.url });
    await decide(guard);
    await first.stop();
    await serve((_, response) => json(response, { decision: "deny", reason: "second" }), first.port);
    expect(await decide(guard)).toMatchObject({ verdict: "deny", reason: "second" });
    expect(guard.errors).toEqual([]);
  });

  it("that the server closed over a second question are replaced once", async () => {
    const { url, connections } = await serveRaw((socket, request) => (request === 1 ? socket.write(raw("{}")) : socket.destroy()));
    const guard = guarded({ url });
    await decide(guard);
    expect(await decide(guard)).toMatchObject({ verdict: "pass" });
    expect(connections()).toBe(2);
    expect(guard.errors).toEqual([]);
  });

  it("are replaced by a new one, not by another of the pool that may be as dead", async () => {
    const waiting: Socket[] = [];
    const { url, connections } = await serveRaw((socket, request, connection) => {
      if (request > 1) return void socket.destroy();
      waiting.push(socket);
      if (connection !== 1) for (const one of waiting.splice(0)) one.write(raw("{}"));
    });
    const guard = guarded({ url });
    await Promise.all([decide(guard), decide(guard)]);
    expect(await decide(guard)).toMatchObject({ verdict: "pass" });
    expect(connections()).toBe(3);
  });

  it("are replaced only once", async () => {
    const { url, connections } = await serveRaw((socket, request, connection) =>
      connection === 1 && request === 1 ? socket.write(raw("{}")) : socket.destroy(),
    );
    const guard = guarded({ url });
    await decide(guard);
    expect(await causeOf(guard)).toMatchObject({ code: "HL_URL_LOST", failure: "crash" });
    expect(connections()).toBe(2);
    expect(await causeOf(guard)).toMatchObject({ code: "HL_URL_LOST", failure: "crash" });
    expect(connections()).toBe(3);
  });

  it("are not replaced once a byte of the answer was heard", async () => {
    const { url, connections } = await serveRaw((socket, request) => (request === 1 ? socket.write(raw("{}")) : socket.end("HTTP/1.1 2")));
    const guard = guarded({ url });
    await decide(guard);
    expect(await causeOf(guard)).toMatchObject({ code: "HL_URL_LOST", failure: "crash" });
    expect(connections()).toBe(1);
  });

  it("carry many questions at once, each with its own answer", async () => {
    let open = 0;
    let most = 0;
    const { url } = await serve(async (request, response) => {
      most = Math.max(most, ++open);
      const { payload } = JSON.parse(await bodyOf(request)) as { payload: { tool: { callId: string } } };
      setImmediate(() => {
        open--;
        json(response, { decision: "deny", reason: payload.tool.callId });
      });
    });
    const { bus } = guarded({ url });
    const ids = Array.from({ length: 300 }, (_, index) => `call-${index}`);
    const decisions = await Promise.all(ids.map((callId) => bus.decide("tool:before", { ...payload, tool: { ...payload.tool, callId } })));
    expect(decisions.map(({ reason }) => reason)).toEqual(ids);
    expect(most).toBeLessThanOrEqual(64);
  });

  it("beyond what may be under way and wait are not made", async () => {
    const held: ServerResponse[] = [];
    const { url } = await serve((_, response) => void held.push(response));
    const guard = guarded({ url, maxRunning: 1, maxWaiting: 1 });
    const first = decide(guard);
    const second = decide(guard);
    expect(await decide(guard)).toMatchObject({ verdict: "deny", cause: { failure: "overloaded", cause: { code: "HL_URL_OVERLOADED" } } });
    for (const decision of [first, second]) {
      await expect.poll(() => held.length).toBe(1);
      json(held.shift() as ServerResponse, {});
      expect(await decision).toMatchObject({ verdict: "pass" });
    }
    expect(guard.source.health()).toEqual({ state: "running" });
  });

  it("that were cancelled are ended, which is not the server's fault", async () => {
    const ended = vi.fn();
    const arrived = vi.fn();
    const { url } = await serve((request) => {
      arrived();
      request.socket.on("close", ended);
    });
    const { bus, source } = guarded({ url, timeoutMs: 0 });
    const caller = new AbortController();
    const deciding = bus.decide("tool:before", payload, { signal: caller.signal });
    await expect.poll(() => arrived.mock.calls.length).toBe(1);
    caller.abort();
    expect(await deciding).toMatchObject({ allowed: false });
    await expect.poll(() => ended.mock.calls.length).toBe(1);
    expect(source.health()).toEqual({ state: "loaded" });
  });

  it("have the time their hook says, and what the bus gives up is a failure of theirs", async () => {
    const { url } = await serve(() => {});
    const { source } = guarded({ url, timeoutMs: 0 });
    const ask = (own: number, theBus: number) => {
      const bus = createBus({ onError: () => {} });
      const hook = { event: "tool:before", timeoutMs: own };
      bus.on("tool:before", ((event: never) => source.handle(event, hook)) as never, { onFailure: "closed", timeoutMs: theBus });
      return decide({ bus });
    };
    expect(await ask(0, 100)).toMatchObject({ verdict: "deny", cause: { failure: "timeout" } });
    await expect.poll(() => source.health()).toEqual({ state: "degraded" });
    expect(await ask(100, 0)).toMatchObject({ verdict: "deny", cause: { failure: "timeout", cause: { code: "HL_TIMEOUT" } } });
  });

  it("end with the source, and so does all that waits", async () => {
    const arrived = vi.fn();
    const ended = vi.fn();
    const { url, connections } = await serve((request) => {
      arrived();
      request.socket.on("close", ended);
    });
    const guard = guarded({ url, timeoutMs: 0, maxRunning: 1 });
    const deciding = [decide(guard), decide(guard)];
    await expect.poll(() => arrived.mock.calls.length).toBe(1);
    await guard.source.close();
    for (const decision of await Promise.all(deciding)) expect(decision).toMatchObject({ verdict: "deny", cause: { failure: "disabled" } });
    await expect.poll(() => ended.mock.calls.length).toBe(1);
    expect(await decide(guard)).toMatchObject({ verdict: "deny", cause: { failure: "disabled" } });
    expect(connections()).toBe(1);
    expect(guard.source.health()).toEqual({ state: "stopped" });
  });

  it("that are idle are closed with the source", async () => {
    const ended = vi.fn();
    const { url } = await serve((request, response) => {
      request.socket.on("close", ended);
      json(response, {});
    });
    const guard = guarded({ url });
    await decide(guard);
    await guard.source.close();
    await expect.poll(() => ended.mock.calls.length).toBe(1);
  });

  it("keep no process alive", async () => {
    const { url } = await serve((_, response) => json(response, { decision: "deny" }));
    const module = fileURLToPath(new URL("../../../dist/extensions/url/url-source.js", import.meta.url));
    const spec = { name: "h", url, hooks: [], timeoutMs: 600_000 };
    const code = `const { createUrlSource } = await import(${JSON.stringify(module)});
      const event = { name: "tool:before", payload: {}, id: "e", at: 0, signal: new AbortController().signal };
      console.log(JSON.stringify(await createUrlSource(${JSON.stringify(spec)}).handle(event)));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { timeout: 30_000 });
    expect(stdout).toContain("block");
  });
});

describe("where a hook may ask", () => {
  const make = (url: string) => () => createUrlSource({ name: "hook", url, hooks: [] });
  const fault = expect.objectContaining({ code: "HL_URL_TARGET" });

  it.each([
    "http://127.0.0.1:1/",
    "http://127.9.9.9/",
    "http://[::1]:1/",
    "http://localhost/x",
    "https://example.com/",
    "https://10.0.0.1/",
  ])("%s", (url) => expect(make(url)).not.toThrow());

  it.each([
    ...["not a url", "ftp://example.com/", "file:///etc/passwd", "unix:/run/x.sock"],
    ...["http://example.com/", "http://10.0.0.1/", "http://192.168.1.1/", "http://localhost.example.com/"],
    ...["https://169.254.169.254/", "https://[fe80::1]/", "https://169.254.1.1/", "https://0.0.0.0/", "https://[::ffff:a9fe:a9fe]/"],
    ...["https://metadata.google.internal/", "https://2852039166/", "https://user:hunter22@example.com/"],
  ])("not %s", (url) => {
    expect(make(url)).toThrow(fault);
    expect(make(url)).not.toThrow(/hunter22|createWebhookSink|allowHttp/);
  });

  it("with headers of its own, but not with those that frame the request", () => {
    const withHeaders = (headers: { [name: string]: string }) => () =>
      createUrlSource({ name: "h", url: "https://h.test", hooks: [], headers });
    const refused = expect.objectContaining({ code: "HL_URL_REQUEST" });
    expect(withHeaders({ Authorization: "Bearer x" })).not.toThrow();
    for (const name of ["Host", "content-length", "Transfer-Encoding", "connection", "a b", ""])
      expect(withHeaders({ [name]: "hunter22" })).toThrow(refused);
    expect(withHeaders({ a: "hunter22\r\nb: c" })).toThrow(refused);
    expect(withHeaders({ a: "hunter22\r\nb: c" })).not.toThrow(/hunter22/);
  });
});

describe("errors", () => {
  it.each([
    ["a body", (response: ServerResponse, said: string) => response.setHeader("content-type", "application/json").end(said)],
    ["a key", (response: ServerResponse, said: string) => json(response, { [said]: 1 })],
    ["a status", (response: ServerResponse, said: string) => response.writeHead(500, said).end(said)],
    ["a redirect", (response: ServerResponse, said: string) => response.writeHead(302, { location: `/${said}` }).end()],
    ["no HTTP", (response: ServerResponse, said: string) => response.socket?.end(`${said}\r\n\r\n`)],
  ])("say where and why, and repeat no secret that came back in %s", async (_, answer) => {
    const { url } = await serve((request, response) => void answer(response, `${request.headers.authorization} ${request.url?.slice(-7)}`));
    const cause = await causeOf(guarded({ url: `${url}?key=hunter2`, headers: { authorization: "Bearer sesame-open-77" } }));
    expect(cause.message).toMatch(/^The hook "hook", which asks http:\/\/127\.0\.0\.1:\d+\/hook\?\*\*\*, failed on "tool:before"\. .+\.$/);
    expect(inspect(cause, { depth: 9, showHidden: true })).not.toMatch(/hunter2|sesame/);
  });
});

const OPENSSL = "openssl";
const hasOpenssl = spawnSync(OPENSSL, ["version"]).status === 0;

describe.skipIf(!hasOpenssl)("https", () => {
  function certificate(): { readonly key: string; readonly cert: string } {
    const folder = mkdtempSync(join(tmpdir(), "hookline-url-"));
    leftovers.push(() => rmSync(folder, { recursive: true, force: true }));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    execFileSync(OPENSSL, ["req", "-x509", ...curve, ...names, "-keyout", key, "-out", cert], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  }
  const start = (pair: { readonly key: string; readonly cert: string }, answer: RequestListener) =>
    listen(createSecureServer(pair, answer), { scheme: "https" });

  it("does not ask a server with an untrusted certificate", async () => {
    const asked = vi.fn();
    const { url } = await start(certificate(), asked);
    const cause = await causeOf(guarded({ url }));
    expect(cause).toMatchObject({ code: "HL_URL_UNREACHABLE", fix: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
    expect(await decide(guarded({ url }, "open"))).toMatchObject({ verdict: "pass" });
    expect(asked).not.toHaveBeenCalled();
  });

  it("keeps connections, and replaces one that the server closed", async () => {
    const pair = certificate();
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, pair.cert]);
    leftovers.push(() => setDefaultCACertificates(before));
    let asked = 0;
    const { url, connections } = await start(pair, (request, response) => {
      if (++asked === 3) request.socket.destroy();
      else json(response, { decision: "deny", reason: String(asked) });
    });
    const guard = guarded({ url });
    expect([(await decide(guard)).reason, (await decide(guard)).reason]).toEqual(["1", "2"]);
    expect(connections()).toBe(1);
    expect(await decide(guard)).toMatchObject({ reason: "4" });
    expect(connections()).toBe(2);
    expect(guard.errors).toEqual([]);
  });
});
