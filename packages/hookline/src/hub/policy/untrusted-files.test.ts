import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { IN_HOOKS, projectGuard, projectHome } from "../../../../../test/support/project-hub.js";

const hub = new URL("../../../dist/hub/index.js", import.meta.url).href;
const hasStrace = spawnSync("sh", ["-c", "strace -V"]).status === 0;

/** A hub that is asked about the project, looks at everything a few times, and ends. */
const script = (home: string, project: string) => `
  const { startHub } = await import(${JSON.stringify(hub)});
  const hub = await startHub({ state: "${home}/state", runtime: "${home}/run", config: "${home}/config/hookline.toml", port: 0 });
  const payload = { cwd: ${JSON.stringify(project)}, tool: { name: "Bash", callId: "1", input: { command: "ls" } } };
  const decide = () => hub.parts.gates.decide({ event: "tool:before", payload }, new AbortController().signal);
  console.log((await decide()).reason ?? "pass");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  console.log((await decide()).reason ?? "pass");
  await hub.close();
`;

describe.skipIf(!hasStrace)("the files of project hooks without consent", () => {
  it.each([
    ["beside none", []],
    ["beside one with consent", ["agreed"]],
  ])("are not opened by a running hub, as the kernel sees it: %s", (_, consented) => {
    const home = projectHome({ ...projectGuard("agreed"), ...projectGuard("evil"), ".hookline/hookline.toml": "evil" });
    for (const name of consented) home.consent(name);
    const log = join(home.home, "trace");
    const strace = ["-f", "-qq", "-e", "trace=open,openat,openat2,execve,readlink,readlinkat", "-o", log];
    const program = [process.execPath, "--input-type=module", "-e", script(home.home, home.project)];
    const { stdout, stderr } = spawnSync("sh", ["-c", 'exec strace "$@"', "sh", ...strace, ...program], {
      encoding: "utf8",
      timeout: 240_000,
    });
    if (!existsSync(log)) return;
    const reason = consented.length === 0 ? "pass" : "agreed says no";
    expect(stdout, stderr).toBe(`${reason}\n${reason}\n`);
    const opened = readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.includes(`${home.project}/`) && /\b(open|exec|readlink)/.test(line) && !line.includes("--input-type"));
    const isOf = (path: string) => opened.filter((line) => line.includes(path));
    expect(isOf(`${IN_HOOKS}/evil`)).toEqual([]);
    expect(isOf("hookline.toml")).toEqual([]);
    expect(isOf(`${IN_HOOKS}/agreed`).length > 0).toBe(consented.length > 0);
  });
});
