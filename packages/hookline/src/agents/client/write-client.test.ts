import { spawn, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  type ClientBench,
  clientBench,
  DAMAGED,
  DENIAL,
  httpHub,
  interpreters,
  playClient,
  rawHub,
  replyingHub,
  SEAL,
  sealedReply,
  TOKEN,
} from "../../../../../test/support/agent-client.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { isThorough } from "../../../../../test/support/thorough.js";
import type { HookReply } from "../shared/definition.js";
import { encodeKey } from "./key-file.js";
import { collectMisses, readMisses } from "./misses.js";
import { encodeReply, KEEPALIVE, NONCE_HEADER, REPLY_TYPE } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";
import { type Interpreter, writeClient } from "./write-client.js";

// One table for all clients: each must do the same.
vi.setConfig({ testTimeout: 180_000 });

const PASS: HookReply = { stdout: "", stderr: "", exitCode: 0 };
const passed = { ...PASS, signal: null };
const denied = { ...DENIAL, signal: null };
const damaged = { stdout: "", stderr: expect.stringContaining(DAMAGED), exitCode: 2, signal: null };
const isRoot = process.getuid?.() === 0;
/** Another user, where the tests may give files away. */
const STRANGER = 54_321;

interface Failure {
  readonly name: string;
  readonly reason: RegExp;
  readonly arrange: (bench: ClientBench) => Promise<void> | void;
  readonly gives?: { readonly silenceMs?: number; readonly agentTimeoutMs?: number };
}

/** Answers with what the hub would say, changed. */
function answering(name: string, reason: RegExp, change: (whole: string, asked: IncomingMessage) => string | Buffer): Failure {
  return {
    name,
    reason,
    arrange: ({ socket }) =>
      httpHub(socket, (asked, answer) => void ok(answer).end(change(sealedReply(asked, PASS).toString("latin1"), asked))),
  };
}

function talking(name: string, reason: RegExp, text: string): Failure {
  return { name, reason, arrange: ({ socket }) => rawHub(socket, (peer) => peer.once("data", () => peer.end(text))) };
}

/** A hub that would allow, with one thing wrong around it. */
function misplaced(name: string, reason: RegExp, spoil: (bench: ClientBench) => void): Failure {
  return {
    name,
    reason,
    arrange: async (bench) => {
      await replyingHub(bench.socket, PASS);
      spoil(bench);
    },
  };
}

