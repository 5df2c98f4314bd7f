import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bus, createBus, type HookError } from "@hookline/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OwnedSource } from "../handler-source.js";
import { hashContent } from "../trust/hash-folder.js";
import { createCommandSource } from "./command-source.js";
import { type CommandSpec, checkedProgram } from "./program.js";

vi.setConfig({ testTimeout: 40_000 });
const folders: string[] = [];
const sources: OwnedSource[] = [];
afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-command-"));
  folders.push(folder);
  return folder;
}

function script(text: string, { name = "hook.sh", mode = 0o755 } = {}): string {
  const path = join(makeFolder(), name);
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

/** A bus with the command as a closed guard. */
function guarded(spec: Partial<CommandSpec>): { readonly bus: Bus; readonly source: OwnedSource; readonly errors: HookError[] } {
  const errors: HookError[] = [];
  const source = createCommandSource({
    name: "hook",
    command: "true",
    folder: tmpdir(),
    hooks: [{ event: "tool:before" }],
    timeoutMs: 15_000,
    ...spec,
  });
  sources.push(source);
  const bus = createBus({ onError: (error) => void errors.push(error) });
  bus.on("tool:before", ((event: never) => source.handle(event)) as never, { name: "hook", onFailure: "closed", timeoutMs: 0 });
  return { bus, source, errors };
}

const sh = (command: string, more: Partial<CommandSpec> = {}) => guarded({ command, shell: true, ...more });
const payload = { session: { id: "s" }, tool: { name: "bash", callId: "1", input: { command: "ls" } } };
const decide = ({ bus }: { readonly bus: Bus }) => bus.decide("tool:before", payload);

function isAlive(pid: number): boolean {
  try {
    // A zombie is not alive; a container may have no process that reaps it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a command", () => {
  it("gets one JSON document and the end of its stdin, and answers", async () => {
    const copy = join(makeFolder(), "in.json");
    const guard = sh(`cat > '${copy}'; echo '{"decision":"deny","reason":"no"}'`);
    expect(await decide(guard)).toMatchObject({ verdict: "deny", reason: "no", by: "hook" });
    expect(JSON.parse(readFileSync(copy, "utf8"))).toMatchObject({ event: "tool:before", payload });
    expect(guard.errors).toEqual([]);
  });

  it("runs without a shell by default", async () => {
    const path = script('#!/bin/sh\nprintf \'{"decision":"deny","reason":"%s"}\' "$1 $#"\n');
    expect(await decide(guarded({ command: path, args: ["$(echo hi)", "b"] }))).toMatchObject({ reason: "$(echo hi) 2" });
    expect(await decide(sh('printf \'{"decision":"deny","reason":"%s"}\' "$1"', { args: ["$(echo hi)"] }))).toMatchObject({
      reason: "$(echo hi)",
    });
  });

  it("is found relative to the file it stands in", async () => {
    const path = script("#!/bin/sh\necho no >&2; exit 2\n");
    expect(await decide(guarded({ command: "./hook.sh", folder: join(path, "..") }))).toMatchObject({ verdict: "deny", reason: "no" });
  });

  it("need not read its stdin, however much there is", async () => {
    const { bus, errors } = guarded({ command: "true" });
    const input = { command: "x".repeat(3_000_000) };
    expect(await bus.decide("tool:before", { ...payload, tool: { ...payload.tool, input } })).toMatchObject({ verdict: "pass" });
    expect(errors).toEqual([]);
  });

  it("has no terminal and a session of its own", async () => {
    const guard = sh(
      'if (: < /dev/tty) 2>/dev/null; then echo tty >&2; exit 2; fi; [ "$(ps -o sid= -p $$ | tr -d " ")" = $$ ] || { echo sid >&2; exit 2; }',
    );
    expect(await decide(guard)).toMatchObject({ verdict: "pass" });
  });

  it("sees of the environment only what is harmless or named", async () => {
    process.env.HOOKLINE_TEST_SECRET = "hunter2";
    process.env.HOOKLINE_TEST_NAMED = "named";
    try {
      const copy = join(makeFolder(), "env");
      await decide(sh(`env > '${copy}'`, { env: ["HOOKLINE_TEST_NAMED"], setEnv: { OWN: "1" } }));
      const seen = readFileSync(copy, "utf8");
      expect(seen).not.toContain("hunter2");
      expect(seen).toMatch(/^HOOKLINE_TEST_NAMED=named$/m);
      expect(seen).toMatch(/^OWN=1$/m);
      expect(seen).toMatch(/^HOOKLINE_EVENT=tool:before$/m);
    } finally {
      delete process.env.HOOKLINE_TEST_SECRET;
      delete process.env.HOOKLINE_TEST_NAMED;
    }
  });

  it("runs where the agent is when told so, and elsewhere when that is gone", async () => {
    const there = makeFolder();
    const base = makeFolder();
    const { bus } = sh("pwd >&2; exit 2", { cwd: "event", folder: base });
    expect(await bus.decide("tool:before", { ...payload, cwd: there })).toMatchObject({ reason: there });
    rmSync(there, { recursive: true });
    expect(await bus.decide("tool:before", { ...payload, cwd: there })).toMatchObject({ reason: base });
  });
});

describe("a closed guard cannot be bypassed by", () => {
  const cases: readonly (readonly [string, () => Partial<CommandSpec>, string, string])[] = [
    ["a program that is not there", () => ({ command: "hookline-no-such-program" }), "spawn_error", "HL_COMMAND_MISSING"],
    ["a script that is not there", () => ({ command: "/nowhere/hook.sh" }), "spawn_error", "HL_COMMAND_MISSING"],
    [
      "a script that may not be run",
      () => ({ command: script("#!/bin/sh\n", { mode: 0o644 }) }),
      "spawn_error",
      "HL_COMMAND_NOT_EXECUTABLE",
    ],
    ["an interpreter that is not there", () => ({ command: script("#!/nowhere/python\n") }), "spawn_error", "HL_COMMAND_INTERPRETER"],
    [
      "an interpreter that env cannot find",
      () => ({ command: script("#!/usr/bin/env hookline-no-such\n") }),
      "spawn_error",
      "HL_COMMAND_SPAWN",
    ],
    ["a working folder that is gone", () => ({ command: "true", cwd: "/nowhere/at/all" }), "spawn_error", "HL_COMMAND_FOLDER"],
    ["a folder in place of a program", () => ({ command: tmpdir() }), "spawn_error", "HL_COMMAND_NOT_EXECUTABLE"],
    ["an invalid environment", () => ({ setEnv: { A: "a\0b" } }), "spawn_error", "HL_COMMAND_SPAWN"],
    ["an environment that is too long", () => ({ setEnv: { A: "x".repeat(4_000_000) } }), "spawn_error", "HL_COMMAND_SPAWN"],
    ["exit 1", () => ({ command: "false" }), "crash", "HL_COMMAND_FAILED"],
    ["a signal", () => ({ command: "kill -SEGV $$", shell: true }), "crash", "HL_COMMAND_FAILED"],
    ["a stray line", () => ({ command: 'echo hi; echo \'{"decision":"allow"}\'', shell: true }), "protocol_error", "HL_COMMAND_OUTPUT"],
    ["half an answer", () => ({ command: "printf '{\"decision\":'", shell: true }), "protocol_error", "HL_COMMAND_OUTPUT"],
    ["bytes that are not text", () => ({ command: "printf '\\377\\376'", shell: true }), "protocol_error", "HL_COMMAND_OUTPUT"],
    ["a wrong shape", () => ({ command: "echo '[1]'", shell: true }), "invalid_verdict", "HL_COMMAND_OUTPUT"],
    ["a flood", () => ({ command: "yes", timeoutMs: 0 }), "invalid_verdict", "HL_COMMAND_OUTPUT"],
    ["its time being up", () => ({ command: "sleep 60", shell: true, timeoutMs: 100 }), "timeout", "HL_TIMEOUT"],
  ];
  it.each(cases)("%s", async (_, spec, failure, code) => {
    const guard = guarded(spec());
    const decision = await decide(guard);
    expect(decision).toMatchObject({ verdict: "deny", allowed: false, cause: { code: "HL_HANDLER_FAILED", failure } });
    expect(decision.cause?.cause).toMatchObject({ code, failure, handler: "hook", event: "tool:before" });
  });

  it("an unknown word, even where it is open on failure", async () => {
    const { source } = sh('echo \'{"decision":"yes"}\'');
    const bus = createBus({ onError: () => {} });
    bus.on("tool:before", ((event: never) => source.handle(event)) as never, { onFailure: "open", timeoutMs: 0 });
    expect(await bus.decide("tool:before", payload)).toMatchObject({ verdict: "deny", cause: { failure: "invalid_verdict" } });
  });

  it("too many calls at once", async () => {
    const guard = sh("sleep 0.3", { maxRunning: 1, maxWaiting: 1 });
    const decisions = await Promise.all([decide(guard), decide(guard), decide(guard)]);
    expect(decisions.map(({ verdict, cause }) => cause?.failure ?? verdict)).toEqual(["pass", "pass", "overloaded"]);
  });
});

describe("processes", () => {
  it("end with their whole group at the deadline, those that ignore it too", async () => {
    const pids = join(makeFolder(), "pids");
    const guard = sh(`trap '' TERM; (trap '' TERM; sleep 60 & echo $! >> '${pids}'; wait) & echo $$ $! >> '${pids}'; wait; sleep 60`, {
      timeoutMs: 2_500,
    });
    expect(await decide(guard)).toMatchObject({ cause: { failure: "timeout" } });
    const started = readFileSync(pids, "utf8").trim().split(/\s+/).map(Number);
    expect(started).toHaveLength(3);
    await expect.poll(() => started.filter(isAlive)).toEqual([]);
  });

  it("in the background delay no answer, and end at the deadline", async () => {
    const pid = join(makeFolder(), "pid");
    const guard = sh(`sleep 60 & echo $! > '${pid}'; echo '{"decision":"deny","reason":"at once"}'`, { timeoutMs: 6_000 });
    expect(await decide(guard)).toMatchObject({ reason: "at once" });
    const left = Number(readFileSync(pid, "utf8"));
    expect(isAlive(left)).toBe(true);
    await expect.poll(() => isAlive(left)).toBe(false);
  });

  it("that write endlessly after an answer do not spoil it, nor fill the memory", async () => {
    const guard = sh(`(while :; do echo x >&2; done) & echo '{"decision":"deny","reason":"at once"}'`, { timeoutMs: 12_000 });
    expect(await decide(guard)).toMatchObject({ reason: "at once" });
  });

  it("may say as much as they like on stderr; its end is kept", async () => {
    const guard = sh("head -c 20000000 /dev/zero | tr '\\0' x >&2; echo the-end >&2; exit 1");
    const { cause } = await decide(guard);
    expect(String(cause?.cause).length).toBeLessThan(1_000);
  });

  it("are read to the end of a large answer", async () => {
    const guard = sh(`printf '{"decision":"deny","reason":"'; head -c 900000 /dev/zero | tr '\\0' x; printf '"}'`);
    const { reason } = await decide(guard);
    expect(reason).toContain("more characters left out");
  });

  it("end when the source is closed, and nothing starts any more", async () => {
    const pid = join(makeFolder(), "pid");
    const guard = sh(`echo $$ > '${pid}'; sleep 60`, { timeoutMs: 0 });
    const deciding = decide(guard);
    await expect.poll(() => existsSync(pid) && readFileSync(pid, "utf8")).toMatch(/\d\n/);
    await guard.source.close();
    expect(await deciding).toMatchObject({ verdict: "deny", cause: { failure: "disabled" } });
    await expect.poll(() => isAlive(Number(readFileSync(pid, "utf8")))).toBe(false);
    expect(await decide(guard)).toMatchObject({ verdict: "deny", cause: { failure: "disabled" } });
    expect(guard.source.health()).toEqual({ state: "stopped" });
  });

  it("leave no descriptor behind", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const guard = sh("sleep 5 & true", { timeoutMs: 2_000 });
    await decide(guard);
    const before = open();
    for (let i = 0; i < 10; i++) await decide(guard);
    await expect.poll(open).toBeLessThanOrEqual(before + 2);
  });
});

