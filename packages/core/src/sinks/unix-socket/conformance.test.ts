import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createSocketGate,
  createUnixSocketSink,
  decodeEnvelope,
  type Envelope,
  type SendResult,
  type UnixSocketSinkOptions,
} from "@hookline/core/sinks";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { batchOf, idsOf } from "../../../../../test/conformance/envelopes.ts";
import { sinkConformance } from "../../../../../test/conformance/sink-conformance.ts";
import { call, reportingBus, withCommand } from "../../../../../test/support/reporting-bus.ts";

/** A listener in a process of its own. What it reads is in its file before it is acknowledged; what it is told to, it writes. */
const LISTENER = `
  const { createServer } = require("node:net"), { appendFileSync, rmSync } = require("node:fs");
  const [path, ack] = process.argv.slice(1);
  let last;
  rmSync(path, { force: true });
  appendFileSync(path + ".log", "started\\n");
  createServer((socket) => {
    last = socket;
    let rest = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      const whole = rest.subarray(0, rest.lastIndexOf(10) + 1);
      rest = rest.subarray(whole.length);
      appendFileSync(path + ".log", whole);
      if (ack === "ack") for (const line of whole.toString().trim().split("\\n").filter(Boolean))
        socket.write(JSON.stringify({ type: "ack", id: JSON.parse(line).id }) + "\\n");
    });
  }).listen(path, () => process.send("ready"));
  process.on("message", (text) => last.write(text));
  process.on("disconnect", () => process.exit());
`;

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hl-socket-"));
  path = join(folder, "events.sock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface WireFrame {
  readonly id: string;
  readonly type?: string;
  readonly [key: string]: unknown;
}

/** What every listener on the path has read, in order. One that was killed may have been writing its last line. */
function arrived(): WireFrame[] {
  const text = existsSync(`${path}.log`) ? readFileSync(`${path}.log`, "utf8") : "";
  const whole = text.split("started\n").map((section) => section.slice(0, section.lastIndexOf("\n") + 1));
  return whole.flatMap((section) => section.split("\n").slice(0, -1)).map((line) => JSON.parse(line));
}

async function questions(count: number): Promise<WireFrame[]> {
  const asked = (): WireFrame[] => arrived().filter(({ type }) => type === "gate" || type === "approval");
  await vi.waitFor(() => expect(asked().length).toBe(count), { timeout: 60_000 });
  return asked();
}

