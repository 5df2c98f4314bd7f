import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, reportingBus } from "../../../../test/support/reporting-bus.js";
import { hubFolder, TestHub } from "../../../../test/support/test-hub.js";
import { type Bus, createBus } from "../bus/bus.js";
import { decodeEnvelope } from "../catalog/envelope.js";
import { block } from "../catalog/outcomes.js";
import { connectToHub } from "./connect-to-hub.js";
import type { HubConnection, HubConnectionCounters } from "./hub-connection.js";
import { HUB_FILE, writeHubFile } from "./hub-file.js";
import type { ForwardOptions } from "./options.js";

const lines: HubConnection[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(lines.splice(0).map((line) => line.close(0)));
});

function start(folder: string, options: ForwardOptions = {}) {
  const made = reportingBus({ source: "agent" });
  const line = connectToHub(made.bus, { folder, ...options });
  lines.push(line);
  return { ...made, line };
}

const soon = { timeout: 60_000, interval: 5 };
const isAttached = (line: HubConnection) => expect.poll(() => line.state, soon).toBe("attached");
const emit = (bus: Bus, from: number, to: number) => {
  for (let index = from; index <= to; index++) bus.emit("myapp:counted", { index });
};
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const sum = ({ acked, pending, spooled, dropped }: HubConnectionCounters) =>
  acked + pending + spooled + Object.values(dropped).reduce((total, count) => total + count, 0);
const spooled = (folder: string) =>
  (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) =>
    readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1).map(decodeEnvelope),
  );

describe("without a hub", () => {
  it("costs nothing: the bus is not tapped, and nothing is counted or written", async () => {
    using folder = hubFolder();
    const { bus, line } = start(folder.state);
    const tap = vi.spyOn(bus, "tap");
    emit(bus, 1, 100);
    await sleep(30);
    expect(line.state).toBe("waiting");
    expect(tap).not.toHaveBeenCalled();
    expect((await line.close()).accepted).toBe(0);
    expect(existsSync(folder.spool)).toBe(false);
  });

  it.each(["0", "false", "NO", "Off"])("is off with HOOKLINE_FORWARD=%s", async (value) => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    vi.stubEnv("HOOKLINE_FORWARD", value);
    const { bus, line } = start(folder.state, { durable: true });
    emit(bus, 1, 3);
    await sleep(50);
    expect(line).toMatchObject({ state: "off", counters: { accepted: 0 } });
    expect(await line.flush()).toBe(true);
    expect(hub.connections).toBe(0);
  });

  it("never follows a file that is broken or that others can get at, and reports each once", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const path = join(folder.state, HUB_FILE);
    writeFileSync(path, "{}");
    const { line, codes } = start(folder.state);
    expect([line.state, codes()]).toEqual(["waiting", ["HL_HUB_FILE"]]);
    chmodSync(path, 0o644);
    await expect.poll(codes, soon).toEqual(["HL_HUB_FILE", "HL_HUB_FOREIGN"]);
    chmodSync(path, 0o664);
    await sleep(600);
    expect(codes()).toEqual(["HL_HUB_FILE", "HL_HUB_FOREIGN"]);
    writeFileSync(path, JSON.stringify(hub.file));
    expect(hub.connections).toBe(0);
    chmodSync(path, 0o600);
    await isAttached(line);
  });
});

