import { HookError } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { sampleEnvelope } from "../../../../../test/support/sample-envelope.js";
import type { Accepted, Arrival } from "../parts.js";
import { isRefusal } from "./accept.js";
import { createIngest } from "./ingest.js";

function ingestWith(append: (events: readonly Accepted[]) => Promise<readonly number[]>) {
  const arrivals: Arrival[] = [];
  const store = { append, identify: async () => {}, ownerOf: async () => undefined };
  return { arrivals, ingest: createIngest({ instance: "hub1", store, onStored: (more) => arrivals.push(...more) }) };
}
const line = (parts: object): string => JSON.stringify({ ...sampleEnvelope(), ...parts });

describe("ingest", () => {
  it("takes an envelope with its own text", () => {
    const { ingest } = ingestWith(async () => []);
    const body = ` ${line({})} `;
    expect(ingest.accept(body)).toMatchObject({ envelope: { v: 2 }, body });
    expect(ingest.acceptEnvelope(sampleEnvelope())).toMatchObject({ envelope: { event: "agent:step" } });
  });

  it("takes nothing in the hub's name but from the hub itself", () => {
    const { ingest } = ingestWith(async () => []);
    const source = { app: "agent", host: "h", pid: 1, instance: "i1" };
    const own = { ...sampleEnvelope(), source: { ...source, app: "hookline-hub", instance: "notices1" } };
    expect(ingest.acceptOwn(own)).toMatchObject({ envelope: { source: own.source } });
    const names = [
      "hookline-hub",
      "Hookline-Hub",
      " hookline-hub",
      "hookline\u200b-hub",
      "ｈookline_hub",
      "hookline hub",
      "hookline-hub-1",
      "my-hookline-hub",
      "hub",
    ];
    for (const claim of [...names.map((app) => ({ app })), { instance: "hub1" }, { instance: "notices1" }]) {
      const forged = { ...sampleEnvelope(), source: { ...source, ...claim } };
      for (const result of [ingest.accept(JSON.stringify(forged)), ingest.acceptEnvelope(forged)])
        expect([claim, result]).toEqual([claim, expect.objectContaining({ code: "HL_FORGED_SOURCE" })]);
    }
    for (const app of ["hooklines", "my-hub", "my-hookline", "agent"])
      expect(isRefusal(ingest.accept(line({ source: { ...source, app } })))).toBe(false);
    expect(ingest.counters.refused).toEqual({ HL_FORGED_SOURCE: 22 });
  });

  it("refuses with the code and the field, and never quotes", () => {
    const { ingest } = ingestWith(async () => []);
    const deep = `${"[".repeat(70)}${"]".repeat(70)}`;
    const bad: [string, string, RegExp][] = [
      ["", "HL_BAD_ENVELOPE", /not JSON/],
      ["{", "HL_BAD_ENVELOPE", /not JSON/],
      ["null", "HL_BAD_ENVELOPE", /object/],
      ["[1]", "HL_BAD_ENVELOPE", /object/],
      [`${line({})}${line({})}`, "HL_BAD_ENVELOPE", /not JSON/],
      [line({ v: 3 }), "HL_BAD_ENVELOPE", /"v"/],
      [line({ id: "se cret\n" }), "HL_BAD_ENVELOPE", /"id"/],
      [line({ seq: 2 ** 53 }), "HL_BAD_ENVELOPE", /"seq"/],
      [line({ at: "yesterday" }), "HL_BAD_ENVELOPE", /"at"/],
      [line({ event: "nonsense" }), "HL_BAD_ENVELOPE", /"event"/],
      [line({ source: null }), "HL_BAD_ENVELOPE", /"source"/],
      [line({ hops: "x" }), "HL_BAD_ENVELOPE", /"hops"/],
      [line({ event: `a:${"b".repeat(1_023)}` }), "HL_BAD_ENVELOPE", /"event" is longer than 1024/],
      [line({ source: { ...sampleEnvelope().source, app: "a".repeat(1_025) } }), "HL_BAD_ENVELOPE", /"source.app"/],
      [line({}).replace('"payload":', `"payload":${deep},"x":`), "HL_TOO_DEEP", /64/],
      [line({ hops: ["a", "hub1"] }), "HL_LOOP", /before/],
      [`\uFEFF${line({})}`, "HL_BAD_ENVELOPE", /not JSON/],
    ];
    for (const [text, code, reason] of bad) {
      const result = ingest.accept(text);
      expect(result, text.slice(0, 60)).toMatchObject({ code, reason: expect.stringMatching(reason) });
      expect(JSON.stringify(result)).not.toContain("cret");
    }
    expect(ingest.counters.received).toBe(bad.length);
    expect(ingest.counters.refused).toEqual({ HL_BAD_ENVELOPE: bad.length - 2, HL_TOO_DEEP: 1, HL_LOOP: 1 });
  });

  it("cuts the id of a session that is too long, marks it, and keeps two such ids apart", () => {
    const { ingest } = ingestWith(async () => []);
    const cut = ["a", "b"].map((end) => {
      const result = ingest.accept(line({ session: { id: `${"s".repeat(2_000)}${end}`, parentId: "p".repeat(1_025) } }));
      if (!("envelope" in result)) throw new Error(result.reason);
      expect(JSON.parse(result.body).session).toEqual(result.envelope.session);
      return result.envelope.session;
    });
    for (const session of cut) expect(session?.id).toMatch(/^s{900}… \(cut from 2001 characters, [0-9a-f]{16}\)$/);
    expect(cut[0]?.id).not.toBe(cut[1]?.id);
    expect(cut[0]?.parentId).toMatch(/^p{900}… \(cut from 1025/);
  });

  it("takes what was cut for its depth on the way, also what was asked for at first", () => {
    const { ingest } = ingestWith(async () => []);
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], 1);
    const decision = { verdict: "pass", modified: true, endLoop: false, asked: deep } as const;
    expect(isRefusal(ingest.acceptEnvelope({ ...sampleEnvelope(), payload: deep, decision }))).toBe(false);
  });

  it("leaves __proto__ inert", () => {
    const { ingest } = ingestWith(async () => []);
    const body = line({}).replace('"payload":{', '"payload":{"__proto__":{"polluted":1},');
    const result = ingest.accept(body);
    expect(isRefusal(result)).toBe(false);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("tells only of what is new, with its place, and counts exactly", async () => {
    const { ingest, arrivals } = ingestWith(async () => [7, 0, 8]);
    const events = [0, 1, 2].map(() => ingest.acceptEnvelope(sampleEnvelope()) as Accepted);
    const appending = ingest.append(events);
    expect(ingest.pending).toBe(3);
    expect(await appending).toEqual({ stored: 2, duplicates: 1 });
    expect(arrivals.map(({ place }) => place)).toEqual([7, 8]);
    expect(arrivals[1]?.envelope.id).toBe(events[2]?.envelope.id);
    expect(ingest.counters).toMatchObject({ received: 3, stored: 2, duplicates: 1, failed: 0 });
    expect(ingest.pending).toBe(0);
  });

  it("says that the disk is full until it is not", async () => {
    let isFull = true;
    const { ingest } = ingestWith(async () => {
      if (isFull) throw new HookError("HL_DISK_FULL", "full");
      return [1];
    });
    const event = ingest.acceptEnvelope(sampleEnvelope()) as Accepted;
    await expect(ingest.append([event])).rejects.toMatchObject({ code: "HL_DISK_FULL" });
    expect([ingest.isDiskFull, ingest.counters.failed, ingest.pending]).toEqual([true, 1, 0]);
    isFull = false;
    await ingest.append([event]);
    expect(ingest.isDiskFull).toBe(false);
  });
});
