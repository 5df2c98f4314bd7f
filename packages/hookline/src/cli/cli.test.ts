import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HubFile } from "@hookline/core/internal/machine";
import { encodeEnvelope } from "@hookline/core/sinks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedNodes } from "../../../../test/package/built.js";
import { createCliHome } from "../../../../test/support/cli-home.js";
import { sampleEnvelope } from "../../../../test/support/sample-envelope.js";

// Real processes of the built command line, around one hub.
const home = createCliHome();
const guard = `export function handle(event) {
  if (event.payload.tool?.input?.command?.includes("drop table")) return { block: true, reason: "not here" };
}`;
const tool = (command: string) => JSON.stringify({ tool: { name: "bash", input: { command } } });
const hubFile = () => JSON.parse(readFileSync(join(home.state, "hub.json"), "utf8")) as HubFile;
const hasSix = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));
const effects = `
[[rule]]
name = "tests-first"
event = "tool:before"
match = "tool.input.command == 'git commit'"
do = "remind"
message = "Run the tests."
[[rule]]
name = "style"
event = "tool:before"
match = "tool.input.command == 'git commit'"
do = "inject"
message = "Imperative mood."
`;
let config = "";

const up = () => home.run("up", "--detach", "--port", "0", "--config", config);
beforeAll(async () => {
  home.write("guard.mjs", guard);
  config = home.write("hub.toml", `[[hook]]\nevent = "tool:before"\nmodule = "./guard.mjs"\nname = "no-rm"\n${effects}`);
  expect(await up()).toMatchObject({ code: 0 });
});
afterAll(() => home.close());

describe("up and status", () => {
  it("prints the address alone on stdout, and a second one says where the first is", async () => {
    const again = await home.run("up", "--detach", "--data", "elsewhere");
    expect(again).toMatchObject({ code: 0, out: `${hubFile().url}\n`, err: expect.stringContaining("already up") });
    expect(again.err).toContain("--data had no effect");
    expect(existsSync(join(home.folder, "elsewhere"))).toBe(false);
    expect(statSync(join(home.state, "hub.log")).mode & 0o777).toBe(0o600);
  });

  it("says how the hub is", async () => {
    const { code, out } = await home.run("status", "--json");
    expect([code, JSON.parse(out)]).toEqual([
      0,
      expect.objectContaining({ running: true, pid: hubFile().pid, url: hubFile().url, disk: "ok" }),
    ]);
    const { url, line, http } = hubFile();
    const text = (await home.run("status")).out;
    expect(text).toMatch(/^hub +running, version .*\n(.*\n)*events +\d/);
    for (const address of [url, line, http]) expect(text).toContain(address);
    const { port } = new URL(url);
    expect(JSON.parse(out).urls).toEqual([url, ...(hasSix ? [`http://[::1]:${port}`] : [])]);
    // The long way, through the parser, says the same.
    expect(JSON.parse((await home.run("status", "--json", "--json")).out)).toMatchObject({ running: true });
  });

  it("runs in front until it is told to stop, and says why it cannot start", async () => {
    const other = createCliHome();
    try {
      const front = other.start("up", "--port", "0");
      await expect.poll(() => front.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
      front.child.kill("SIGTERM");
      expect(await front.ended).toMatchObject({ code: 0, err: expect.stringContaining("The hub has stopped") });
      const taken = new URL(hubFile().url).port;
      const refused = await other.run("up", "--detach", "--port", taken);
      expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining(taken) });
      expect(refused.err).not.toMatch(/^ {4}at /m);
    } finally {
      await other.close();
    }
  });
});

