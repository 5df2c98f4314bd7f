import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { backoffDelay } from "./backoff.js";
import type { ConnectionTuning } from "./connection-options.js";
import type { Frame } from "./frames.js";
import { createNdjsonConnection } from "./ndjson-connection.js";
import type { ConnectionTimers } from "./timers.js";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hl-ndjson-"));
  path = join(folder, "peer.sock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A peer that keeps what it reads. */
async function listen(where: string | number = path) {
  const sockets: Socket[] = [];
  const peer = {
    server: undefined as unknown as Server,
    sockets,
    text: "",
    hangUp: () => sockets.map((socket) => socket.destroy()),
    close,
  };
  peer.server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      peer.text += chunk;
    });
  });
  await new Promise<void>((resolve) => peer.server.listen(where, () => resolve()));
  async function close(): Promise<void> {
    peer.hangUp();
    await new Promise((resolve) => peer.server.close(resolve));
  }
  onTestFinished(close);
  return peer;
}

function open(tuning: ConnectionTuning = {}) {
  const connection = createNdjsonConnection({ address: { path }, backoff: { baseMs: 1, maxMs: 5 }, ...tuning });
  const states: string[] = [];
  const frames: Frame[] = [];
  connection.onState((state) => states.push(state));
  connection.onFrame((frame) => frames.push(frame) > 0);
  onTestFinished(() => connection.close(50));
  return { connection, states, frames };
}