const failures: Failure[] = [
  { name: "no hub", reason: /^connect$/, arrange: () => {} },
  { name: "a file in place of the socket", reason: /^connect$/, arrange: ({ socket }) => writeFileSync(socket, "") },
  { name: "a hub that hangs up", reason: /^(broken|connect)$/, arrange: ({ socket }) => rawHub(socket, (peer) => peer.destroy()) },
  { name: "a frozen hub", reason: /^time$/, arrange: ({ socket }) => rawHub(socket, () => {}), gives: { silenceMs: 1000 } },
  {
    name: "a hub that freezes while it holds the call",
    reason: /^time$/,
    arrange: ({ socket }) => httpHub(socket, (_, answer) => void ok(answer).write(KEEPALIVE)),
    gives: { silenceMs: 1000 },
  },
  {
    name: "a hub that holds the call for too long",
    reason: /^time$/,
    arrange: ({ socket }) =>
      httpHub(socket, (_, answer) => {
        const timer = setInterval(() => answer.write(KEEPALIVE), 200);
        answer.on("close", () => clearInterval(timer));
        ok(answer);
      }),
    gives: { agentTimeoutMs: 2000 },
  },
  {
    name: "a 500, even with a valid MAC",
    reason: /^status$/,
    arrange: ({ socket }) => httpHub(socket, (asked, answer) => void answer.writeHead(500).end(sealedReply(asked, PASS))),
  },
  {
    name: "a redirect",
    reason: /^answer$/,
    arrange: ({ socket }) => httpHub(socket, (_, answer) => void answer.writeHead(302, { location: "http://hookline/" }).end("x")),
  },
  answering("a stranger that says 200", /^answer$/, () => '{"decision":"allow"}'),
  answering("nothing at all", /^answer$/, () => ""),
  answering("a MAC with another seal", /^seal$/, (_, asked) => sealedReply(asked, PASS, "another_seal-0123456789")),
  answering("the seal itself, as older hubs sent it", /^(answer|seal)$/, () => encodeReply(SEAL, PASS)),
  answering("the answer to another nonce", /^seal$/, () =>
    encodeReply(SEAL, PASS, { nonce: "0".repeat(32), agent: "claude-code", native: "PreToolUse" }),
  ),
  answering("the answer to another event", /^seal$/, (_, { headers }) =>
    encodeReply(SEAL, PASS, { nonce: String(headers[NONCE_HEADER]), agent: "claude-code", native: "PostToolUse" }),
  ),
  answering("the answer for another agent", /^seal$/, (_, { headers }) =>
    encodeReply(SEAL, PASS, { nonce: String(headers[NONCE_HEADER]), agent: "codex", native: "PreToolUse" }),
  ),
  {
    name: "an answer that was given before",
    reason: /^seal$/,
    arrange: async (bench) => {
      let recorded: Buffer | undefined;
      await httpHub(bench.socket, (asked, answer) => {
        recorded ??= sealedReply(asked, PASS);
        ok(answer).end(recorded);
      });
      expect(await playClient(bench)).toEqual(passed);
    },
  },
  answering("another body with the same MAC", /^seal$/, (whole) => whole.replace(" 0 0 0\u001f", " 0 2 0\u001f{}")),
  answering("another exit code with the same MAC", /^seal$/, (whole) => whole.replace(" 0 0 0", " 1 0 0")),
  answering("no MAC", /^(answer|seal)$/, (whole) => whole.replace(/[0-9a-f]{64}/, "")),
  answering("a pattern for a MAC", /^(answer|seal)$/, (whole) => whole.replace(/[0-9a-f]{64}/, "*")),
  answering("half an answer", /^answer$/, (whole) => whole.slice(0, -6)),
  answering("an answer of another length", /^answer$/, (whole) => whole.replace(" 0 0 0", " 0 1 0")),
  answering("an invalid exit code", /^answer$/, (whole) => whole.replace(" 0 0 0", " 256 0 0")),
  answering("an exit code that is a word", /^answer$/, (whole) => whole.replace(" 0 0 0", " $(x) 0 0")),
  answering("text before the answer", /^answer$/, (whole) => `warning\n${whole}`),
  answering("text after the answer", /^answer$/, (whole) => `${whole}more`),
  answering("zeros", /^answer$/, () => Buffer.alloc(5000)),
  answering("blank lines only", /^answer$/, () => "\n".repeat(1_000_000)),
  answering("separators only", /^answer$/, () => "\u001f".repeat(100_000)),
  {
    name: "an oversize answer",
    reason: /^size$/,
    arrange: ({ socket }) =>
      httpHub(socket, (_, answer) => {
        answer.writeHead(200, { "content-length": MAX_REPLY_BYTES + 1 }).end(Buffer.alloc(MAX_REPLY_BYTES + 1, "x"));
      }),
  },
  {
    name: "an oversize answer of unknown length",
    reason: /^size$/,
    arrange: ({ socket }) =>
      httpHub(socket, (_, answer) => {
        ok(answer).write(Buffer.alloc(MAX_REPLY_BYTES, "x"));
        answer.end("xx");
      }),
  },
  talking("no HTTP", /^broken$/, "hello\n"),
  talking("an answer cut off", /^(answer|broken)$/, "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhookline"),
  talking("a chunk cut off", /^(answer|broken)$/, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\nhook"),
  misplaced("no key", /^key$/, ({ folder }) => rmSync(join(folder, "key"))),
  misplaced("an empty key", /^key$/, ({ folder }) => writeFileSync(join(folder, "key"), "")),
  misplaced("a key without a seal", /^key$/, ({ folder }) => writeFileSync(join(folder, "key"), "# \n")),
  misplaced("a key that is something else", /^key$/, ({ folder }) => writeFileSync(join(folder, "key"), "{}\n")),
  misplaced("a key with another option of curl", /^key$/, ({ folder }) =>
    writeFileSync(join(folder, "key"), `${encodeKey({ token: TOKEN, seal: SEAL })}output = "/dev/null"\n`),
  ),
  misplaced("a key with another seal", /^seal$/, ({ folder }) =>
    writeFileSync(join(folder, "key"), encodeKey({ token: TOKEN, seal: "another_seal-0123456789" })),
  ),
  misplaced("a folder for a key", /^key$/, ({ folder }) => {
    rmSync(join(folder, "key"));
    mkdirSync(join(folder, "key"));
  }),
  misplaced("a link for a key", /^key$/, ({ folder }) => {
    renameSync(join(folder, "key"), join(folder, "real"));
    symlinkSync("real", join(folder, "key"));
  }),
  misplaced("a key that others can read", /^key$/, ({ folder }) => chmodSync(join(folder, "key"), 0o644)),
  misplaced("a folder that others can write", /^key$/, ({ folder }) => chmodSync(folder, 0o770)),
  misplaced("a socket that others can write", /^socket$/, ({ socket }) => chmodSync(socket, 0o666)),
  misplaced("a socket in a folder that others can write", /^socket$/, ({ socket }) => chmodSync(dirname(socket), 0o777)),
  ...(isRoot
    ? [
        misplaced("another user's key", /^key$/, ({ folder }) => chownSync(join(folder, "key"), STRANGER, STRANGER)),
        misplaced("another user's folder", /^key$/, ({ folder }) => chownSync(folder, STRANGER, STRANGER)),
        misplaced("another user's socket", /^socket$/, ({ socket }) => chownSync(socket, STRANGER, STRANGER)),
      ]
    : []),
];

// dash and bash run the same script. Both of them take half a minute more.
const names = Object.keys(interpreters).filter((name) => isThorough || name !== "bash" || !("dash" in interpreters));

describe("an event after which the agent hears nothing", () => {
  const event = "SessionEnd";
  const PATIENT = { timeout: 60_000 };

  it("does not hold the agent: the client ends when the hub has the event, and the answer is still checked", async () => {
    const bench = clientBench({ unheard: [event] });
    const held: { readonly asked: IncomingMessage; readonly answer: ServerResponse }[] = [];
    await httpHub(bench.socket, (asked, answer) => void held.push({ asked, answer }));
    const input = JSON.stringify({ text: "é".repeat(500_000) });
    // The hub has not answered, and the client has ended.
    expect(await playClient(bench, { event, input: "{}" })).toEqual(passed);
    const large = playClient(bench, { event, input });
    await expect.poll(() => held.length, PATIENT).toBe(2);
    for (const [at, sent] of ["{}", input].entries()) {
      const { asked, answer } = held[at] as (typeof held)[number];
      expect((await bodyOf(asked)) === sent).toBe(true);
      ok(answer).end(at === 0 ? sealedReply(asked, PASS) : sealedReply(asked, PASS, "another_seal-0123456789"));
    }
    expect(await large).toEqual(passed);
    await expect.poll(() => readMisses(bench.folder), PATIENT).toMatchObject([{ event, reason: "seal" }]);
  });

  it("counts a hub that ends before it answers", async () => {
    const bench = clientBench({ unheard: [event] });
    const peers: Socket[] = [];
    await rawHub(bench.socket, (peer) => void peers.push(peer));
    expect(await playClient(bench, { event })).toEqual(passed);
    await expect.poll(() => peers.length, PATIENT).toBe(1);
    for (const peer of peers) peer.destroy();
    await expect.poll(() => readMisses(bench.folder), PATIENT).toMatchObject([{ event, reason: "broken" }]);
  });
});

describe.each(names)("the client by %s", (name) => {
  const interpreter = interpreters[name] as (typeof interpreters)[string];

  it("brings the event to the hub and its answer to the agent, to the byte", async () => {
    const bench = clientBench({ interpreter });
    const seen: unknown[] = [];
    const reply = { stdout: '{"a":"é\u007f\u0001 $(x) %s \\\\"}\n\n', stderr: "\n two\nlines \u{1f41f}\n", exitCode: 2 };
    await httpHub(bench.socket, async (asked, answer) => {
      const { method, url, headers } = asked;
      seen.push(method, url, headers.authorization, headers["content-type"], headers.expect, await bodyOf(asked));
      ok(answer).end(sealedReply(asked, reply));
    });
    const input = '{"tool_input":{"command":"echo \\u0000 é"}}\n';
    expect(await playClient(bench, { input })).toEqual({ ...reply, signal: null });
    expect(seen).toEqual(["POST", "/api/agents/claude-code/PreToolUse", `Bearer ${TOKEN}`, "application/json", undefined, input]);
    expect(readMisses(bench.folder)).toEqual([]);
  });

  it("asks and denies whatever the environment says", async () => {
    const home = testFolder();
    writeFileSync(join(home, ".curlrc"), `output = "${join(home, "stolen")}"\nproxy = "http://127.0.0.1:1"\n`);
    writeFileSync(join(home, "start"), "exit 0\n");
    const proxy = "http://127.0.0.1:1";
    const env = {
      ...{ HOOKLINE: "0", HOOKLINE_FORWARD: "0", HOME: home, CURL_HOME: home, http_proxy: proxy, ALL_PROXY: proxy, PATH: "" },
      ...{ IFS: "e", LC_ALL: "C.UTF-8", out: "x", gate: "1", ENV: join(home, "start"), PERL5OPT: "-Mnothing", PERL5LIB: home },
      ...{ NODE_OPTIONS: "--require /nowhere", "BASH_FUNC_sh%%": "() { exit 0; }", "BASH_FUNC_exit%%": "() { :; }" },
    };
    for (const isStrict of [true, false]) {
      const bench = clientBench({ interpreter, isStrict });
      await replyingHub(bench.socket, DENIAL);
      expect(await playClient(bench, { env })).toEqual(denied);
      expect(await playClient(bench, { env, shell: ["/bin/bash", "-c"] })).toEqual(denied);
      // Bash as /bin/sh waits for the client itself: functions must not replace the words that it uses.
      const functions = { "BASH_FUNC_trap%%": "() { builtin exit 0; }", "BASH_FUNC_exec%%": "() { builtin exit 0; }" };
      const { sh = "" } = (interpreters.bash ?? {}) as { readonly sh?: string };
      expect(await playClient(bench, { env: { ...env, ...functions }, shell: [sh, "-c"] })).toEqual(denied);
      rmSync(bench.socket);
      expect(await playClient(bench, { env, shell: ["/bin/bash", "-c"] })).toEqual(isStrict ? denied : passed);
      rmSync(bench.script);
      const lost = await playClient(bench, { env: { ...env, ...functions }, shell: [sh, "-c"] });
      expect(lost).toMatchObject(isStrict ? damaged : { stdout: "", exitCode: 0 });
    }
  });

  it("waits while a person decides", async () => {
    const bench = clientBench({ interpreter, silenceMs: 3000 });
    await httpHub(bench.socket, (asked, answer) => {
      ok(answer);
      let held = 0;
      const timer = setInterval(() => {
        if (++held < 6) answer.write(KEEPALIVE);
        else answer.end(sealedReply(asked, { stdout: "yes", stderr: "", exitCode: 0 }));
      }, 400);
      answer.on("close", () => clearInterval(timer));
    });
    expect(await playClient(bench)).toEqual({ ...passed, stdout: "yes" });
  });

  it("carries 10 MB there, and back", async () => {
    const bench = clientBench({ interpreter });
    const input = JSON.stringify({ text: "é".repeat(5_000_000) });
    await httpHub(bench.socket, async (asked, answer) => {
      ok(answer).end(sealedReply(asked, { stdout: await bodyOf(asked), stderr: "", exitCode: 0 }));
    });
    const said = await playClient(bench, { input });
    expect(said.stdout === input).toBe(true);
    expect(said.exitCode).toBe(0);
  });

  it("asks about more than it can carry, too", async () => {
    const bench = clientBench({ interpreter, isStrict: false, silenceMs: 20_000 });
    let bytes = 0;
    await httpHub(bench.socket, async (asked, answer) => {
      for await (const part of asked) bytes += (part as Buffer).length;
      ok(answer).end(sealedReply(asked, DENIAL));
    });
    expect(await playClient(bench, { input: Buffer.alloc(40 * 1024 * 1024, "x") })).toEqual(denied);
    expect(bytes).toBeGreaterThan(32 * 1024 * 1024);
  });

  it("accepts replies of every length around a block of the hash", async () => {
    const bench = clientBench({ interpreter });
    let length = 0;
    await httpHub(bench.socket, (asked, answer) => void ok(answer).end(sealedReply(asked, { ...PASS, stdout: "x".repeat(length) })));
    for (const one of [0, 1, 19, 20, 21, 52, 53, 54, 55, 63, 64, 65, 119, 1_100, 1_300, 8_000, 9_000]) {
      length = one;
      expect((await playClient(bench)).stdout.length).toBe(one);
    }
    expect(readMisses(bench.folder)).toEqual([]);
  });

  it("denies a rewrite that would come after other text of the agent's shell", async () => {
    const folder = testFolder();
    const [noisy, quiet] = [join(folder, "noisy"), join(folder, "quiet")];
    writeFileSync(noisy, "echo hello\n");
    writeFileSync(quiet, "A=1\n");
    const shell = ["/bin/bash", "--norc", "--noprofile", "-c"];
    for (const isStrict of [true, false]) {
      const bench = clientBench({ interpreter, isStrict, shell });
      const rewrite = { ...PASS, stdout: '{"modifiedArgs":{"command":"ls"}}' };
      await replyingHub(bench.socket, rewrite);
      expect(await playClient(bench, { shell })).toEqual({ ...rewrite, signal: null });
      expect(await playClient(bench, { shell, env: { BASH_ENV: quiet } })).toEqual({ ...rewrite, signal: null });
      const said = await playClient(bench, { shell, env: { BASH_ENV: noisy } });
      expect(said).toMatchObject({ stdout: "hello\n", exitCode: 2, stderr: expect.stringContaining("would run the original") });
    }
  });

  it("prints nothing on an event that cannot be blocked", async () => {
    const bench = clientBench({ interpreter });
    expect(await playClient(bench, { event: "SessionEnd" })).toEqual(passed);
    expect(await playClient(bench, { event: "../../x" })).toEqual(passed);
    expect(readMisses(bench.folder).map(({ event, reason }) => `${event} ${reason}`)).toEqual(["SessionEnd connect", "- event"]);
  });

  it("denies when stdin, stdout or stderr is closed, by its exit code if it must", async () => {
    const bench = clientBench({ interpreter });
    const loose = clientBench({ interpreter, isStrict: false });
    for (const { socket } of [bench, loose])
      await httpHub(socket, async (asked, answer) => {
        // The hub denies an empty call.
        ok(answer).end(sealedReply(asked, (await bodyOf(asked)) === "" ? DENIAL : { stdout: "{}", stderr: "", exitCode: 0 }));
      });
    expect((await playClient(bench, { wrapped: (command) => `{ ${command}\n} <&-` })).exitCode).toBe(2);
    for (const wrapped of [(command: string) => `{ ${command}\n} >&-`, (command: string) => `{ ${command}\n} >/dev/full`]) {
      expect(await playClient(bench, { wrapped })).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/./) });
      // Also a rewrite that does not arrive: the agent would run the original.
      if (wrapped("").includes("full")) expect((await playClient(loose, { wrapped })).exitCode).toBe(2);
    }
    expect(await playClient(bench, { wrapped: (command) => `{ ${command}\n} 2>&-` })).toMatchObject({ exitCode: 0, stdout: "{}" });
    rmSync(bench.socket);
    expect((await playClient(bench, { wrapped: (command) => `{ ${command}\n} 2>&-` })).exitCode).toBe(2);
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("ends in a deny after %s, with the code that blocks", async (kill) => {
    const bench = clientBench({ interpreter });
    const arrived = signal();
    await httpHub(bench.socket, (_, answer) => {
      ok(answer).write(KEEPALIVE);
      arrived.resolve();
    });
    const child = spawn("/bin/sh", ["-c", bench.command("PreToolUse")], { detached: true, stdio: "pipe" });
    const heard: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => heard.push(part));
    child.stdin.end("{}");
    await arrived.promise;
    process.kill(-(child.pid ?? 0), kill);
    expect(await once(child, "close")).toEqual([2, null]);
    expect(Buffer.concat(heard).toString()).toBe(DENIAL.stdout);
  });

  // A shell that waits for curl notices nothing.
  it.runIf(interpreter.kind !== "sh")("stops asking when its agent is gone", async () => {
    const bench = clientBench({ interpreter });
    const asked = signal();
    const gone = signal();
    await httpHub(bench.socket, (_, answer) => {
      ok(answer);
      const timer = setInterval(() => answer.write(KEEPALIVE), 300);
      answer.on("close", () => {
        clearInterval(timer);
        gone.resolve();
      });
      asked.resolve();
    });
    const child = spawn("/bin/sh", ["-c", bench.command("PreToolUse")], { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end("{}");
    await asked.promise;
    child.kill("SIGKILL");
    await gone.promise;
  });

  it("uses the key's socket if it is an expected one, and no other", async () => {
    const other = join(testFolder(), 'the "other".sock');
    const stranger = join(testFolder(), "stranger.sock");
    const bench = clientBench({ interpreter });
    const both = clientBench({ interpreter, sockets: [bench.socket, other] });
    for (const [socket, stdout] of [
      [other, "other"],
      [bench.socket, "usual"],
      [stranger, "stranger"],
    ] as const)
      await replyingHub(socket, { ...PASS, stdout });
    const name = ({ folder }: ClientBench, socket: string) =>
      writeFileSync(join(folder, "key"), encodeKey({ token: TOKEN, seal: SEAL, socket }));
    name(both, other);
    expect((await playClient(both)).stdout).toBe("other");
    name(both, stranger);
    expect((await playClient(both)).stdout).toBe("usual");
  });

  it("denies with exactly the given bytes, whatever they are", async () => {
    const bytes = fc.string({ unit: "binary", maxLength: 300 }).map((text) => Buffer.from(text.replaceAll("\0", "")).toString());
    await fc.assert(
      fc.asyncProperty(bytes, bytes, fc.constantFrom(0, 2), async (stdout, stderr, exitCode) => {
        const bench = clientBench({ interpreter, denials: { PreToolUse: { stdout, stderr, exitCode } } });
        expect(await playClient(bench)).toEqual({ stdout, stderr, exitCode, signal: null });
      }),
      { numRuns: 8 },
    );
  });

  it("records misses until the file is full, and the hub empties it", async () => {
    const bench = clientBench({ interpreter, isStrict: false });
    const log = join(bench.folder, "misses.log");
    await playClient(bench);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(collectMisses(bench.folder)).toHaveLength(1);
    expect(collectMisses(bench.folder)).toEqual([]);
    writeFileSync(log, `${"x".repeat(99)}\n`.repeat(30_000));
    expect(await playClient(bench)).toEqual(passed);
    expect(statSync(log).size).toBe(3_000_000);
  });

  describe.each([true, false])("strict: %s", (isStrict) => {
    it.each(inGroups(failures))("without a proper answer: $names", async ({ group }) => {
      const play = async ({ arrange, reason, gives = {} }: Failure) => {
        const bench = clientBench({ interpreter, isStrict, silenceMs: 30_000, agentTimeoutMs: 60_000, ...gives });
        await arrange(bench);
        expect(await playClient(bench)).toEqual(isStrict ? denied : passed);
        const miss = { at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/), agent: "claude-code", event: "PreToolUse" };
        expect(readMisses(bench.folder)).toEqual([{ ...miss, reason: expect.stringMatching(reason) }]);
      };
      await Promise.all(group.map(play));
    });

    it("with a client that is missing or damaged", async () => {
      const spoils: ((bench: ClientBench) => void)[] = [
        ({ script }) => rmSync(script),
        ({ script }) => writeFileSync(script, ""),
        ({ script }) => writeFileSync(script, Buffer.alloc(statSync(script).size)),
        ({ script }) => truncateSync(script, statSync(script).size - 1),
        ({ script }) => writeFileSync(script, `${readFileSync(script, "utf8")}\n`),
        ({ script }) => {
          rmSync(script);
          mkdirSync(script);
        },
      ];
      for (const spoil of spoils) {
        const bench = clientBench({ interpreter, isStrict });
        await replyingHub(bench.socket, PASS);
        spoil(bench);
        expect(await playClient(bench)).toMatchObject(isStrict ? damaged : { stdout: "", exitCode: 0 });
        expect(readMisses(bench.folder)).toMatchObject([{ agent: "claude-code", event: "PreToolUse", reason: "client" }]);
      }
      const bench = clientBench({ interpreter, isStrict });
      rmSync(bench.folder, { recursive: true });
      expect(await playClient(bench)).toMatchObject(isStrict ? damaged : { stdout: "", exitCode: 0 });
      expect(existsSync(bench.folder)).toBe(false);
    });

    it("with an interpreter that is gone", async () => {
      const path = join(testFolder(), "gone");
      const bench = clientBench({
        interpreter: interpreter.kind === "sh" ? { ...interpreter, sh: path } : { ...interpreter, path },
        isStrict,
      });
      expect(await playClient(bench)).toMatchObject(isStrict ? damaged : { stdout: "", exitCode: 0 });
      expect(readMisses(bench.folder)).toMatchObject([{ reason: "client" }]);
    });
  });
});

