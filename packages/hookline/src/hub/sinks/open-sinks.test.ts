import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HookError } from "@hookline/core";
import { readDeadLetters } from "@hookline/core/internal/sinks";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { openStore, type Store } from "hookline/internal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { setArrivals } from "../../../../../test/support/arrivals.js";
import type { SinkConfig } from "../../config/config.js";
import { parseConfig } from "../../config/load-config.js";
import { createLive } from "../live/live.js";
import type { SinkRow } from "../parts.js";
import { type OpenSinks, type OpenSinksOptions, openSinks } from "./open-sinks.js";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "hookline-feeds-"));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A store and those who are told what comes into it. */
class Bench {
  readonly folder = temporaryFolder();
  readonly errors: HookError[] = [];
  #store: Store | undefined;
  #count = 0;
  isQuiet = false;

  readonly live = createLive();

  get store(): Store {
    return this.#store as Store;
  }

  async openStore(): Promise<void> {
    const store = await openStore(join(this.folder, "events.db"));
    this.#store = store;
    cleanUps.push(() => store.close());
  }

  async sinks(toml: string): Promise<SinkConfig[]> {
    const { config, problems } = await parseConfig(toml, join(this.folder, "hookline.toml"));
    expect(problems).toEqual([]);
    return [...(config?.sinks ?? [])];
  }

  async open(toml: string, given: Partial<OpenSinksOptions> = {}): Promise<OpenSinks> {
    const options = {
      store: this.store,
      live: this.live,
      onError: (error: HookError) => void this.errors.push(error),
      pollMs: 50,
      reopenMs: 20,
      endMs: 60_000,
      ...given,
    };
    const board = openSinks(await this.sinks(toml), options);
    cleanUps.push(() => board.close(100));
    return board;
  }