describe("with a hub", () => {
  it("attaches to one whose process it cannot see, as from another PID namespace", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    writeHubFile(folder.state, { ...hub.file, pid: 2 ** 22 + 1 });
    const { line, codes } = start(folder.state);
    await isAttached(line);
    expect(codes()).toEqual([]);
  });

  it("attaches to one that appears later, and sends everything in order", async () => {
    using folder = hubFolder();
    const { bus, line } = start(folder.state, { source: "other" });
    await using hub = await TestHub.start(folder.state);
    await isAttached(line);
    emit(bus, 1, 5_000);
    expect(await line.flush()).toBe(true);
    expect(hub.numbers()).toEqual(upTo(5_000));
    expect(hub.received[0]).toMatchObject({ event: "myapp:counted", payload: { index: 1 }, source: { app: "other", pid: process.pid } });
    expect(hub.received[0]?.hops).toEqual([bus.source.instance]);
    expect(line.counters).toMatchObject({ accepted: 5_000, acked: 5_000, pending: 0, dropped: {}, seq: 5_000, reconnects: 0 });
  });

  it("takes what happens before the connection stands", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state);
    emit(bus, 1, 3);
    expect(await line.flush()).toBe(true);
    expect(hub.numbers()).toEqual([1, 2, 3]);
  });

  it("sends again what was not acknowledged, before anything newer, to a new hub with a new token", async () => {
    using folder = hubFolder();
    const first = await TestHub.start(folder.state);
    const { bus, line, codes } = start(folder.state);
    await isAttached(line);
    first.isAckHeld = true;
    emit(bus, 1, 50);
    await expect.poll(() => first.received.length, soon).toBe(50);
    await first.stop();
    emit(bus, 51, 60);
    await expect.poll(() => line.state, soon).toBe("waiting");
    expect(line.counters).toMatchObject({ accepted: 60, acked: 0, pending: 60 });
    await using second = await TestHub.start(folder.state);
    emit(bus, 61, 70);
    expect(await line.flush()).toBe(true);
    expect(second.numbers()).toEqual(upTo(70));
    expect(second.received.slice(0, 50)).toEqual(first.received);
    expect(line.counters).toMatchObject({ acked: 70, pending: 0, reconnects: 1 });
    expect(codes()).toEqual([]);
  });

  it("comes back after a cut, a kill and a rotated token", async () => {
    using folder = hubFolder();
    const first = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state);
    await isAttached(line);
    first.cut();
    emit(bus, 1, 10);
    expect(await line.flush()).toBe(true);
    const token = "another-token-of-the-hub";
    Object.assign(first.file, { token });
    writeHubFile(folder.state, first.file);
    first.say({ type: "bye", reason: "token_rotated" });
    first.cut();
    emit(bus, 11, 20);
    expect(await line.flush()).toBe(true);
    await first.die();
    emit(bus, 21, 30);
    await using second = await TestHub.start(folder.state);
    expect(await line.flush()).toBe(true);
    expect([...first.stored.values(), ...second.stored.values()].map(({ seq }) => seq)).toEqual(upTo(30));
  });

  it("gives nothing to a peer that cannot prove itself, says so, and goes to the hub when it is there", async () => {
    using folder = hubFolder();
    const squatter = await TestHub.start(folder.state, { isSquatter: true });
    const { bus, line, codes } = start(folder.state);
    emit(bus, 1, 3);
    await expect.poll(codes, soon).toEqual(["HL_HUB_UNPROVEN"]);
    await expect.poll(() => squatter.connections, soon).toBeGreaterThan(2);
    expect(squatter.frames.every(({ type }) => type === "hello")).toBe(true);
    expect(squatter.rawBytes).not.toContain(squatter.file.token);
    expect(squatter.rawBytes).not.toContain("myapp");
    await squatter.stop();
    await using hub = await TestHub.start(folder.state);
    expect(await line.flush()).toBe(true);
    expect(hub.numbers()).toEqual([1, 2, 3]);
    expect(codes()).toEqual(["HL_HUB_UNPROVEN"]);
  });

  it("lets a hub that says nothing go after a while", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state, { isMute: true });
    const { line, codes } = start(folder.state);
    await expect.poll(codes).toEqual(["HL_HUB_UNPROVEN"]);
    hub.options = {};
    await isAttached(line);
  });

  it("loses nothing to a hub whose disk is full", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state, { bye: "disk_full" });
    const { bus, line } = start(folder.state);
    emit(bus, 1, 100);
    await expect.poll(() => hub.connections, soon).toBeGreaterThan(1);
    expect(line.counters).toMatchObject({ acked: 0, pending: 100 });
    hub.options = {};
    expect(await line.flush(10_000)).toBe(true);
    expect(hub.numbers()).toEqual(upTo(100));
  });

  it("counts what the hub refuses, also when the link is lost before the acknowledgement", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state, { refuses: ({ seq }) => seq % 10 === 0 });
    const { bus, line } = start(folder.state);
    emit(bus, 1, 100);
    await line.flush();
    expect(line.counters).toMatchObject({ accepted: 100, acked: 90, dropped: { refused: 10 } });
    hub.isAckHeld = true;
    emit(bus, 101, 110);
    await expect.poll(() => hub.received.length, soon).toBe(99);
    await sleep(50);
    hub.isAckHeld = false;
    hub.cut();
    await line.flush();
    expect(line.counters).toMatchObject({ accepted: 110, acked: 99, dropped: { refused: 11 }, pending: 0 });
  });

  it("tells the hub what became of the events", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state);
    await isAttached(line);
    emit(bus, 1, 7);
    await line.flush();
    const told = () => hub.frames.filter(({ type }) => type === "counters");
    await expect.poll(() => told().at(-1), soon).toEqual({ type: "counters", accepted: 7, acked: 7, pending: 0, dropped: {}, seq: 7 });
    const before = told().length;
    await sleep(1_200);
    expect(told().length).toBe(before);
  });

  it("survives acknowledgements, refusals and frames that make no sense", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state);
    await isAttached(line);
    const strange = [{ type: "ack", n: 99 }, { type: "ack", n: -1 }, { type: "ack", n: "1" }, { type: "ack" }, { type: "refused", n: 7 }];
    for (const frame of [...strange, { type: "refused", n: 0.5 }, { type: "gates", gates: [null, 3, { event: "no such" }] }, { type: "?" }])
      hub.say(frame);
    emit(bus, 1, 10);
    await line.flush();
    expect(line.counters).toMatchObject({ accepted: 10, acked: 10, pending: 0, dropped: {} });
  });
});

