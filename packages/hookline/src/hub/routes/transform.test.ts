import { inject, remind, replace } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { startHttpHub } from "../../../../../test/support/http-hub.ts";

async function setting() {
  const hub = await startHttpHub();
  const post = async (path: string, body: object, token = hub.parts.tokens.agent) => hub.ask(path, { body: JSON.stringify(body), token });
  return { ...hub, post };
}
const PATH = "/api/transform";
const payload = { tool: { name: "bash", input: {} } };

describe("POST /api/transform", () => {
  it("gives the value as the hub's handlers leave it", async () => {
    const { post, bus } = await setting();
    const body = { event: "transform_tool_result", value: "a s3cret", payload, session: { id: "s1" } };
    expect((await post(PATH, body)).json).toEqual({ value: "a s3cret", isReplaced: false, injections: [], reminders: [], trail: [] });
    bus.on("tool:result", ({ value, session }) => [inject(`for ${session?.id}`), replace(String(value).replace("s3cret", "***"))], {
      name: "redact",
    });
    expect((await post(PATH, body)).json).toMatchObject({
      value: "a ***",
      isReplaced: true,
      injections: ["for s1"],
      trail: [{ actor: { name: "redact" }, action: "replace" }],
    });
  });

  it.each([
    ["closed", "[withheld: the hub's handlers did not answer in time]"],
    ["open", "a s3cret"],
  ] as const)("answers for a handler that is late and %s", async (onFailure, value) => {
    const { post, bus } = await setting();
    bus.on("tool:result", () => new Promise<never>(() => {}), { onFailure });
    expect((await post(PATH, { event: "tool:result", value: "a s3cret", timeoutMs: 20 })).json).toMatchObject({
      value,
      cause: "HL_TIMEOUT",
    });
  });

  it("refuses what it cannot understand, and those who may not ask", async () => {
    const { post, parts } = await setting();
    for (const body of [
      { event: "tool:result" },
      { event: "tool:before", value: "x" },
      { event: "no:such", value: "x", more: 1 },
      { event: "tool:result", value: "x", timeoutMs: 0 },
    ])
      expect((await post(PATH, body)).status).toBe(400);
    for (const payload of [null, "text", 7, true, []])
      expect(await post(PATH, { event: "tool:result", value: "x", payload })).toMatchObject({
        status: 400,
        json: { error: { code: "HL_BAD_PAYLOAD", fix: "Send the fields that docs/reference/events.md lists for the event." } },
      });
    expect((await post(PATH, { event: "tool:result", value: "x" }, parts.tokens.operator)).status).toBe(200);
    expect((await post(PATH, { event: "tool:result", value: "x" }, "wrong")).status).toBe(401);
  });
});

describe("what waits for a session", () => {
  it("comes with the next decision of its agent, once", async () => {
    const { post, parts } = await setting();
    const ask = async (more: object) => (await post("/api/decide", { event: "tool:before", payload, ...more })).json;
    const source = { app: "my-go-agent" };
    parts.effects.leave(
      { source: { app: "my-go-agent", instance: "my-go-agent" }, session: { id: "s1" } },
      {
        injections: ["run the tests"],
        reminders: [remind({ body: "and lint" }).value as { body: string }],
      },
    );
    expect(await ask({ session: { id: "s1" }, source: { app: "another" } })).toMatchObject({ injections: [] });
    expect(await ask({ session: { id: "s2" }, source })).toMatchObject({ injections: [] });
    expect(await ask({ session: { id: "s1" }, source, record: true })).toMatchObject({
      injections: ["run the tests"],
      reminders: [{ spec: { body: "and lint" }, by: "hub" }],
    });
    expect(await ask({ session: { id: "s1" }, source, record: true })).toMatchObject({ injections: [], reminders: [] });
  });
});

it("what waits for an attached agent is not given to a client that takes its name", async () => {
  const { post, parts } = await setting();
  parts.effects.leave(
    { source: { app: "claude-code", instance: "claude-code" }, session: { id: "s1" } },
    { injections: ["words"], reminders: [] },
  );
  const ask = { event: "tool:before", payload, session: { id: "s1" }, source: { app: "claude-code" } };
  expect((await post("/api/decide", ask)).json).toMatchObject({ injections: [] });
  expect(parts.effects.take("claude-code", "s1").injections).toEqual(["words"]);
});
