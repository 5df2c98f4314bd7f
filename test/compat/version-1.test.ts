import { readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { decodeEnvelope, type Envelope } from "@hookline/core/sinks";
import { readTranscript, replayBus, verifyTranscript } from "@hookline/core/transcript";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { HUB } from "../../packages/hookline/src/hub/store/handler-tally.ts";
import { createCliHome } from "../support/cli-home.js";
import { startHttpHub } from "../support/http-hub.js";
import { LineClient } from "../support/line-client.js";
import type { call } from "../support/reporting-bus.js";
import { testFolder } from "../support/test-folder.js";

// Written by the version before envelope 2: calls that its own guard, the hub's rules and a person decided, one of them asked by HTTP.
const fixture = (name: string): Buffer => readFileSync(new URL(`version-1/${name}`, import.meta.url));
const FIRST_MINUTE = Date.parse("2026-11-17T10:50:00Z") / 60_000;
const spool = fixture("spool.ndjson").toString();
const [firstLine = ""] = spool.split("\n");

interface Row {
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

/** Without the columns that later versions added: they have a default. */
function rowsOf(path: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("SELECT * FROM events WHERE body LIKE '{\"v\":1,%' ORDER BY place").all();
    return rows.map(({ imported: _, host: __, origin: ___, sum: ____, ...row }) => row) as unknown as Row[];
  } finally {
    database.close();
  }
}

/** The state folder of the earlier version: its store, and if asked for its spool. */
async function putStore(state: string, withSpool = false): Promise<string> {
  await mkdir(join(state, "spool"), { recursive: true, mode: 0o700 });
  const path = join(state, "events.db");
  writeFileSync(path, gunzipSync(fixture("events.db.gz")), { mode: 0o600 });
  if (withSpool) writeFileSync(join(state, "spool", "xko7yop78k.1.ee163e8ddda6-5b3adcdee143.ndjson"), spool, { mode: 0o600 });
  return path;
}

const commandOf = ({ payload }: Pick<Envelope, "payload">) => (payload as ReturnType<typeof call>).tool.input.command;
const stepsOf = (envelope: Pick<Envelope, "decision"> | undefined) =>
  envelope?.decision?.trail?.map(({ actor: { kind, name, owner, at }, action }) =>
    [kind, name, owner, at, action].map((part) => part ?? "-").join(" "),
  );
const deniedByRule = ["guard own-guard - - pass", "hub hub - - deny", "guard no-rm rules hub deny"];
const deniedByPerson = [
  "guard own-guard - - pass",
  "hub hub - - ask",
  "guard no-rm rules hub no-match",
  "guard careful rules hub ask",
  "guard ada - - deny",
];

describe("a store of the version before", () => {
  it("opens, shows its trails with the steps that are on record, and keeps every row as it is", async () => {
    const state = join(testFolder(), "state");
    const path = await putStore(state);
    const before = rowsOf(path);
    expect(before).toHaveLength(17);
    const hub = await startHub({ state, port: 0, onProblem: () => {} });
    onTestFinished(() => hub.close());
    const { store, tokens } = hub.parts;
    const ask = async (route: string): Promise<string> => {
      const answer = await fetch(`${hub.file.url}${route}`, { headers: { authorization: `Bearer ${tokens.operator}` } });
      expect(answer.status, route).toBe(200);
      return answer.text();
    };
    const shown = new Map<string, Envelope>();
    for (const { id, event, body } of before) {
      const text = await ask(`/api/events/${id}`);
      // As it was written, and the place behind it.
      expect(text.startsWith(`{"event":${body.slice(0, -1)},"place":`)).toBe(true);
      const envelope = decodeEnvelope(body);
      if (event === "tool:before") shown.set(`${envelope.source.app} ${commandOf(envelope)}`, envelope);
    }
    expect(stepsOf(shown.get("agent rm -rf /"))).toEqual(deniedByRule);
    expect(stepsOf(shown.get("agent deploy --all"))).toEqual(deniedByPerson);
    expect(stepsOf(shown.get("python deploy"))).toEqual([
      "guard no-rm rules - no-match",
      "guard careful rules - ask",
      "guard ada - - allow",
    ]);
    const { spans } = JSON.parse(await ask("/api/sessions/s1/timeline")) as { readonly spans: readonly { readonly verdict?: string }[] };
    expect(spans.filter(({ verdict }) => verdict === "deny")).toHaveLength(3);
    const exported = (await ask("/api/export?format=jsonl")).trim().split("\n");
    const steps = exported.map((line) => stepsOf(decodeEnvelope(line)));
    expect(steps).toEqual(expect.arrayContaining([deniedByRule, deniedByPerson]));
    expect(await ask("/api/export?format=html")).toContain("no-rm");
    expect(JSON.parse(await ask("/api/verify"))).toMatchObject({
      ok: true,
      faults: 0,
      decisions: before.filter(({ event }) => event !== "session:start").length,
    });
    const { topRules } = await store.overview({ fromMinute: FIRST_MINUTE, stepMinutes: 10, steps: 1 });
    expect(topRules.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["no-rm", "careful"]));
    const handlersOf = async (app: string) => {
      const totals = await store.handlers({ fromMinute: FIRST_MINUTE, untilMinute: FIRST_MINUTE + 10, app });
      return totals.map(({ handler }) => handler);
    };
    expect(await handlersOf("agent")).toContain("own-guard");
    expect(await handlersOf(HUB)).toEqual(expect.arrayContaining(["no-rm", "careful"]));
    await hub.close();
    expect(rowsOf(path)).toEqual(before);
  });

  it("is shown by the command line, takes the spool of the version before, and verifies", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    const path = await putStore(home.state, true);
    const before = rowsOf(path);
    const { id = "" } = before.find(({ body }) => body.includes("rm -rf /")) ?? {};
    expect((await home.run("up", "--detach", "--port", "0")).code).toBe(0);
    const { out } = await home.run("show", id);
    expect(out).toMatch(/own-guard\s+guard\s+guard\s+0\s+pass/);
    expect(out).toMatch(/hub: rules\/no-rm\s+guard\s+guard\s+0\s+deny/);
    expect(out).toContain("not here");
    expect((await home.run("verify")).code).toBe(0);
    await expect.poll(() => rowsOf(path).length).toBe(before.length + 2);
    const [first] = rowsOf(path).slice(-2);
    expect(first?.body).toBe(firstLine);
    expect(rowsOf(path).slice(0, before.length)).toEqual(before);
  });
});

