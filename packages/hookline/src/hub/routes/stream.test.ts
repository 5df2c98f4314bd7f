import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { dial, type HttpHub, makeEnvelope, startHttpHub, until } from "../../../../../test/support/http-hub.ts";

interface Message {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** A client of the stream, as simple as the standard allows. */
class Reader {
  readonly messages: Message[] = [];
  comments = 0;
  text = "";
  isEnded = false;
  readonly #client: ClientRequest;

  constructor({ port, parts }: HttpHub, path: string, headers: Record<string, string> = {}, pauseMs?: number) {
    const all = { authorization: `Bearer ${parts.tokens.operator}`, ...headers };
    this.#client = request({ host: "127.0.0.1", port, path, headers: all, agent: false }, (answer) => this.#read(answer, pauseMs));
    this.#client.on("error", () => {});
    this.#client.end();
    onTestFinished(() => this.stop());
  }

  #read(answer: IncomingMessage, pauseMs?: number): void {
    let rest = "";
    answer.setEncoding("utf8").on("data", (chunk: string) => {
      this.text += chunk;
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) this.#take(block);
      if (pauseMs === undefined) return;
      answer.pause();
      setTimeout(() => answer.resume(), pauseMs);
    });
    answer.on("close", () => {
      this.isEnded = true;
    });
    answer.on("error", () => {});
  }

  #take(block: string): void {
    if (block.startsWith(":")) this.comments++;
    const fields = Object.fromEntries(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    if (fields.event !== undefined) this.messages.push(fields);
  }

  get hooks(): Message[] {
    return this.messages.filter(({ event }) => event === "hook");
  }
  get places(): number[] {
    return this.hooks.map(({ id }) => Number(id));
  }
  get isOpen(): boolean {
    return this.messages.some(({ event }) => event === "hello");
  }
  stop(): void {
    this.#client.destroy();
  }
}

async function put({ parts: { ingest } }: HttpHub, count: number, parts: Parameters<typeof makeEnvelope>[0] = {}): Promise<void> {
  const events = Array.from({ length: count }, () => ingest.acceptEnvelope(makeEnvelope(parts)));
  await ingest.append(events.flatMap((event) => ("code" in event ? [] : [event])));
}