async function startListener({ ack = false } = {}) {
  const child = spawn(process.execPath, ["-e", LISTENER, path, ack ? "ack" : ""], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  const listener = { child, kill: () => kill(child), say };
  function say(...lines: readonly (string | object)[]): void {
    child.send(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  }
  onTestFinished(() => kill(child));
  return listener;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

function openSink(options: UnixSocketSinkOptions = {}) {
  const sink = createUnixSocketSink({ path, backoff: { baseMs: 5, maxMs: 50 }, closeTimeoutMs: 200, ...options });
  onTestFinished(() => sink.close());
  return sink;
}

const live = (): AbortSignal => new AbortController().signal;

async function untilSent(send: () => Promise<SendResult>): Promise<void> {
  for (let result = await send(); result.status !== "sent"; result = await send()) {
    expect(result.status).toBe("retry");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

for (const ack of [false, true])
  sinkConformance(ack ? "unix-socket with acknowledgements" : "unix-socket", async () => {
    let listener = await startListener({ ack });
    const sink = openSink(ack ? { ackTimeoutMs: 5000 } : {});
    async function received(): Promise<readonly Envelope[]> {
      await vi.waitFor(() => expect(arrived().length).toBeGreaterThanOrEqual(sink.counters.sent), { timeout: 60_000 });
      return arrived().map((frame) => decodeEnvelope(JSON.stringify(frame)));
    }
    return {
      sink,
      received,
      breakPeer: () => received().then(() => listener.kill()),
      async healPeer() {
        listener = await startListener({ ack });
      },
      slowPeer: () => listener.child.kill("SIGSTOP"),
    };
  });

describe("the unix-socket sink", () => {
  it("carries 10,000 events, in order, through listeners that are killed in the middle; nothing acknowledged is missing", async () => {
    let listener = await startListener({ ack: true });
    const sink = openSink({ ackTimeoutMs: 10_000 });
    const batches = Array.from({ length: 100 }, () => batchOf(100, (index) => ({ index, text: "🪝 漢字".repeat(20) })));
    for (const [index, batch] of batches.entries()) {
      const restart = async (): Promise<void> => {
        await listener.kill();
        listener = await startListener({ ack: true });
      };
      await Promise.all([untilSent(() => sink.send(batch, live())), index % 30 === 10 && restart()]);
    }
    expect([...new Set(arrived().map(({ id }) => id))]).toEqual(batches.flatMap(idsOf));
    expect(sink.counters).toMatchObject({ sent: 10_000, failed: 0 });
    expect(sink.connection.counters.connects).toBeGreaterThan(1);
  });

  it("delivers when the listener comes later", async () => {
    const sink = openSink();
    const batch = batchOf(3);
    expect(await sink.send(batch, live())).toMatchObject({ status: "retry", cause: { code: "HL_CONNECTION_LOST" } });
    await startListener();
    await untilSent(() => sink.send(batch, live()));
    await vi.waitFor(() => expect(arrived().map(({ id }) => id)).toEqual(idsOf(batch)));
  });

  it("gives up on a listener that never reads within its own time, and keeps nothing of it", async () => {
    const listener = await startListener();
    const sink = openSink({ sendTimeoutMs: 100, stallTimeoutMs: 150, maxPendingBytes: 4_000_000 });
    await sink.send(batchOf(1), live());
    listener.child.kill("SIGSTOP");
    for (let i = 0; i < 20; i++) {
      const result = await sink.send(
        batchOf(30, () => "x".repeat(100_000)),
        live(),
      );
      expect(result).toMatchObject({
        status: "retry",
        cause: { code: expect.stringMatching(/^HL_(SINK_TIMEOUT|CONNECTION_LOST|LIMIT)$/) },
      });
      expect(sink.connection.pendingBytes).toBeLessThan(4_000_000);
    }
    await vi.waitFor(() => expect(sink.connection.pendingBytes).toBe(0));
    expect(sink.counters).toMatchObject({ sent: 1, retry: 600 });
  });

  it("asks for another try when a listener does not acknowledge in time, or acknowledges something else", async () => {
    const listener = await startListener();
    const sink = openSink({ ackTimeoutMs: 50 });
    const batch = batchOf(2);
    expect(await sink.send(batch, live())).toMatchObject({ status: "retry", cause: { code: "HL_SINK_TIMEOUT" } });
    listener.say({ type: "ack", id: "another" }, { type: "ack", id: 7 }, { type: "ack", id: batch[1]?.id });
    await vi.waitFor(() => expect(sink.connection.counters.protocolErrors.unexpected).toBe(3));
    expect(sink.counters).toMatchObject({ sent: 0, retry: 2 });
  });

  it("sends an event whose payload is too long without it", async () => {
    await startListener();
    const sink = openSink({ maxFrameBytes: 1000 });
    const [long, short] = [batchOf(1, () => "漢".repeat(1000)), batchOf(1)];
    expect(await sink.send([...long, ...short], live())).toEqual({ status: "sent" });
    await vi.waitFor(() =>
      expect(arrived().map(({ payload }) => payload)).toEqual([{ $hookline: "size", byteLength: expect.any(Number) }, { index: 0 }]),
    );
    expect(sink.counters).toEqual({ sent: 2, retry: 0, failed: 0, cut: 1 });
  });

  it("keeps no process alive that has nothing left to send", async () => {
    await startListener();
    const script = `
      import { createSocketGate, createUnixSocketSink } from "@hookline/core/sinks";
      const envelope = ${JSON.stringify(batchOf(1)[0])};
      for (const path of [${JSON.stringify(path)}, ${JSON.stringify(join(folder, "absent.sock"))}]) {
        const sink = createUnixSocketSink({ path });
        createSocketGate(sink.connection);
        console.log((await sink.send([envelope], new AbortController().signal)).status, sink.connection.state);
      }`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    expect(await once(child, "close")).toEqual([0, null]);
    expect(output).toBe("sent up\nretry down\n");
  });
});

describe("a gate on the socket", () => {
  async function openGate({ timeoutMs = 10_000, onFailure = "closed" as "open" | "closed" } = {}) {
    const listener = await startListener();
    const sink = openSink();
    const gate = createSocketGate(sink.connection, { timeoutMs, onFailure });
    const { bus } = reportingBus();
    bus.on("tool:before", gate.handler, gate.options);
    const unexpected = (count: number) => vi.waitFor(() => expect(sink.connection.counters.protocolErrors.unexpected).toBe(count));
    return { listener, sink, gate, bus, unexpected };
  }
  const verdict = (id: string | undefined, decision: string, more: object = {}) => ({ type: "verdict", id, decision, ...more });

  it("is answered yes, no, with a rewrite, or without an opinion", async () => {
    const { listener, bus } = await openGate();
    const answers = [
      [
        { decision: "allow", reason: "fine" },
        { verdict: "allow", reason: "fine", by: "socket-gate", modified: false },
      ],
      [
        { decision: "deny", reason: "no", payload: {} },
        { verdict: "deny", reason: "no", modified: false, cause: undefined },
      ],
      [
        { decision: "allow", payload: call("safe") },
        { verdict: "allow", modified: true, payload: call("safe") },
      ],
      [
        { decision: "pass", reason: null, payload: null },
        { verdict: "pass", modified: false },
      ],
      [
        { decision: "pass", payload: call("other") },
        { verdict: "pass", modified: true, payload: call("other") },
      ],
      [
        { decision: "allow", payload: { no: "tool" } },
        { verdict: "deny", cause: { code: "HL_BAD_MODIFY" } },
      ],
    ] as const;
    for (const [index, [answer, decision]] of answers.entries()) {
      const deciding = bus.decide("tool:before", call("ls"));
      const asked = (await questions(index + 1)).at(-1);
      expect(asked).toMatchObject({ type: "gate", event: "tool:before", payload: call("ls"), deadlineMs: 10_000 });
      listener.say({ type: "verdict", id: asked?.id, ...answer });
      expect(await deciding).toMatchObject(decision);
    }
  });

  it("takes answers in any order, and events keep their place between the questions", async () => {
    const { listener, sink, bus } = await openGate();
    const [first, second] = [bus.decide("tool:before", call("1")), bus.decide("tool:before", call("2"))];
    await sink.send(batchOf(1), live());
    const third = bus.decide("tool:before", call("3"));
    const [one, two, three] = await questions(3);
    expect(arrived().map(({ type }) => type)).toEqual(["gate", "gate", undefined, "gate"]);
    listener.say(verdict(three?.id, "deny", { reason: "3" }), verdict(one?.id, "allow"), verdict(two?.id, "deny", { reason: "2" }));
    expect(await Promise.all([first, second, third])).toMatchObject([{ verdict: "allow" }, { reason: "2" }, { reason: "3" }]);
  });

  it("hears the first verdict for its own id and nothing else", async () => {
    const { listener, gate, bus, unexpected } = await openGate();
    const deciding = bus.decide("tool:before", call("ls"));
    const [{ id } = { id: "" }] = await questions(1);
    listener.say(verdict("foreign", "allow"), verdict(undefined, "allow"), { type: "verdickt", id, decision: "allow" });
    listener.say("nonsense", "[]", `"${"x".repeat(5_000_000)}"`);
    await unexpected(3);
    expect(gate.pending).toBe(1);
    listener.say(verdict(id, "deny", { reason: "first" }), verdict(id, "allow"));
    expect(await deciding).toMatchObject({ verdict: "deny", reason: "first", cause: undefined });
    await unexpected(4);
  });

  it("accepts a verdict in every runtime's wording, and denies if it cannot read one, even if the gate is open", async () => {
    const { listener, bus } = await openGate({ onFailure: "open" });
    const answers = [
      [
        { action: "block", reason: "no" },
        { verdict: "deny", reason: "no", cause: undefined },
      ],
      [
        { decision: "DENY", payload: {} },
        { verdict: "deny", cause: undefined },
      ],
      [{ allowed: false }, { verdict: "deny", cause: undefined }],
      [{ permissionDecision: "allow" }, { verdict: "allow" }],
      [{ decision: "perhaps" }, { verdict: "deny", cause: { failure: "invalid_verdict" } }],
      [{ reason: "no" }, { verdict: "deny", cause: { failure: "invalid_verdict" } }],
      [{}, { verdict: "deny", cause: { failure: "invalid_verdict" } }],
      [
        { decision: "allow", payload: "text" },
        { verdict: "deny", cause: { code: "HL_BAD_MODIFY" } },
      ],
    ] as const;
    for (const [index, [answer, decision]] of answers.entries()) {
      const deciding = bus.decide("tool:before", call("ls"));
      const asked = (await questions(index + 1)).at(-1);
      listener.say({ type: "verdict", id: asked?.id, ...answer });
      expect(await deciding).toMatchObject(decision);
    }
  });

  it("fails when the answer is late, and a closed guard denies", async () => {
    const { listener, bus, unexpected } = await openGate({ timeoutMs: 30 });
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({
      verdict: "deny",
      by: "socket-gate",
      reason: expect.stringMatching(
        /^Handler "socket-gate" failed on "tool:before": The listener on ".*" did not answer "tool:before" within 30 ms\.$/,
      ),
      cause: { failure: "timeout" },
    });
    listener.say(verdict((await questions(1))[0]?.id, "allow"));
    await unexpected(1);
    const open = await openGate({ timeoutMs: 30, onFailure: "open" });
    expect(await open.bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "pass" });
  });

  it("fails with the connection, and goes on over the next one", async () => {
    const { listener, sink, bus, unexpected } = await openGate();
    const lost = bus.decide("tool:before", call("1"));
    const [old] = await questions(1);
    await listener.kill();
    expect(await lost).toMatchObject({ verdict: "deny", cause: { failure: "crash", cause: { code: "HL_CONNECTION_LOST" } } });
    expect(await bus.decide("tool:before", call("2"))).toMatchObject({ verdict: "deny", cause: { failure: "crash" } });
    const next = await startListener();
    await untilSent(() => sink.send(batchOf(1), live()));
    const deciding = bus.decide("tool:before", call("3"));
    const fresh = (await questions(2))[1];
    next.say(verdict(old?.id, "allow"), verdict(fresh?.id, "allow"));
    expect(await deciding).toMatchObject({ verdict: "allow" });
    await unexpected(1);
  });

  it("fails when it is closed, cancelled, or asked about more than a line can hold", async () => {
    const { sink, gate, bus } = await openGate();
    const controller = new AbortController();
    const cancelled = bus.decide("tool:before", call("ls"), { signal: controller.signal });
    await questions(1);
    controller.abort();
    expect(await cancelled).toMatchObject({ verdict: "deny", cause: { code: "HL_CANCELLED" } });
    await vi.waitFor(() => expect(gate.pending).toBe(0));
    expect(await bus.decide("tool:before", call("x".repeat(5_000_000)))).toMatchObject({
      verdict: "deny",
      cause: { failure: "protocol_error" },
    });
    const closing = bus.decide("tool:before", call("ls"));
    await sink.close();
    expect(await closing).toMatchObject({ verdict: "deny", cause: { failure: "crash" } });
    expect(await bus.decide("tool:before", call("ls"))).toMatchObject({ verdict: "deny", cause: { failure: "crash" } });
  });

  it("asks a person behind the listener to approve", async () => {
    const { listener, gate, bus, unexpected } = await openGate();
    bus.setApprover(gate.approver);
    const deciding = bus.decide("tool:before", call("rm"));
    listener.say(verdict((await questions(1))[0]?.id, "ask", { reason: "sure?" }));
    const [, asked] = await questions(2);
    expect(asked).toMatchObject({ type: "approval", event: "tool:before", reason: "sure?", by: "socket-gate", session: { id: "s1" } });
    listener.say(verdict(asked?.id, "ask"), verdict(asked?.id, "allow", { by: "ada", payload: withCommand(call(), "ls") }));
    // What a person edits is a rewrite: the guard looks again.
    listener.say(verdict((await questions(3))[2]?.id, "allow"));
    expect(await deciding).toMatchObject({ verdict: "allow", by: "ada", modified: true, payload: call("ls") });
    await unexpected(1);
  });
});
