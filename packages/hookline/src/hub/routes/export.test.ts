import type { Envelope } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";
import { dial, type HttpHub, makeEnvelope, startHttpHub, until } from "../../../../../test/support/http-hub.ts";

async function put(hub: HttpHub, ...envelopes: Envelope[]): Promise<void> {
  await hub.parts.ingest.append(envelopes.map((envelope) => ({ envelope, body: JSON.stringify(envelope) })));
}

const hostile = [
  '=HYPERLINK("http://evil.example","x")',
  "+1+1",
  "-2+3",
  "@SUM(A1)",
  "  =1",
  "\t=1",
  "\u200b=1",
  "\uff1d1",
  '"; DROP',
  "</script><script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "a\r\nb,c",
  "\u202egnp.exe",
  "\u001b]0;x\u0007",
];

describe("GET /api/export", () => {
  it("has all events of a filter, newest first, as lines of JSON", async () => {
    const hub = await startHttpHub();
    const events = Array.from({ length: 1_203 }, (_, index) =>
      makeEnvelope({ event: index % 2 === 0 ? "tool:before" : "agent:step", payload: { index } }),
    );
    await put(hub, ...events);
    const { headers, text } = await hub.ask("/api/export?format=jsonl");
    expect([headers["content-type"], headers["content-disposition"]]).toEqual([
      "application/x-ndjson; charset=utf-8",
      expect.stringMatching(/^attachment; filename="hookline-\d{4}-\d\d-\d\dT\d{4}\.jsonl"$/),
    ]);
    const lines = text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(events.toReversed());
    expect((await hub.ask("/api/export?format=jsonl&event=tool:*&limit=600")).text.trimEnd().split("\n")).toHaveLength(600);
    expect(await hub.ask("/api/export?format=jsonl&session=none")).toMatchObject({
      status: 404,
      text: expect.stringContaining("nothing to export"),
    });
    for (const query of ["", "format=xml", "format=toString", "format=jsonl&x=1", "format=csv&limit=0"])
      expect((await hub.ask(`/api/export?${query}`)).status).toBe(400);
    expect((await hub.ask("/api/export?format=csv", { token: hub.parts.tokens.agent })).status).toBe(403);
  });

  it("has no formula in a CSV cell, and each event in one record", async () => {
    const hub = await startHttpHub();
    await put(
      hub,
      ...hostile.map((name) =>
        makeEnvelope({ session: { id: name }, source: { app: name, host: "h", pid: 1, instance: "i" }, payload: { tool: { name } } }),
      ),
    );
    const { text } = await hub.ask("/api/export?format=csv");
    const records = parseCsv(text);
    const known = ["at", "event", "app", "session", "tool", "verdict", "by", "reason", "id", "place", "payload", "host"];
    expect(records[0]).toEqual([...known, "way", "pid", "user", "program"]);
    expect(records).toHaveLength(hostile.length + 1);
    for (const cell of records.slice(1).flat()) expect(cell).not.toMatch(/^[\s\p{C}]*[=+\-@\uff1d]/u);
    // What begins with an apostrophe is text to a spreadsheet; the rest is as it was.
    expect(records.slice(1).map((record) => record[4]?.replace(/^'/, ""))).toEqual(hostile.toReversed());
  });

  it("has nothing but text in an HTML file that loads nothing", async () => {
    const hub = await startHttpHub();
    await put(hub, ...hostile.map((name) => makeEnvelope({ session: { id: name }, payload: { tool: { name } } })));
    const { text, headers } = await hub.ask("/api/export?format=html");
    expect(headers["content-disposition"]).toContain("attachment");
    expect(headers["content-security-policy"]).toContain("sandbox");
    expect(text).toContain("default-src 'none'");
    const tags = new Set([...text.matchAll(/<([a-z]\w*)/gi)].map(([, tag]) => tag));
    for (const tag of ["script", "img", "a", "link", "iframe"]) expect(tags).not.toContain(tag);
    for (const sign of ["\u202e", "\u001b", "\u0007"]) expect(text).not.toContain(sign);
    expect(text).toContain("&lt;/script&gt;&lt;script&gt;");
    expect(text).toContain("\\u202egnp.exe");
    expect(text).toContain(`<p>${hostile.length} events.</p>`);
    expect(text).toContain("no filter was set");
  });

  it("says in its name and in an HTML file what the filter was, and what each call was about and why it was denied", async () => {
    const hub = await startHttpHub();
    const decision = { verdict: "deny", by: "no-rm", reason: "Not <here>.", modified: false, endLoop: false, trail: [] } as const;
    await put(hub, makeEnvelope({ event: "tool:before", payload: { tool: { name: "Bash", input: { command: "rm -rf /" } } }, decision }));
    const session = '"</code>/..\\\u202e\r\n';
    await put(
      hub,
      makeEnvelope({ event: "tool:before", session: { id: session }, payload: { tool: { name: "Bash", input: {} } }, decision }),
    );
    const filter = `decision=deny&event=tool:*&since=1h&session=${encodeURIComponent(session)}`;
    const { text, headers } = await hub.ask(`/api/export?format=html&${filter}`);
    expect(headers["content-disposition"]).toMatch(/^attachment; filename="hookline-[\dT-]+-denied-tool-code-since-1h\.html"$/);
    expect(text).toContain("<code>event:tool:* decision:deny session:&quot;&quot;&lt;/code&gt;");
    const { text: found } = await hub.ask("/api/export?format=html&decision=deny");
    expect(found).toContain("<td>deny</td><td>Bash rm -rf /</td><td>no-rm: Not &lt;here&gt;.</td>");
  });

  it("has an HTML report in reading order, with the words of a message in one row, and what a rewritten call had been", async () => {
    const hub = await startHttpHub();
    const call = (command: string) => ({ tool: { name: "Bash", input: { command } } });
    const decision = { verdict: "pass", modified: true, endLoop: false, asked: call("npm i"), trail: [] } as const;
    // A session is exported by time, so the call is made before the words that follow it.
    const first = makeEnvelope({ event: "tool:before", session: { id: "s" }, payload: call("npm i --ignore-scripts"), decision });
    const words = ["It ", "is ", "done."].map((text) => makeEnvelope({ event: "message:delta", session: { id: "s" }, payload: { text } }));
    // More than one page of the store, so that rows are joined across pages.
    const many = Array.from({ length: 450 }, (_, index) => makeEnvelope({ event: "agent:step", payload: { text: `step ${index}` } }));
    await put(hub, ...many, first, ...words);
    const { text } = await hub.ask("/api/export?format=html");
    expect(text).toContain("oldest first");
    const order = ["step 0<", "step 449<", "npm i --ignore-scripts\ninstead of: Bash npm i<", "message:delta × 3<"].map((part) =>
      text.indexOf(part),
    );
    expect(order.every((at, index) => at > (order[index - 1] ?? 0))).toBe(true);
    expect(text).toContain("<td>pass, rewritten</td>");
    expect(text).toMatch(/<td>It is done\.<\/td>.*<summary>3 events<\/summary>/);
    expect(text).toContain("<p>454 events.</p>");
    const newest = await hub.ask("/api/export?format=html&limit=5");
    expect(newest.text).toContain("There are older ones");
    expect(newest.text).toContain("step 449<");
    expect(newest.text).not.toContain("step 448<");
    const session = await hub.ask("/api/export?format=html&session=s");
    expect(session.text.indexOf("npm i --ignore-scripts")).toBeLessThan(session.text.indexOf("It is done."));
    expect(session.text).toContain("<p>4 events.</p>");
  });

  it("waits for who reads slowly, and lets go of who has gone", async () => {
    const hub = await startHttpHub();
    await put(hub, ...Array.from({ length: 600 }, () => makeEnvelope({ payload: { text: "x".repeat(100_000) } })));
    const socket = dial(hub.port);
    socket.pause();
    socket.write(
      `GET /api/export?format=jsonl HTTP/1.1\r\nHost: 127.0.0.1:${hub.port}\r\nAuthorization: Bearer ${hub.parts.tokens.operator}\r\n\r\n`,
    );
    await until(() => hub.server.connections === 1);
    expect((await hub.ask("/api/events?limit=1")).status).toBe(200);
    socket.destroy();
    await until(() => hub.server.connections === 0);
  });
});

/** RFC 4180, all of it. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [[]];
  for (const [, quoted, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|[^",\r\n]*)(,|\r\n)/g)) {
    const raw = quoted ?? "";
    records.at(-1)?.push(raw.replaceAll('""', '"'));
    if (end === "\r\n") records.push([]);
  }
  records.pop();
  const [head = [], ...rest] = records;
  return [head.length > 0 && head[0] === "" ? (text.split("\r\n")[0] as string).split(",") : head, ...rest];
}