async function clientsOf({ ask }: HttpHub): Promise<number> {
  return Number(/^hookline_stream_clients (\d+)$/m.exec((await ask("/metrics")).text)?.[1]);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe("GET /api/stream", () => {
  it("begins with what comes next, and says where that is", async () => {
    const hub = await startHttpHub();
    await put(hub, 3);
    const reader = new Reader(hub, "/api/stream");
    await until(() => reader.isOpen);
    expect(reader.text).toMatch(/^retry: 500\n\n/);
    expect(reader.messages[0]).toEqual({ id: "3", event: "hello", data: JSON.stringify({ instance: hub.parts.instance, place: 3 }) });
    await put(hub, 2, { payload: { text: "zwei\nZeilen" } });
    await until(() => reader.hooks.length === 2);
    expect(reader.places).toEqual([4, 5]);
    expect(JSON.parse(reader.hooks[0]?.data as string).payload).toEqual({ text: "zwei\nZeilen" });
  });

  it("resumes without a gap and nothing twice, also under load", async () => {
    const hub = await startHttpHub();
    await put(hub, 450);
    let isDone = false;
    const load = (async () => {
      while (!isDone) await put(hub, 7);
    })();
    const readers = [
      new Reader(hub, "/api/stream?after=0"),
      new Reader(hub, "/api/stream?after=9", { "last-event-id": "200" }),
      new Reader(hub, "/api/stream?after=440"),
    ];
    await until(() => readers.every(({ hooks }) => hooks.length > 700));
    isDone = true;
    await load;
    const last = await hub.parts.store.lastPlace();
    await until(() => readers.every(({ places }) => places.at(-1) === last));
    expect(readers.map(({ places }) => places)).toEqual([range(1, last), range(201, last), range(441, last)]);
  });

  it("survives being cut off again and again: what a client has seen is everything once", async () => {
    const hub = await startHttpHub();
    let isDone = false;
    const load = (async () => {
      for (let i = 0; i < 60; i++) await put(hub, 5);
      isDone = true;
    })();
    const seen: number[] = [];
    while (!isDone || seen.length < 300) {
      const before = seen.length;
      const reader = new Reader(hub, "/api/stream", { "last-event-id": String(seen.at(-1) ?? 0) });
      await until(() => reader.hooks.length > 0 || (isDone && before === 300));
      reader.stop();
      seen.push(...reader.places);
    }
    await load;
    expect(seen).toEqual(range(1, 300));
  });

  it("brings who reads slowly everything in order, large and small, stored and new", async () => {
    const hub = await startHttpHub();
    for (let i = 0; i < 4; i++) {
      await put(hub, 30, { payload: { text: `small ${i}` } });
      await put(hub, 1, { payload: { text: `large ${"é".repeat(500_000)}` } });
    }
    const readers = ["", "&text=large", "&text=large", "&text=small"].map((query) => new Reader(hub, `/api/stream?after=0${query}`, {}, 1));
    await until(() => readers.every(({ hooks }) => hooks.length > 0));
    await put(hub, 5, { payload: { text: "large" } });
    const all = range(1, 129);
    const large = all.filter((place) => place % 31 === 0 || place > 124);
    const wanted = [all, large, large, all.filter((place) => !large.includes(place))];
    await until(() => readers.every(({ hooks }, index) => hooks.length >= (wanted[index] as number[]).length));
    expect(readers.map(({ places }) => places)).toEqual(wanted);
    const sizes = readers[0]?.hooks.map(({ data }) => JSON.parse(data as string).payload.text.length);
    expect(sizes).toEqual(all.map((place) => (place > 124 ? 5 : place % 31 === 0 ? 500_006 : 7)));
  });

  it("filters stored and live events alike", async () => {
    const hub = await startHttpHub();
    const mixed = async () => {
      await put(hub, 1, { event: "tool:before", payload: { tool: { name: "bash", input: { command: "rm Ünïcode" } } } });
      await put(hub, 1, { event: "tool:after", session: { id: "s1" } });
      await put(hub, 1, { event: "agent:end", source: { app: "other", host: "", pid: 0, instance: "i2" } });
    };
    await mixed();
    const queries = [
      "event=tool:*",
      "session=s1",
      "source=other",
      "tool=bash",
      "text=unic%20rm",
      "event=Stop",
      "since=1h&event=AgentEnd",
      "until=1h",
    ];
    const readers = queries.map((query) => new Reader(hub, `/api/stream?after=0&${query}`));
    await until(() => readers.every(({ isOpen }) => isOpen));
    await until(() => hub.parts.live.watchers === queries.length);
    await mixed();
    await until(() => [...readers.slice(0, 5), ...readers.slice(6, 7)].every(({ hooks }) => hooks.length >= 2));
    expect(readers.map(({ places }) => places.join())).toEqual(["1,2,4,5", "2,5", "3,6", "1,4", "1,4", "", "3,6", ""]);
  });

  it("takes a place of another store for the end of this one", async () => {
    const hub = await startHttpHub();
    await put(hub, 2);
    const reader = new Reader(hub, "/api/stream", { "last-event-id": "999999" });
    await until(() => hub.parts.live.watchers === 1);
    await put(hub, 1);
    await until(() => reader.hooks.length === 1);
    expect(reader.places).toEqual([3]);
  });

  it("cannot be made to send anything but an event", async () => {
    const hub = await startHttpHub();
    const reader = new Reader(hub, "/api/stream");
    await until(() => hub.parts.live.watchers === 1);
    await until(() => reader.messages.some(({ event }) => event === "current"));
    const { v, ...rest } = makeEnvelope({ payload: { text: "\r\r\n\nevent: bye\ndata: x" } });
    const line = `{"v":${v},\r\r${JSON.stringify(rest).slice(1)}`;
    expect((await hub.ask("/api/hooks/ingest", { body: line })).status).toBe(200);
    await until(() => reader.hooks.length === 1);
    expect(reader.messages.map(({ event }) => event)).toEqual(["hello", "approval", "current", "hook"]);
    expect(reader.text).not.toContain("\r");
  });

  it("beats when nothing comes, and says goodbye when the hub stops", async () => {
    const hub = await startHttpHub({ stream: { heartbeatMs: 20 } });
    const reader = new Reader(hub, "/api/stream");
    await until(() => reader.comments > 2);
    await hub.server.close();
    await until(() => reader.isEnded);
    expect(reader.messages.at(-1)).toEqual({ event: "bye", data: '{"reason":"stopping"}' });
    expect(hub.parts.live.watchers).toBe(0);
  });

  it("lets go of who stops reading, counts it, and the others notice nothing", async () => {
    const hub = await startHttpHub({ stream: { maxStallMs: 300 } });
    const stuck = dial(hub.port).pause();
    stuck.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${hub.parts.tokens.operator}\r\n\r\n`);
    const good = [new Reader(hub, "/api/stream"), new Reader(hub, "/api/stream?event=agent:*")];
    await until(async () => (await clientsOf(hub)) === 3);
    let sent = 0;
    while ((await clientsOf(hub)) === 3) {
      await put(hub, 4, { payload: { text: "x".repeat(100_000) } });
      sent += 4;
      await sleep(1);
    }
    await put(hub, 1);
    await until(() => good.every(({ hooks }) => hooks.length === sent + 1));
    expect(good.map(({ places }) => places)).toEqual([range(1, sent + 1), range(1, sent + 1)]);
    const metrics = (await hub.ask("/metrics")).text;
    expect(metrics).toMatch(/^hookline_stream_dropped_total\{reason="(backlog|stalled)"\} 1$/m);
    expect(metrics).toMatch(/^hookline_stream_clients 2$/m);
  });

  it("refuses what it cannot resume from or filter by", async () => {
    const { ask } = await startHttpHub();
    for (const query of ["?after=x", "?after=-1", "?evnt=x", "?limit=5"]) expect((await ask(`/api/stream${query}`)).status).toBe(400);
    expect((await ask("/api/stream", { headers: { "last-event-id": "abc" } })).status).toBe(400);
    expect((await ask("/api/stream", { method: "HEAD" })).status).toBe(200);
  });
});
