import { join } from "node:path";
import { createBus, type HookEvent } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { call, putFiles } from "../../../../../test/support/hook-files.js";
import { testFolder } from "../../../../../test/support/test-folder.js";

/** A hub with a guard and an observer of every event, and what each has heard. */
async function setting() {
  const state = putFiles(testFolder(), { "hookline.toml": "" });
  const hub = await startHub({ state, runtime: state, port: 0, config: join(state, "hookline.toml") });
  onTestFinished(() => hub.close());
  const heard: { guard: string[]; observer: string[] } = { guard: [], observer: [] };
  const note = (who: "guard" | "observer") => (event: HookEvent) => {
    const { session } = event.payload as { readonly session?: { readonly id: string } };
    heard[who].push(`${event.name} ${session?.id ?? "-"}`);
  };
  const { bus } = hub.parts;
  for (const event of ["session:start", "command:*", "tool:before", "prompt:submit"] as const) {
    bus.on(event, note("guard") as never, { name: `guard ${event}` });
    bus.on(event, note("observer") as never, { name: `observer ${event}`, stage: "observe" });
  }
  const post = (path: string, body: unknown) =>
    fetch(new URL(path, hub.file.url), {
      method: "POST",
      headers: { authorization: `Bearer ${hub.file.token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { hub, state, heard, post };
}

it("a process's events reach guards and observers once, whether they are decided or only told", async () => {
  const { state, heard } = await setting();
  const agent = createBus({ source: "agent" });
  const line = connectToHub(agent, { folder: state });
  onTestFinished(() => void line.close());
  await expect.poll(() => line.state).toBe("attached");
  agent.on("tool:before", ({ session }) => session?.id !== "denied", { name: "own", priority: 10 });
  const session = (id: string) => ({ session: { id } });
  await agent.emit("session:start", session("told"));
  expect(await agent.decide("tool:before", call("ls", session("asked")))).toMatchObject({ verdict: "pass" });
  // Its own guard denies it before the hub is asked.
  expect(await agent.decide("tool:before", call("ls", session("denied")))).toMatchObject({ verdict: "deny" });
  await agent.decide("command:reset", session("asked"));
  await line.flush();
  const events = ["session:start told", "tool:before asked", "tool:before denied", "command:reset asked"];
  await expect.poll(() => [...heard.observer].sort()).toEqual([...events].sort());
  await expect.poll(() => [...heard.guard].sort()).toEqual([...events].sort());
});

it("ingested and recorded events reach guards and observers once", async () => {
  const { heard, post } = await setting();
  for (const event of ["session:start", "command:reset", "tool:before"])
    expect((await post("/api/hooks/ingest", { event_type: event, context: { session_id: "ingested", ...call() } })).status).toBe(200);
  const recorded = { event: "tool:before", payload: call("ls", { session: { id: "recorded" } }), record: true, source: { app: "script" } };
  expect((await post("/api/decide", recorded)).status).toBe(200);
  const unrecorded = { event: "tool:before", payload: call("ls", { session: { id: "asked" } }) };
  expect((await post("/api/decide", unrecorded)).status).toBe(200);
  await expect.poll(() => heard.observer.length).toBeGreaterThanOrEqual(5);
  for (const list of [heard.observer, heard.guard]) {
    expect(list.filter((entry) => entry.startsWith("tool:before")).sort()).toEqual([
      expect.stringContaining("tool:before"),
      "tool:before asked",
      "tool:before recorded",
    ]);
    expect(list).toHaveLength(5);
  }
});

it("calls of an attached agent reach guards and observers once", async () => {
  const { hub, heard } = await setting();
  const { agents } = hub.parts;
  const dialect = agents.find("claude-code");
  if (dialect === undefined) throw new Error("no dialect");
  const common = { session_id: "s", transcript_path: "/t", cwd: "/w", permission_mode: "default" };
  const ask = (native: string, more: object) =>
    agents.answer({ dialect, native, payload: { ...common, hook_event_name: native, ...more } }, new AbortController().signal);
  await ask("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" });
  await ask("UserPromptSubmit", { prompt: "hello" });
  const events = ["prompt:submit s", "tool:before s"];
  await expect.poll(() => [...heard.observer].sort()).toEqual(events);
  expect([...heard.guard].sort()).toEqual(events);
});