describe("an envelope of version 1", () => {
  const { id } = JSON.parse(firstLine) as Envelope;
  const trail = [{ actor: { kind: "guard", name: "own-guard" }, stage: "guard", round: 0, action: "deny", reason: "no secrets" }];

  it("is read as version 2", () => {
    expect(decodeEnvelope(firstLine)).toMatchObject({ v: 2, id, decision: { verdict: "deny", by: "own-guard", trail } });
    expect(() => decodeEnvelope(firstLine.replace('"v":1', '"v":3'))).toThrow(/"v"/);
    // Each version has its own steps.
    expect(() => decodeEnvelope(firstLine.replace('"v":1', '"v":2'))).toThrow(/actor/);
  });

  it("is stored as it came, over HTTP and over the connection", async () => {
    const hub = await startHttpHub();
    const { status, json } = await hub.ask("/api/hooks/ingest", { body: spool, headers: { "content-type": "application/x-ndjson" } });
    expect([status, json]).toMatchObject([200, { stored: 2 }]);
    expect((await hub.parts.store.get(id))?.body).toBe(firstLine);
    const state = join(testFolder(), "state");
    const running = await startHub({ state, port: 0, onProblem: () => {} });
    onTestFinished(() => running.close());
    const client = await LineClient.attached(running.file.line, running.file.token, "xko7yop78k");
    onTestFinished(() => void client.socket.destroy());
    client.say(...spool.trim().split("\n"));
    await client.next((frame) => frame.type === "ack" && frame.n === 2);
    expect((await running.parts.store.get(id))?.body).toBe(firstLine);
  });
});

describe("an envelope of version 1 with the fields of version 2, which nothing has checked", () => {
  const step = { handler: "own-guard", stage: "guard", round: 0, action: "deny", reason: "r" };
  const decision = { verdict: "deny", by: "own-guard", modified: false, endLoop: false };
  const ann = { kind: "person", name: "Ann", at: "hub" };
  const sent = [null, 5, "x", {}, { kind: {}, name: {} }, [], ann].map((actor, index) => ({
    ...(JSON.parse(firstLine) as object),
    id: `smuggled-${index}`,
    session: { id: "s-smuggled" },
    decision: { ...decision, actor, trail: [{ ...step, actor }] },
  }));

  it("is shown without them, and its session and the sinks go on", async () => {
    const home = createCliHome();
    onTestFinished(() => home.close());
    const copies = join(home.folder, "copies.jsonl");
    home.write("config/hookline/hookline.toml", `[[sink]]\ntype = "jsonl"\nname = "copies"\npath = "${copies}"\n`);
    expect((await home.run("up", "--detach", "--port", "0")).code).toBe(0);
    const file = (name: string) => JSON.parse(readFileSync(join(home.state, name), "utf8")) as { [field: string]: string };
    const { line = "", token = "", url = "" } = file("hub.json");
    const client = await LineClient.attached(line, token, "xko7yop78k");
    onTestFinished(() => void client.socket.destroy());
    client.say(...sent.map((envelope) => JSON.stringify(envelope)));
    await client.next((frame) => frame.type === "ack" && frame.n === sent.length);
    const headers = { authorization: `Bearer ${file("operator.json").token}` };
    const timeline = await fetch(new URL("/api/sessions/s-smuggled/timeline", url), { headers });
    expect([timeline.status, ((await timeline.json()) as { spans: unknown[] }).spans.length]).toEqual([200, sent.length]);
    for (const { id } of [sent[0], sent.at(-1)] as { id: string }[]) {
      const { code, out } = await home.run("show", id);
      expect([code, out.includes("Ann"), /own-guard\s+guard\s+guard\s+0\s+deny/.test(out)]).toEqual([0, false, true]);
    }
    await expect.poll(() => readFileSync(copies, "utf8").trim().split("\n").length).toBe(sent.length);
    const copied = readFileSync(copies, "utf8").trim().split("\n").map(decodeEnvelope);
    expect(copied.map(({ decision }) => [decision?.actor, decision?.trail?.[0]?.actor.kind])).toEqual(sent.map(() => [undefined, "guard"]));
  });
});

describe("a transcript of the version before", () => {
  it("verifies, and replays with its trail", async () => {
    const path = fileURLToPath(new URL("version-1/transcript.jsonl", import.meta.url));
    expect(await verifyTranscript(path)).toMatchObject({ ok: true });
    const bus = await replayBus(readTranscript(path).entries);
    const decision = await bus.decide("tool:before", { session: { id: "s1" }, tool: { name: "bash", input: { command: "ls" } } });
    expect(decision).toMatchObject({ verdict: "deny", by: "own-guard", reason: "no" });
    expect(decision.trail).toMatchObject([{ actor: { kind: "guard", name: "own-guard" }, action: "deny" }]);
  });
});
