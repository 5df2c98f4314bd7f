import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ClientBench,
  clientBench,
  DENIAL,
  httpHub,
  playClient,
  rawHub,
  SEAL,
  TOKEN,
} from "../../../../../test/support/agent-client.js";
import { testFolder } from "../../../../../test/support/test-folder.js";
import { encodeKey } from "./key-file.js";
import { collectMisses, readMisses } from "./misses.js";
import { encodeReply, KEEPALIVE, REPLY_TYPE } from "./reply-format.js";
import { MAX_REPLY_BYTES } from "./reply-size.js";
import { writeClient } from "./write-client.js";

const shells = ["dash", "bash"];
const passed = { stdout: "", stderr: "", exitCode: 0, signal: null };
const denied = { ...DENIAL, signal: null };
const pass = encodeReply(SEAL, { stdout: "", stderr: "", exitCode: 0 });
/** Ways to have no curl: then Node asks. */
const transports = [
  { name: "curl", options: {} },
  { name: "node", options: { curl: "/nowhere/curl" }, env: { PATH: "/nowhere" } },
];

interface Failure {
  readonly name: string;
  readonly reason: RegExp;
  readonly arrange: (bench: ClientBench) => Promise<void> | void;
  /** Seconds go by until curl is certain. */
  readonly isSlow?: true;
  readonly gives?: { readonly silenceMs?: number; readonly agentTimeoutMs?: number };
}

function answering(name: string, reason: RegExp, body: string | Buffer): Failure {
  return { name, reason, arrange: ({ socket }) => httpHub(socket, (_, answer) => void ok(answer).end(body)) };
}

function talking(name: string, reason: RegExp, text: string): Failure {
  return { name, reason, arrange: ({ socket }) => rawHub(socket, (peer) => peer.once("data", () => peer.end(text))) };
}

