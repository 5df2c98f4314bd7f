import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isThorough } from "../support/thorough.ts";
import { hasPython, pythonProgram } from "./client-process.ts";
import { HubProcess, until } from "./hub-process.ts";

const publisher = fileURLToPath(new URL("drivers/publisher.py", import.meta.url));
const source = fileURLToPath(new URL("../../packages/python/src", import.meta.url));
const KILLS = isThorough ? 20 : 2;

describe.skipIf(!hasPython)("a durable Python publisher that is killed", () => {
  let hub: HubProcess;
  beforeAll(async () => {
    hub = new HubProcess("");
    await hub.start();
  });
  afterAll(() => hub.close());

  it(`loses no event whose emit had returned, in ${KILLS} kills, every fourth with a kill of the hub`, async () => {
    let first = 1;
    const returned = new Set<number>();
    for (let kill = 0; kill < KILLS; kill++) {
      const { numbers, kill: killPublisher } = startPublisher(first, hub.home.env);
      await until("it has emitted", () => numbers.length > 100);
      if (kill % 4 === 1) await hub.kill();
      await sleep(Math.random() * 100);
      await killPublisher();
      for (const number of numbers) returned.add(number);
      first = Math.max(...numbers) + 1_000;
      await hub.start();
    }
    let stored: readonly number[] = [];
    await until("all of them are stored", async () => {
      stored = (await hub.stored("publisher", "myapp:booked")).map(({ payload }) => (payload as { readonly number: number }).number);
      const found = new Set(stored);
      return [...returned].every((number) => found.has(number));
    });
    expect(new Set(stored).size).toBe(stored.length);
    expect(returned.size).toBeGreaterThan(KILLS * 100);
  });
});

/** A killed process may leave half a line: only whole numbers count. */
function startPublisher(first: number, env: NodeJS.ProcessEnv): { readonly numbers: number[]; kill(): Promise<void> } {
  const child = spawn(pythonProgram, [publisher, String(first)], {
    env: { ...env, PYTHONPATH: source, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const numbers: number[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    numbers.push(...lines.map(Number));
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    numbers,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