describe("the queue", () => {
  it("keeps its bounds while the hub is away, lets go of bulk first, and numbers show each drop as a gap", async () => {
    using folder = hubFolder();
    const first = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state, { queue: { maxCount: 20 } });
    await isAttached(line);
    await first.stop();
    await expect.poll(() => line.state, soon).toBe("waiting");
    for (let index = 0; index < 10; index++) bus.emit("session:start", { index } as never);
    emit(bus, 1, 10);
    for (let index = 0; index < 50; index++) bus.emit("text:delta", { index } as never);
    expect(line.counters).toMatchObject({ accepted: 70, pending: 20, dropped: { queue_full: 50 } });
    for (let index = 0; index < 4; index++) bus.emit("session:end", { index } as never);
    await using second = await TestHub.start(folder.state);
    await line.flush();
    const kept = second.received.map(({ event }) => event);
    expect(kept.filter((event) => event.startsWith("session:"))).toHaveLength(14);
    expect(kept).toHaveLength(20);
    const { seq, dropped } = line.counters;
    expect(seq - kept.length).toBe(dropped.queue_full);
    expect(second.numbers()).toEqual([...second.numbers()].sort((a, b) => a - b));
  });

  it("waits for a hub that stands still without growing, and goes on when it does", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line, codes } = start(folder.state, { queue: { maxCount: 1_000 } });
    await isAttached(line);
    hub.freeze(true);
    for (let round = 0; round < 50; round++) {
      emit(bus, 1, 100);
      await sleep(1);
      const { accepted, pending } = line.counters;
      expect(sum(line.counters)).toBe(accepted);
      expect(pending).toBeLessThanOrEqual(1_000);
    }
    expect(line.state).toBe("attached");
    hub.freeze(false);
    expect(await line.flush()).toBe(true);
    expect(hub.connections).toBe(1);
    expect(codes()).toEqual([]);
    const { acked, dropped, seq } = line.counters;
    expect(acked).toBe(hub.stored.size);
    expect(acked + (dropped.queue_full ?? 0)).toBe(seq);
  });

  it("counts what guards have to say, which may be long", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state, { queue: { maxBytes: 1_000_000 } });
    await expect.poll(() => line.state, soon).toBe("attached");
    hub.isAckHeld = true;
    bus.on("tool:before", () => block("r".repeat(300_000)));
    for (let i = 0; i < 10; i++) await bus.decide("tool:before", call());
    expect(line.counters).toMatchObject({ accepted: 10, pending: 3, dropped: { queue_full: 7 } });
  });

  it("drops what is larger than all of it", async () => {
    using folder = hubFolder();
    await using _ = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state, { queue: { maxBytes: 2_000 } });
    bus.emit("myapp:large", { text: "x".repeat(5_000) });
    expect(line.counters).toMatchObject({ accepted: 1, pending: 0, dropped: { oversize: 1 } });
  });

  it("keeps of a huge payload only what will be sent", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state, { queue: { maxBytes: 3_000 }, maxPayloadBytes: 1_000 });
    bus.emit("myapp:large", { text: "x".repeat(5_000_000) });
    await line.flush();
    expect(hub.received[0]?.payload).toMatchObject({ text: { $hookline: "truncated", bytes: 5_000_000 } });
  });
});

