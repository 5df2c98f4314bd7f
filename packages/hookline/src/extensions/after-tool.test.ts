import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createBus } from "@hookline/core";
import { connectToHub } from "@hookline/core/forward";
import { startHub } from "hookline/hub";
import { expect, it, onTestFinished } from "vitest";
import { call, putFiles } from "../../../../test/support/hook-files.js";
import { testFolder } from "../../../../test/support/test-folder.js";

/** A hub with one command hook, and a bus on the line. */
async function setting(toml: string) {
  const state = putFiles(testFolder(), { "hookline.toml": toml });
  const hub = await startHub({ state, runtime: state, port: 0, config: join(state, "hookline.toml"), onProblem: () => {} });
  onTestFinished(() => hub.close());
  const bus = createBus({ source: "agent", onError: () => {} });
  const line = connectToHub(bus, { folder: state });
  onTestFinished(() => void line.close(0));
  await expect.poll(() => line.state).toBe("attached");
  return { bus, line };
}

const printing = (event: string, dialect: string, document: object) =>
  `[[hook]]\nname = "h"\nevent = "${event}"\ndialect = "${dialect}"\ncommand = "echo"\nargs = ['${JSON.stringify(document)}']\n`;

it.each([
  ["PostToolUse", "claude-code", { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: "other" } }],
  ["PostToolUse", "harn", { result: "other" }],
  ["after_tool_call", "own", { value: "other" }],
])("a hook for %s in the dialect of %s replaces what a tool gave", async (event, dialect, document) => {
  const { bus } = await setting(printing(event, dialect, document));
  expect(await bus.runTool(call(), () => "one")).toMatchObject({ status: "ok", output: "other" });
});

it("is shown each call once, and hears of calls that had no result", async () => {
  const folder = testFolder();
  const log = join(folder, "log");
  const toml = `[[hook]]\nname = "h"\nevent = "PostToolUse"\nshell = true\ncommand = "cat >> ${log}"\n`;
  const { bus, line } = await setting(toml);
  const run = (id: string, command: string, tool: () => unknown) =>
    bus.runTool({ session: { id: "s" }, tool: { name: "bash", callId: id, input: { command } } }, tool);
  await run("c1", "ls", () => "fine");
  await run("c2", "ls", () => Promise.reject(new Error("failed")));
  await line.flush();
  const seen = () => [...(existsSync(log) ? readFileSync(log, "utf8") : "").matchAll(/"callId":"(\w+)"/g)].map(([, id]) => id);
  await expect.poll(seen).toEqual(["c1", "c2"]);
});

it.each(['["tool:after", "tool:result"]', '"tool:*"'])("a hook for %s hears of both events", async (event) => {
  const log = join(testFolder(), "log");
  const { bus, line } = await setting(
    `[[hook]]\nname = "h"\nevent = ${event}\nstage = "observe"\nshell = true\ncommand = "cat >> ${log}"\n`,
  );
  await bus.runTool({ session: { id: "s" }, tool: { name: "bash", callId: "c1", input: {} } }, () => "fine");
  await line.flush();
  const heard = () =>
    [...(existsSync(log) ? readFileSync(log, "utf8") : "").matchAll(/"event":"(tool:(?:result|after))"/g)].map(([, name]) => name);
  await expect.poll(() => heard().sort()).toEqual(["tool:after", "tool:result"]);
});
