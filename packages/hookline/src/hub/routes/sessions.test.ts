import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Envelope } from "@hookline/core/sinks";
import { type Hub, startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { type HttpHub, makeEnvelope, startHttpHub, until } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.js";
import type { ApprovalsAnswer, PlacedEvent, SessionsAnswer, TimelineAnswer } from "../protocol.js";

const AT = Date.parse("2026-11-10T12:00:00.000Z");

async function put({ ask }: HttpHub, ...envelopes: readonly Envelope[]): Promise<void> {
  const body = `${envelopes.map((envelope) => JSON.stringify(envelope)).join("\n")}\n`;
  expect(await ask("/api/hooks/ingest", { body, headers: { "content-type": "application/x-ndjson" } })).toMatchObject({ status: 200 });
}

function event(session: string, second: number, more: Partial<Envelope> = {}): Envelope {
  return makeEnvelope({ at: new Date(AT + second * 1_000).toISOString(), session: { id: session }, payload: { second }, ...more });
}

describe("a session in which a person is asked", () => {
  async function hubThatAsks(): Promise<{ readonly hub: Hub; readonly ask: <T>(path: string, body?: object) => Promise<T> }> {
    const folder = testFolder();
    const config = join(folder, "hookline.toml");
    writeFileSync(config, '[[rule]]\nname = "careful"\nmatch = "tool.input.command contains push"\ndo = "ask"\n', { mode: 0o600 });
    const hub = await startHub({ state: join(folder, "state"), port: 0, config, onProblem: () => {} });
    onTestFinished(() => hub.close());
    const ask = async <T>(path: string, body?: object): Promise<T> => {
      const headers = { authorization: `Bearer ${hub.parts.tokens.operator}`, "content-type": "application/json", connection: "close" };
      const answer = await fetch(hub.file.url + path, {
        headers,
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      });
      return (await answer.json()) as T;
    };
    return { hub, ask };
  }

  it("is its agent's, while the question waits and afterwards", async () => {
    const { ask } = await hubThatAsks();
    const call = {
      session_id: "s1",
      cwd: "/srv",
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "git push" },
      tool_use_id: "c1",
    };
    const answered = ask<object>("/api/agents/claude-code/PreToolUse?plain=1", call);
    const sessions = async () => (await ask<SessionsAnswer>("/api/sessions")).sessions;
    await until(async () => (await sessions()).length > 0);
    expect(await sessions()).toMatchObject([{ id: "s1", app: "claude-code", source: "claude-code" }]);
    const [waiting] = (await ask<ApprovalsAnswer>("/api/approvals")).approvals;
    await ask(`/api/approvals/${waiting?.id}`, { verdict: "allow", hash: waiting?.hash });
    await answered;
    await until(async () => ((await sessions())[0]?.events ?? 0) === 3);
    expect(await sessions()).toMatchObject([{ id: "s1", app: "claude-code", source: "claude-code", asked: 1 }]);
  });
});

describe("the events of a session", () => {
  it("are in the order of their own times, wherever they are read, and those of one time as they came", async () => {
    const hub = await startHttpHub();
    const tool = { name: "Bash", callId: "c1", input: { command: "ls" } };
    // What was spooled comes last, though it happened first.
    await put(hub, event("s", 30), event("s", 20, { event: "tool:after", payload: { tool, status: "ok" } }), event("other", 25));
    await put(hub, event("s", 10, { event: "tool:before", payload: { tool } }), event("s", 30, { payload: { second: 31 } }), event("s", 5));
    const seconds = (events: readonly Envelope[]) =>
      events.map(({ at, payload }) => (payload as { second?: number }).second ?? (Date.parse(at) - AT) / 1_000);
    const page = async (query: string) => (await hub.ask(`/api/events?${query}`)).json as { events: PlacedEvent[]; cursor?: number };
    expect(seconds((await page("session=s")).events)).toEqual([31, 30, 20, 10, 5]);
    const paged: PlacedEvent[] = [];
    for (let cursor: number | undefined, first = true; first || cursor !== undefined; first = false) {
      const found = await page(`session=s&limit=2${cursor === undefined ? "" : `&cursor=${cursor}`}`);
      paged.push(...found.events);
      cursor = found.cursor;
    }
    expect(seconds(paged)).toEqual([31, 30, 20, 10, 5]);
    expect(seconds((await page("")).events)).toEqual([5, 31, 10, 25, 20, 30]);
    const { spans } = (await hub.ask("/api/sessions/s/timeline")).json as TimelineAnswer;
    expect(spans.find(({ kind }) => kind === "tool")).toMatchObject({ name: "Bash", startAt: AT + 10_000, endAt: AT + 20_000 });
    expect(seconds(linesOf((await hub.ask("/api/export?format=jsonl&session=s")).text))).toEqual([31, 30, 20, 10, 5]);
  });

  it("are spans that say what a rewritten call had been, and which events are damaged", async () => {
    const hub = await startHttpHub();
    const call = (command: string) => ({ tool: { name: "Bash", callId: "c1", input: { command } } });
    const decision = { verdict: "pass", modified: true, endLoop: false, asked: call("npm i"), trail: [] } as const;
    const step = event("s", 3);
    await put(hub, event("s", 1, { event: "tool:before", payload: call("npm i --ignore-scripts"), decision }), step);
    const database = new DatabaseSync(hub.parts.decisionHead.path, { timeout: 5_000 });
    database.prepare("UPDATE events SET body = replace(body, '3', '4') WHERE id = ?").run(step.id);
    database.close();
    const { spans } = (await hub.ask("/api/sessions/s/timeline")).json as TimelineAnswer;
    expect(spans).toMatchObject([
      { detail: "npm i --ignore-scripts", asked: "npm i" },
      { name: "agent:step", damaged: true },
    ]);
    const { event: read } = (await hub.ask(`/api/events/${step.id}`)).json as { event: PlacedEvent };
    expect(read).toMatchObject({ id: step.id, event: "agent:step", damaged: true });
  });

  it("are exported with those of its subagents at every depth, and with no others", async () => {
    const hub = await startHttpHub();
    const spawned = (session: string, second: number, id: string) =>
      event(session, second, { event: "worker:spawned", payload: { worker: { id } } });
    await put(hub, event("main", 1), spawned("main", 2, "worker"), spawned("main", 3, "foreign"), event("main", 9));
    await put(hub, event("worker", 4), event("child", 5, { session: { id: "child", parentId: "main" } }));
    await put(hub, event("grandchild", 6, { session: { id: "grandchild", parentId: "child" } }), event("unrelated", 7));
    await put(hub, event("foreign", 8, { session: { id: "foreign", parentId: "another" } }));
    const sessionsIn = async (query: string) =>
      linesOf((await hub.ask(`/api/export?format=jsonl&${query}`)).text).map(({ session }) => session?.id);
    expect(await sessionsIn("session=main")).toEqual(["main", "grandchild", "child", "worker", "main", "main", "main"]);
    expect(await sessionsIn("session=main&event=agent:step")).toEqual(["main", "grandchild", "child", "worker", "main"]);
    expect(await sessionsIn("session=child")).toEqual(["grandchild", "child"]);
    const { text } = await hub.ask("/api/export?format=html&session=main");
    expect(text).toContain("<code>session:main with 3 subagents</code>");
  });
});

function linesOf(text: string): Envelope[] {
  return text
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Envelope);
}