describe("emit", () => {
  it("sends an event from the command line, a file or stdin, without its secrets", async () => {
    const file = home.write("payload.json", '{"from":"file"}');
    const ids = [
      await home.run("emit", "myapp:one", "--payload", '{"from":"line","password":"hunter2hunter2"}', "--session", "emitted"),
      await home.run("emit", "myapp:one", "--payload", `@${file}`, "--session", "emitted"),
      await home.runWith({ input: '{"from":"stdin"}' }, "emit", "myapp:one", "--payload", "-", "--session", "emitted"),
    ].map(({ out }) => out.trim());
    const { out } = await home.run("tail", "--session", "emitted", "--no-follow", "--json");
    const events = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ id, payload }) => [id, payload.from])).toEqual([
      [ids[0], "line"],
      [ids[1], "file"],
      [ids[2], "stdin"],
    ]);
    expect(out).not.toContain("hunter2");
  });

  it("refuses a payload that is not an object", async () => {
    const payloads = ["", "-", "{", "[]", "null", "@/no/such/file", "@", "@/dev/zero"];
    const answers = await Promise.all(payloads.map((payload) => home.run("emit", "myapp:one", "--payload", payload)));
    for (const answer of answers) expect(answer).toMatchObject({ code: 2, out: "", err: expect.stringContaining("payload") });
  });

  it("asks the hub's guards, and its exit code is their answer", async () => {
    expect(await home.run("emit", "PreToolUse", "--decide", "--payload", tool("ls"))).toMatchObject({ code: 0, out: "pass\n" });
    const denied = await home.run("emit", "tool:before", "--decide", "--payload", tool("drop table events"));
    expect(denied).toMatchObject({ code: 3, out: expect.stringContaining("not here") });
    expect(await home.run("emit", "session:end", "--decide")).toMatchObject({ code: 2, err: expect.stringContaining("not a gate") });
  });
});

describe("emit --decide", () => {
  it("shows what the model is told besides", async () => {
    const asked = ["emit", "tool:before", "--decide", "--payload", tool("git commit")];
    expect(await home.run(...asked)).toMatchObject({
      code: 0,
      out: "pass\ninject  Imperative mood.\nremind  tests-first  Run the tests.\n",
    });
    expect(JSON.parse((await home.run(...asked, "--json")).out)).toMatchObject({
      injections: ["Imperative mood."],
      reminders: [{ by: "tests-first", spec: { body: "Run the tests." } }],
    });
  });
});

describe("demo, tail, sessions and show", () => {
  it("plays a session that can be looked at", async () => {
    const demo = await home.run("demo", "--fast");
    expect(demo).toMatchObject({
      code: 0,
      out: expect.stringContaining("=> blocked by"),
      err: expect.stringMatching(/The hub has (\d+) of \1 events/),
    });
    for (const fate of ["rewritten and allowed", "allowed by Ann", "A subagent starts"]) expect(demo.out).toContain(fate);

    const [, session = ""] = /session (demo-\w+)/.exec(demo.err) ?? [];
    const denied = await home.run("tail", "--no-follow", "--session", session, "--decision", "deny", "--format", "logfmt");
    expect(denied).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^time=\S+ id=\S+ event=tool:before app=demo-agent .* rewritten=true detail="bash rm -rf build"\n$/),
    });
    expect((await home.run("sessions")).out).toMatch(new RegExp(`^${session}- +– +demo-agent +– +– +7 +1 `, "m"));

    const [, id = ""] = /id=(\S+)/.exec(denied.out) ?? [];
    const shown = await home.run("show", id);
    expect(shown).toMatchObject({ code: 0, err: "" });
    for (const text of [id, session, "by no-rm", '"command": "rm -rf build"']) expect(shown.out).toContain(text);
    expect(shown.out).toMatch(/^ {2}safe-install +guard +guard +0 +no-match .* its match does not cover this payload$/m);
    expect(shown.out).toMatch(/^ {2}no-rm +guard +guard +1 +deny .* rm -rf is not for agents$/m);
    expect(await home.run("show", "nothing")).toMatchObject({ code: 1, err: expect.stringContaining("Run: hookline tail") });
  });

  it("runs without a hub as well, and says so", async () => {
    const away = { XDG_STATE_HOME: join(home.folder, "away"), XDG_RUNTIME_DIR: "" };
    expect(await home.runWith({ env: away }, "demo", "--fast")).toMatchObject({
      code: 0,
      err: expect.stringContaining("No hub is running"),
    });
    expect(await home.runWith({ env: { HOOKLINE_FORWARD: "off" } }, "demo", "--fast")).toMatchObject({
      code: 0,
      err: expect.stringContaining("unset HOOKLINE_FORWARD"),
    });
    expect(await home.runWith({ env: { HOOKLINE: "off" } }, "demo", "--fast")).toMatchObject({
      code: 0,
      err: expect.stringMatching(/HL_OFF.*unset HOOKLINE\n/s),
    });
  });

  it("colours only where it is told to, and shows hostile text without obeying it", async () => {
    const payload = JSON.stringify({ message: "\u001b]52;c;x\u0007\u001b[2J\u202egnp \u009b31m" });
    await home.run("emit", "myapp:evil", "--payload", payload, "--source", "evil");
    for (const format of ["human", "json", "logfmt"]) {
      const { out } = await home.run("tail", "--no-follow", "--source", "evil", "--format", format);
      expect(out).toContain("myapp:evil");
      expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    const coloured = await home.runWith({ env: { FORCE_COLOR: "1" } }, "tail", "--no-follow", "-n", "1");
    expect(coloured.out).toContain("\u001b[36m");
    expect((await home.runWith({ env: { NO_COLOR: "1" } }, "tail", "--no-follow", "-n", "1")).out).not.toContain("\u001b");
  });

  it("ends quietly when the reader closes the pipe", async () => {
    const tail = home.start("tail", "-n", "50");
    await new Promise((resolve) => tail.child.stdout?.once("data", resolve));
    tail.child.stdout?.destroy();
    await home.run("emit", "myapp:pipe");
    await home.run("emit", "myapp:pipe");
    expect(await tail.ended).toMatchObject({ code: 0, err: "" });
  });

  it("says what is wrong with a filter", async () => {
    expect(await home.run("tail", "--event", "tool:befor")).toMatchObject({ code: 2, err: expect.stringContaining('"tool:before"') });
  });
});