const whole = pass.toString();
const failures: Failure[] = [
  { name: "no hub", reason: /^curl-7$/, arrange: () => {} },
  { name: "a socket without a listener", reason: /^curl-7$/, arrange: ({ socket }) => writeFileSync(socket, "") },
  { name: "a hub that hangs up", reason: /^curl-\d+$/, arrange: ({ socket }) => rawHub(socket, (peer) => peer.destroy()) },
  { name: "a frozen hub", isSlow: true, reason: /^curl-28$/, arrange: ({ socket }) => rawHub(socket, () => {}) },
  {
    name: "a hub that freezes while it holds the call",
    isSlow: true,
    reason: /^curl-28$/,
    arrange: ({ socket }) => httpHub(socket, (_, answer) => void ok(answer).write(KEEPALIVE)),
  },
  {
    name: "a hub that holds the call for too long",
    reason: /^curl-28$/,
    arrange: ({ socket }) =>
      httpHub(socket, (_, answer) => {
        const timer = setInterval(() => answer.write(KEEPALIVE), 200);
        answer.on("close", () => clearInterval(timer));
        ok(answer);
      }),
    gives: { agentTimeoutMs: 2000 },
  },
  {
    name: "a 500, even under the seal",
    reason: /^curl-22$/,
    arrange: ({ socket }) => httpHub(socket, (_, answer) => void answer.writeHead(500).end(pass)),
  },
  {
    name: "a redirect",
    reason: /^answer$/,
    arrange: ({ socket }) => httpHub(socket, (_, answer) => void answer.writeHead(302, { location: "http://hookline/" }).end("x")),
  },
  answering("a stranger that says 200", /^answer$/, '{"decision":"allow"}'),
  answering("nothing at all", /^answer$/, ""),
  answering("a wrong seal", /^seal$/, encodeReply("another_seal-0123456789", { stdout: "{}", stderr: "", exitCode: 0 })),
  answering("no seal", /^answer$/, whole.replace(SEAL, "")),
  answering("a pattern for a seal", /^seal$/, whole.replace(SEAL, "*")),
  answering("half an answer", /^answer$/, whole.slice(0, -6)),
  answering("an answer of another length", /^answer$/, whole.replace(" 0 0 0", " 0 1 0")),
  answering("an invalid exit code", /^answer$/, whole.replace(" 0 0 0", " 256 0 0")),
  answering("an exit code that is a word", /^answer$/, whole.replace(" 0 0 0", " $(x) 0 0")),
  answering("text before the answer", /^answer$/, `warning\n${whole}`),
  answering("text after the answer", /^answer$/, `${whole}more`),
  answering("zeros", /^answer$/, Buffer.alloc(5000)),
  answering("blank lines only", /^answer$/, "\n".repeat(1_000_000)),
  answering("separators only", /^answer$/, "\u001f".repeat(100_000)),
  {
    name: "an oversize answer",
    reason: /^curl-63$/,
    arrange: ({ socket }) =>
      httpHub(socket, (_, answer) => {
        answer.writeHead(200, { "content-length": MAX_REPLY_BYTES + 1 }).end(Buffer.alloc(MAX_REPLY_BYTES + 1, "x"));
      }),
  },
  {
    name: "an oversize answer of unknown length",
    reason: /^(size|curl-63)$/,
    arrange: ({ socket }) =>
      httpHub(socket, (_, answer) => {
        ok(answer).write(Buffer.alloc(MAX_REPLY_BYTES, "x"));
        answer.end("xx");
      }),
    gives: { silenceMs: 10_000 },
  },
  talking("no HTTP", /^curl-\d+$/, "hello\n"),
  talking("an answer cut off", /^curl-\d+$/, "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhookline"),
  talking("a chunk cut off", /^curl-\d+$/, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40\r\nhook"),
  { name: "no key", reason: /^key$/, arrange: ({ folder }) => rmSync(join(folder, "key")) },
  { name: "an empty key", reason: /^key$/, arrange: ({ folder }) => writeFileSync(join(folder, "key"), "") },
  { name: "a key without a seal", reason: /^key$/, arrange: ({ folder }) => writeFileSync(join(folder, "key"), "# \n") },
  { name: "a key that is something else", reason: /^key$/, arrange: ({ folder }) => writeFileSync(join(folder, "key"), "{}\n") },
  {
    name: "a folder for a key",
    reason: /^key$/,
    arrange: ({ folder }) => {
      rmSync(join(folder, "key"));
      mkdirSync(join(folder, "key"));
    },
  },
];

describe.each(shells)("the client under %s", (shell) => {
  describe.each(transports)("by $name", ({ options, env }) => {
    it("brings the event to the hub and its answer to the agent, to the byte", async () => {
      const bench = clientBench(options);
      const seen: unknown[] = [];
      const reply = { stdout: '{"a":"é\u007f\u0001 $(x) %s \\\\"}\n\n', stderr: "\n two\nlines \u{1f41f}\n", exitCode: 3 };
      await httpHub(bench.socket, async (asked, answer) => {
        seen.push(
          asked.method,
          asked.url,
          asked.headers.authorization,
          asked.headers["content-type"],
          asked.headers.expect,
          await bodyOf(asked),
        );
        ok(answer).end(encodeReply(SEAL, reply));
      });
      const input = '{"tool_input":{"command":"echo \\u0000 é"}}\n';
      expect(await playClient(bench, { shell, input, ...(env && { env: { ...env, PATH: binaries() } }) })).toEqual({
        ...reply,
        signal: null,
      });
      expect(seen).toEqual(["POST", "/api/agents/claude-code/PreToolUse", `Bearer ${TOKEN}`, "application/json", undefined, input]);
      expect(readMisses(bench.folder)).toEqual([]);
    });

    it("asks and denies whatever the switches of embedded buses say", async () => {
      const off = { HOOKLINE: "0", HOOKLINE_FORWARD: "0", ...(env && { PATH: binaries() }) };
      for (const isStrict of [true, false]) {
        const bench = clientBench({ ...options, isStrict });
        await httpHub(bench.socket, (_, answer) => void ok(answer).end(encodeReply(SEAL, DENIAL)));
        expect(await playClient(bench, { shell, env: off })).toEqual(denied);
        rmSync(bench.socket);
        expect(await playClient(bench, { shell, env: off })).toEqual(isStrict ? denied : passed);
      }
    });

    it.runIf(shell === "dash")("waits while a person decides", async () => {
      const bench = clientBench({ ...options, silenceMs: 2000 });
      await httpHub(bench.socket, (_, answer) => {
        ok(answer);
        let held = 0;
        const timer = setInterval(() => {
          if (++held < 6) answer.write(KEEPALIVE);
          else answer.end(encodeReply(SEAL, { stdout: "yes", stderr: "", exitCode: 0 }));
        }, 400);
        answer.on("close", () => clearInterval(timer));
      });
      expect(await playClient(bench, { shell, ...(env && { env: { PATH: binaries() } }) })).toEqual({ ...passed, stdout: "yes" });
    });

    it("carries 10 MB there, and back", async () => {
      const bench = clientBench(options);
      const input = JSON.stringify({ text: "é".repeat(5_000_000) });
      await httpHub(bench.socket, async (asked, answer) => {
        ok(answer).end(encodeReply(SEAL, { stdout: await bodyOf(asked), stderr: "", exitCode: 0 }));
      });
      const said = await playClient(bench, { shell, input, ...(env && { env: { PATH: binaries() } }) });
      expect(said.stdout === input).toBe(true);
      expect(said.exitCode).toBe(0);
    });
  });

  it("prints nothing on an event that cannot be blocked", async () => {
    const bench = clientBench();
    expect(await playClient(bench, { shell, event: "SessionEnd" })).toEqual(passed);
    expect(await playClient(bench, { shell, event: "''" })).toEqual(passed);
    expect(await playClient(bench, { shell, event: "../../x" })).toEqual(passed);
    expect(readMisses(bench.folder).map(({ event, reason }) => `${event} ${reason}`)).toEqual(["SessionEnd curl-7", "- event", "- event"]);
  });

  it("denies if neither curl nor Node is installed", async () => {
    const bench = clientBench({ curl: "/nowhere/curl", node: "/nowhere/node" });
    expect(await playClient(bench, { shell, env: { PATH: binaries() } })).toEqual(denied);
    expect(readMisses(bench.folder)[0]?.reason).toBe("curl-127");
  });

  it("denies with any exit code of curl, and with a curl that is not executable", async () => {
    const folder = testFolder();
    const curl = join(folder, "curl");
    for (const code of [1, 2, 3, 23, 77, 255]) {
      const bench = clientBench({ curl });
      writeFileSync(curl, `#!/bin/sh\nprintf '${pass.toString()}'\nexit ${code}\n`);
      chmodSync(curl, 0o755);
      expect(await playClient(bench, { shell })).toEqual(denied);
    }
    const bench = clientBench({ curl, node: "/nowhere/node" });
    writeFileSync(curl, "\u007fELF\0\0\0");
    expect(await playClient(bench, { shell, env: { PATH: binaries() } })).toEqual(denied);
  });

  it("denies when stdin, stdout or stderr is closed, by its exit code if it must", async () => {
    const bench = clientBench();
    await httpHub(bench.socket, async (asked, answer) => {
      await bodyOf(asked);
      ok(answer).end(encodeReply(SEAL, { stdout: "{}", stderr: "", exitCode: 0 }));
    });
    expect(await playClient(bench, { shell, wrapped: (command) => `${command} <&-` })).toEqual(denied);
    const deaf = await playClient(bench, { shell, wrapped: (command) => `${command} >&-` });
    expect(deaf).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("cut short") });
    const full = await playClient(bench, { shell, wrapped: (command) => `${command} >/dev/full` });
    expect(full).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("cut short") });
    expect(await playClient(bench, { shell, wrapped: (command) => `${command} 2>&-` })).toMatchObject({ exitCode: 0, stdout: "{}" });
    rmSync(bench.socket);
    expect(await playClient(bench, { shell, wrapped: (command) => `${command} 2>&-` })).toMatchObject({
      exitCode: 0,
      stdout: DENIAL.stdout,
    });
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("ends in a deny after %s, with the code that blocks", async (signal) => {
    const bench = clientBench();
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await httpHub(bench.socket, (_, answer) => {
      ok(answer).write(KEEPALIVE);
      asked();
    });
    const child = spawn(shell, [bench.script, "PreToolUse"], { detached: true, stdio: "pipe" });
    const heard: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => heard.push(part));
    child.stdin.end("{}");
    await arrived;
    process.kill(-(child.pid ?? 0), signal);
    expect(await once(child, "close")).toEqual([2, null]);
    expect(Buffer.concat(heard).toString()).toBe(DENIAL.stdout);
  });

  it("ignores proxies, a curlrc and the folder it runs in", async () => {
    const bench = clientBench();
    const home = testFolder();
    writeFileSync(join(home, ".curlrc"), `output = "${join(home, "stolen")}"\nproxy = "http://127.0.0.1:1"\n`);
    await httpHub(bench.socket, (_, answer) => void ok(answer).end(encodeReply(SEAL, { stdout: "{}", stderr: "", exitCode: 0 })));
    const proxy = "http://127.0.0.1:1";
    const env = { HOME: home, CURL_HOME: home, http_proxy: proxy, ALL_PROXY: proxy, IFS: "e", LC_ALL: "C.UTF-8", out: "x", gate: "1" };
    expect(await playClient(bench, { shell, env })).toEqual({ ...passed, stdout: "{}" });
  });

  it("follows the hub to the socket that the key names", async () => {
    const bench = clientBench();
    const socket = join(testFolder(), 'the "other".sock');
    writeFileSync(join(bench.folder, "key"), encodeKey({ token: TOKEN, seal: SEAL, socket }));
    await httpHub(socket, (_, answer) => void ok(answer).end(encodeReply(SEAL, { stdout: "{}", stderr: "", exitCode: 0 })));
    expect(await playClient(bench, { shell })).toEqual({ ...passed, stdout: "{}" });
  });

  it("denies with exactly the given bytes, whatever they are", async () => {
    const bytes = fc.string({ unit: "binary", maxLength: 300 }).map((text) => Buffer.from(text.replaceAll("\0", "")).toString());
    await fc.assert(
      fc.asyncProperty(bytes, bytes, fc.integer({ min: 0, max: 255 }), async (stdout, stderr, exitCode) => {
        const bench = clientBench({ denials: { PreToolUse: { stdout, stderr, exitCode } } });
        expect(await playClient(bench, { shell })).toEqual({ stdout, stderr, exitCode, signal: null });
      }),
      { numRuns: 20 },
    );
  });

  it("records misses until the file is full, and the hub empties it", async () => {
    const bench = clientBench({ isStrict: false });
    const log = join(bench.folder, "misses.log");
    await playClient(bench, { shell });
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(collectMisses(bench.folder)).toHaveLength(1);
    expect(collectMisses(bench.folder)).toEqual([]);
    writeFileSync(log, `${"x".repeat(99)}\n`.repeat(30_000));
    expect(await playClient(bench, { shell })).toEqual(passed);
    expect(statSync(log).size).toBe(3_000_000);
  });
});

