import type { HubFrame, PrefilterData } from "@hookline/core/internal/wire";
import { describe, expect, it } from "vitest";
import { createLeases, LEASE_MS } from "./leases.js";

function stage() {
  let [version, at] = ["v1", 0];
  const leases = createLeases(
    (): PrefilterData => ({ version, gates: {}, shell: { tools: [], fields: [] } }),
    () => at,
  );
  const told: HubFrame[] = [];
  const line = leases.open((frame) => void told.push(frame));
  return {
    leases,
    line,
    told,
    change(next: string): void {
      version = next;
      leases.renew();
    },
    pass: (ms: number) => {
      at += ms;
    },
    /** Whether every lease on the policy before has ended, as far as is known now. */
    async isSettled(): Promise<boolean> {
      let isSettled = false;
      void leases.settled().then(() => {
        isSettled = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      return isSettled;
    },
  };
}

describe("leases", () => {
  it("send the prefilter once, and then only its version", () => {
    const { line, told } = stage();
    line.hear({ type: "lease", n: 1 });
    line.hear({ type: "lease", n: 2, version: "v1" });
    expect(told).toMatchObject([
      { type: "leased", n: 1, version: "v1", ms: LEASE_MS, prefilter: { version: "v1" } },
      { n: 2, version: "v1" },
    ]);
    expect(told[1]).not.toHaveProperty("prefilter");
  });

  it("a change is in force when the process has confirmed it", async () => {
    const { line, told, change, isSettled } = stage();
    line.hear({ type: "lease", n: 1 });
    expect(await isSettled()).toBe(true);
    change("v2");
    expect(told.at(-1)).toEqual({ type: "unlease", version: "v2" });
    expect(await isSettled()).toBe(false);
    line.hear({ type: "unleased", version: "v1" });
    expect(await isSettled()).toBe(false);
    line.hear({ type: "unleased", version: "v2" });
    expect(await isSettled()).toBe(true);
  });

  it("or when its lease has expired, also after the connection is lost", async () => {
    const { line, change, pass, isSettled } = stage();
    line.hear({ type: "lease", n: 1 });
    change("v2");
    line.close();
    pass(LEASE_MS - 1);
    expect(await isSettled()).toBe(false);
    pass(1);
    expect(await isSettled()).toBe(true);
  });

  it("a lease that was requested before the change was known does not hide the one before it", async () => {
    const { line, change, isSettled, pass } = stage();
    line.hear({ type: "lease", n: 1 });
    change("v2");
    line.hear({ type: "lease", n: 2, version: "v1" });
    expect(await isSettled()).toBe(false);
    pass(LEASE_MS);
    expect(await isSettled()).toBe(true);
  });

  it("a process without a lease holds nothing up", async () => {
    const { change, told, isSettled } = stage();
    change("v2");
    expect(told).toEqual([]);
    expect(await isSettled()).toBe(true);
  });
});