describe("a line", () => {
  it("sends what was asked for, as it was when it happened, without secrets", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state, { events: ["tool:*", "PreCompact"] });
    const payload = { session: { id: "s", parentId: "p" }, tool: { name: "x", input: { password: "hunter22" } } };
    bus.on("tool:before", () => ({ block: true, reason: "token=abcdefgh" }));
    await bus.decide("tool:before", payload);
    payload.tool.name = "changed";
    bus.emit("myapp:other", {});
    await line.flush();
    expect(hub.received).toHaveLength(1);
    expect(hub.received[0]).toMatchObject({
      event: "tool:before",
      session: { id: "s", parentId: "p" },
      payload: { tool: { name: "x", input: { password: { $hookline: "redacted" } } } },
      decision: { verdict: "deny", reason: "token=[redacted assignment]" },
    });
    expect(line.counters.seq).toBe(1);
  });

  it("is the same for a second call with the same options, and closed for both", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const onError = () => {};
    const options = () => ({ source: "other", queue: { maxCount: 10 }, gates: { events: ["tool:before"] }, onError });
    const { bus, line } = start(folder.state, options());
    expect(connectToHub(bus, { folder: folder.state, ...options() })).toBe(line);
    expect(connectToHub(bus, { folder: folder.state, ...options(), source: { app: "other" }, durable: undefined as never })).toBe(line);
    const others = [
      { queue: { maxCount: 11 } },
      { gates: false },
      { onError: () => {} },
      { source: "third" },
      { folder: `${folder.state}-2` },
    ];
    for (const other of others)
      expect(() => connectToHub(bus, { folder: folder.state, ...options(), ...other } as ForwardOptions)).toThrow(
        expect.objectContaining({ code: "HL_LINE_TAKEN", message: expect.stringContaining("other options") }),
      );
    await isAttached(line);
    emit(bus, 1, 3);
    await line.flush();
    expect(hub.numbers()).toEqual([1, 2, 3]);
    const closing = connectToHub(bus, { folder: folder.state, ...options() }).close();
    expect(() => connectToHub(bus, { folder: folder.state, ...options() })).toThrow(
      expect.objectContaining({ code: "HL_LINE_TAKEN", message: expect.stringContaining("being closed") }),
    );
    await closing;
    expect([line.state, hub.connections]).toEqual(["closed", 1]);
    const next = connectToHub(bus, { folder: folder.state, ...options() });
    lines.push(next);
    expect(next).not.toBe(line);
  });

  it("is one a bus, and the next goes on counting", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state);
    expect(() => connectToHub(bus)).toThrow(expect.objectContaining({ code: "HL_LINE_TAKEN" }));
    emit(bus, 1, 3);
    await line.flush();
    await line.close();
    expect(line.state).toBe("closed");
    emit(bus, 4, 5);
    const next = connectToHub(bus, { folder: folder.state });
    lines.push(next);
    emit(bus, 6, 7);
    await next.flush();
    expect(hub.numbers()).toEqual([1, 2, 3, 4, 5]);
    expect(next.counters).toMatchObject({ accepted: 2, seq: 5 });
  });

  it("writes to the spool what it could not send when it is closed", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    const { bus, line } = start(folder.state);
    await isAttached(line);
    hub.freeze(true);
    hub.isAckHeld = true;
    emit(bus, 1, 500);
    const counters = await line.close(20);
    expect(counters).toMatchObject({ accepted: 500, pending: 0 });
    expect(sum(counters)).toBe(500);
    expect(counters.spooled).toBe(500);
    expect(spooled(folder.spool).map(({ seq }) => seq)).toEqual(upTo(500));
    const [name = ""] = readdirSync(folder.spool);
    expect(name).toMatch(new RegExp(`^${bus.source.instance}\\.\\d+\\.[\\w-]+\\.ndjson$`));
  });

  it("counts what the spool has no room for, or cannot take", async () => {
    using folder = hubFolder();
    await using hub = await TestHub.start(folder.state);
    hub.isAckHeld = true;
    const small = start(folder.state, { maxSpoolBytes: 2_000 });
    emit(small.bus, 1, 100);
    const counters = await small.line.close(0);
    expect(counters.spooled).toBe(spooled(folder.spool).length);
    expect(counters.spooled + (counters.dropped.spool_full ?? 0)).toBe(100);
    expect(counters.spooled).toBeGreaterThan(0);
    const { bus, line, codes } = start(folder.state);
    emit(bus, 1, 100);
    chmodSync(folder.spool, 0o777);
    expect(await line.close(0)).toMatchObject({ spooled: 0, dropped: { spool_failed: 100 } });
    expect(codes()).toEqual(["HL_SPOOL_FAILED"]);
  });

  it("says in one line, once for all buses, that there is no hub, and what to run", () => {
    using folder = hubFolder();
    const first = start(folder.state);
    emit(first.bus, 1, 3);
    expect(first.reports.map(String)).toEqual([expect.stringMatching(/There is no hub in ".*"\. .* Run: hookline up$/)]);
    expect(start(folder.state).codes()).toEqual([]);
    const heard: string[] = [];
    start(folder.state, { onError: ({ code }) => heard.push(code) });
    expect(heard).toEqual(["HL_NO_HUB"]);
  });

  it("says once a minute what is wrong", async () => {
    using folder = hubFolder();
    const hub = await TestHub.start(folder.state);
    await hub.die();
    const { bus, codes, reports } = start(folder.state);
    emit(bus, 1, 3);
    await expect.poll(codes, soon).toEqual(["HL_HUB_UNREACHABLE"]);
    expect(reports[0]?.fix).toEqual({ run: "hookline status" });
    await sleep(300);
    expect(codes()).toEqual(["HL_HUB_UNREACHABLE"]);
  });

  it("refuses options that make no sense", () => {
    const bus = createBus();
    const wrong = [
      { sauce: "x" },
      { queue: { maxCount: 0 } },
      { queue: { max: 1 } },
      { source: { instance: "x" } },
      { gates: { events: ["tool:after"] } },
      { gates: { events: ["nonsense"] } },
      { gates: true },
      { maxPayloadBytes: 2 ** 30 },
      { events: ["tool:nonsense"] },
    ];
    for (const options of wrong) expect(() => connectToHub(bus, options as never), JSON.stringify(options)).toThrow(/HL_|"|no /);
    expect(bus.count()).toBe(0);
  });
});