// Every way with `HOOKLINE_THOROUGH=1`; else those that agents take on most machines.
const ways = [
  { shell: "dash", by: "curl", isStrict: true },
  { shell: "dash", by: "curl", isStrict: false },
  { shell: "bash", by: "curl", isStrict: true },
  { shell: "dash", by: "node", isStrict: true },
];

describe.each(process.env.HOOKLINE_THOROUGH === "1" ? ways : ways.slice(0, 2))(
  "without a proper answer, by $by under $shell, strict: $isStrict",
  ({ shell, by, isStrict }) => {
    // Four at a time: most of their time goes by waiting.
    const isThorough = shell === "dash" && isStrict;
    it.each(inFours(failures.filter(({ isSlow }) => isThorough || isSlow !== true)))("$names", { timeout: 60_000 }, async ({ four }) => {
      const options = by === "node" ? { curl: "/nowhere/curl" } : {};
      const PATH = by === "node" ? binaries() : process.env.PATH;
      const play = async ({ arrange, reason, gives = {} }: Failure) => {
        const bench = clientBench({ ...options, isStrict, silenceMs: 1000, agentTimeoutMs: 20_000, ...gives });
        await arrange(bench);
        expect(await playClient(bench, { shell, env: { PATH } })).toEqual(isStrict ? denied : passed);
        const miss = { at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/), agent: "claude-code", event: "PreToolUse" };
        expect(readMisses(bench.folder)).toEqual([{ ...miss, reason: expect.stringMatching(reason) }]);
      };
      await Promise.all(four.map(play));
    });
  },
);