describe("a hub that goes and comes back", () => {
  it("is waited for by tail, without a gap and without a duplicate", async () => {
    const tail = home.start("tail", "--json", "--event", "again:*", "-n", "0");
    const seen = () =>
      tail.out
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => (JSON.parse(line) as { event: string }).event);
    const emit = async (event: string) => expect(await home.run("emit", event)).toMatchObject({ code: 0 });
    await expect
      .poll(() => home.run("status", "--json").then(() => home.run("emit", "again:0").then(seen)), { timeout: 60_000 })
      .toContain("again:0");
    const before = seen().length;
    expect(await home.run("down")).toMatchObject({ code: 0 });
    expect(await home.run("status")).toMatchObject({ code: 4 });
    await expect.poll(() => tail.err).toContain("The hub has stopped");
    expect(await up()).toMatchObject({ code: 0 });
    await emit("again:1");
    process.kill(hubFile().pid, "SIGKILL");
    await expect.poll(async () => (await home.run("status")).err).toContain("was left behind");
    expect(await up()).toMatchObject({ code: 0 });
    await emit("again:2");
    await expect.poll(seen).toContain("again:2");
    expect(
      seen()
        .slice(before)
        .filter((event) => event !== "again:0"),
    ).toEqual(["again:1", "again:2"]);
    tail.child.kill();
    await tail.ended;
  });

  it("gives new tokens, and the command line goes on", async () => {
    const { token } = hubFile();
    expect(await home.run("token", "rotate")).toMatchObject({ code: 0 });
    expect(hubFile().token).not.toBe(token);
    expect(await home.run("emit", "myapp:rotated")).toMatchObject({ code: 0 });
  });
});

