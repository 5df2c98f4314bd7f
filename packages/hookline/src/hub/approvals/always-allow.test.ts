import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, block, createBus } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { startHttpHub, until } from "../../../../../test/support/http-hub.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { openAlwaysAllow } from "./always-allow.js";
import { createApprovals } from "./approvals.js";

const call = (command: string, more: object = {}) => ({
  session: { id: "s" },
  tool: { name: "Bash", callId: "1", input: { command } },
  ...more,
});

function careful(state = testFolder()) {
  const always = openAlwaysAllow(state);
  const told: [string, object][] = [];
  const approvals = createApprovals({ always, tell: (event, payload) => void told.push([event, payload]) });
  const bus = createBus({ onAsk: "return", onError: () => {} });
  bus.on("tool:before", () => ask("really?"), { name: "careful", match: "tool.input.command =~ 'push'" });
  const decide = (payload: ReturnType<typeof call>) =>
    Promise.resolve(bus.decide("tool:before", payload, { approver: approvals.approverFor({ asked: payload }) }));
  const allowAlways = async (payload: ReturnType<typeof call>) => {
    const decision = decide(payload);
    const row = approvals.list().at(-1);
    approvals.answer(row?.id ?? "", { verdict: "allow", hash: row?.hash ?? "", by: "ada", always: true });
    return decision;
  };
  return { state, always, approvals, bus, decide, allowAlways, told, file: join(state, "always-allow.json") };
}