describe("the script", () => {
  it("starts curl and nothing else", async () => {
    const bench = clientBench();
    await httpHub(bench.socket, (_, answer) => void ok(answer).end(pass));
    // Whatever is looked for in PATH would not be found.
    expect(await playClient({ ...bench }, { shell: "/usr/bin/dash", env: { PATH: "/nowhere" } })).toEqual(passed);
    expect(readMisses(bench.folder)).toEqual([]);
  });

  it("holds no token, and gives curl none to show", () => {
    const { script } = clientBench();
    expect(readFileSync(script, "utf8")).not.toContain(TOKEN);
  });

  it("refuses invalid events and times", () => {
    const options = { agent: "codex", folder: "/f", socket: "/s", isStrict: true, agentTimeoutMs: 1000, nodeClient: "/n" } as const;
    const refused = expect.objectContaining({ code: "HL_BAD_OPTION" });
    expect(() => writeClient({ ...options, denials: { "a) rm -rf /;;": DENIAL } })).toThrow(refused);
    expect(() => writeClient({ ...options, denials: {}, agentTimeoutMs: 0 })).toThrow(refused);
    expect(() => writeClient({ ...options, denials: { A: { ...DENIAL, stdout: "\0" } } })).toThrow(refused);
  });
});

function inFours(all: readonly Failure[]): { readonly names: string; readonly four: readonly Failure[] }[] {
  const starts = all.flatMap((_, index) => (index % 4 === 0 ? [index] : []));
  return starts.map((start) => {
    const four = all.slice(start, start + 4);
    return { four, names: four.map(({ name }) => name).join("; ") };
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

/** A PATH with the shells and what a miss needs, and without curl and Node. */
function binaries(): string {
  const folder = testFolder();
  for (const name of [...shells, "date", "sh"]) symlinkSync(`/usr/bin/${name}`, join(folder, name));
  return folder;
}
