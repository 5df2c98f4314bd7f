import { HookError } from "@hookline/core";
import { type Envelope, encodeEnvelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { dial, type HttpHub, makeEnvelope, startHttpHub } from "../../../../../test/support/http-hub.ts";

const ndjson = { "content-type": "application/x-ndjson" };
const PATH = "/api/hooks/ingest";

async function stored({ parts }: HttpHub) {
  const { events } = await parts.store.page({}, { limit: 1_000 });
  return events.map(({ body }) => JSON.parse(body)).reverse();
}

describe("POST /api/hooks/ingest", () => {
  it("stores envelopes, one or many, and knows them again", async () => {
    const hub = await startHttpHub();
    const [one, two, three] = [makeEnvelope(), makeEnvelope({ payload: { text: "ä\u2028" } }), makeEnvelope()];
    expect((await hub.ask(PATH, { body: encodeEnvelope(one) })).json).toEqual({ stored: 1, duplicates: 0 });
    const lines = [one, two, three].map(encodeEnvelope).join("\r\n");
    expect((await hub.ask(PATH, { body: `${lines}\n\n`, headers: ndjson, token: hub.parts.tokens.agent })).json).toEqual({
      stored: 2,
      duplicates: 1,
    });
    expect(await stored(hub)).toEqual([one, two, three]);
  });

  it("stores an event whose id another process has used, once, under an id of its own", async () => {
    const hub = await startHttpHub();
    const reply = (instance: string, verdict: string) =>
      makeEnvelope({
        id: "replied-8888888888",
        event: "permission:replied",
        source: { app: instance, host: "h", pid: 1, instance },
        payload: { approval: { id: "8888888888", event: "tool:before", eventId: "e1", verdict } },
      });
    const [forged, real] = [reply("evil", "allow"), reply("victim", "deny")];
    const others = Array.from({ length: 60 }, () => makeEnvelope());
    expect((await hub.ask(PATH, { body: encodeEnvelope(forged) })).json).toEqual({ stored: 1, duplicates: 0 });
    const body = [real, ...others].map(encodeEnvelope).join("\n");
    for (const answer of [
      { stored: 61, duplicates: 0 },
      { stored: 0, duplicates: 61 },
    ])
      expect((await hub.ask(PATH, { body, headers: ndjson })).json).toEqual(answer);
    const replies = (await stored(hub)).filter(({ event }) => event === "permission:replied");
    expect(replies).toEqual([forged, { ...real, id: expect.stringMatching(/^of-[0-9a-f]{32}$/) }]);
    expect(await hub.parts.store.get(replies[1].id)).toBeDefined();
  });

  it("keeps what a process reports though another has guessed the id and gives the instance as its own", async () => {
    const hub = await startHttpHub();
    const source = { app: "victim", host: "h", pid: 1, instance: "victim" };
    const said = (text: string) => makeEnvelope({ id: "guessed", source, payload: { text } });
    const [guess, real, other] = ["nothing", "the truth", "more"].map(said) as [Envelope, Envelope, Envelope];
    const body = [guess, real, other].map(encodeEnvelope).join("\n");
    expect((await hub.ask(PATH, { body: encodeEnvelope(guess) })).json).toEqual({ stored: 1, duplicates: 0 });
    expect((await hub.ask(PATH, { body, headers: ndjson })).json).toEqual({ stored: 2, duplicates: 1 });
    // It was not answered in time, and comes again.
    expect((await hub.ask(PATH, { body, headers: ndjson })).json).toEqual({ stored: 0, duplicates: 3 });
    const events = await stored(hub);
    expect(events.map(({ payload }) => payload.text)).toEqual(["nothing", "the truth", "more"]);
    expect(events.map(({ id }) => id)).toEqual(["guessed", expect.stringMatching(/^of-/), expect.stringMatching(/^of-/)]);
    expect(hub.parts.ingest.counters.renamed).toBe(2);

    // The id under which such an event is stored cannot be taken beforehand.
    const early = makeEnvelope({ id: events[1].id, source });
    expect(await hub.ask(PATH, { body: encodeEnvelope(early) })).toMatchObject({
      status: 400,
      json: { error: { code: "HL_FORGED_SOURCE" } },
    });
  });

  it("makes an event of a Hermes frame, and hides the secrets in it", async () => {
    const hub = await startHttpHub();
    const context = {
      session_id: "s1",
      api_key: "sk-abcdefghijklmnopqrstuvwxyz012345",
      note: "hi",
      _forwarded: true,
      _forwarded_from: "gw",
      timestamp: 1_700_000_000.5,
    };
    const body = JSON.stringify({ event_type: "pre_tool_call", context, src: "gateway/1 é", extra: 1 });
    expect((await hub.ask(PATH, { body })).json).toEqual({ stored: 1, duplicates: 0 });
    const [event] = await stored(hub);
    expect(event).toMatchObject({
      v: 2,
      event: "tool:before",
      at: "2023-11-14T22:13:20.500Z",
      session: { id: "s1" },
      source: { app: "gateway/1 é", pid: 0, instance: expect.stringMatching(/^gateway-1--[0-9a-f]{12}$/) },
      hops: ["gw"],
    });
    expect(Object.keys(event.payload)).toEqual(["session_id", "api_key", "note", "timestamp"]);
    expect(event.payload.note).toBe("hi");
    expect(JSON.stringify(event)).not.toContain("sk-abcdef");
  });

  it("never loses an event for its name", async () => {
    const hub = await startHttpHub();
    const names = [
      "agent:start",
      "on_session_start",
      "command:git:push",
      "myapp:done",
      "agent:no_such",
      "no_such",
      "a b\n:*",
      "Tool:before",
      "\ud800x",
    ];
    for (const event_type of names) expect((await hub.ask(PATH, { body: JSON.stringify({ event_type }) })).status).toBe(200);
    const kept = (await stored(hub)).map(({ event }) => event);
    expect(kept).toEqual([
      "agent:start",
      "session:start",
      "command:git:push",
      "myapp:done",
      "hermes:agent.no_such",
      "hermes:no_such",
      "hermes:a.b.",
      "hermes:Tool.before",
      "hermes:.x",
    ]);
  });

  it("takes frames without a context or a source", async () => {
    const hub = await startHttpHub();
    const lines = [{ event_type: "agent:start" }, { event_type: "agent:start", context: {}, src: 7 }];
    await hub.ask(PATH, { body: lines.map((line) => JSON.stringify(line)).join("\n"), headers: ndjson });
    expect((await stored(hub)).map(({ payload, source }) => [payload, source.app])).toEqual([
      [{}, "?"],
      [{}, "?"],
    ]);
  });

  const good = encodeEnvelope(makeEnvelope());
  const deep = (levels: number) => `{"event_type":"agent:start","context":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const bad: { readonly [name: string]: string | Uint8Array } = {
    empty: "",
    blank: " \r\n ",
    "not JSON": "{",
    "two objects": "{}{}",
    "invalid UTF-8": Buffer.concat([Buffer.from('{"event_type":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    "half a character": Buffer.concat([Buffer.from('{"event_type":"'), Buffer.from([0xc3]), Buffer.from('"}')]),
    "a byte order mark": `\ufeff${good}`,
    "a NUL": '{"event_type":"a\0b"}',
    "too deep": deep(65),
    "far too deep": deep(100_000),
    "too deep without an end": '{"event_type":'.repeat(100_000),
    "no object": "[]",
    null: "null",
    "a number": "1e999",
    "neither kind": "{}",
    "a context that is a list": '{"event_type":"agent:start","context":[1]}',
    "a context that is text": '{"event_type":"agent:start","context":"x"}',
    "a context that is null": '{"event_type":"agent:start","context":null}',
    "an invalid name": '{"event_type":7}',
    "an empty name": '{"event_type":" "}',
    "a long name": JSON.stringify({ event_type: "x".repeat(300) }),
    "an envelope of another version": good.replace('"v":2', '"v":3'),
    "an envelope without an id": good.replace(/"id":"[^"]*",/, ""),
    "an envelope with __proto__ for its fields": '{"__proto__":{"v":1,"id":"x"}}',
    "a name by __proto__": '{"__proto__":{"event_type":"agent:start"}}',
  };

  it("refuses a line that is not an event with 400, naming its position, and stores nothing of it", async () => {
    const hub = await startHttpHub();
    const odd: unknown[] = [];
    for (const [name, body] of Object.entries(bad)) {
      const alone = await hub.ask(PATH, { body, headers: { "content-type": "application/json" } });
      if (alone.status !== 400 || !/^HL_/.test(alone.json.error.code)) odd.push([name, alone.status, alone.text]);
      const lines = Buffer.concat([
        Buffer.from(`${good}\n\n`),
        Buffer.from(body),
        Buffer.from(`\n${good.replace(/"id":"[^"]*"/, '"id":"other"')}`),
      ]);
      if (name === "empty" || name === "blank") continue;
      const batch = await hub.ask(PATH, { body: lines, headers: ndjson });
      if (batch.status !== 400) odd.push([name, batch.status, batch.text]);
      else if (!/UTF-8/.test(batch.text) && !/Line 3\b/.test(batch.json.error.message)) odd.push([name, batch.text]);
    }
    expect(odd).toEqual([]);
    expect(await stored(hub)).toEqual([]);
  });

  it("keeps odd data as it is: duplicate keys, __proto__, lone surrogates, large numbers", async () => {
    const hub = await startHttpHub();
    const body =
      '{"event_type":"agent:start","context":{"a":1,"a":2,"__proto__":{"admin":true},"constructor":1,"half":"\\ud800","nul":"\\u0000","n":9007199254740993}}';
    expect((await hub.ask(PATH, { body })).status).toBe(200);
    const [{ payload }] = await stored(hub);
    expect([payload.a, payload.half, payload.nul, payload.constructor]).toEqual([2, "\ud800", "\0", 1]);
    expect([payload.admin, ({} as { admin?: unknown }).admin]).toEqual([undefined, undefined]);
    expect((await hub.ask("/api/events")).json.events[0].payload.admin).toBeUndefined();
  });

  it("refuses what has been here before", async () => {
    const hub = await startHttpHub();
    const body = encodeEnvelope(makeEnvelope({ hops: ["i1", hub.parts.instance] }));
    expect(await hub.ask(PATH, { body })).toMatchObject({ status: 400, json: { error: { code: "HL_LOOP" } } });
    const frame = JSON.stringify({ event_type: "agent:start", context: { _forwarded_from: hub.parts.instance } });
    expect(await hub.ask(PATH, { body: frame })).toMatchObject({ status: 400, json: { error: { code: "HL_LOOP" } } });
  });

  it("refuses what is too large, by its length and by counting", async () => {
    const hub = await startHttpHub();
    const large = JSON.stringify({ event_type: "agent:start", context: { text: "x".repeat(4 * 1024 * 1024) } });
    expect(await hub.ask(PATH, { body: large })).toMatchObject({ status: 413, json: { error: { code: "HL_BODY_TOO_LARGE" } } });
    const socket = dial(hub.port);
    const answer = new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(chunk.toString())));
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${hub.parts.tokens.agent}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    for (let i = 0; i < 70; i++) socket.write(chunk);
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    expect(await stored(hub)).toEqual([]);
  });

  it("takes no more large ones than fit while the disk is slow, and goes on when it is not", async () => {
    let release = (): void => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    const hub = await startHttpHub({}, ({ ingest }) => ({
      ingest: Object.assign(Object.create(ingest) as typeof ingest, {
        append: async (events: Parameters<typeof ingest.append>[0]) => {
          await slow;
          return ingest.append(events);
        },
      }),
    }));
    const post = () => hub.ask(PATH, { body: encodeEnvelope(makeEnvelope({ payload: "x".repeat(4_000_000) })) });
    const statuses: number[] = [];
    const all = Array.from({ length: 20 }, () => post().then(({ status }) => void statuses.push(status)));
    await expect.poll(() => statuses.length).toBe(4);
    release();
    await Promise.all(all);
    expect(statuses.sort()).toEqual([...Array(16).fill(200), ...Array(4).fill(429)]);
    expect((await post()).status).toBe(200);
  });

  it("says to come later while too much waits for the disk, and while the disk is full", async () => {
    let pending = 50_001;
    const full = new HookError("HL_DISK_FULL", "The disk is full.");
    const hub = await startHttpHub({}, ({ ingest }) => ({
      ingest: {
        ...ingest,
        get pending() {
          return pending;
        },
        isDiskFull: true,
        append: () => Promise.reject(full),
      },
    }));
    const body = encodeEnvelope(makeEnvelope());
    expect(await hub.ask(PATH, { body })).toMatchObject({
      status: 429,
      headers: { "retry-after": "1" },
      json: { error: { code: "HL_TOO_MANY" } },
    });
    pending = 0;
    expect(await hub.ask(PATH, { body })).toMatchObject({
      status: 503,
      headers: { "retry-after": "5" },
      json: { error: { code: "HL_DISK_FULL" } },
    });
    expect((await hub.ask("/api/hooks/health")).json.status).toBe("disk_full");
  });
});