  /** Stores events and tells, as ingest does. */
  async append(count: number, parts: Partial<Envelope> = {}): Promise<string[]> {
    const envelopes = Array.from({ length: count }, () => this.#envelope(parts));
    const taken = envelopes.map((envelope) => ({ envelope, body: encodeEnvelope(envelope) }));
    const places = await this.store.append(taken);
    const arrivals = taken.map((event, index) => ({ ...event, place: places[index] as number }));
    if (!this.isQuiet) this.live.publish(arrivals);
    return envelopes.map(({ id }) => id);
  }

  lines(file: string): Envelope[] {
    const path = join(this.folder, file);
    if (!existsSync(path)) return [];
    return readFileSync(path, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Envelope);
  }

  ids(file: string): string[] {
    return this.lines(file).map(({ id }) => id);
  }

  #envelope(parts: Partial<Envelope>): Envelope {
    const id = `e${String(++this.#count).padStart(6, "0")}`;
    const source = { app: "agent", host: "h", pid: 1, instance: "i1" };
    return { v: 2, id, seq: this.#count, at: new Date().toISOString(), event: "agent:step", source, payload: {}, hops: [], ...parts };
  }
}

async function bench(): Promise<Bench> {
  const made = new Bench();
  await made.openStore();
  return made;
}

function rowOf(board: OpenSinks, name: string): SinkRow {
  return board.list().find((row) => row.name === name) as SinkRow;
}

const eventually = { timeout: 60_000, interval: 10 };

/** Answers as told, and keeps the ids of what it took. */
async function receiver(answer: (ids: string[]) => number | { status: number; headers: Record<string, string> }) {
  const taken: string[] = [];
  const server: Server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const ids = ([JSON.parse(body)].flat() as Envelope[]).map(({ id }) => id);
    const answered = answer(ids);
    const { status, headers } = typeof answered === "number" ? { status: answered, headers: {} } : answered;
    if (status < 300) taken.push(...ids);
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => {
    const closed = new Promise((resolve) => server.close(resolve));
    // Afterwards: no new one can come by then.
    server.closeAllConnections();
    return closed;
  });
  return { taken, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe("openSinks", () => {
  it("brings a new sink what is stored from now on, in order", async () => {
    const hub = await bench();
    await hub.append(5);
    const board = await hub.open('[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\n');
    // Asked for after the sink was opened, however early that is.
    const wanted = [...(await hub.append(700)), ...(await hub.append(1))];
    await vi.waitFor(() => expect(hub.ids("out.jsonl")).toEqual(wanted), eventually);
    const row = { name: "jsonl", type: "jsonl", state: "ok", lastError: undefined, sent: 701, dropped: {}, behind: 0 };
    await vi.waitFor(() => expect(board.list()).toEqual([row]), eventually);
    await board.close();
    expect(rowOf(board, "jsonl").state).toBe("closed");
  });

  it("begins at the oldest event with from = start", async () => {
    const hub = await bench();
    const wanted = await hub.append(30);
    const board = await hub.open('[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\nfrom = "start"\n');
    await vi.waitFor(() => expect(hub.ids("out.jsonl")).toEqual(wanted), eventually);
    expect(rowOf(board, "jsonl").dropped).toEqual({});
  });

  it("goes on after a restart where it left off, also for a sink that has never got anything", async () => {
    const hub = await bench();
    const toml = '[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\n';
    await (await hub.open(toml)).close();
    const missed = await hub.append(20);
    const second = await hub.open(toml);
    await vi.waitFor(() => expect(hub.ids("out.jsonl")).toEqual(missed), eventually);
    await second.close();
    const later = await hub.append(3);
    await hub.open(toml);
    await vi.waitFor(() => expect(hub.ids("out.jsonl")).toEqual([...missed, ...later]), eventually);
  });

  it("finds what it was not told of", async () => {
    const hub = await bench();
    hub.isQuiet = true;
    await hub.open('[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\n');
    const wanted = await hub.append(3);
    await vi.waitFor(() => expect(hub.ids("out.jsonl")).toEqual(wanted), eventually);
  });

  it("filters, redacts and cuts for each sink on its own", async () => {
    const hub = await bench();
    const board = await hub.open(`
[redact]
paths = ["user.email"]
[[sink]]
type = "jsonl"
name = "shy"
path = "shy.jsonl"
events = "tool:*"
redact = "note"
maxPayloadBytes = 300
[[sink]]
type = "jsonl"
name = "plain"
path = "plain.jsonl"
redactSecrets = false
`);
    await hub.append(1);
    const payload = { user: { email: "a@b" }, note: "n", password: "hunter2", long: "x".repeat(5_000) };
    const [id] = await hub.append(1, { event: "tool:after", payload });
    await hub.append(1);
    await vi.waitFor(() => expect([hub.ids("shy.jsonl").length, hub.ids("plain.jsonl").length]).toEqual([1, 3]), eventually);
    const [shy] = hub.lines("shy.jsonl");
    const hidden = { $hookline: "redacted" };
    expect(shy).toMatchObject({
      id,
      payload: { user: { email: hidden }, note: hidden, password: hidden, long: { $hookline: "truncated" } },
    });
    expect(hub.lines("plain.jsonl")[1]?.payload).toMatchObject({
      user: { email: hidden },
      note: "n",
      password: "hunter2",
      long: payload.long,
    });
    await vi.waitFor(() => expect(rowOf(board, "shy")).toMatchObject({ sent: 1, dropped: {}, behind: 0 }), eventually);
  });

  it("shows a sink that cannot be opened, and opens it when it can", async () => {
    const hub = await bench();
    mkdirSync(join(hub.folder, "taken.jsonl"));
    const board = await hub.open('[[sink]]\ntype = "jsonl"\npath = "taken.jsonl"\n[[sink]]\ntype = "memory"\n');
    const wanted = await hub.append(4);
    await vi.waitFor(() => expect(rowOf(board, "jsonl")).toMatchObject({ state: "failing", behind: 4, sent: 0 }), eventually);
    await vi.waitFor(() => expect(rowOf(board, "memory")).toMatchObject({ state: "ok", sent: 4 }), eventually);
    expect(rowOf(board, "jsonl").lastError).toContain("taken.jsonl");
    expect(hub.errors).toHaveLength(1);
    rmSync(join(hub.folder, "taken.jsonl"), { recursive: true });
    await vi.waitFor(() => expect(hub.ids("taken.jsonl")).toEqual(wanted), eventually);
    await vi.waitFor(() => expect(rowOf(board, "jsonl")).toMatchObject({ state: "ok", sent: 4, behind: 0 }), eventually);
  });

  it("waits for a secret, and never shows it", async () => {
    const hub = await bench();
    const { taken, url } = await receiver(() => 204);
    const board = await hub.open(`[[sink]]\ntype = "webhook"\nurl = "${url}"\nsecret = { file = "key" }\n`);
    await vi.waitFor(() => expect(rowOf(board, "webhook").lastError).toContain('"secret" comes from the file'), eventually);
    expect(hub.errors[0]?.code).toBe("HL_SECRET_MISSING");
    const wanted = await hub.append(2);
    writeFileSync(join(hub.folder, "key"), `whsec_${Buffer.alloc(32, 7).toString("base64")}\n`);
    await vi.waitFor(() => expect(taken).toEqual(wanted), eventually);
  });

  it("tries again what a receiver cannot take now, without delaying other sinks", async () => {
    const hub = await bench();
    let isDown = true;
    const { taken, url } = await receiver(() => (isDown ? { status: 503, headers: { "retry-after": "0" } } : 200));
    const board = await hub.open(
      `[[sink]]\ntype = "webhook"\nurl = "${url}"\nretry = { baseMs = 5, maxMs = 20 }\nbatch = { maxCount = 7 }\n[[sink]]\ntype = "memory"\n`,
    );
    const wanted = await hub.append(40);
    await vi.waitFor(() => expect(rowOf(board, "memory").sent).toBe(40), eventually);
    await vi.waitFor(() => expect(rowOf(board, "webhook")).toMatchObject({ state: "failing", behind: 40, dropped: {} }), eventually);
    isDown = false;
    await vi.waitFor(() => expect(taken).toEqual(wanted), eventually);
    await vi.waitFor(() => expect(rowOf(board, "webhook")).toMatchObject({ state: "ok", sent: 40, behind: 0, dropped: {} }), eventually);
  });

  it("goes past what is refused for good: counted, and in the dead-letter file", async () => {
    const hub = await bench();
    chmodSync(hub.folder, 0o700);
    const { taken, url } = await receiver((ids) => (ids.includes("e000002") ? 400 : 200));
    const board = await hub.open(
      `[[sink]]\ntype = "webhook"\nurl = "${url}"\nmode = "single"\nbatch = { maxCount = 1 }\ndeadLetter = "dead"\n`,
    );
    await hub.append(3);
    await vi.waitFor(
      () => expect(rowOf(board, "webhook")).toMatchObject({ sent: 2, dropped: { failed: 1 }, behind: 0, state: "ok" }),
      eventually,
    );
    expect(taken).toEqual(["e000001", "e000003"]);
    const letters = [];
    for await (const line of readDeadLetters(join(hub.folder, "dead"))) letters.push(line);
    expect(JSON.stringify(letters)).toContain("e000002");
  });

  it("gives up after maxAttempts where that was asked for", async () => {
    const hub = await bench();
    chmodSync(hub.folder, 0o700);
    const { url } = await receiver(() => 503);
    const board = await hub.open(
      `[[sink]]\ntype = "webhook"\nurl = "${url}"\nretry = { maxAttempts = 2, baseMs = 1 }\ndeadLetter = "dead"\n`,
    );
    await hub.append(3);
    await vi.waitFor(
      () => expect(rowOf(board, "webhook")).toMatchObject({ sent: 0, dropped: { retry_exhausted: 3 }, behind: 0 }),
      eventually,
    );
    expect(readFileSync(join(hub.folder, "dead"), "utf8")).toContain("e000003");
  });

  it("counts what retention took before the sink had got it, and nothing else", async () => {
    const hub = await bench();
    let isDown = true;
    const { taken, url } = await receiver(() => (isDown ? 503 : 200));
    const toml = `[[sink]]\ntype = "webhook"\nurl = "${url}"\nretry = { baseMs = 5, maxMs = 10 }\n`;
    const board = await hub.open(toml);
    const [first] = await hub.append(1);
    await vi.waitFor(() => expect(rowOf(board, "webhook").state).toBe("failing"), eventually);
    await hub.append(50);
    // Sent twice by its source: a duplicate does not count as a gap.
    const again = {
      v: 2,
      id: "twice",
      seq: 1,
      at: new Date().toISOString(),
      event: "agent:step",
      source: { app: "a", host: "h", pid: 1, instance: "i" },
      payload: {},
      hops: [],
    } as const;
    for (let round = 0; round < 3; round++) await hub.store.append([{ envelope: again, body: encodeEnvelope(again) }]);
    // The first one is on its way already.
    setArrivals(join(hub.folder, "events.db"), { 1: 3_600_000, 52: 0 });
    expect(await hub.store.retain({ maxAgeMs: 60_000 })).toBe(51);
    const rest = await hub.append(10);
    isDown = false;
    await vi.waitFor(() => expect(taken).toEqual([first, "twice", ...rest]), eventually);
    // It has arrived before the answer to it has.
    await vi.waitFor(() => expect(rowOf(board, "webhook")).toMatchObject({ dropped: { retention: 50 }, behind: 0 }), eventually);
    expect(hub.errors.at(-1)?.code).toBe("HL_SINK_LATE");
  });

  it("counts them also when nothing came after", async () => {
    const hub = await bench();
    mkdirSync(join(hub.folder, "out.jsonl"));
    const board = await hub.open('[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\n');
    await hub.append(8);
    await vi.waitFor(() => expect(rowOf(board, "jsonl")).toMatchObject({ state: "failing", behind: 8 }), eventually);
    expect(await hub.store.retain({ maxAgeMs: 0 })).toBe(8);
    rmSync(join(hub.folder, "out.jsonl"), { recursive: true });
    await vi.waitFor(() => expect(rowOf(board, "jsonl")).toMatchObject({ state: "ok", dropped: { retention: 8 }, behind: 0 }), eventually);
    const wanted = await hub.append(2);
    await vi.waitFor(() => expect(hub.ids("out.jsonl")).toEqual(wanted), eventually);
    expect(rowOf(board, "jsonl").dropped).toEqual({ retention: 8 });
  });

  it("closes at once with a sink that is down, and sends the rest after", async () => {
    const hub = await bench();
    let isDown = true;
    const { taken, url } = await receiver(() => (isDown ? 503 : 200));
    const toml = `[[sink]]\ntype = "webhook"\nurl = "${url}"\nretry = { baseMs = "10m", maxMs = "10m" }\n`;
    const board = await hub.open(toml);
    const wanted = await hub.append(5);
    await vi.waitFor(() => expect(rowOf(board, "webhook").state).toBe("failing"), eventually);
    await board.close(600_000);
    expect(rowOf(board, "webhook")).toMatchObject({ state: "closed", sent: 0, behind: 5, dropped: {} });
    isDown = false;
    await hub.open(toml);
    await vi.waitFor(() => expect(taken).toEqual(wanted), eventually);
  });

  it("sends what is there before it closes", async () => {
    const hub = await bench();
    const board = await hub.open('[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\n');
    const wanted = await hub.append(2_000);
    await board.close(60_000);
    expect(hub.ids("out.jsonl")).toEqual(wanted);
  });

  it("does not wait for a batch to fill while it closes", async () => {
    const hub = await bench();
    const board = await hub.open('[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\nbatch = { maxDelayMs = "10m" }\n');
    await vi.waitFor(() => expect(existsSync(join(hub.folder, "out.jsonl"))).toBe(true), eventually);
    const wanted = await hub.append(3);
    await vi.waitFor(() => expect(rowOf(board, "jsonl").behind).toBe(3), eventually);
    await board.close(600_000);
    expect(hub.ids("out.jsonl")).toEqual(wanted);
  });

  it("reads few events at a time where they are large", async () => {
    const hub = await bench();
    const board = await hub.open('[[sink]]\ntype = "memory"\n');
    await hub.append(60, { payload: { text: "x".repeat(1_000_000) } });
    await vi.waitFor(() => expect(rowOf(board, "memory")).toMatchObject({ sent: 60, behind: 0 }), eventually);
  });

  it("goes past an event that is damaged in the store", async () => {
    const hub = await bench();
    const board = await hub.open('[[sink]]\ntype = "memory"\n');
    const envelope = {
      v: 2,
      id: "bad",
      seq: 1,
      at: new Date().toISOString(),
      event: "agent:step",
      source: { app: "a", host: "h", pid: 1, instance: "i" },
      payload: {},
      hops: [],
    } as const;
    await hub.store.append([{ envelope, body: "{half" }]);
    await hub.append(1);
    await vi.waitFor(() => expect(rowOf(board, "memory")).toMatchObject({ sent: 1, dropped: { unreadable: 1 }, behind: 0 }), eventually);
  });
});

describe("adopt", () => {
  const file = (name: string, path: string): string => `[[sink]]\ntype = "jsonl"\nname = "${name}"\npath = "${path}"\n`;

  it("leaves alone what stays the same, in any order", async () => {
    const hub = await bench();
    const connections: Socket[] = [];
    const listener = createSocketServer((socket) => void connections.push(socket.resume()));
    await new Promise<void>((resolve) => listener.listen(join(hub.folder, "s.sock"), resolve));
    cleanUps.push(() => {
      for (const socket of connections) socket.destroy();
      return new Promise((resolve) => listener.close(resolve));
    });
    const socket = '[[sink]]\ntype = "unix-socket"\npath = "s.sock"\n';
    const board = await hub.open(`${socket}[[sink]]\ntype = "memory"\n`);
    await hub.append(3);
    await vi.waitFor(() => expect(board.list()).toMatchObject([{ sent: 3 }, { sent: 3 }]), eventually);
    board.adopt(await hub.sinks(`[[sink]]\ntype = "memory"\n${file("new", "new.jsonl")}${socket}`));
    expect(board.list().map(({ name, sent, state }) => [name, sent, state])).toEqual([
      ["memory", 3, "ok"],
      ["new", 0, "ok"],
      ["unix-socket", 3, "ok"],
    ]);
    const later = await hub.append(2);
    await vi.waitFor(() => expect(board.list()).toMatchObject([{ sent: 5 }, { sent: 2 }, { sent: 5 }]), eventually);
    expect(hub.ids("new.jsonl")).toEqual(later);
    expect(connections).toHaveLength(1);
  });

  it("watches only while there is a sink", async () => {
    const hub = await bench();
    const board = await hub.open("");
    expect(hub.live.watchers).toBe(0);
    board.adopt(await hub.sinks(file("a", "a.jsonl")));
    expect(hub.live.watchers).toBe(1);
    const wanted = await hub.append(1);
    await vi.waitFor(() => expect(hub.ids("a.jsonl")).toEqual(wanted), eventually);
    board.adopt([]);
    expect(hub.live.watchers).toBe(0);
    expect(board.list()).toEqual([]);
  });

  it("brings everything once and in order, however often a sink changes", async () => {
    const hub = await bench();
    const board = await hub.open(file("a", "0.jsonl"));
    const wanted: string[] = [];
    for (let round = 1; round <= 20; round++) {
      wanted.push(...(await hub.append(25)));
      board.adopt(await hub.sinks(`${file("a", `${round}.jsonl`)}batch = { maxCount = ${round} }\n`));
      wanted.push(...(await hub.append(5)));
    }
    const taken = (): string[] => Array.from({ length: 21 }, (_, round) => hub.ids(`${round}.jsonl`)).flat();
    await vi.waitFor(() => expect(taken()).toEqual(wanted), eventually);
    await vi.waitFor(() => expect(rowOf(board, "a")).toMatchObject({ state: "ok", behind: 0, dropped: {} }), eventually);
  });

  it("ends in the last of many", async () => {
    const hub = await bench();
    const board = await hub.open(file("a", "a.jsonl"));
    const choices = await Promise.all(
      ["", file("a", "b.jsonl"), file("a", "a.jsonl"), file("b", "b.jsonl")].map((toml) => hub.sinks(toml)),
    );
    for (let round = 0; round < 200; round++) board.adopt(choices[round % choices.length] as SinkConfig[]);
    board.adopt(await hub.sinks(file("a", "last.jsonl")));
    const wanted = await hub.append(10);
    await vi.waitFor(() => expect(hub.ids("last.jsonl")).toEqual(wanted), eventually);
    expect(board.list()).toMatchObject([{ name: "a", sent: 10, state: "ok" }]);
    expect([...hub.ids("a.jsonl"), ...hub.ids("b.jsonl")]).toEqual([]);
  });

  it("lets the batch on its way arrive before a changed sink begins, and sends nothing else as it was", async () => {
    const hub = await bench();
    const old = await gatedReceiver();
    const changed = await gatedReceiver();
    const single = 'mode = "single"\nbatch = { maxCount = 1 }\n';
    const board = await hub.open(`[[sink]]\ntype = "webhook"\nurl = "${old.url}"\n${single}`);
    const [first, ...rest] = await hub.append(6, { payload: { note: "n" } });
    await vi.waitFor(() => expect(old.begun).toHaveLength(1), eventually);
    board.adopt(await hub.sinks(`[[sink]]\ntype = "webhook"\nurl = "${changed.url}"\nredact = "note"\n${single}`));
    changed.open();
    // Long enough for a feed that does not wait.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(changed.begun).toEqual([]);
    old.open();
    await vi.waitFor(() => expect(changed.begun.map(({ id }) => id)).toEqual(rest), eventually);
    expect(old.begun.map(({ id }) => id)).toEqual([first]);
    expect(new Set(changed.begun.map(({ payload }) => JSON.stringify(payload)))).toEqual(new Set(['{"note":{"$hookline":"redacted"}}']));
  });

  it("goes over at once from a receiver that is down", async () => {
    const hub = await bench();
    const down = await receiver(() => 503);
    const { taken, url } = await receiver(() => 200);
    const slow = 'retry = { baseMs = "10m", maxMs = "10m" }\n';
    const board = await hub.open(`[[sink]]\ntype = "webhook"\nurl = "${down.url}"\n${slow}`);
    const wanted = await hub.append(5);
    await vi.waitFor(() => expect(rowOf(board, "webhook").state).toBe("failing"), eventually);
    board.adopt(await hub.sinks(`[[sink]]\ntype = "webhook"\nurl = "${url}"\n${slow}`));
    await vi.waitFor(() => expect(taken).toEqual(wanted), eventually);
    await vi.waitFor(() => expect(rowOf(board, "webhook")).toMatchObject({ state: "ok", sent: 5, behind: 0 }), eventually);
  });

  it("sends what is there for a sink that is gone, and closing waits for it", async () => {
    const hub = await bench();
    const { begun, url, open } = await gatedReceiver();
    const board = await hub.open(`[[sink]]\ntype = "webhook"\nurl = "${url}"\nmode = "single"\nbatch = { maxCount = 1 }\n`);
    const wanted = await hub.append(4);
    await vi.waitFor(() => expect(begun).toHaveLength(1), eventually);
    board.adopt([]);
    expect(board.list()).toEqual([]);
    // Not for it any more.
    await hub.append(2);
    const closed = board.close(60_000);
    open();
    await closed;
    expect(begun.map(({ id }) => id)).toEqual(wanted);
    expect(await hub.store.cursor("sink:webhook")).toBe(4);
  });

  it("takes a sink back while it is going, and long after", async () => {
    const hub = await bench();
    const { begun, url, open } = await gatedReceiver();
    const sinks = await hub.sinks(`[[sink]]\ntype = "webhook"\nurl = "${url}"\nmode = "single"\nbatch = { maxCount = 1 }\n`);
    const board = await hub.open("");
    board.adopt(sinks);
    // A new sink begins with what comes after it: it must have begun.
    await vi.waitFor(async () => expect(await hub.store.cursor("sink:webhook")).toBe(0), eventually);
    const wanted = await hub.append(3);
    await vi.waitFor(() => expect(begun).toHaveLength(1), eventually);
    board.adopt([]);
    board.adopt(sinks);
    open();
    wanted.push(...(await hub.append(2)));
    await vi.waitFor(() => expect(begun.map(({ id }) => id)).toEqual(wanted), eventually);
    await vi.waitFor(() => expect(rowOf(board, "webhook").behind).toBe(0), eventually);
    board.adopt([]);
    await vi.waitFor(async () => expect(await hub.store.cursor("sink:webhook")).toBe(5), eventually);
    wanted.push(...(await hub.append(2)));
    board.adopt(sinks);
    await vi.waitFor(() => expect(begun.map(({ id }) => id)).toEqual(wanted), eventually);
  });

  it("goes on where the sink stood also when that cannot be saved", async () => {
    const hub = await bench();
    const setCursor = (): Promise<void> => Promise.reject(new Error("no space"));
    const board = await hub.open(file("a", "a.jsonl"), { store: { ...hub.store, setCursor } });
    const first = await hub.append(3);
    await vi.waitFor(() => expect(rowOf(board, "a")).toMatchObject({ sent: 3, behind: 0 }), eventually);
    mkdirSync(join(hub.folder, "b.jsonl"));
    board.adopt(await hub.sinks(file("a", "b.jsonl")));
    await vi.waitFor(() => expect(rowOf(board, "a").state).toBe("failing"), eventually);
    const second = await hub.append(3);
    board.adopt(await hub.sinks(file("a", "c.jsonl")));
    await vi.waitFor(() => expect(hub.ids("c.jsonl")).toEqual(second), eventually);
    expect(hub.ids("a.jsonl")).toEqual(first);
  });

  it("changes nothing once all is closed", async () => {
    const hub = await bench();
    const board = await hub.open(file("a", "a.jsonl"));
    board.adopt(await hub.sinks(file("a", "b.jsonl")));
    await board.close();
    board.adopt(await hub.sinks(file("b", "b.jsonl")));
    expect(board.list()).toMatchObject([{ name: "a", state: "closed" }]);
    expect(hub.live.watchers).toBe(0);
    await hub.append(1);
    await board.close();
    expect(hub.ids("b.jsonl")).toEqual([]);
  });
});

/** Does not answer until it is opened. Of each request it keeps the event, as it came. */
async function gatedReceiver() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const begun: Envelope[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    begun.push(JSON.parse(body) as Envelope);
    await opened;
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => {
    const closed = new Promise((resolve) => server.close(resolve));
    // Afterwards: no new one can come by then.
    server.closeAllConnections();
    return closed;
  });
  return { begun, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, open };
}
