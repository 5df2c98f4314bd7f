import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A process with a store and a jsonl sink. Appends batches, says on stdout which ids are on disk, and with `--end` sends all and ends. */
const program = `
import { join } from "node:path";
const [folder, run, end] = process.argv.slice(1);
const from = (path) => import(new URL(path, ${JSON.stringify(new URL("../../../dist/hub/", import.meta.url).href)}));
const { openStore } = await from("store/open-store.js");
const { openSinks } = await from("sinks/open-sinks.js");
const { createLive } = await from("live/live.js");
const { parseConfig } = await from("../config/load-config.js");
const store = await openStore(join(folder, "events.db"));
const live = createLive();
const { config } = await parseConfig('[[sink]]\\ntype = "jsonl"\\npath = "out.jsonl"\\n', join(folder, "hookline.toml"));
const sinks = openSinks(config.sinks, { store, live, onError: (error) => console.error(error) });
if (end) {
  await sinks.close(60000);
  await store.close();
} else {
  for (let batch = 0; ; batch++) {
    const events = Array.from({ length: 20 }, (_, index) => {
      const id = ["r" + run, batch, index].join("-");
      const source = { app: "a", host: "h", pid: 1, instance: "i" };
      const envelope = { v: 2, id, seq: index, at: new Date().toISOString(), event: "agent:step", source, payload: { of: id }, hops: [] };
      return { envelope, body: JSON.stringify(envelope) };
    });
    const places = await store.append(events);
    live.publish(events.map((event, index) => ({ ...event, place: places[index] })));
    console.log(events.map(({ envelope }) => envelope.id).join(" "));
  }
}
`;

/** Runs it until so many batches are acknowledged, then kills it; gives the ids. */
async function runAndKill(folder: string, run: number, batches: number): Promise<string[]> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder, String(run)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (said.split("\n").length > batches) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(child.signalCode).toBe("SIGKILL");
  // The last line may be half a line.
  return said.slice(0, said.lastIndexOf("\n")).split(/\s/);
}

function runToTheEnd(folder: string): Promise<unknown> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder, "0", "--end"], { stdio: "inherit" });
  return new Promise((resolve) => child.once("close", resolve));
}

describe("a feed that is killed", () => {
  it("leaves nothing out of its sink that was acknowledged, and repeats only under the same id", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookline-killed-"));
    folders.push(folder);
    const acknowledged: string[] = [];
    for (const [run, batches] of [3, 25, 1, 60, 10].entries()) acknowledged.push(...(await runAndKill(folder, run, batches)));
    expect(acknowledged.length).toBeGreaterThan(1_900);
    expect(await runToTheEnd(folder)).toBe(0);
    const path = join(folder, "out.jsonl");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
    const events = lines.map((line) => JSON.parse(line) as { id: string; payload: { of: string } });
    const arrived = new Set(events.map(({ id }) => id));
    expect(acknowledged.filter((id) => !arrived.has(id))).toEqual([]);
    expect(events.filter(({ id, payload }) => payload.of !== id)).toEqual([]);
    // What is repeated is repeated whole and the same.
    expect(new Set(lines).size).toBe(arrived.size);
  });
});
