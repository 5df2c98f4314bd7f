import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { isRunning, writePlay } from "../../../../../test/support/play-extension.ts";
import { testFolder } from "../../../../../test/support/test-folder.ts";

const built = fileURLToPath(new URL("../../../dist/extensions/process/process-extension.js", import.meta.url));

/** A host with an extension that ignores SIGTERM and the end of its stdin, and that has a grandchild. It ends as it is told to. */
const host = (end: string) => `
import { createProcessExtension } from ${JSON.stringify(built)};
const program = { name: "play", command: process.execPath, args: ["play.mjs", "--stubborn"], folder: process.cwd(), hooks: [{ event: "tool:before" }] };
const extension = createProcessExtension({ program });
const event = { name: "tool:before", id: "1", at: 0, payload: { tool: { name: "bash", input: { do: "fork" } } } };
const { reason } = await extension.handle(event);
console.log(JSON.stringify([extension.pid, Number(reason)]));
process.stdin.once("data", () => { ${end} });
`;

describe("when the host ends, its extensions and their children do too", () => {
  it.each([
    ["by process.exit", "process.exit(0);"],
    ["by an exception", 'throw new Error("boom");'],
    ["by SIGTERM", 'process.kill(process.pid, "SIGTERM");'],
    ["by kill -9", 'process.kill(process.pid, "SIGKILL");'],
    ["by abort", "process.abort();"],
  ])("%s", async (_, end) => {
    const folder = testFolder();
    writePlay(folder);
    writeFileSync(join(folder, "host.mjs"), host(end));
    const child = spawn(process.execPath, ["host.mjs"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const pids = JSON.parse(line.toString()) as [number, number];
    expect(pids.map(isRunning)).toEqual([true, true]);
    child.stdin.write("now\n");
    await once(child, "exit");
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  });
});