describe("doctor", () => {
  const examine = async () => {
    const { code, out, err } = await home.run("doctor", "--json");
    const { checks } = JSON.parse(out) as { checks: { id: string; state: string; fix: string; detail: string }[] };
    return { code, checks, text: out + err, bad: checks.filter(({ state }) => state === "fail").map(({ id }) => id) };
  };

  it("finds nothing wrong with a good hub, has a command for everything, and shows no token", async () => {
    const { code, checks, text, bad } = await examine();
    expect([code, bad]).toEqual([0, []]);
    expect(checks.length).toBeGreaterThanOrEqual(15);
    expect(checks.filter(({ fix }) => fix === "")).toEqual([]);
    expect(checks.filter(({ state }) => state === "ok").length).toBeGreaterThanOrEqual(20);
    const { token } = JSON.parse(readFileSync(join(home.state, "operator.json"), "utf8")) as { token: string };
    for (const secret of [token, hubFile().token]) expect(text + (await home.run("doctor")).out).not.toContain(secret);
  });

  it("finds what is wrong with files, and its command fixes it", async () => {
    const operator = join(home.state, "operator.json");
    chmodSync(operator, 0o644);
    const open = await examine();
    expect([open.code, open.bad]).toEqual([1, ["operator-file"]]);
    expect(open.checks.find(({ id }) => id === "operator-file")?.fix).toMatch(/^chmod 600 /);
    chmodSync(operator, 0o600);

    const folderless = join(home.state, ".hub.json.0123456789abcdef");
    writeFileSync(folderless, "");
    utimesSync(folderless, 0, 0);
    writeFileSync(join(home.state, "spool", "x.1.1.ndjson.bad"), "");
    const warned = async () => (await examine()).checks.filter(({ state }) => state === "warn").map(({ id }) => id);
    // The mode that was loosened is an alarm.
    await expect.poll(warned).toEqual(["spool-bad", "leftovers", "alarms"]);
    rmSync(folderless);
  });

  it("tells a broken, an open and a foreign hub.json apart", async () => {
    const broken = createCliHome();
    try {
      await broken.run("up", "--detach", "--port", "0");
      await broken.run("down");
      const path = join(broken.state, "hub.json");
      writeFileSync(path, "{", { mode: 0o600 });
      expect(await broken.run("status")).toMatchObject({
        code: 4,
        err: expect.stringMatching(/is ignored: .*\nRun: hookline doctor/),
      });
      chmodSync(path, 0o644);
      expect(await broken.run("status")).toMatchObject({ code: 4, err: expect.stringContaining("chmod 600") });
      chmodSync(broken.state, 0o755);
      expect(await broken.run("status")).toMatchObject({ code: 4, err: expect.stringContaining("chmod 700") });
      const { code, out } = await broken.run("doctor");
      expect([code, out]).toEqual([1, expect.stringContaining("run: chmod 700")]);
      chmodSync(broken.state, 0o700);
    } finally {
      await broken.close();
    }
  });
});

describe("an old Node", () => {
  it("is told so in a sentence", async ({ skip }) => {
    const versions = await Promise.all(installedNodes().map(async (node) => ({ node, ...(await home.runWith({ node }, "--version")) })));
    const old = versions.find(({ code }) => code !== 0);
    if (old === undefined) return skip("no Node before 22.23 on the PATH");
    expect(old).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/^hookline needs Node 22\.23 or later, and this is /) });
    // The program itself takes the Node that came along as a package, and passes on how that ended.
    const bin = fileURLToPath(new URL("../../bin/hookline.js", import.meta.url));
    const started = (...args: readonly string[]) => spawnSync(old.node, [bin, ...args], { env: home.env, encoding: "utf8" });
    expect(started("--version")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(started("rules", "lits")).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean "list"?') });
  });
});

describe("redeliver", () => {
  it("lists, sends and keeps dead letters", async () => {
    const letters = ["one", "two"].map(
      (cause) =>
        `{"at":"2026-01-01T00:00:00.000Z","url":"https://example.com","cause":"${cause}","envelopes":[${encodeEnvelope(sampleEnvelope())}]}`,
    );
    const file = home.write("dead.ndjson", `${letters.join("\n")}\nrubbish\n`);
    expect(await home.run("redeliver", file, "--dry-run")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ one\n.* two\n/),
      err: expect.stringContaining("2 letters, 1 malformed line"),
    });
    expect(await home.run("redeliver", file)).toMatchObject({ code: 2, err: expect.stringContaining("--url") });
    const got: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      got.push(request.headers["webhook-signature"] as string | undefined);
      request.resume().on("end", () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const secret = { HOOKLINE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}` };
    const sent = await home.runWith({ env: secret }, "redeliver", file, "--url", url);
    server.close();
    expect(sent).toMatchObject({ code: 1, err: expect.stringContaining("2 letters delivered, 0 kept, 1 malformed") });
    expect(got).toEqual([expect.stringMatching(/^v1,/), expect.stringMatching(/^v1,/)]);
    expect(await home.run("redeliver", file, "--url", url)).toMatchObject({ code: 1 });
    expect(await home.run("redeliver", join(home.folder, "none"), "--url", url)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no file"),
    });
  });
});
