import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAttachKey, httpKeyOf } from "../../agents/client/attach-key.js";
import { createLoginLimit } from "./authenticate.js";
import { createDashboardAddress, openDashboardName } from "./dashboard-address.js";
import { createTcpHosts, isSocketHost } from "./host-guard.js";
import { keepMetricsDigest } from "./metrics-token.js";
import { removeOperatorFile, writeOperatorFile } from "./operator-file.js";
import { readOperatorFile } from "./read-operator-file.js";
import { isLoopback } from "./remote-approvals.js";
import { createTokens } from "./tokens.js";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hookline-auth-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe("tokens", () => {
  it("are 32 random bytes each, and say what they may do", () => {
    const [tokens, others] = [createTokens(), createTokens()];
    for (const token of [tokens.agent, tokens.operator]) expect(token).toMatch(/^hlk_[\w-]{43}$/);
    expect(new Set([tokens.agent, tokens.operator, others.agent, others.operator]).size).toBe(4);
    const scopesOf = (token: string) => [...(tokens.holderOf(token)?.scopes ?? [])].sort();
    expect(scopesOf(tokens.agent)).toEqual(["decide", "ingest"]);
    expect(scopesOf(tokens.operator)).toEqual(["approve", "decide", "hook", "ingest", "read"]);
    for (const wrong of ["", others.agent, tokens.agent.slice(1), `${tokens.agent}x`, tokens.operator.toLowerCase()])
      expect(tokens.holderOf(wrong)).toBeUndefined();
  });

  it("of attached agents only speak for them, and the one of an agent that posts says nothing of the others", () => {
    const key = createAttachKey();
    const tokens = createTokens(key, ["claude-code"]);
    expect(tokens.holderOf(key.token)).toEqual({ kind: "agent", scopes: new Set(["hook"]), seal: key.seal });
    expect(tokens.holderOf(httpKeyOf(key, "claude-code"))).toEqual({ kind: "agent", scopes: new Set(["hook"]), agent: "claude-code" });
    expect(tokens.holderOf(httpKeyOf(key, "codex"))).toBeUndefined();
    expect(tokens.holderOf(key.seal)).toBeUndefined();
  });

  it("for metrics can do nothing else, outlive the hub, and end with the next one or a rotation of all", () => {
    const [state, key] = [folder(), createAttachKey()];
    const tokens = createTokens(key, [], { metrics: keepMetricsDigest(state) });
    const [first, token] = [tokens.createMetrics(), tokens.createMetrics()];
    expect(tokens.holderOf(first)).toBeUndefined();
    expect(tokens.holderOf(token)).toEqual({ kind: "scraper", scopes: new Set(["metrics"]) });
    expect(readFileSync(join(state, "metrics-token.json"), "utf8")).not.toContain(token.slice(4));
    const next = createTokens(key, [], { metrics: keepMetricsDigest(state) });
    expect(next.holderOf(token)).toMatchObject({ kind: "scraper" });
    next.rotate(createAttachKey(), "agents");
    expect(next.holderOf(token)).toMatchObject({ kind: "scraper" });
    const takeBack = next.rotate(createAttachKey(), "all");
    expect(next.holderOf(token)).toBeUndefined();
    expect(keepMetricsDigest(state).read()).toBeUndefined();
    takeBack();
    expect(next.holderOf(token)).toBeUndefined();
  });

  it("are all replaced by a rotation, or those of attached agents alone; and it can be taken back", () => {
    const [key, next, last] = [createAttachKey(), createAttachKey(), createAttachKey()];
    const tokens = createTokens(key, ["claude-code"]);
    const { agent, operator } = tokens;
    const all = [agent, operator, key.token, httpKeyOf(key, "claude-code")];
    const isKnown = (token: string) => tokens.holderOf(token) !== undefined;
    expect(all.map(isKnown)).toEqual([true, true, true, true]);
    const takeBack = tokens.rotate(next, "agents");
    expect(all.map(isKnown)).toEqual([true, true, true, true]);
    // Its agent may not know yet: it has to be told so.
    expect(tokens.holderOf(key.token)).toMatchObject({ seal: key.seal, isReplaced: true });
    expect(tokens.holderOf(httpKeyOf(key, "claude-code"))).toMatchObject({ agent: "claude-code", isReplaced: true });
    expect([next.token, httpKeyOf(next, "claude-code")].map(isKnown)).toEqual([true, true]);
    takeBack();
    expect(all.map(isKnown)).toEqual([true, true, true, true]);
    tokens.rotate(last, "all");
    expect([agent, operator, next.token].map(isKnown)).toEqual([false, false, false]);
    expect(tokens.holderOf(key.token)).toMatchObject({ isReplaced: true });
    expect([tokens.agent, tokens.operator, last.token].map(isKnown)).toEqual([true, true, true]);
  });

  it("that are wrong are counted by the second", () => {
    let now = 0;
    const limit = createLoginLimit(2, () => now);
    expect([limit.failed(), limit.failed(), limit.failed()]).toEqual([false, false, true]);
    now = 1_000;
    expect(limit.failed()).toBe(false);
  });
});

