import { join } from "node:path";
import { createBus, type PayloadOf } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { createReminderBook } from "@hookline/core/remind";
import { startHub } from "hookline/hub";
import { describe, expect, it, onTestFinished } from "vitest";
import { attachedAgent } from "../../../../../test/support/attached-agent.ts";
import { call, putFiles } from "../../../../../test/support/hook-files.js";
import { makeEnvelope } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { agents } from "../../agents/agents.js";
import { readAttachKey } from "../../agents/client/attach-key.js";
import { type AgentDialect, canDo } from "../../agents/shared/definition.js";
import type { Accepted } from "../parts.js";
import type { EventsAnswer, TimelineAnswer } from "../protocol.js";

type Posted = { readonly status: number; readonly body: { readonly [field: string]: unknown } };
type Running = Pick<Awaited<ReturnType<typeof startHub>>, "file" | "parts">;

const session = (id = "s1") => ({ session: { id } });
const WORDS = "Message from the operator (ann), sent through Hookline:\nLook at the tests first.";
const ORDER = { text: "Look at the tests first.", by: "ann" };

async function post(hub: Running, path: string, body: unknown, token: string = hub.parts.tokens.operator): Promise<Posted> {
  const answer = await fetch(new URL(path, hub.file.url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Posted["body"] };
}

/** The payloads of an event, oldest first. */
async function recorded(hub: Running, event: string): Promise<readonly { readonly [field: string]: unknown }[]> {
  const headers = { authorization: `Bearer ${hub.parts.tokens.operator}` };
  const answer = await fetch(`${hub.file.url}/api/events?limit=500&event=${event}`, { headers });
  const { events } = (await answer.json()) as EventsAnswer;
  return events.toReversed().map(({ payload }) => payload as { readonly [field: string]: unknown });
}

async function startTestHub(toml = "") {
  const state = putFiles(testFolder(), { "hookline.toml": toml });
  const hub = await startHub({ state, runtime: state, port: 0, config: join(state, "hookline.toml"), onProblem: () => {} });
  onTestFinished(() => hub.close());
  return { hub, state };
}

/** A hub and a process on its line with a session. */
async function onTheLine({ hasBook = false, toml = "" } = {}) {
  const { hub, state } = await startTestHub(toml);
  const book = createReminderBook();
  const bus = createBus({ source: "my-agent", onError: () => {}, ...(hasBook && { reminders: book }) });
  const line = connectToHub(bus, { folder: state });
  onTestFinished(() => void line.close());
  await expect.poll(() => line.state).toBe("attached");
  await bus.emit("agent:start", session());
  await line.flush();
  const has = () => bus.list().some(({ name }) => name === "hub effects");
  return { hub, state, bus, book, line, heard: () => expect.poll(has).toBe(true) };
}

const statuses = async (hub: Running) => (await recorded(hub, "session:steer")).map(({ status }) => status);

describe("a session of a process on the line", () => {
  it("is told a message at its next boundary, and the record says by whom and when", async () => {
    const { hub, bus, heard } = await onTheLine();
    const { status, body } = await post(hub, "/api/sessions/s1/inject", ORDER);
    expect([status, body]).toEqual([200, { id: expect.any(String), status: "sent", agent: "my-agent" }]);
    await heard();
    expect((await bus.decide("tool:before", call("ls", session("other")))).injections).toEqual([]);
    expect((await bus.decide("tool:before", call("ls", session()))).injections).toEqual([WORDS]);
    expect((await bus.decide("tool:before", call("ls", session()))).injections).toEqual([]);
    await expect.poll(() => statuses(hub)).toEqual(["waiting", "sent", "delivered"]);
    for (const payload of await recorded(hub, "session:steer"))
      expect(payload).toMatchObject({ ...session(), id: body.id, kind: "inject", ...ORDER, via: "api", agent: "my-agent" });
  });

  it("has a reminder in its book at once, in the operator's name", async () => {
    const { hub, book } = await onTheLine({ hasBook: true });
    const reminder = { body: "Look at the tests first.", tags: ["tests"], ttlTurns: 2, dedupeKey: "k", preserveOnCompact: true };
    expect((await post(hub, "/api/sessions/s1/remind", { ...reminder, by: "ann" })).status).toBe(200);
    await expect.poll(() => book.list("s1").map(({ spec }) => spec)).toEqual([{ ...reminder, body: WORDS, authority: "operator" }]);
    expect(book.render("s1")).toContain(`authority="operator">${WORDS}`);
    await expect.poll(() => statuses(hub)).toEqual(["waiting", "sent", "delivered"]);
    const [first] = await recorded(hub, "session:steer");
    const { body: _, ...options } = reminder;
    expect(first).toMatchObject({ kind: "remind", text: "Look at the tests first.", reminder: options });
  });

  it("loses nothing when its line breaks before it has told the model, and says so when the hub ends", async () => {
    const { hub, bus, line, heard } = await onTheLine();
    await post(hub, "/api/sessions/s1/inject", ORDER);
    await heard();
    await line.close();
    await expect.poll(() => hub.parts.effects.counters.waiting).toBe(1);
    expect((await post(hub, "/api/sessions/s1/inject", ORDER)).body).toMatchObject({
      error: { code: "HL_NOT_LIVE", message: expect.stringContaining("its process (my-agent) is not connected") },
    });
    expect((await bus.decide("tool:before", call("ls", session()))).injections).toEqual([]);
    const told: unknown[] = [];
    hub.parts.live.watch({ events: ["session:steer"] }, (arrivals) => told.push(...arrivals.map(({ envelope }) => envelope.payload)));
    await hub.close();
    expect(told).toMatchObject([{ status: "dropped", reason: "The hub was stopped.", by: "ann" }]);
  });

  it.each([
    ["loop:checkpoint", { kind: "post_tool_dispatch" }],
    ["tool:before", call()],
  ] as const)("is interrupted at its next %s, with the operator's words", async (event, payload) => {
    const { hub, bus, heard } = await onTheLine();
    await post(hub, "/api/sessions/s1/inject", { ...ORDER, interrupt: true });
    await heard();
    const decide = (id: string) => bus.decide(event, { ...payload, ...session(id) } as PayloadOf<typeof event>);
    expect(await bus.decide("llm:before", session())).toMatchObject({ verdict: "pass", injections: [] });
    expect(await decide("other")).toMatchObject({ verdict: "pass" });
    expect(await decide("s1")).toMatchObject({ verdict: "deny", by: "operator", reason: WORDS });
    expect(await decide("s1")).toMatchObject({ verdict: "pass", injections: [] });
    await expect.poll(() => statuses(hub)).toEqual(["waiting", "sent", "delivered"]);
    expect((await recorded(hub, "session:steer"))[0]).toMatchObject({ interrupt: true });
  });

  it("is not interrupted where a turn begins: it is told", async () => {
    const { hub, bus, heard } = await onTheLine();
    await post(hub, "/api/sessions/s1/inject", { ...ORDER, interrupt: true });
    await heard();
    expect(await bus.decide("prompt:submit", { ...session(), prompt: "hi" })).toMatchObject({ verdict: "pass", injections: [WORDS] });
    expect(await bus.decide("tool:before", call("ls", session()))).toMatchObject({ verdict: "pass" });
  });

  it.each([false, true])("is not told, nor interrupted, at an event that takes no answer (interrupt: %s)", async (interrupt) => {
    const { hub, bus, line, heard } = await onTheLine();
    await post(hub, "/api/sessions/s1/inject", { ...ORDER, interrupt });
    await heard();
    await bus.emit("session:start", session());
    await bus.emit("tool:before", call("ls", session()));
    bus.emitSync("prompt:submit", { ...session(), prompt: "hi" });
    await line.flush();
    expect(await statuses(hub)).toEqual(["waiting", "sent"]);
    const decision = await bus.decide("tool:before", call("ls", session()));
    expect(decision).toMatchObject(interrupt ? { verdict: "deny", reason: WORDS } : { verdict: "pass", injections: [WORDS] });
    await expect.poll(() => statuses(hub)).toEqual(["waiting", "sent", "delivered"]);
  });

  it("is interrupted by a rule of the hub for checkpoints of a kind", async () => {
    const rule = `[[rule]]\nname = "stop-here"\nevent = "loop:checkpoint"\nmatch = "kind == 'pre_tool_dispatch'"\ndo = "block"\nmessage = "Enough."\n`;
    const { bus } = await onTheLine({ toml: rule });
    const at = (kind: string) => bus.decide("loop:checkpoint", { kind, ...session() });
    expect(await at("pre_tool_dispatch")).toMatchObject({ verdict: "deny", reason: expect.stringContaining("Enough.") });
    expect(await at("post_tool_dispatch")).toMatchObject({ verdict: "pass" });
  });
});

/** The agent's own name for an event of ours that takes context or a "no". */
function nativeOf({ events }: AgentDialect, wanted: string): string {
  return Object.entries(events).find(([, { event }]) => event === wanted)?.[0] ?? "";
}

describe.each(agents.map((definition) => [definition.id, definition] as const))("a session of %s", (id, definition) => {
  const origin = { session: "s1", cwd: "/srv" };
  const [shell = ""] = Object.keys(definition.tools);
  const isToldWithPrompt = canDo(definition, nativeOf(definition, "prompt:submit"), "inject");

  /** With a hub, and a call so that the session is known. */
  async function attached() {
    const agent = await attachedAgent(definition, false);
    let made = 0;
    const act = (command: string) => {
      const native = nativeOf(definition, "tool:before");
      const input = definition.samples.call(native, { name: shell, input: { command }, more: { tool_use_id: `call-${++made}` } }, origin);
      return agent.play(native, JSON.stringify(input));
    };
    const prompt = (text: string) => {
      const native = nativeOf(definition, "prompt:submit");
      return agent.play(native, JSON.stringify(definition.samples.prompt(native, text, origin)));
    };
    await act("touch one");
    await agent.stored("tool:before", 1);
    return { ...agent, act, prompt };
  }

  it.runIf(isToldWithPrompt)("is told a message and a reminder where it next takes context", async () => {
    const { hub, prompt } = await attached();
    expect(await post(hub, "/api/sessions/s1/inject", ORDER)).toMatchObject({ status: 200, body: { status: "waiting", agent: id } });
    expect(await post(hub, "/api/sessions/s1/remind", { body: "Mind the gap.", by: "bob" })).toMatchObject({ status: 200 });
    expect(await statuses(hub)).toEqual(["waiting", "waiting"]);
    const { stdout } = await prompt("go on");
    // One takes the text as it is, the others a document.
    const shown = (text: string) => (id === "kiro" ? text : JSON.stringify(text).slice(1, -1));
    expect(stdout).toContain(shown(WORDS));
    expect(stdout).toContain(shown("Message from the operator (bob), sent through Hookline:\nMind the gap."));
    expect((await prompt("and on")).stdout).not.toContain("operator (ann)");
    await expect.poll(() => statuses(hub)).toEqual(["waiting", "waiting", "delivered", "delivered"]);
  });

  it("is interrupted: its next call is denied once, with the operator's words", async () => {
    const { hub, act, stored } = await attached();
    hub.parts.bus.on("tool:before", () => undefined, { name: "asked" });
    await post(hub, "/api/sessions/s1/inject", { ...ORDER, interrupt: true });
    const denied = await act("touch two");
    expect(denied.stdout + denied.stderr).toContain("Message from the operator (ann), sent through Hookline:");
    expect((await act("touch three")).stdout).not.toContain("operator");
    const [, second] = (await stored("tool:before", 3)).reverse();
    expect(second?.decision).toMatchObject({ verdict: "deny", by: "ann", reason: WORDS });
    await expect.poll(() => statuses(hub)).toEqual(["waiting", "delivered"]);
  });

  it.runIf(isToldWithPrompt)("is told at its next prompt what would have interrupted a call", async () => {
    const { hub, act, prompt } = await attached();
    await post(hub, "/api/sessions/s1/inject", { ...ORDER, interrupt: true });
    expect((await prompt("go on")).stdout).toContain("operator (ann)");
    expect((await act("touch two")).stdout).not.toContain("operator");
  });
});

describe("what is refused", () => {
  const refused = (status: number, code: string, message: string) => ({
    status,
    body: { error: { code, message: expect.stringContaining(message) } },
  });

  it("is a session that is unknown, has ended, or cannot be reached", async () => {
    const { hub, bus, line } = await onTheLine();
    const inject = (id: string) => post(hub, `/api/sessions/${id}/inject`, ORDER);
    expect(await inject("unknown")).toMatchObject(refused(404, "HL_NOT_FOUND", 'no session "unknown".'));
    expect(await inject("unknown")).toMatchObject({ body: { error: { fix: "Run: hookline sessions" } } });
    await bus.emit("session:end", session());
    await bus.emit("reminder:dropped" as "agent:step", session());
    await line.flush();
    expect(await inject("s1")).toMatchObject(refused(409, "HL_NOT_LIVE", 'The session "s1" has ended.'));
    await bus.emit("session:start", session());
    await line.flush();
    expect(await inject("s1")).toMatchObject({ status: 200 });
    const old = (id: string, source: object, at: number) =>
      makeEnvelope({ session: { id }, at: new Date(at).toISOString(), source: { host: "h", pid: 0, ...source } as never });
    const lines = [old("by-http", { app: "script", instance: "i9" }, Date.now())];
    const { ingest } = hub.parts;
    const silent = ingest.acceptEnvelope(old("silent", { app: "codex", instance: "codex" }, Date.now() - 30 * 3_600_000));
    await ingest.append([silent as Accepted]);
    const sent = await fetch(`${hub.file.url}/api/hooks/ingest`, {
      method: "POST",
      headers: { authorization: `Bearer ${hub.file.token}`, "content-type": "application/x-ndjson" },
      body: lines.map((line) => JSON.stringify(line)).join("\n"),
    });
    expect(sent.status).toBe(200);
    expect(await inject("by-http")).toMatchObject(refused(409, "HL_NOT_LIVE", "its process (script) is not connected"));
    expect(await inject("silent")).toMatchObject(refused(409, "HL_NOT_LIVE", "has not been heard of for 30 hours"));
    expect(await statuses(hub)).toEqual(["waiting", "sent"]);
  });

  it("is text that is empty or too long, an unknown field, and an invalid reminder", async () => {
    const { hub } = await onTheLine();
    const inject = (body: object) => post(hub, "/api/sessions/s1/inject", body);
    const remind = (body: object) => post(hub, "/api/sessions/s1/remind", body);
    expect(await inject({ text: " \n" })).toMatchObject(refused(400, "HL_BAD_REQUEST", "empty"));
    expect(await inject({ text: 7 })).toMatchObject(refused(400, "HL_BAD_REQUEST", '"text" must be text'));
    expect(await inject({ text: "x".repeat(8_001) })).toMatchObject(refused(400, "HL_BAD_REQUEST", "8001 characters, and 8000"));
    expect(await inject({ text: "x", intrrupt: true })).toMatchObject(
      refused(400, "HL_BAD_REQUEST", '"intrrupt" is not known here. Did you mean "interrupt"?'),
    );
    expect(await inject({ text: "x", by: "" })).toMatchObject(refused(400, "HL_BAD_REQUEST", '"by"'));
    expect(await inject({ text: "x", via: "dashboard" })).toMatchObject(refused(400, "HL_BAD_REQUEST", '"via"'));
    expect(await remind({ body: "x", ttl: 3 })).toMatchObject(refused(400, "HL_BAD_REQUEST", '"ttl" is not known here'));
    expect(await remind({ body: "x", ttlTurns: 0 })).toMatchObject(refused(400, "HL_BAD_REQUEST", "whole number of turns"));
    expect(await remind({ body: "x", authority: "system" })).toMatchObject(refused(400, "HL_BAD_REQUEST", '"authority" is not known here'));
    expect(await statuses(hub)).toEqual([]);
  });

  it("is every client except the operator, and the record says who tried what", async () => {
    const { hub, state } = await onTheLine();
    const key = readAttachKey(state)?.token ?? "";
    for (const token of [hub.file.token, key])
      for (const kind of ["inject", "remind"])
        expect(await post(hub, `/api/sessions/s1/${kind}`, { text: "x", body: "x" }, token)).toMatchObject(
          refused(403, "HL_SCOPE", 'needs the scope "approve"'),
        );
    const { origin } = new URL(hub.file.url);
    const { secret, key: pageKey } = hub.parts.logins.redeem(hub.parts.logins.offer(["read"], origin), origin) ?? {};
    const page = await fetch(`${origin}/api/sessions/s1/inject`, {
      method: "POST",
      headers: { cookie: `hookline=${secret}`, "hookline-key": pageKey ?? "", origin, "content-type": "application/json" },
      body: JSON.stringify(ORDER),
    });
    expect(page.status).toBe(403);
    expect((await post(hub, "/api/stop", {}, hub.file.token)).status).toBe(403);
    const action = (kind: string) => ({ action: `POST /api/sessions/:id/${kind}`, target: "s1" });
    await expect
      .poll(() => recorded(hub, "permission:refused"))
      .toMatchObject([
        { operator: "a process", by: "the token in hub.json", ...action("inject") },
        { operator: "a process", by: "the token in hub.json", ...action("remind") },
        { operator: "an attached agent", by: "the key of attached agents", ...action("inject") },
        { operator: "an attached agent", by: "the key of attached agents", ...action("remind") },
        { operator: "a dashboard", by: "a login by a link", ...action("inject") },
        { operator: "a process", action: "POST /api/stop" },
      ]);
    expect(await statuses(hub)).toEqual([]);
  });
});

it("stands in the session's timeline, with who said it and what became of it", async () => {
  const { hub, bus, heard } = await onTheLine();
  await post(hub, "/api/sessions/s1/inject", ORDER);
  await heard();
  await bus.decide("tool:before", call("ls", session()));
  const spans = async () => {
    const headers = { authorization: `Bearer ${hub.parts.tokens.operator}` };
    const answer = await fetch(`${hub.file.url}/api/sessions/s1/timeline`, { headers });
    return ((await answer.json()) as TimelineAnswer).spans.filter(({ name }) => name === "session:steer");
  };
  const detail = "ann: Look at the tests first.";
  await expect.poll(spans).toMatchObject([
    { detail, status: "waiting" },
    { detail, status: "sent" },
    { detail, status: "delivered" },
  ]);
});

it("characters that act or hide are written out, for the model and in the record", async () => {
  const { hub, bus, heard } = await onTheLine();
  await post(hub, "/api/sessions/s1/inject", { text: "one\n\u001b[31mtwo\u202e", by: "an\u0007n\n)" });
  await heard();
  const { injections } = await bus.decide("tool:before", call("ls", session()));
  expect(injections).toEqual(["Message from the operator (an\\x07n\\n)), sent through Hookline:\none\n\\x1b[31mtwo\\u202e"]);
  expect((await recorded(hub, "session:steer"))[0]).toMatchObject({ text: "one\n\\x1b[31mtwo\\u202e", by: "an\\x07n\\n)" });
});
