import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { putFiles } from "../../../../../test/support/hook-files.ts";
import { startHttpHub } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { alarmOf } from "../auth/refusals.js";
import { type AlarmReport, createAlarms } from "./alarms.js";

const edit: AlarmReport = {
  kind: "tampered",
  text: "A file changed.",
  fix: { run: "hookline attach codex" },
  path: "/x/hooks.json",
  agent: "codex",
};

function openAlarms(state: string, now: () => number = Date.now) {
  const told: { readonly event: string; readonly [field: string]: unknown }[] = [];
  const alarms = createAlarms({
    state,
    tell: (event, payload) => void told.push({ event, ...payload }),
    onProblem: (text) => expect.fail(text),
    now,
  });
  return { alarms, told };
}

it("records each of 100 equal alarms, lists them as one with a count, and keeps them over a restart", () => {
  const state = testFolder();
  const first = openAlarms(state);
  for (let n = 0; n < 100; n++) first.alarms.raise(edit);
  expect(first.told).toHaveLength(100);
  expect(first.told[0]).toEqual({
    event: "guard:tampered",
    what: "A file changed.",
    change: "tampered",
    agent: "codex",
    path: "/x/hooks.json",
  });
  first.alarms.close();
  expect(statSync(join(state, "alarms.json")).mode & 0o777).toBe(0o600);
  const { alarms } = openAlarms(state);
  expect(alarms.list()).toMatchObject({ waiting: 100, unlisted: 0, alarms: [{ count: 100, fix: "Run: hookline attach codex" }] });
});

it("counts an alarm that differs in its file, its agent or its text as another one", () => {
  const { alarms } = openAlarms(testFolder());
  for (const change of [{}, { path: "/y" }, { agent: "gemini" }, { text: "Another." }, { kind: "loosened" as const }])
    alarms.raise({ ...edit, ...change });
  expect(alarms.list().alarms.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1]);
});

it("lists an alarm again that comes after a person has acknowledged it", () => {
  const { alarms } = openAlarms(testFolder());
  alarms.raise(edit);
  alarms.raise(edit);
  expect(alarms.acknowledge("ann")).toBe(2);
  expect(alarms.list()).toMatchObject({ waiting: 0, alarms: [{ count: 2, acknowledged: { by: "ann" } }] });
  alarms.raise(edit);
  expect(alarms.list()).toMatchObject({ waiting: 1 });
  const [latest] = alarms.list().alarms.filter(({ acknowledged }) => acknowledged === undefined);
  expect(alarms.acknowledge("ann", ["unknown"])).toBe(0);
  expect(alarms.acknowledge("ann", [latest?.id ?? ""])).toBe(1);
});

it("keeps the number of alarms that no longer fit the list", () => {
  const state = testFolder();
  const { alarms } = openAlarms(state);
  for (let n = 0; n < 250; n++) alarms.raise({ ...edit, path: `/file/${n}` });
  expect(alarms.list()).toMatchObject({ waiting: 250, unlisted: 50 });
  expect(alarms.list().alarms).toHaveLength(200);
  expect(openAlarms(state).alarms.list()).toMatchObject({ waiting: 250, unlisted: 50 });
  expect(alarms.acknowledge("ann")).toBe(250);
  expect(alarms.list()).toMatchObject({ waiting: 0, unlisted: 0 });
});

it("keeps a refusal and a tampered file in the list, however many changes of the policy follow", () => {
  const { alarms } = openAlarms(testFolder());
  alarms.raise({ kind: "refused", text: "Refused." });
  alarms.raise(edit);
  for (let n = 0; n < 250; n++) alarms.raise({ kind: "loosened", text: `The rule ${n} was removed.` });
  const kinds = alarms.list().alarms.map(({ kind }) => kind);
  expect([kinds.length, kinds.filter((kind) => kind !== "loosened").sort()]).toEqual([200, ["refused", "tampered"]]);
  expect(alarms.list()).toMatchObject({ waiting: 252, unlisted: 52 });
});

it("ignores a list that is not its own", () => {
  const state = testFolder();
  writeFileSync(join(state, "alarms.json"), '{"alarms":[{"id":1},null,{"id":"a","kind":"toString","text":"x"}],"unlisted":-3}', {
    mode: 0o600,
  });
  expect(openAlarms(state).alarms.list()).toEqual({ alarms: [], waiting: 0, unlisted: 0 });
});

it("stores ten refusals a second, and counts the others in the next event and all of them in the list", () => {
  let time = 0;
  const { alarms, told } = openAlarms(testFolder(), () => time);
  const attempt = () =>
    alarms.raise(alarmOf({ who: { kind: "agent", agent: "codex" }, action: "POST /api/stop", target: "\u001b[1m", reason: "no" }));
  for (let n = 0; n < 25; n++) attempt();
  expect(told).toHaveLength(10);
  expect(told[0]).toEqual({
    event: "permission:refused",
    operator: "codex",
    by: "the key of attached agents",
    agent: "codex",
    action: "POST /api/stop",
    target: "\\x1b[1m",
    reason: "no",
  });
  time = 1_000;
  attempt();
  attempt();
  expect(told.slice(10)).toMatchObject([{ suppressed: 15 }, {}]);
  expect(told[11]).not.toHaveProperty("suppressed");
  expect(alarms.list()).toMatchObject({ waiting: 27, alarms: [{ count: 27 }] });
});

it("answers over HTTP: readers see alarms, and only the operator acknowledges them", async () => {
  const hub = await startHttpHub();
  hub.parts.alarms.raise({ ...edit, process: { pid: 42, program: "/usr/bin/vim", uid: 0 } });
  expect((await hub.ask("/api/alarms")).json).toMatchObject({ waiting: 1, alarms: [{ text: "A file changed.", process: { pid: 42 } }] });
  expect((await hub.ask("/api/status")).json.alarms).toMatchObject({ waiting: 1, latest: { text: "A file changed." } });
  expect(await hub.ask("/api/alarms/acknowledge", { token: hub.parts.tokens.agent, body: "{}" })).toMatchObject({ status: 403 });
  // What a person has not seen is not acknowledged.
  expect((await hub.ask("/api/alarms/acknowledge", { body: '{"by":"ann"}' })).status).toBe(400);
  const ids = hub.parts.alarms.list().alarms.map(({ id }) => id);
  expect((await hub.ask("/api/alarms/acknowledge", { body: JSON.stringify({ by: "ann", ids }) })).json).toEqual({ acknowledged: 1 });
  expect((await hub.ask("/api/status")).json.alarms).toEqual({ waiting: 0 });
});

it("raises an alarm for a refused attempt to operate, as an event on disk too", async () => {
  const state = putFiles(testFolder(), { "hookline.toml": "" });
  const hub = await startHub({ state, port: 0, config: join(state, "hookline.toml") });
  onTestFinished(() => hub.close());
  const headers = { authorization: `Bearer ${hub.file.token}`, "content-type": "application/json" };
  expect((await fetch(`${hub.file.url}/api/stop`, { method: "POST", headers, body: "{}" })).status).toBe(403);
  expect(hub.parts.alarms.list()).toMatchObject({ waiting: 1, alarms: [{ kind: "refused" }] });
  expect(JSON.parse(readFileSync(join(state, "alarms.json"), "utf8")).alarms).toHaveLength(1);
  await expect.poll(() => hub.parts.store.counts(0)).toMatchObject({ "permission:refused": 1 });
});