describe("operator.json", () => {
  const file = { instance: "i1", token: "t".repeat(43) };

  it("is its owner's alone under any umask, whole or not there, and removed by who wrote it", () => {
    const state = join(folder(), "state");
    const umask = process.umask(0);
    try {
      writeOperatorFile(state, file);
    } finally {
      process.umask(umask);
    }
    const path = join(state, "operator.json");
    expect([statSync(path).mode & 0o777, statSync(state).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(file);
    expect(readOperatorFile(state)).toEqual({ state: "found", file });
    writeOperatorFile(state, { ...file, instance: "i2" });
    expect(readdirSync(state)).toEqual(["operator.json"]);
    expect([removeOperatorFile(state, "i1"), removeOperatorFile(state, "i2"), removeOperatorFile(state, "i2")]).toEqual([
      false,
      true,
      false,
    ]);
    expect(readOperatorFile(state)).toEqual({ state: "none" });
  });

  it("is not believed when others could have written it, and never quoted", () => {
    const state = join(folder(), "state");
    expect(readOperatorFile(state)).toEqual({ state: "none" });
    writeOperatorFile(state, file);
    const path = join(state, "operator.json");
    chmodSync(path, 0o640);
    expect(readOperatorFile(state)).toMatchObject({ state: "foreign" });
    chmodSync(path, 0o600);
    for (const text of ["", "null", "[]", '{"instance":"i1"}', `{"token":"${file.token}"`, "x".repeat(70_000)]) {
      writeFileSync(path, text);
      expect(readOperatorFile(state)).toMatchObject({ state: "broken", reason: expect.not.stringContaining("tttt") });
    }
    rmSync(path);
    symlinkSync("/dev/null", path);
    expect(readOperatorFile(state)).toMatchObject({ state: "foreign" });
    rmSync(path);
    mkdirSync(path);
    expect(readOperatorFile(state)).toMatchObject({ state: "broken" });
    expect(() => writeOperatorFile(state, file)).toThrow(/cannot be written/);
    rmSync(path, { recursive: true });
    const left = join(state, ".operator.json.0123456789abcdef");
    writeFileSync(left, "left behind");
    utimesSync(left, 0, 0);
    writeOperatorFile(state, file);
    expect(readdirSync(state)).toEqual(["operator.json"]);
    chmodSync(state, 0o777);
    expect(readOperatorFile(state)).toMatchObject({ state: "foreign" });
    expect(() => writeOperatorFile(state, file)).toThrow(expect.objectContaining({ code: "HL_STATE_FOLDER" }));
  });
});

describe("hosts", () => {
  it("on TCP are loopback's names, the configured one, and addresses where it is bound to all", () => {
    const [loopback, named, everywhere, plain] = [
      createTcpHosts("127.0.0.1", 4665),
      createTcpHosts("hub.example", 4665),
      createTcpHosts("0.0.0.0", 4665),
      createTcpHosts("::1", 80),
    ];
    for (const host of ["127.0.0.1:4665", "[::1]:4665", "localhost:4665"]) expect([loopback(host), named(host)]).toEqual([true, true]);
    for (const host of ["", "127.0.0.1", "localhost:80", "hub.example:4665", "10.0.0.1:4665", "x.localhost:4665"])
      expect([host, loopback(host)]).toEqual([host, false]);
    expect([named("hub.example:4665"), named("10.0.0.1:4665")]).toEqual([true, false]);
    expect([everywhere("10.0.0.1:4665"), everywhere("[fe80::1]:4665"), everywhere("evil.example:4665"), everywhere("10.0.0.1:1")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([plain("[::1]"), plain("[::1]:80"), plain("localhost")]).toEqual([true, true, true]);
  });

  it("on TCP are also the dashboard's own, with the port", () => {
    const labels = ["ha.localhost"];
    const isOwn = createTcpHosts("127.0.0.1", 4665, () => labels);
    expect([isOwn("ha.localhost:4665"), isOwn("hb.localhost:4665")]).toEqual([true, false]);
    labels.unshift("hb.localhost");
    for (const host of ["ha.localhost:4665", "hb.localhost:4665", "127.0.0.1:4665"]) expect([host, isOwn(host)]).toEqual([host, true]);
    for (const host of ["hb.localhost", "hb.localhost:80", "x.hb.localhost:4665", "hb.localhost.evil.example:4665", "hb:4665"])
      expect([host, isOwn(host)]).toEqual([host, false]);
    expect(createTcpHosts("127.0.0.1", 80, () => labels)("hb.localhost")).toBe(true);
  });

  it("on a Unix socket are this machine's own names", () => {
    for (const host of ["", "localhost", "hookline", "localhost:80", "127.0.0.1", "127.1.2.3:9", "[::1]:9"])
      expect([host, isSocketHost(host)]).toEqual([host, true]);
    for (const host of ["evil.example", "localhost.evil.example", "10.0.0.1", "127.0.0.1.evil.example"])
      expect([host, isSocketHost(host)]).toEqual([host, false]);
  });
});

describe("the dashboard's name", () => {
  it("cannot be guessed, outlives the hub, is its owner's alone, and is remembered for a while when it is replaced", () => {
    const state = join(folder(), "state");
    const problems: string[] = [];
    const open = () => openDashboardName(state, (text) => void problems.push(text));
    const name = open();
    const [first = ""] = name.all();
    expect(first).toMatch(/^h[a-z2-7]{16}\.localhost$/);
    expect(isLoopback(first)).toBe(true);
    expect(open().all()).toEqual([first]);
    expect(statSync(join(state, "page-name.json")).mode & 0o777).toBe(0o600);
    name.replace();
    expect(name.all()).toEqual([expect.not.stringMatching(first), first]);
    expect(open().all()).toEqual(name.all());
    for (let i = 0; i < 9; i++) name.replace();
    expect([name.all().length, name.all().includes(first)]).toEqual([4, false]);
    const [last] = name.all();
    name.renew();
    expect([name.all().length, name.all()[0] === last, open().all()]).toEqual([1, false, name.all()]);

    for (const text of ["", "null", '"habc"', '["h"]', '["evil.example"]', "[1]"]) {
      writeFileSync(join(state, "page-name.json"), text);
      expect(open().all()).toEqual([expect.stringMatching(/^h[a-z2-7]{16}\.localhost$/)]);
    }
    const [kept] = open().all();
    chmodSync(join(state, "page-name.json"), 0o644);
    expect(open().all()).not.toContain(kept);
    expect(problems).toEqual([]);
  });

  it("changes when another program may have taken over the port, unless a passkey needs it: then the logins end", () => {
    const state = join(folder(), "state");
    const name = openDashboardName(state, () => {});
    const [first = ""] = name.all();
    const moved = { url: "http://127.0.0.1:4665", hasMoved: true, foreign: undefined };
    let ended = 0;
    let passkeyName: string | undefined = first;
    const address = createDashboardAddress(name, { kept: () => passkeyName, endLogins: () => void ended++ });
    address.settle(moved);
    address.replace();
    expect([address.url(), ended, openDashboardName(state, () => {}).all()]).toEqual([`http://${first}:4665`, 1, [first]]);
    passkeyName = "hzzzzzzzzzzzzzzzz.localhost";
    address.settle({ ...moved, hasMoved: false });
    expect([name.all(), ended]).toEqual([[passkeyName, first], 1]);
    for (const [index, change] of [() => address.replace(), () => address.settle(moved)].entries()) {
      passkeyName = undefined;
      const [before] = name.all();
      change();
      expect([index, name.all()[0] === before, ended]).toEqual([index, false, 1]);
    }
  });

  it("and addresses of this machine are loopback, others are not", () => {
    for (const host of ["127.0.0.1", "::1", "[::1]", "::ffff:127.0.0.1", "localhost", "habc.localhost"])
      expect([host, isLoopback(host)]).toEqual([host, true]);
    for (const host of ["10.0.0.1", "localhost.evil.example", "a.b.localhost.evil", "::2", "xlocalhost"])
      expect([host, isLoopback(host)]).toEqual([host, false]);
  });
});