/** Time that passes when told to. */
function handTimers() {
  const timers = new Set<{ at: number; run: () => void }>();
  let time = 0;
  const clock: ConnectionTimers = {
    now: () => time,
    after(delayMs, run) {
      const timer = { at: time + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  function pass(ms: number): void {
    time += ms;
    for (const timer of [...timers]) if (timer.at <= time && timers.delete(timer)) timer.run();
  }
  return { clock, pass };
}

describe("createNdjsonConnection", () => {
  it("connects at the first write and keeps the order of writes", async () => {
    const peer = await listen();
    const { connection, states } = open();
    expect(connection.state).toBe("down");
    const results = await Promise.all([connection.write(["1", "2"]), connection.write([]), connection.write(["3"])]);
    expect(results).toEqual([{ status: "sent" }, { status: "sent" }, { status: "sent" }]);
    await vi.waitFor(() => expect(peer.text).toBe("1\n2\n3\n"));
    expect(states).toEqual(["connecting", "up"]);
    await connection.close();
    expect(states.at(-1)).toBe("closed");
    expect(connection.counters).toMatchObject({ connects: 1, losses: 0, linesOut: 3 });
    expect(await connection.write(["4"])).toMatchObject({ status: "failed", cause: { code: "HL_CONNECTION_LOST" } });
  });

  it("speaks to a loopback port as well, and to no other machine", async () => {
    const peer = await listen(0);
    const { port } = peer.server.address() as { port: number };
    const { connection } = open();
    expect(await createAt(port).write(['"tcp"'])).toEqual({ status: "sent" });
    await vi.waitFor(() => expect(peer.text).toBe('"tcp"\n'));
    for (const host of ["localhost", "10.0.0.1", "127.0.0.1.example.com"])
      expect(() => createNdjsonConnection({ address: { host, port } })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
    expect(connection.state).toBe("down");
  });

  it("reads frames however they are cut, counts invalid ones, and stays open", async () => {
    const peer = await listen();
    const { connection, frames } = open({ maxFrameBytes: 64 });
    await connection.write(["{}"]);
    await vi.waitFor(() => expect(peer.sockets.length).toBe(1));
    for (const byte of Buffer.from('{"text":"🪝"}\n')) peer.sockets[0]?.write(Buffer.of(byte));
    for (const rubbish of ["nonsense\n", "[1]\n", Buffer.from([0xff, 10]), `"${"x".repeat(100)}"\n`]) peer.sockets[0]?.write(rubbish);
    peer.sockets[0]?.write('{"last":true}\n{"half":');
    await vi.waitFor(() => expect(frames).toEqual([{ text: "🪝" }, { last: true }]));
    peer.hangUp();
    await vi.waitFor(() => expect(connection.counters.protocolErrors.truncated).toBe(1));
    expect(connection.counters.protocolErrors).toMatchObject({ not_json: 1, not_object: 1, not_utf8: 1, oversize: 1, unexpected: 0 });
  });

  it("survives listeners that throw, and counts their frames as unexpected", async () => {
    const peer = await listen();
    const connection = createNdjsonConnection({ address: { path } });
    onTestFinished(() => connection.close(50));
    const fail = (): never => {
      throw new Error("mine");
    };
    connection.onState(fail);
    connection.onFrame(fail);
    await connection.write(["{}"]);
    await vi.waitFor(() => expect(peer.sockets.length).toBe(1));
    peer.sockets[0]?.write("{}\n");
    await vi.waitFor(() => expect(connection.counters.protocolErrors.unexpected).toBe(1));
  });

  it("answers alike whatever keeps it from writing, and comes back by itself", async () => {
    const { connection } = open();
    const lost = { status: "retry", cause: { code: "HL_CONNECTION_LOST", failure: "crash" } };
    expect(await connection.write(["absent"])).toMatchObject(lost);
    const first = await listen();
    await vi.waitFor(() => expect(connection.state).toBe("up"));
    expect(await connection.write(["1"])).toEqual({ status: "sent" });
    await first.close();
    expect(await connection.write(["gone"])).toMatchObject(lost);
    const second = await listen();
    await vi.waitFor(async () => expect(await connection.write(["2"])).toEqual({ status: "sent" }));
    await vi.waitFor(() => expect(second.text).toBe("2\n"));
  });

  it("waits longer after each failure, with jitter, and tries at once when told to", async () => {
    const { clock, pass } = handTimers();
    const { connection, states } = open({ timers: clock, random: () => 1, backoff: { baseMs: 100, maxMs: 400 } });
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      connection.connect();
      await vi.waitFor(() => expect(connection.state).toBe("down"));
      waits.push(((await connection.write(["x"])) as { afterMs?: number }).afterMs);
    }
    expect(waits).toEqual([100, 200, 400, 400]);
    await listen();
    pass(399);
    expect(connection.state).toBe("down");
    pass(1);
    await vi.waitFor(() => expect(states.at(-1)).toBe("up"));
    for (const [random, expected] of [
      [0, 50],
      [1, 100],
    ] as const)
      expect(backoffDelay(0, { baseMs: 100, random: () => random })).toBe(expected);
  });

  it("lets go of a peer that never reads, and holds no more for it than it may", async () => {
    const { clock, pass } = handTimers();
    const peer = await listen();
    peer.server.on("connection", (socket) => socket.pause());
    const { connection, states } = open({ timers: clock, maxPendingBytes: 8_000_000, stallTimeoutMs: 300 });
    const big = "x".repeat(4_000_000);
    await connection.write(["{}"]);
    const writes = [connection.write([big]), connection.write(["small"])];
    expect(await connection.write([big])).toMatchObject({ status: "retry", cause: { code: "HL_LIMIT", failure: "overloaded" } });
    expect(connection.pendingBytes).toBeLessThan(8_000_000);
    // The kernel takes some of it, after which nothing moves.
    await vi.waitFor(async () => {
      const before = connection.pendingBytes;
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(connection.pendingBytes).toBe(before);
    });
    pass(300);
    expect(await Promise.all(writes)).toMatchObject([{ status: "retry" }, { status: "retry" }]);
    expect(connection.pendingBytes).toBe(0);
    expect(states.at(-1)).toBe("down");
  });

  it("ends a line that has begun when its sender gives up, and leaves the rest out", async () => {
    const peer = await listen();
    peer.server.on("connection", (socket) => socket.pause());
    const { connection } = open();
    const controller = new AbortController();
    const lines = Array.from({ length: 40 }, (_, index) => JSON.stringify(`${index}:${"x".repeat(99_990)}`));
    const big = connection.write(lines, controller.signal);
    const unbegun = connection.write(['"never"'], controller.signal);
    const next = connection.write(['"next"']);
    await vi.waitFor(() => expect([peer.sockets.length, connection.pendingBytes < 3_950_000]).toEqual([1, true]));
    controller.abort(new Error("enough"));
    expect(await Promise.all([big, unbegun])).toMatchObject([{ status: "retry", cause: { message: "enough" } }, { status: "retry" }]);
    peer.sockets[0]?.resume();
    expect(await next).toEqual({ status: "sent" });
    await vi.waitFor(() => expect(peer.text.endsWith('"next"\n')).toBe(true));
    const arrived = peer.text.trimEnd().split("\n");
    expect(arrived.length).toBeLessThan(40);
    expect(arrived.slice(0, -1)).toEqual(lines.slice(0, arrived.length - 1));
  });

  it("writes what waits before it closes, but not beyond the deadline", async () => {
    const peer = await listen();
    const { connection } = open();
    const writing = connection.write(["1"]);
    await connection.close();
    expect(await writing).toEqual({ status: "sent" });
    await vi.waitFor(() => expect(peer.text).toBe("1\n"));
    peer.server.on("connection", (socket) => socket.pause());
    const { connection: stuck } = open();
    const never = stuck.write(["x".repeat(4_000_000)]);
    await stuck.close(50);
    expect(await never).toMatchObject({ status: "retry" });
    expect(stuck.state).toBe("closed");
  });

  it("refuses lines that no peer would accept, and unknown options", async () => {
    const { connection } = open({ maxFrameBytes: 10 });
    expect(await connection.write(["漢字漢字"])).toMatchObject({ status: "failed", cause: { code: "HL_FRAME_TOO_LARGE" } });
    for (const bad of [{ maxFrameBytes: 0 }, { stallTimeoutMs: -1 }, { connectTimeoutMs: Number.NaN }, { backoff: { baseMs: 2 ** 31 } }])
      expect(() => open(bad)).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
  });
});

function createAt(port: number) {
  const connection = createNdjsonConnection({ address: { host: "127.0.0.1", port } });
  onTestFinished(() => connection.close(50));
  return connection;
}
