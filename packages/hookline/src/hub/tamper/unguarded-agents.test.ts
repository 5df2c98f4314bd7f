import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { findAgent } from "../../agents/agents.js";
import { applyAttach, planAttach } from "../../agents/attach/plan-attach.js";
import { attachFolder } from "../../agents/client/attach-key.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import type { AlarmReport } from "../alarms/alarms.js";
import { canSeeProcesses } from "../auth/processes.js";
import type { Mode } from "../mode.js";
import { watchUnguardedAgents } from "./unguarded-agents.js";

/** A home with Codex and Claude Code attached, and programs that the hub knows as these. */
function setUp(mode: Mode, { isPackaged = true, early = (_: Start): void => {} } = {}) {
  const home = realpathSync(testFolder());
  const attach = attachFolder(join(home, "state"));
  const packageOf = (id: string): string => join(home, "node_modules", findAgent(id)?.program.package ?? "");
  const scriptOf = (id: string): string => join(packageOf(id), "cli.mjs");
  writeFileSync(join(home, "record.sh"), `echo > '${join(home, "ran")}'\n`);
  for (const folder of ["project", "attached/below", "off/.codex", "empty", "forged"]) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, "off/.codex/config.toml"), "[features]\nhooks = false\n");
  writeFileSync(join(home, "off.json"), '{ "disableAllHooks": true }\n');
  const env = { PATH: process.env.PATH, HOME: home };
  const socket = join(home, "http.sock");
  for (const id of AGENTS) {
    const agent = findAgent(id) as AgentDefinition;
    mkdirSync(packageOf(id), { recursive: true });
    if (isPackaged) writeFileSync(join(packageOf(id), "package.json"), JSON.stringify({ name: agent.program.package, version: "1.0.0" }));
    const title = `if (process.env.SLOW === undefined) process.title = ${JSON.stringify(agent.program.processTitle ?? "node")};`;
    writeFileSync(scriptOf(id), `setInterval(() => {}, 1_000);\n${agent.program.processTitle === undefined ? "" : title}\n`);
    applyAttach(planAttach({ agent, target: "user", isStrict: true, env, cwd: home, folder: attach, socket }));
  }
  const forged = { matcher: "", hooks: [{ type: "command", command: "true # /api/agents/claude-code/" }] };
  writeFileSync(join(home, "forged/settings.json"), JSON.stringify({ hooks: { PreToolUse: [forged] } }));
  const codex = findAgent("codex") as AgentDefinition;
  applyAttach(planAttach({ agent: codex, target: "project", isStrict: true, env, cwd: join(home, "attached"), folder: attach, socket }));
  const start = (folder: string, more: NodeJS.ProcessEnv = {}, id = "codex", args: readonly string[] = ["exec"]): ChildProcess => {
    const child = spawn(process.execPath, [scriptOf(id), ...args], { cwd: join(home, folder), env: { ...env, ...more }, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  early(start);
  const raised: AlarmReport[] = [];
  const asking: number[] = [];
  const watch = watchUnguardedAgents({
    attach,
    programs: () => AGENTS.map((id) => ({ agent: id, program: realpathSync(process.execPath), script: scriptOf(id) })),
    isAsking: ({ pid }) => asking.includes(pid),
    raise: (alarm) => void raised.push(alarm),
    mode: () => mode,
    onProblem: (text) => expect.fail(text),
    env,
  });
  onTestFinished(() => watch.close());
  const startHidden = (): ChildProcess => {
    const child = spawn("unshare", ["-rm", process.execPath, scriptOf("codex"), "exec"], {
      cwd: join(home, "project"),
      env,
      stdio: "ignore",
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  return { home, attach, raised, start, startHidden, asking };
}

type Start = (folder: string, more?: NodeJS.ProcessEnv, id?: string, args?: readonly string[]) => ChildProcess;
const AGENTS: readonly string[] = ["codex", "claude-code", "pi"];
type Way = readonly [folder: string, env: NodeJS.ProcessEnv, text: RegExp, agent?: string, args?: readonly string[]];
const isBash = basename(userInfo().shell ?? "") === "bash";
const LONG = { timeout: 300_000 };

it.runIf(canSeeProcesses)("raises an alarm about an agent that was started without its hooks, and about no other", async () => {
  const { home, attach, raised, start } = setUp("plain");
  start("project");
  if (isBash) start("project", { ZDOTDIR: join(home, "empty") });
  start("project", {}, "codex", ["exec", "-c", "features.plugins=false", "Why does --disable hooks do nothing?"]);
  start("project", {}, "claude-code", ["--settings", '{"model":"opus"}', "--setting-sources", "user,project"]);
  const ways: readonly Way[] = [
    ["project", { CODEX_HOME: join(home, "empty") }, /it reads its settings at ".*\/empty\/hooks\.json"/],
    ["project", { HOME: join(home, "empty") }, /it reads its settings at ".*\/empty\/\.codex\/hooks\.json"/],
    ["off", {}, /"features" in .*\/off\/\.codex\/config\.toml switches hooks off/],
    ["project", {}, /with -c "features\.hooks=false" it runs no hooks/, "codex", ["exec", "-c", "features.hooks=false"]],
    // Words that look like those of `hookline run` do not help.
    ["project", {}, /with --disable hooks it runs no hooks/, "codex", ["--disable", "hooks", "exec", join(attach, "run")]],
    ["project", {}, /"disableAllHooks" in its option --settings \(.*off\.json\)/, "claude-code", ["--settings", "../off.json"]],
    ["project", {}, /with --bare it runs no hooks/, "claude-code", ["--bare", "-p", "go on"]],
    // An entry that only looks like Hookline's, and a path of `hookline run` among the words, do not help.
    ["project", { CLAUDE_CONFIG_DIR: join(home, "forged") }, /reads its settings at ".*\/forged\//, "claude-code"],
    ["project", { CODEX_HOME: join(home, "empty") }, /reads its settings at/, "codex", ["exec", join(attach, "runs/0123456789ab")]],
    // An attachment of the project above does not cover a user's settings that moved.
    ["attached/below", { CODEX_HOME: join(home, "empty") }, /reads its settings at/],
    ...(isBash ? [["project", { BASH_ENV: join(home, "record.sh") }, /BASH_ENV=.*record\.sh, which the hub was/] satisfies Way] : []),
  ];
  for (const [index, [folder, env, text, agent = "codex", args]] of ways.entries()) {
    const { pid } = start(folder, env, agent, args);
    await expect.poll(() => raised.length, LONG).toBe(index + 1);
    expect(raised[index]).toMatchObject({ kind: "tampered", agent, process: { pid }, text: expect.stringMatching(text) });
  }
  expect(raised[0]?.fix).toContain(`attach it there: CODEX_HOME=${join(home, "empty")} hookline attach codex --strict`);
  // The hub has not run the start-up file.
  expect(existsSync(join(home, "ran"))).toBe(false);
});

it.runIf(canSeeProcesses)("ends such an agent under hookline protect, and leaves guarded ones alone", async () => {
  const { home, raised, start } = setUp("protect");
  const guarded = start("project");
  const moved = start("project", { CODEX_HOME: join(home, "empty") });
  const switched = start("project", {}, "claude-code", ["--settings", '{"disableAllHooks":true}']);
  for (const child of [moved, switched]) {
    if (child.signalCode === null) await once(child, "exit");
    expect(child.signalCode).toBe("SIGKILL");
  }
  const ended = { text: expect.stringContaining("The hub has ended it.") };
  await expect.poll(() => raised).toMatchObject([ended, ended]);
  expect([guarded.exitCode, guarded.signalCode]).toEqual([null, null]);
});

it.runIf(canSeeProcesses)("tells of an agent that has overwritten its command line and never asks the hub", async () => {
  const started: ChildProcess[] = [];
  const { raised, start, asking } = setUp("plain", {
    early: (begin) => {
      started.push(begin("project", {}, "pi"), begin("project", {}, "pi"));
      for (const { pid } of started) waitForTitle(pid, "pi");
    },
  });
  const [quiet, asks] = started;
  asking.push(asks?.pid ?? 0);
  await expect.poll(() => raised, LONG).toHaveLength(1);
  expect(raised).toMatchObject([{ agent: "pi", process: { pid: quiet?.pid }, text: expect.stringContaining("has not asked the hub") }]);
  // While it starts, its options can be seen.
  start("project", { SLOW: "1" }, "pi", ["--no-extensions", "-p", "go on"]);
  await expect
    .poll(() => raised, LONG)
    .toContainEqual(expect.objectContaining({ text: expect.stringContaining("--no-extensions leaves") }));
});

function waitForTitle(pid: number | undefined, title: string): void {
  const end = performance.now() + LONG.timeout;
  while (readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] !== title && performance.now() < end)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

it.runIf(canSeeProcesses)("ends no program that is not surely the agent's own", async () => {
  const { home, raised, start } = setUp("protect", { isPackaged: false });
  const child = start("project", { CODEX_HOME: join(home, "empty") });
  await expect
    .poll(() => raised, LONG)
    .toMatchObject([{ text: expect.stringMatching(/The hub has not ended it: ".*cli\.mjs" is neither/) }]);
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
});

it.runIf(canSeeProcesses && spawnSync("unshare", ["-rm", "true"]).status === 0)(
  "only tells of an agent with its own mount namespace",
  async () => {
    const { raised, startHidden, asking } = setUp("protect");
    asking.push(startHidden().pid ?? 0);
    const child = startHidden();
    const text = expect.stringMatching(/own mount namespace.* The hub has not ended it: it may be in a container\./);
    await expect.poll(() => raised, LONG).toMatchObject([{ process: { pid: child.pid }, text }]);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  },
);
