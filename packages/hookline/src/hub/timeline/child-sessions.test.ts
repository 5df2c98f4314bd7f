import { join } from "node:path";
import type { Envelope } from "@hookline/core/sinks";
import { openStore } from "hookline/internal";
import { expect, it, onTestFinished } from "vitest";
import { makeEnvelope } from "../../../../../test/support/http-hub.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { readTimeline } from "./read-timeline.js";

const START = Date.parse("2026-01-01T00:00:00.000Z");

function tell(session: NonNullable<Envelope["session"]>, ms: number, event: string, payload: object = {}): Envelope {
  return makeEnvelope({ event, payload, session, at: new Date(START + ms).toISOString() });
}

async function stored(...envelopes: Envelope[]) {
  const store = await openStore(join(testFolder(), "events.db"), { ballastBytes: 0 });
  onTestFinished(() => store.close());
  await store.append(envelopes.map((envelope) => ({ envelope, body: JSON.stringify(envelope) })));
  return store;
}

const tool = (callId: string) => ({ tool: { name: callId, callId, input: {} } });
const main = { id: "main" };
const child = (id: string, parentId = "main") => ({ id, parentId });

it("shows an event that cannot be read as such, beside the others", async () => {
  const store = await openStore(join(testFolder(), "events.db"), { ballastBytes: 0 });
  onTestFinished(() => store.close());
  const rows = [tell(main, 0, "agent:start"), tell(main, 5, "tool:before", tool("a")), tell(main, 10, "turn:end")];
  const bodies = [JSON.stringify(rows[0]), '{"cut off', JSON.stringify(rows[2])];
  await store.append(rows.map((envelope, index) => ({ envelope, body: bodies[index] as string })));
  const { spans } = await readTimeline(store, "main", 100);
  expect(spans.map(({ name }) => name)).toEqual(["turn", "unreadable event at place 2"]);
});

it("nests sessions that name their parent: in the worker that ran, or else in a span of their own", async () => {
  const store = await stored(
    tell(main, 0, "agent:start"),
    tell(main, 10, "worker:spawned", { worker: { id: "w1", name: "one" } }),
    tell(child("in-one"), 20, "tool:before", tool("a")),
    tell(child("in-one"), 30, "tool:after", tool("a")),
    tell(main, 40, "worker:completed", { worker: { id: "w1" } }),
    // Two at a time: it could be either's.
    tell(main, 50, "worker:spawned", { worker: { id: "w2" } }),
    tell(main, 50, "worker:spawned", { worker: { id: "w3" } }),
    tell(child("alone"), 60, "session:start", { agent: { name: "Ex\nplore" } }),
    tell(child("alone"), 70, "tool:before", tool("b")),
    tell(child("alone"), 80, "tool:after", tool("b")),
    tell(child("grandchild", "alone"), 75, "tool:before", tool("c")),
    // Named as a worker, it is in that, and once.
    tell(main, 85, "worker:spawned", { worker: { id: "known" } }),
    tell(child("known"), 86, "tool:before", tool("d")),
    tell(main, 90, "turn:end"),
    tell(child("turned", "turned"), 95, "tool:before", tool("e")),
  );
  const { spans } = await readTimeline(store, "main", 100);
  const names = new Map(spans.map((span) => [span.id, span.name]));
  const nesting = spans.filter(({ kind }) => kind !== "other").map(({ name, parentId = "" }) => `${name} < ${names.get(parentId) ?? "-"}`);
  expect(nesting).toEqual([
    "turn < -",
    "one < turn",
    "a < one",
    "w2 < turn",
    "w3 < turn",
    "Ex plore < turn",
    "b < Ex plore",
    "grandchild < Ex plore",
    "c < grandchild",
    "known < turn",
    "d < known",
  ]);
  const own = spans.find(({ name }) => name === "Ex plore");
  expect(own).toMatchObject({ kind: "worker", startAt: START + 60, endAt: START + 80 });
  expect(await store.get(own?.eventId ?? "")).toBeDefined();
  const parents = new Map((await store.sessions()).map(({ id, parentId }) => [id, parentId]));
  expect(["main", "alone", "grandchild", "turned"].map((id) => parents.get(id))).toEqual([undefined, "main", "alone", undefined]);
});