describe("a call that is allowed for good", () => {
  it("is not asked about again, in another session as well, and after a restart", async () => {
    const { state, allowAlways, approvals, decide, told } = careful();
    expect(await allowAlways(call("git push"))).toMatchObject({ verdict: "allow", actor: { kind: "person", name: "ada", at: "hub" } });
    expect(await decide({ ...call("git push"), session: { id: "other" } })).toMatchObject({
      verdict: "allow",
      by: "ada",
      actor: { kind: "policy", name: "ada", owner: "always-allow", at: "hub" },
      reason: "always allowed",
    });
    expect(approvals.list()).toEqual([]);
    expect(told.at(-1)).toMatchObject(["permission:replied", { approval: { verdict: "allow", always: true } }]);
    expect(await careful(state).decide(call("git push"))).toMatchObject({ verdict: "allow" });
  });

  it("is exactly this one: another input, folder, guard or event waits", async () => {
    const { allowAlways, approvals, bus, decide } = careful();
    await allowAlways(call("git push", { cwd: "/a" }));
    for (const other of [call("git push "), call("git push"), call("git push", { cwd: "/b" })]) void decide(other);
    for (const priority of [9, -9]) {
      const off = bus.on("tool:before", () => ask("on a Friday?"), { name: "friday", priority, match: "tool.input.command =~ 'push'" });
      void decide(call("git push", { cwd: "/a" }));
      off();
    }
    await until(() => approvals.list().length === 5);
    const asks = [
      { by: "careful", actor: { kind: "guard", name: "careful" }, reason: "really?" },
      { by: "friday", actor: { kind: "guard", name: "friday" }, reason: "on a Friday?" },
    ];
    expect(approvals.list().map((row) => row.asks)).toEqual([undefined, undefined, undefined, asks.toReversed(), asks]);
  });

  it("is exactly this one: whatever else the call says counts, but for session, call id and time", async () => {
    const { allowAlways, approvals, decide, file } = careful();
    const tool = { name: "Bash", callId: "1", input: { command: "git push" }, server: "a", args: ["x"] };
    const raw = { session_id: "s", tool_use_id: "1", timestamp: "2026-01-02T03:04:05Z", permission_mode: "default" };
    const first = { session: { id: "s" }, turn: { id: "t" }, cwd: "/a", env: { LANG: "C" }, at: 1, tool, raw };
    const decision = allowAlways(first);
    expect((await decision).verdict).toBe("allow");
    const again = {
      ...first,
      session: { id: "other", parentId: "s" },
      turn: { id: "u" },
      at: 2,
      tool: { ...tool, callId: "2" },
      raw: { ...raw, session_id: "other", tool_use_id: "2", timestamp: "2027-01-02T03:04:05Z" },
    };
    expect(await decide(again)).toMatchObject({ verdict: "allow", actor: { kind: "policy" } });
    const others = [
      { ...again, env: { LANG: "C", LD_PRELOAD: "/tmp/x.so" } },
      { ...again, env: undefined },
      { ...again, tool: { ...tool, server: "b" } },
      { ...again, tool: { ...tool, args: ["y"] } },
      { ...again, tool: { ...tool, timeout: 5 } },
      { ...again, sudo: true },
      { ...again, raw: { ...again.raw, permission_mode: "bypass" } },
      { ...again, at: "now; rm -rf /" },
    ];
    // As they arrive from another process: its JSON need not have the fields' types.
    for (const other of others) void decide(JSON.parse(JSON.stringify(other)));
    await until(() => approvals.list().length === others.length);
    expect(approvals.list()[0]?.pins).toEqual(["cwd", "env", "tool.name", "tool.input", "tool.server", "tool.args", "raw"]);
    const [kept] = JSON.parse(readFileSync(file, "utf8"));
    expect(JSON.parse(kept.pinned)).toMatchObject({ env: { LANG: "C" }, tool: { server: "a" }, raw: { permission_mode: "default" } });
  });

  it("is exactly this program's: the same call of another one waits", async () => {
    const { approvals, bus } = careful();
    const source = (app: string) => ({ app, host: "h", pid: 1, instance: app });
    const decide = (app: string) =>
      Promise.resolve(bus.decide("tool:before", call("git push"), { approver: approvals.approverFor({ source: source(app) }) }));
    const first = decide("a");
    const [row] = approvals.list();
    approvals.answer(row?.id ?? "", { verdict: "allow", hash: row?.hash ?? "", always: true });
    await first;
    expect(await decide("a")).toMatchObject({ verdict: "allow", actor: { kind: "policy" } });
    void decide("b");
    expect(approvals.list()).toHaveLength(1);
  });

  it("is asked about again if an earlier version kept it, which pinned less", async () => {
    const { allowAlways, file, state } = careful();
    await allowAlways(call("git push"));
    const [{ pinned: _, ...earlier }] = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify([earlier]));
    expect(openAlwaysAllow(state).list()).toEqual([]);
  });

  it("is still denied by who denies it", async () => {
    const { allowAlways, bus, decide } = careful();
    await allowAlways(call("git push"));
    bus.on("tool:before", () => block("never"), {});
    expect(await decide(call("git push"))).toMatchObject({ verdict: "deny", reason: "never" });
  });

  it("is asked about again when it is forgotten", async () => {
    const { allowAlways, always, approvals, decide, state } = careful();
    await allowAlways(call("git push"));
    const [row] = always.list();
    expect(row).toMatchObject({ event: "tool:before", tool: "Bash", by: "careful", allowedBy: "ada", input: '{"command":"git push"}' });
    expect([always.forget("x"), always.forget(row?.hash ?? ""), always.forget(row?.hash ?? "")]).toEqual([false, true, false]);
    void decide(call("git push"));
    expect(approvals.list()).toHaveLength(1);
    expect(openAlwaysAllow(state).list()).toEqual([]);
  });

  it("is kept for its owner alone, without its secrets, and not believed when others could have written it", async () => {
    const { allowAlways, file, state } = careful();
    await allowAlways(call("git push https://x:ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com/a/b"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain("ghp_0123456789");
    chmodSync(file, 0o646);
    expect(openAlwaysAllow(state).list()).toEqual([]);
  });
});

describe("POST /api/approvals/:id", () => {
  async function waiting() {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => ask("really?"), { name: "careful" });
    const { approvals } = hub.parts;
    const decide = () =>
      hub.bus.decide("tool:before", call("git push") as never, { approver: approvals.approverFor({ asked: call("git push") }) });
    const decision = Promise.resolve(decide());
    const [row] = (await hub.ask("/api/approvals")).json.approvals;
    const answer = (more: object) =>
      hub.ask(`/api/approvals/${row.id}`, { body: JSON.stringify({ verdict: "allow", hash: row.hash, ...more }) });
    return { hub, decide, decision, row, answer };
  }

  it("takes one of two answers that come at once, and tells the other so", async () => {
    const { answer, decision } = await waiting();
    const answers = await Promise.all([answer({ by: "a" }), answer({ verdict: "deny", by: "b" }), answer({ by: "c" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const first = answers.find(({ status }) => status === 200);
    expect((await decision).verdict).toBe(first?.json.verdict);
    expect(answers.find(({ status }) => status === 409)?.json.error.code).toBe("HL_APPROVAL_GONE");
  });

  it("takes always for what was shown, and nothing else", async () => {
    const { hub, answer, decide, decision } = await waiting();
    for (const more of [{ always: true, verdict: "deny" }, { always: true, payload: call("ls") }, { always: "yes" }])
      expect((await answer(more)).status).toBe(400);
    expect((await answer({ always: true, hash: "0".repeat(64) })).status).toBe(409);
    expect((await hub.ask("/api/approvals/always")).json).toEqual({ always: [] });
    expect((await answer({ always: true, by: "ada" })).status).toBe(200);
    await decision;
    const { always } = (await hub.ask("/api/approvals/always")).json;
    expect(always).toMatchObject([{ tool: "Bash", allowedBy: "ada" }]);
    expect(await decide()).toMatchObject({ verdict: "allow" });
    const forget = () => hub.ask(`/api/approvals/always/${always[0].hash}/forget`, { body: "{}" });
    expect([(await forget()).json, (await forget()).status]).toEqual([{ forgotten: true }, 404]);
  });

  it("is for who may answer; who only reads sees no secrets in what waits", async () => {
    const hub = await startHttpHub();
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    hub.bus.on("tool:before", () => ask("really?"), { name: "careful" });
    void hub.bus.decide("tool:before", call(`git push https://x:${secret}@host/a`) as never, {
      approver: hub.parts.approvals.approverFor({}),
    });
    expect((await hub.ask("/api/approvals")).text).toContain(secret);
    const { logins, url } = hub.parts;
    const { secret: login = "", key = "" } = logins.redeem(logins.offer(["read"], url()), url()) ?? {};
    const { text } = await hub.ask("/api/approvals", { token: null, headers: { cookie: `hookline=${login}`, "hookline-key": key } });
    expect(text).toContain("git push");
    expect(text).not.toContain(secret);
  });

  it("cannot always allow an event that is not a tool call", async () => {
    const hub = await startHttpHub();
    hub.bus.on("permission:asked", () => ask("?"), { name: "careful" });
    void hub.bus.decide("permission:asked", {} as never, { approver: hub.parts.approvals.approverFor({}) });
    const [{ id, hash }] = (await hub.ask("/api/approvals")).json.approvals;
    const answer = (always: boolean) => hub.ask(`/api/approvals/${id}`, { body: JSON.stringify({ verdict: "allow", hash, always }) });
    expect([(await answer(true)).status, (await answer(false)).status]).toEqual([400, 200]);
  });
});

describe("GET /api/stream", () => {
  it("tells when what waits is another number", async () => {
    const hub = await startHttpHub();
    hub.bus.on("tool:before", () => ask("really?"), { name: "careful" });
    const abort = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${hub.port}/api/stream`, {
      headers: { authorization: `Bearer ${hub.parts.tokens.operator}` },
      signal: abort.signal,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
    })().catch(() => {});
    const said = () => [...text.matchAll(/event: approval\ndata: (.*)\n/g)].map(([, data = ""]) => JSON.parse(data).approvals);
    await until(() => said().length === 1);
    const { approvals } = hub.parts;
    const decision = Promise.resolve(hub.bus.decide("tool:before", call("x") as never, { approver: approvals.approverFor({}) }));
    await until(() => said().length === 2);
    const [row] = approvals.list();
    approvals.answer(row?.id ?? "", { verdict: "deny", hash: row?.hash ?? "" });
    await decision;
    await until(() => said().length === 3);
    expect(said()).toEqual([0, 1, 0]);
    abort.abort();
    await reading;
  });
});
