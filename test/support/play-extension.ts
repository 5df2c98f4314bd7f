import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bus, createBus, type HookError } from "@hookline/core";
import { onTestFinished } from "vitest";
import type { HandlerSource, HookSpec } from "../../packages/hookline/src/extensions/handler-source.ts";
import {
  createProcessExtension,
  type ProcessExtension,
  type ProcessExtensionOptions,
} from "../../packages/hookline/src/extensions/process/process-extension.ts";
import type { ProcessProgram } from "../../packages/hookline/src/extensions/process/program.ts";
import { testFolder } from "./test-folder.ts";

/** An extension without an SDK that does what the tool's input tells it to: `do` names one of these. */
const play = String.raw`
import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
const write = (text) => process.stdout.write(text);
const frame = (message) => write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const deny = (id, reason = "no") => frame({ id, result: { decision: "deny", reason } });
const acts = {
  deny: (id) => deny(id),
  pass: (id) => frame({ id, result: null }),
  echo: (id, { text }) => deny(id, text),
  slow: (id, { ms }) => setTimeout(() => deny(id, "slow"), ms),
  die: () => process.kill(process.pid, "SIGKILL"),
  exit: () => { console.error("out of ideas"); process.exit(7); },
  answerAndDie: (id) => { deny(id, "last word"); process.kill(process.pid, "SIGKILL"); },
  dieOnce: (id, { mark }) => {
    try { writeFileSync(mark, "", { flag: "wx" }); } catch { return deny(id, "second time"); }
    process.kill(process.pid, "SIGKILL");
  },
  hang: () => {},
  loop: () => { for (;;); },
  twice: (id) => { deny(id, "first"); frame({ id, result: { decision: "allow" } }); },
  foreign: (id) => { frame({ id: id + 1000, result: { decision: "allow" } }); frame({ id: "x", result: { decision: "allow" } }); },
  error: (id) => frame({ id, error: { code: -32000, message: "I broke" } }),
  both: (id) => frame({ id, result: null, error: { code: 1, message: "m" } }),
  neither: (id) => frame({ id }),
  garbage: (id, { text }) => write(text + "\n"),
  word: (id, { result }) => frame({ id, result }),
  deep: (id) => write('{"jsonrpc":"2.0","id":' + id + ',"result":' + '['.repeat(5000) + ']'.repeat(5000) + '}\n'),
  large: (id) => deny(id, "x".repeat(5 * 1024 * 1024)),
  flood: (id, { bytes }) => {
    const line = "x".repeat(1023) + "\n";
    const more = (left) => {
      let goesOn = true;
      while (left > 0 && goesOn) { goesOn = process.stderr.write(line); left -= line.length; }
      if (left > 0) process.stderr.once("drain", () => more(left)); else process.stderr.write("the end\n", () => deny(id, "flooded"));
    };
    more(bytes);
  },
  fork: (id) => {
    const child = spawn("sleep", ["300"], { stdio: "inherit" });
    deny(id, String(child.pid));
  },
  mutate: (id, { seed }) => {
    let state = seed;
    const random = (below) => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) % below;
    };
    const bytes = [...Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: { decision: "deny", reason: "mutant" } }) + "\n")];
    const at = random(bytes.length);
    const how = random(4);
    if (how === 0) bytes[at] = random(256);
    if (how === 1) bytes.splice(at, 1);
    if (how === 2) bytes.splice(at, 0, random(256));
    if (how === 3) bytes.splice(at, bytes.length - at - 1);
    write(Buffer.from(bytes));
  },
  env: (id) => deny(id, JSON.stringify(process.env)),
  tty: (id) => deny(id, String(process.stdin.isTTY ?? false)),
  asks: (id) => { frame({ id: 5, method: "host.secrets" }); acts.reply = id; },
  deaf: () => { process.stdin.pause(); },
};
let held = "";
if (process.argv.includes("--stubborn")) process.on("SIGTERM", () => {});
if (process.argv.includes("--sour")) { console.error("cannot find my library"); process.exit(3); }
if (process.argv.includes("--greets")) write("Welcome to the extension!\n");
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (held + chunk).split("\n");
  held = lines.pop();
  for (const line of lines) {
    const { id, method, params, error } = JSON.parse(line);
    if (error) deny(acts.reply, error.message);
    else if (method === "initialize") {
      globalThis.start = params;
      if (!process.argv.includes("--mute")) frame({ id, result: { protocolVersion: process.argv.includes("--newer") ? 2 : 1 } });
    } else if (method === "hook.handle") {
      const input = params.payload.tool.input;
      if (input.do === "start") deny(id, JSON.stringify(globalThis.start)); else acts[input.do](id, input);
    } else if (method === "shutdown" && !process.argv.includes("--stubborn")) { frame({ id, result: null }); process.exit(0); }
  }
});
if (process.argv.includes("--stubborn")) setInterval(() => {}, 1000);
`;

/** The extension above, closed at the end of the test. */
export function playExtension(options: Partial<ProcessProgram> & Pick<ProcessExtensionOptions, "tuning"> = {}): ProcessExtension {
  const { tuning, ...given } = options;
  const folder = given.folder ?? testFolder();
  if (given.folder === undefined) writeFileSync(join(folder, "play.mjs"), play);
  const program: ProcessProgram = {
    name: "play",
    command: process.execPath,
    args: ["play.mjs"],
    hooks: [{ event: "tool:before", timeoutMs: 3_000 }],
    ...given,
    folder,
  };
  const quick = { shutdownTimeoutMs: 1_000, killAfterMs: 100, restartBaseMs: 10, startTimeoutMs: 15_000 };
  const extension = createProcessExtension({ program, tuning: { ...quick, ...tuning } });
  onTestFinished(() => extension.close());
  return extension;
}

export function writePlay(folder: string): void {
  writeFileSync(join(folder, "play.mjs"), play);
}

/** A bus with a source's hooks as guards that deny when they fail. */
export function guardedBy(source: HandlerSource, errors: HookError[] = []): Bus {
  const bus = createBus({ source: "test", onAsk: "return", onError: (error) => void errors.push(error) });
  source.hooks.forEach((hook, index) => {
    const { event, idempotent: _, onFailure = "closed", ...options } = hook as HookSpec;
    bus.on(event as "tool:before", (given) => source.handle(given, hook) as Promise<undefined>, {
      ...options,
      // The extension keeps the time itself, and knows better why there is no answer.
      timeoutMs: options.timeoutMs === 0 ? 0 : (options.timeoutMs ?? 5_000) + 5_000,
      name: `${source.name}-${index}`,
      onFailure,
    });
  });
  return bus;
}

/** A tool call that tells the extension what to do. */
export function doing(what: string, more: object = {}) {
  return { session: { id: "s" }, tool: { name: "bash", callId: "1", input: { do: what, ...more } } };
}

/** Zombies are dead too. */
export function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
