import { readFileSync } from "node:fs";
import { join } from "node:path";
import { block, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { askAttached } from "../../../../test/support/attached-agent.js";
import { createHomeInProcess } from "../../../../test/support/cli-home.js";
import { call, hookYaml, putFiles } from "../../../../test/support/hook-files.js";
import { until } from "../../../../test/support/http-hub.js";
import type { EventsAnswer, PlacedEvent, StatusAnswer } from "../hub/protocol.js";

// The built command line around one hub: a rule that denies, one that asks, and a guard that is broken.
const home = createHomeInProcess();
const toml = `
[[rule]]
name = "no-rm"
event = "tool:before"
match = "tool.input.command =~ 'rm'"
do = "block"
message = "not here"
examples = { catches = ["rm -rf /"], passes = ["ls"] }
[[rule]]
name = "careful"
event = "tool:before"
match = "tool.input.command == 'push'"
do = "ask"
message = "sure?"
[[rule]]
name = "log"
event = "tool:before"
do = "notify"
message = "seen"
`;
const state = (file: string) =>
  JSON.parse(readFileSync(join(home.state, file), "utf8")) as { readonly url: string; readonly token: string };
const up = () => home.run("up", "--detach", "--port", "0");
const PAUSED = /^Guards are paused by .+ until \d{4}-.+Z/;

beforeAll(async () => {
  home.write("config/hookline/hookline.toml", toml);
  expect(await up()).toMatchObject({ code: 0 });
});
afterAll(() => home.close());

async function ask(path: string, { body, token = state("operator.json").token }: { body?: object; token?: string } = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${state("hub.json").url}${path}`, {
    headers,
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as never };
}

const decide = async (command: string, more: object = {}) =>
  (await ask("/api/decide", { body: { event: "tool:before", payload: call(command), ...more }, token: state("hub.json").token }))
    .json as object;

async function stored(event: string, isMeant: (event: PlacedEvent) => boolean): Promise<PlacedEvent> {
  let found: PlacedEvent | undefined;
  await until(async () => {
    const { events } = (await ask(`/api/events?event=${event}&limit=100`)).json as EventsAnswer;
    found = events.find(isMeant);
    return found !== undefined;
  });
  return found as PlacedEvent;
}

const from = (app: string) => (event: PlacedEvent) =>
  event.source.app === app && event.decision?.trail?.some(({ action }) => action === "paused") === true;

function attachedBus() {
  const bus = createBus({ source: "on-the-line" });
  const line = connectToHub(bus, { folder: home.state, gates: { events: ["tool:before"] } });
  onTestFinished(async () => void (await line.close()));
  return { bus, line };
}

async function paused(...args: readonly string[]) {
  const run = await home.run("pause", ...args);
  onTestFinished(async () => void (await home.run("resume")));
  return run;
}

describe("hookline pause", () => {
  it("lets calls pass on every path, recorded as paused, until hookline resume", async () => {
    expect(await askAttached(home, { command: "rm 1" })).toMatchObject({ exitCode: 2 });
    const { code, out, err } = await paused("--for", "30m", "--reason", "migration");
    expect([code, out, err]).toEqual([
      0,
      expect.stringMatching(/^The hub's guards are paused by .+ until .+ \(migration\)\. That is 30 m\.\n$/),
      expect.stringContaining("hookline resume"),
    ]);

    expect(await askAttached(home, { command: "rm 2", isStrict: true })).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    expect(await decide("rm")).toMatchObject({ verdict: "pass", trail: [{ action: "paused", reason: expect.stringMatching(PAUSED) }, {}] });
    await decide("rm", { record: true, source: { app: "asker" } });
    const { bus, line } = attachedBus();
    expect(await bus.decide("tool:before", call("rm"))).toMatchObject({ verdict: "pass" });
    await line.flush();
    const steps = expect.arrayContaining([
      expect.objectContaining({
        actor: { kind: "policy", name: "pause", at: "hub" },
        action: "paused",
        reason: expect.stringMatching(PAUSED),
      }),
      expect.objectContaining({ actor: expect.objectContaining({ kind: "rule", name: "no-rm" }), action: "paused" }),
    ]);
    for (const app of ["claude-code", "asker", "on-the-line"])
      expect((await stored("tool:before", from(app))).decision).toMatchObject({ verdict: "pass", trail: steps });
    expect((await home.run("tail", "--no-follow", "-e", "tool:before")).out).toContain("paused: Guards are paused by");
    const { id } = await stored("tool:before", from("asker"));
    expect((await home.run("show", id)).out).toMatch(/Verdict {2}pass {2}Guards are paused by .* until/);
    expect((await home.run("emit", "tool:before", "--decide", "--payload", JSON.stringify(call("rm")))).out).toMatch(/^pass {2}Guards are/);

    expect(await home.run("resume")).toMatchObject({ code: 0, out: "The hub's guards are on again.\n" });
    expect(await home.run("resume")).toMatchObject({ code: 0, out: "The hub's guards were not paused.\n" });
    expect(await askAttached(home, { command: "rm 3" })).toMatchObject({ exitCode: 2 });
    expect(await decide("rm")).toMatchObject({ verdict: "deny", by: "no-rm" });
    expect(await bus.decide("tool:before", call("rm"))).toMatchObject({ verdict: "deny" });
    const begun = await stored("guard:paused", () => true);
    const ended = await stored("guard:resumed", () => true);
    expect(begun.payload).toMatchObject({ by: expect.any(String), until: expect.stringMatching(/Z$/), reason: "migration" });
    expect(ended.payload).toMatchObject({ by: expect.any(String), reason: "ended early" });
  });

  it("leaves no answer behind: a call that passed is judged when it is sent again", async () => {
    const recorded = { record: true, id: "same-question", source: { app: "again" } };
    await paused();
    expect(await askAttached(home, { command: "rm again" })).toMatchObject({ exitCode: 0 });
    expect(await askAttached(home, { command: "rm again" })).toMatchObject({ exitCode: 0 });
    const first = { verdict: "pass", recorded: { id: "same-question" } };
    expect([await decide("rm", recorded), await decide("rm", recorded)]).toMatchObject([first, first]);
    await home.run("resume");
    expect(await askAttached(home, { command: "rm again" })).toMatchObject({ exitCode: 2 });
    expect(await decide("rm", recorded)).toMatchObject({ verdict: "deny", by: "no-rm" });
  });

  it("is shown by status, doctor, selftest, attach --check and the metrics, none of which claims that guards hold", async () => {
    expect(await home.run("attach", "claude-code")).toMatchObject({ code: 0 });
    expect(await home.run("attach", "claude-code", "--check")).toMatchObject({ code: 0 });
    expect(await home.run("selftest")).toMatchObject({ code: 0 });
    await paused();
    const said = expect.stringMatching(
      /! The hub's guards are paused by .+ until .+\. Until then nothing is denied, except by the guards of a signed bundle\. Run: hookline resume/,
    );
    expect(await home.run("status")).toMatchObject({ code: 0, err: said });
    const { out } = await home.run("status", "--json");
    expect(JSON.parse(out)).toMatchObject({ paused: { by: expect.any(String), until: expect.any(String) } });
    expect((await home.run("doctor")).out).toMatch(/The hub's guards are on.*\n?.*paused by/);
    expect(await home.run("selftest")).toMatchObject({ code: 1, err: said });
    expect(JSON.parse((await home.run("selftest", "--json")).out)).toMatchObject({ ok: false, paused: {} });
    expect(await home.run("attach", "claude-code", "--check")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/The hub can be reached\. The hub's guards are paused by/),
    });
    const metrics = await fetch(`${state("hub.json").url}/metrics`, {
      headers: { authorization: `Bearer ${state("operator.json").token}` },
    });
    expect(await metrics.text()).toContain("hookline_guards_paused 1");
    expect(await home.run("detach", "claude-code")).toMatchObject({ code: 0 });
  });

  it.each(["0", "0m", "-5m", "10", "1.5h", "9h", "481m", "ten minutes", "1d", ""])("refuses --for %j", async (time) => {
    const { code, err } = await home.run("pause", "--for", time);
    expect([code, err]).toEqual([2, expect.stringContaining("--for")]);
    expect((await ask("/api/pause")).json).toEqual({});
  });

  it("is the operator's: the tokens of hub.json and of attached agents are refused, and so is a bad body", async () => {
    const key = /Bearer ([\w-]+)/.exec(readFileSync(join(home.state, "attach/key"), "utf8"))?.[1] ?? "";
    for (const token of [state("hub.json").token, key, "no-token-at-all"])
      for (const path of ["/api/pause", "/api/resume"])
        expect([path, (await ask(path, { token, body: {} })).status]).toEqual([path, token === "no-token-at-all" ? 401 : 403]);
    for (const body of [
      { forMs: 0 },
      { forMs: -1 },
      { forMs: 1.5 },
      { forMs: "10m" },
      { forMs: 28_800_001 },
      { forMs: null },
      { fors: 1 },
      { by: 1 },
      { reason: "" },
    ])
      expect([body, (await ask("/api/pause", { body })).status]).toEqual([body, 400]);
    expect(((await ask("/api/status")).json as StatusAnswer).paused).toBeUndefined();
  });

  it("leaves guards in the agent's own process on, and what waits for a person waiting", async () => {
    const { bus, line } = attachedBus();
    bus.on("tool:before", ({ payload }) => (payload.tool.input.command === "own" ? block("mine") : undefined), { name: "own" });
    const waiting = bus.decide("tool:before", call("push"));
    await until(async () => (await home.run("approvals")).out.includes("careful"));
    await paused("--for", "1m");
    expect(await bus.decide("tool:before", call("own"))).toMatchObject({ verdict: "deny", by: "own" });
    expect(await bus.decide("tool:before", call("push"))).toMatchObject({ verdict: "pass" });
    const { out } = await home.run("approvals");
    const [, id = ""] = /^waits +(\w+)/m.exec(out) ?? [];
    expect(await home.run("deny", id)).toMatchObject({ code: 0 });
    expect(await waiting).toMatchObject({ verdict: "deny" });
    await line.close();
  });

  it("holds for the stand-in of a broken guard, and observers hear on", async () => {
    putFiles(join(home.folder, "config/hookline"), { "hooks/h/HOOK.yaml": hookYaml("h", "onFailure: maybe\n"), "hooks/h/handler.mjs": "" });
    await until(async () => ((await decide("ls")) as { verdict: string }).verdict === "deny");
    await paused("--reason", "observed");
    const { place } = await stored("guard:paused", ({ payload }) => (payload as { reason?: string }).reason === "observed");
    expect(await decide("ls", { record: true, source: { app: "observed" } })).toMatchObject({ verdict: "pass" });
    await stored("notification:sent", (event) => event.place > place && (event.payload as { rule?: string }).rule === "log");
  });

  it("ends by itself, and does not outlive the hub", async () => {
    expect((await ask("/api/pause", { body: { forMs: 300, by: "test" } })).status).toBe(200);
    await stored("guard:resumed", ({ payload }) => (payload as { reason?: string }).reason === "the time was up");
    expect(await decide("rm")).toMatchObject({ verdict: "deny" });
    await home.run("pause", "--for", "8h");
    expect(await decide("rm")).toMatchObject({ verdict: "pass" });
    expect(await home.run("down")).toMatchObject({ code: 0 });
    expect(await home.run("pause")).toMatchObject({ code: 4 });
    expect(await up()).toMatchObject({ code: 0 });
    expect(await decide("rm")).toMatchObject({ verdict: "deny" });
    await stored("guard:resumed", ({ payload }) => (payload as { reason?: string }).reason === "the hub stopped");
  });
});
