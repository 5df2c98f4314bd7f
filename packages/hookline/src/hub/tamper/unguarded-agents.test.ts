import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
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

/** A home with Codex attached, and a program that the hub knows as Codex. */
function setUp(mode: Mode) {
  const home = realpathSync(testFolder());
  const attach = attachFolder(join(home, "state"));
  const script = join(home, "codex.mjs");
  writeFileSync(script, "setInterval(() => {}, 1_000);\n");
  writeFileSync(join(home, "quiet.sh"), "exit 0\n");
  writeFileSync(join(home, "harmless.sh"), "true\n");
  for (const folder of ["project", "off/.codex", "empty"]) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, "off/.codex/config.toml"), "[features]\nhooks = false\n");
  const agent = findAgent("codex") as AgentDefinition;
  const env = { PATH: process.env.PATH, HOME: home };
  const socket = join(home, "http.sock");
  applyAttach(planAttach({ agent, target: "user", isStrict: true, env, cwd: home, folder: attach, socket }));
  const raised: AlarmReport[] = [];
  const watch = watchUnguardedAgents({
    attach,
    programs: () => [{ agent: "codex", program: realpathSync(process.execPath), script }],
    raise: (alarm) => void raised.push(alarm),
    mode: () => mode,
    onProblem: (text) => expect.fail(text),
    env,
  });
  onTestFinished(() => watch.close());
  const start = (folder: string, more: NodeJS.ProcessEnv = {}): ChildProcess => {
    const child = spawn(process.execPath, [script, "exec"], { cwd: join(home, folder), env: { ...env, ...more }, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  return { home, raised, start };
}

type Way = readonly [folder: string, env: NodeJS.ProcessEnv, text: RegExp];
const LONG = { timeout: 20_000 };
const isBash = basename(userInfo().shell ?? "") === "bash";

it.runIf(canSeeProcesses)("raises an alarm about an agent that was started without its hooks, and about no other", async () => {
  const { home, raised, start } = setUp("plain");
  start("project");
  start("project", { BASH_ENV: join(home, "harmless.sh") });
  const ways: readonly Way[] = [
    ["project", { CODEX_HOME: join(home, "empty") }, /it reads its settings at ".*\/empty\/hooks\.json"/],
    ["project", { HOME: join(home, "empty") }, /it reads its settings at ".*\/empty\/\.codex\/hooks\.json"/],
    ["off", {}, /"features" in .*\/off\/\.codex\/config\.toml switches hooks off/],
    ...(isBash ? [["project", { BASH_ENV: join(home, "quiet.sh") }, /BASH_ENV=.*quiet\.sh, the shell of its hooks/] satisfies Way] : []),
  ];
  for (const [index, [folder, env, text]] of ways.entries()) {
    const { pid } = start(folder, env);
    await expect.poll(() => raised.length, LONG).toBe(index + 1);
    expect(raised[index]).toMatchObject({ kind: "tampered", agent: "codex", process: { pid }, text: expect.stringMatching(text) });
  }
});

it.runIf(canSeeProcesses)("ends such an agent under hookline protect, and leaves guarded ones alone", async () => {
  const { home, raised, start } = setUp("protect");
  const guarded = start("project");
  const moved = start("project", { CODEX_HOME: join(home, "empty") });
  if (moved.signalCode === null) await once(moved, "exit");
  expect(moved.signalCode).toBe("SIGKILL");
  await expect.poll(() => raised).toMatchObject([{ text: expect.stringContaining("The hub has ended it.") }]);
  expect([guarded.exitCode, guarded.signalCode]).toEqual([null, null]);
});