describe("the client", () => {
  it("contains no token, and gives curl none to show", () => {
    for (const interpreter of Object.values(interpreters)) {
      const { script, command } = clientBench({ interpreter });
      expect(readFileSync(script, "utf8") + command("PreToolUse")).not.toContain(TOKEN);
    }
  });

  it("by Perl computes what SHA-256 is, of any bytes", () => {
    const [code = ""] =
      /sub sha256\{.*?\n\}\n/s.exec(readFileSync(clientBench({ interpreter: interpreters.perl as Interpreter }).script, "latin1")) ?? [];
    // Words with every bit set need the longest sums. From 1,201 bytes on, a module of Perl computes it.
    const texts = [...Array.from({ length: 300 }, (_, length) => randomBytes(length)), Buffer.alloc(600, 0xff), Buffer.alloc(600)];
    const sums = `${code} while (my $line = <STDIN>) { chomp $line; print sha256(pack "H*", $line), "\\n" }`;
    const given = texts.map((text) => `${text.toString("hex")}\n`).join("");
    const { stdout, stderr } = spawnSync("perl", ["-e", sums], { input: given, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n")).toEqual(texts.map((text) => createHash("sha256").update(text).digest("hex")));
  });

  it("refuses invalid events and times", () => {
    const options = { agent: "codex", folder: "/f", sockets: ["/s"], owner: 0, isStrict: true, agentTimeoutMs: 1000 } as const;
    const refused = expect.objectContaining({ code: "HL_BAD_OPTION" });
    for (const interpreter of Object.values(interpreters)) {
      expect(() => writeClient(interpreter, { ...options, denials: { "a) rm -rf /;;": DENIAL } })).toThrow(refused);
      expect(() => writeClient(interpreter, { ...options, denials: {}, agentTimeoutMs: 0 })).toThrow(refused);
      expect(() => writeClient(interpreter, { ...options, denials: { A: { ...DENIAL, stdout: "\0" } } })).toThrow(refused);
    }
  });
});

function signal(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

function inGroups(all: readonly Failure[]): { readonly names: string; readonly group: readonly Failure[] }[] {
  const size = isThorough ? 1 : 6;
  const starts = all.flatMap((_, index) => (index % size === 0 ? [index] : []));
  return starts.map((start) => {
    const group = all.slice(start, start + size);
    return { group, names: group.map(({ name }) => name).join("; ") };
  });
}

function ok(answer: ServerResponse<IncomingMessage>): ServerResponse<IncomingMessage> {
  return answer.writeHead(200, { "content-type": REPLY_TYPE });
}

async function bodyOf(asked: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
