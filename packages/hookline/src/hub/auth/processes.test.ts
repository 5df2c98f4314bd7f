import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePrivateJson } from "@hookline/core/internal/machine";
import { describe, expect, it, onTestFinished } from "vitest";
import { testFolder } from "../../../../../test/support/test-folder.ts";
import { createAgentProcesses, programFile, readAgentProcesses } from "./agent-processes.js";
import { canSeeProcesses, chainOf, isRunning, isShell, programOf, readProcess } from "./processes.js";

/** Starts a program that runs until the test is over, and gives its pid. */
async function start(command: string, ...args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: "ignore" });
  await once(child, "spawn");
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid as number;
}

describe.skipIf(!canSeeProcesses)("processes", () => {
  it("reads the parent and the start of a process whose name looks like the rest of the line", async () => {
    const program = join(testFolder(), "a) R 1 (b");
    copyFileSync("/bin/sleep", program);
    const pid = await start(program, "60");
    await expect.poll(() => readProcess(pid)?.name).toBe("a) R 1 (b");
    expect(readProcess(pid)).toMatchObject({ pid, parent: process.pid });
    expect(
      chainOf(pid)
        ?.map(({ pid: one }) => one)
        .slice(0, 2),
    ).toEqual([pid, process.pid]);
    expect(chainOf(pid)?.at(-1)?.parent).toBe(0);
  });

  it("knows no process that has exited, and none that has another start", async () => {
    const child = spawn("/bin/true");
    await once(child, "close");
    expect(readProcess(child.pid as number)).toBeUndefined();
    expect(chainOf(child.pid as number)).toBeUndefined();
    const own = readProcess(process.pid);
    expect(isRunning({ pid: process.pid, startedAt: own?.startedAt ?? 0 })).toBe(true);
    expect(isRunning({ pid: process.pid, startedAt: (own?.startedAt ?? 0) + 1 })).toBe(false);
  });

  it("recognises shells by their executables, not by their names", async () => {
    const disguised = join(testFolder(), "sh");
    copyFileSync("/bin/sleep", disguised);
    const [real, other] = [await start("/bin/sh", "-c", "sleep 60; true"), await start(disguised, "60")];
    await expect.poll(() => readProcess(other)?.name).toBe("sh");
    const [shell, sleep] = [readProcess(real), readProcess(other)];
    expect([shell, sleep].map((process) => process !== undefined && isShell(process))).toEqual([true, false]);
  });

  it("records the process that started a hook client, and forgets it when it ends or the machine restarts", async () => {
    const state = testFolder();
    const options = { state, clients: join(state, "attach"), onProblem: (text: string) => expect.fail(text) };
    const agents = createAgentProcesses(options);
    // `timeout` stands for an agent, which starts its hook through a shell.
    const agent = spawn("timeout", ["60", "/bin/sh", "-c", "sleep 60; true"], { stdio: "ignore" });
    onTestFinished(() => void agent.kill());
    const find = (parent: number): number => Number(readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ")[0]);
    await expect.poll(() => find(find(agent.pid as number))).toBeGreaterThan(0);
    const client = find(find(agent.pid as number));
    agents.see({ agent: "codex", session: "s", client, isPosting: false });
    expect(agents.list()).toMatchObject([{ agent: "codex", pid: agent.pid }]);
    expect(agents.startedBy(chainOf(client) ?? [])).toMatchObject({ pid: agent.pid });
    expect(agents.startedBy(chainOf(process.pid) ?? [])).toBeUndefined();
    expect([agents.isFresh("codex", "s"), agents.isFresh("codex", "other"), agents.processOf("codex", "s")?.pid]).toEqual([
      true,
      false,
      agent.pid,
    ]);
    expect(readAgentProcesses(state)).toMatchObject([{ pid: agent.pid }]);

    // A hook whose agent is this process, or one that this process comes from, would make everything here the agent's.
    agents.see({ agent: "codex", session: "own", client: agent.pid as number, isPosting: false });
    expect(agents.list()).toHaveLength(1);

    const file = join(state, "agent-processes.json");
    const kept = readFileSync(file, "utf8");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), boot: "another start of the machine" }));
    expect(readAgentProcesses(state)).toEqual([]);
    writeFileSync(file, kept);
    agent.kill();
    await once(agent, "close");
    expect([agents.list(), readAgentProcesses(state), agents.isFresh("codex", "s")]).toEqual([[], [], false]);
  });

  it("knows the program of an agent by its real script, and never takes Hookline's own for one", async () => {
    const state = testFolder();
    const folder = realpathSync(testFolder());
    const script = join(folder, "agent.mjs");
    writeFileSync(script, "setInterval(() => {}, 1_000);\n");
    writeFileSync(join(folder, "first.mjs"), "");
    symlinkSync(script, join(folder, "agent"));
    mkdirSync(join(folder, "hookline"));
    writeFileSync(join(folder, "hookline/package.json"), '{ "name": "hookline", "version": "0.1.0" }');
    copyFileSync(script, join(folder, "hookline/main.mjs"));
    const program = realpathSync(process.execPath);
    const ways: readonly (readonly [args: readonly string[], script?: string])[] = [
      [[script], script],
      [[join(folder, "agent")], script],
      [["--import", join(folder, "first.mjs"), "--no-warnings", script, "-e"], script],
      [["-r", join(folder, "first.mjs"), "--", script], script],
      [["-e", "setInterval(() => {}, 1_000)", script]],
    ];
    for (const [args, found] of ways) {
      const pid = await start(process.execPath, ...args);
      await expect.poll(() => programOf(pid)).toBe(program);
      expect(programFile(pid), args.join(" ")).toEqual(found === undefined ? undefined : { program, script: found });
    }
    const agents = createAgentProcesses({ state, clients: join(state, "attach"), onProblem: (text) => expect.fail(text) });
    const see = async (...args: readonly string[]) => {
      const client = await start(process.execPath, ...args);
      await expect.poll(() => programOf(client)).toBe(program);
      agents.see({ agent: "codex", session: String(client), client, isPosting: true });
      return client;
    };
    await see(join(folder, "hookline/main.mjs"));
    expect(agents.programs()).toEqual([]);
    // A path of the clients among its words does not hide an agent.
    const client = await see(script, join(state, "attach/codex.pl"), "PreToolUse");
    expect(agents.processOf("codex", String(client))?.pid).toBe(client);
    expect(agents.programs()).toEqual([{ agent: "codex", program, script }]);
    // Many other programs of one agent do not push out the recent ones, nor those of another agent.
    const many = Array.from({ length: 40 }, (_, index) => ({ agent: "gemini", program: `/opt/${index}` }));
    writePrivateJson(state, "agent-processes.json", { programs: [{ agent: "codex", program, script }, ...many] });
    const later = createAgentProcesses({ state, clients: join(state, "attach"), onProblem: (text) => expect.fail(text) });
    later.see({ agent: "gemini", session: "s", client, isPosting: true });
    expect(later.programs()).toHaveLength(17);
    expect([later.programs()[0], later.programs().at(-1)]).toEqual(["codex", "gemini"].map((agent) => ({ agent, program, script })));
  });
});
