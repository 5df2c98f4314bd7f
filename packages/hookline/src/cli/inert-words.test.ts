import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ApprovalRequest, createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { askAttached } from "../../../../test/support/attached-agent.js";
import { createHomeInProcess } from "../../../../test/support/cli-home.js";
import { call } from "../../../../test/support/hook-files.js";
import { until } from "../../../../test/support/http-hub.js";
import type { DecideAnswer, EventsAnswer } from "../hub/protocol.js";

// What a hook says, on every way out of the hub: no terminal may act on it, and the store keeps it as it was said.
const nasty = "\u001b[2J\u001b]0;pwn\u0007 ok\u202e\u0000\u009b31m\u200b\r\n\tline two";
const shown = "\\x1b[2J\\x1b]0;pwn\\x07 ok\\u202e\\x00\\x9b31m\\u200b\n\tline two";
const ACTIVE = /(?![\n\t])[\p{Cc}\p{Cf}]/u;
const home = createHomeInProcess();
const guard = `const text = ${JSON.stringify(nasty)};
export function handle({ payload }) {
  const { command } = payload.tool.input;
  if (command.includes("deny")) return { block: true, reason: text };
  if (command.includes("ask")) return { decision: "ask", reason: text };
  if (command.includes("tell")) return [{ inject: text }, { reminder: { body: text } }];
  if (command.includes("throw")) throw new Error(text);
}`;
const hubFile = () => JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as { readonly url: string; readonly token: string };
const operator = () => (JSON.parse(readFileSync(join(home.state, "operator.json"), "utf8")) as { readonly token: string }).token;

beforeAll(async () => {
  home.write("guard.mjs", guard);
  const config = home.write(
    "hub.toml",
    `[[hook]]\nevent = "tool:before"\nmodule = "./guard.mjs"\nname = "nasty"\nonFailure = "closed"\n[[rule]]\nname = "rule"\nevent = "tool:before"\nmatch = "tool.input.command == 'rule'"\ndo = "block"\nmessage = "\\u001b[2Jby rule\\u202e"\n`,
  );
  expect(await home.run("up", "--detach", "--port", "0", "--config", config)).toMatchObject({ code: 0 });
});
afterAll(() => home.close());

async function decide(command: string): Promise<DecideAnswer> {
  const { url, token } = hubFile();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ event: "tool:before", payload: call(command), record: true, source: { app: "asker" } });
  return (await (await fetch(`${url}/api/decide`, { method: "POST", headers, body })).json()) as DecideAnswer;
}

async function stored(app: string): Promise<EventsAnswer["events"]> {
  let events: EventsAnswer["events"] = [];
  await until(async () => {
    const answer = await fetch(`${hubFile().url}/api/events?event=tool:before&limit=100`, {
      headers: { authorization: `Bearer ${operator()}` },
    });
    events = ((await answer.json()) as EventsAnswer).events.filter(({ source }) => source.app === app);
    return events.length > 0;
  });
  return events;
}

function attachedBus() {
  const bus = createBus({ source: "on-the-line" });
  const line = connectToHub(bus, { folder: home.state, gates: { events: ["tool:before"] } });
  onTestFinished(async () => void (await line.close()));
  return { bus, line };
}

