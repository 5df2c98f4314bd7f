import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

const cleanUps: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

/** A hub of its own folders. Says where it is, and ends in order when its stdin does. */
const program = `
const { startHub } = await import(${JSON.stringify(new URL("../../../dist/hub/hub.js", import.meta.url).href)});
const [folder] = process.argv.slice(1);
const hub = await startHub({ state: folder + "/state", port: 0, config: folder + "/hookline.toml" });
console.log(JSON.stringify({ url: hub.file.url, token: hub.file.token }));
process.stdin.resume().on("end", () => void hub.close());
`;

interface RunningHub {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
}

async function startHub(folder: string): Promise<RunningHub> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder], { stdio: ["pipe", "pipe", "inherit"] });
  cleanUps.push(() => child.kill("SIGKILL"));
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").once("data", resolve);
    child.once("close", () => reject(new Error("The hub ended.")));
  });
  return { child, ...(JSON.parse(said) as { url: string; token: string }) };
}

function ended({ child }: RunningHub): Promise<unknown> {
  return child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once("close", resolve));
}

/** Posts one batch after the other until the hub is gone; notes what was acknowledged. */
async function publish({ url, token }: RunningHub, name: string, acknowledge: (ids: string[]) => void): Promise<void> {
  for (let batch = 0; ; batch++) {
    const ids = Array.from({ length: 10 }, (_, index) => `${name}-${batch}-${index}`);
    const source = { app: "a", host: "h", pid: 1, instance: name };
    const lines = ids.map((id, index) => ({
      v: 2,
      id,
      seq: batch * 10 + index + 1,
      at: new Date().toISOString(),
      event: "agent:step",
      source,
      payload: { of: id },
      hops: [name],
    }));
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" };
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const response = await fetch(`${url}/api/hooks/ingest`, { method: "POST", headers, body }).catch(() => undefined);
    if (response === undefined) return;
    expect(response.status).toBe(200);
    acknowledge(ids);
  }
}

describe("a hub that is killed under load", () => {
  it("leaves nothing out of a jsonl sink that it acknowledged, and repeats only under the same id", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookline-killed-hub-"));
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "hookline.toml"), '[[sink]]\ntype = "jsonl"\npath = "out.jsonl"\n', { mode: 0o600 });
    const acknowledged: string[] = [];
    for (const [round, enough] of [50, 400, 10, 900].entries()) {
      const hub = await startHub(folder);
      const target = acknowledged.length + enough;
      const acknowledge = (ids: string[]): void => {
        acknowledged.push(...ids);
        if (acknowledged.length >= target) hub.child.kill("SIGKILL");
      };
      await Promise.all(["a", "b", "c", "d"].map((name) => publish(hub, `${name}${round}`, acknowledge)));
      await ended(hub);
      expect(hub.child.signalCode).toBe("SIGKILL");
    }
    const last = await startHub(folder);
    last.child.stdin?.end();
    await ended(last);
    expect(last.child.exitCode).toBe(0);
    const lines = readFileSync(join(folder, "out.jsonl"), "utf8").split("\n").filter(Boolean);
    const events = lines.map((line) => JSON.parse(line) as { id: string; payload: { of: string } });
    const arrived = new Set(events.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThan(1_300);
    expect(acknowledged.filter((id) => !arrived.has(id))).toEqual([]);
    expect(events.filter(({ id, payload }) => payload.of !== id)).toEqual([]);
    expect(new Set(lines).size).toBe(arrived.size);
  });
});
