import { describe, expect, it } from "vitest";
import { until } from "../../../../../test/support/http-hub.ts";
import { createReadQueue } from "./read-queue.js";

/** Reads that end when they are told to. */
function createReads() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(`${name} read`)));
  };
  return { begun, read, end: (name: string) => ends.get(name)?.() };
}

const here = { isOpen: true };

describe("a read queue", () => {
  it("reads one at a time, in order, and what several wait for once", async () => {
    const { begun, read, end } = createReads();
    const queue = createReadQueue(() => true);
    const results = ["a", "b", "c", "c", "d"].map((key, index) => queue.ask(key, here, read(`${key}${index}`)));
    for (const [count, name] of ["a0", "b1"].entries()) {
      await until(() => begun.length === count + 1);
      end(name);
    }
    await until(() => begun.length === 3);
    expect(begun).toEqual(["a0", "b1", "c2"]);
    // What has begun may be too old for who asks now.
    const later = queue.ask("c", here, read("c5"));
    for (const [count, name] of ["c2", "d4", "c5"].entries()) {
      await until(() => begun.length === count + 3);
      end(name);
    }
    expect(await Promise.all([...results, later])).toEqual(["a0 read", "b1 read", "c2 read", "c2 read", "d4 read", "c5 read"]);
    expect(begun).toEqual(["a0", "b1", "c2", "d4", "c5"]);
  });

  it("waits for room, and reads nothing for who has gone meanwhile", async () => {
    let hasRoom = false;
    const queue = createReadQueue(() => hasRoom);
    const gone = { isOpen: true };
    const results = [queue.ask("a", gone, async () => "a"), queue.ask("b", gone, async () => "b"), queue.ask("b", here, async () => "b")];
    gone.isOpen = false;
    hasRoom = true;
    expect(await Promise.all(results)).toEqual([undefined, "b", "b"]);
  });

  it("tells who asked what went wrong, and goes on", async () => {
    const queue = createReadQueue(() => true);
    const failing = [1, 2, 3].map((key) => queue.ask(String(key), here, () => Promise.reject(new Error(`no ${key}`))));
    expect(await Promise.allSettled(failing)).toMatchObject([1, 2, 3].map((key) => ({ reason: { message: `no ${key}` } })));
    expect(await queue.ask("4", here, async () => 4)).toBe(4);
  });
});