describe("what a hook says", () => {
  it("is inert in the answer to an attached agent, and as it was said in the store", async () => {
    const { stdout, stderr } = await askAttached(home, { command: "deny" });
    const document = JSON.parse(stdout) as { readonly hookSpecificOutput: { readonly permissionDecisionReason: string } };
    expect(document.hookSpecificOutput.permissionDecisionReason).toContain(shown);
    expect(stderr).toContain(shown);
    expect((await stored("claude-code"))[0]?.decision).toMatchObject({ verdict: "deny", reason: nasty });
    for (const command of ["tell", "throw", "rule"]) {
      const said = await askAttached(home, { command });
      expect(JSON.stringify(JSON.parse(said.stdout))).not.toMatch(/\\u001b|\\u0007|\u202e/);
      expect(said.stdout + said.stderr).not.toMatch(ACTIVE);
    }
  });

  it("is inert in the answer of POST /api/decide, whose payload stays what it was", async () => {
    const denied = await decide("deny \u001b[0m");
    expect(denied).toMatchObject({ verdict: "deny", reason: shown, payload: { tool: { input: { command: "deny \u001b[0m" } } } });
    expect(denied.trail.find(({ action }) => action === "deny")?.reason).toBe(shown);
    expect(await decide("tell")).toMatchObject({ injections: [shown], reminders: [{ spec: { body: shown } }] });
    expect((await decide("throw")).reason).not.toMatch(ACTIVE);
    expect((await stored("asker")).map(({ decision }) => decision?.reason)).toContain(nasty);
  });

  it("is inert in the decision of a bus on the line, and as it was said in the store", async () => {
    const { bus, line } = attachedBus();
    const asked: ApprovalRequest[] = [];
    bus.setApprover((request) => {
      asked.push(request);
      return { verdict: "deny" };
    });
    expect((await bus.decide("tool:before", call("deny"))).reason).toBe(shown);
    expect((await bus.decide("tool:before", call("tell"))).injections).toEqual([shown]);
    expect((await bus.decide("tool:before", call("throw"))).reason).not.toMatch(ACTIVE);
    await bus.decide("tool:before", call("ask"));
    expect([asked[0]?.reason, asked[0]?.asks[0]?.reason]).toEqual([shown, shown]);
    await line.flush();
    const decision = (await stored("on-the-line")).at(-1)?.decision;
    expect(decision).toMatchObject({ verdict: "deny", by: "nasty", reason: shown });
    expect(decision?.trail?.find(({ actor, action }) => actor.name === "nasty" && action === "deny")?.reason).toBe(nasty);
  });

  it("does nothing to the terminal of tail, show, approvals, emit and hooks", async () => {
    const { bus, line } = attachedBus();
    const deciding = bus.decide("tool:before", call("ask"));
    await until(async () => (await home.run("approvals")).out.includes("nasty"));
    const [event] = await stored("asker");
    const runs = [
      ["approvals"],
      ["approvals", "--json"],
      ["tail", "--no-follow"],
      ["tail", "--no-follow", "--json"],
      ["tail", "--no-follow", "--format", "logfmt"],
      ["show", event?.id ?? ""],
      ["show", "--json", event?.id ?? ""],
      ["hooks", "list"],
      ["rules", "list"],
      ["sessions"],
      ["emit", "tool:before", "--decide", "--payload", JSON.stringify(call("deny"))],
      ["emit", "tool:before", "--decide", "--json", "--payload", JSON.stringify(call("tell"))],
      ["status"],
      ["selftest"],
    ];
    for (const run of runs) {
      const { out, err } = await home.run(...run);
      expect([run, out, err]).toEqual([run, expect.not.stringMatching(ACTIVE), expect.not.stringMatching(ACTIVE)]);
    }
    const { out } = await home.run("approvals");
    const [, id = ""] = /^waits +(\w+)/m.exec(out) ?? [];
    expect(out).toContain("\\x1b[2J\\x1b]0;pwn\\x07 ok\\u202e");
    expect(await home.run("deny", id)).toMatchObject({ code: 0 });
    expect(await deciding).toMatchObject({ verdict: "deny" });
    await line.close();
  });
});

describe("what a process reports", () => {
  it("does nothing to the terminal of show, tail and sessions, whatever field of the trail it is in", async () => {
    const { url, token } = hubFile();
    const osc = "\u001b]52;c;cHdu\u0007\u202e\u0000\u009b31m";
    const actor = { kind: "guard", name: osc, owner: osc, at: osc };
    const step = { actor, round: 0, reason: osc, failure: osc, durationMs: 1 };
    const trail = [osc, "constructor", "__proto__"].map((word) => ({ ...step, stage: word, action: word }));
    // The hub refuses such names of a process and of its host.
    const source = { app: "reporter", host: "here", pid: 1, instance: "reporter" };
    const decision = { verdict: "deny", by: osc, reason: osc, cause: osc, modified: false, endLoop: false, trail };
    const body = JSON.stringify({
      v: 2,
      id: "reported-1",
      seq: 1,
      at: new Date().toISOString(),
      event: "tool:before",
      source,
      session: { id: osc, parentId: osc },
      payload: { [osc]: osc },
      decision,
      hops: ["reporter"],
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    expect((await fetch(`${url}/api/hooks/ingest`, { method: "POST", headers, body })).status).toBe(200);
    for (const run of [["show", "reported-1"], ["tail", "--no-follow"], ["tail", "--no-follow", "--format", "logfmt"], ["sessions"]])
      for (const FORCE_COLOR of ["", "1"]) {
        const { code, out, err } = await home.runWith({ env: { FORCE_COLOR } }, ...run);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that Hookline itself writes.
        const said = (out + err).replaceAll(/\u001b\[\d+m/g, "");
        expect([run, code, said]).toEqual([run, 0, expect.not.stringMatching(ACTIVE)]);
      }
    expect((await home.run("show", "reported-1")).out).toContain("\\x1b]52;c;cHdu\\x07\\u202e\\x00\\x9b31m  0");
  });
});