describe("when our own process ends", () => {
  const module = fileURLToPath(new URL("../../../dist/extensions/command/command-source.js", import.meta.url));

  it.each(["SIGKILL", "process.exit"])("by %s, no command outlives it", async (how) => {
    const pid = join(makeFolder(), "pid");
    const spec = { name: "h", command: `sleep 60 & echo $! $$ > '${pid}'; wait`, shell: true, folder: tmpdir(), hooks: [], timeoutMs: 0 };
    const code = `const { createCommandSource } = await import(${JSON.stringify(module)});
      createCommandSource(${JSON.stringify(spec)}).handle({ name: "tool:before", payload: {}, id: "e", at: 0, signal: new AbortController().signal });
      const { existsSync } = await import("node:fs");
      setInterval(() => existsSync(${JSON.stringify(pid)}) && process.stdout.write("."), 20);
      process.stdin.on("data", () => process.exit(0));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["pipe", "pipe", "ignore"] });
    const ended = once(child, "exit");
    // The process reports it itself: if it was killed before it knew what it had started, it could not report anything.
    await once(child.stdout, "data");
    await expect.poll(() => readFileSync(pid, "utf8")).toMatch(/\d \d+\n/);
    if (how === "SIGKILL") child.kill("SIGKILL");
    else child.stdin.write("x");
    await ended;
    const started = readFileSync(pid, "utf8").trim().split(" ").map(Number);
    await expect.poll(() => started.filter(isAlive)).toEqual([]);
  });
});

describe("a folder that is deleted", () => {
  it("while hooks run there is a separate failure, and creating it again fixes it", async () => {
    const cwd = join(makeFolder(), "there");
    mkdirSync(cwd);
    const guard = guarded({ command: "true", cwd });
    expect(await decide(guard)).toMatchObject({ verdict: "pass" });
    rmSync(cwd, { recursive: true });
    expect((await decide(guard)).cause?.cause).toMatchObject({ code: "HL_COMMAND_FOLDER" });
    mkdirSync(cwd);
    expect(await decide(guard)).toMatchObject({ verdict: "pass" });
  });
});

describe("a script that was checked", () => {
  it.each(["utf8", "latin1"] as const)("prints the bytes that are in it, written as %s", (encoding) => {
    const folder = makeFolder();
    const content = Buffer.from("printf 'caf\u00e9'\n", encoding);
    writeFileSync(join(folder, "hook.sh"), content);
    const spec: CommandSpec = { name: "hook", command: "sh", args: ["hook.sh"], script: "hook.sh", folder, hooks: [] };
    const { file, args } = checkedProgram(spec, { root: folder, isWhole: true, hashes: { "hook.sh": hashContent(content) }, stamp: "" });
    const { stdout } = spawnSync(file, args, { cwd: folder });
    expect([...stdout]).toEqual([...Buffer.from("caf\u00e9", encoding)]);
  });
});
