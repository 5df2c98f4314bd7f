import { describe, expect, it } from "vitest";
import { openOrigin } from "../ingest/origins.js";
import type { Accepted } from "../parts.js";
import { packRows, unpackRows } from "./packed-rows.js";
import { toRow } from "./row.js";

function accepted(number: number, changes: object = {}): Accepted {
  const source = { app: `app-${number % 2}`, host: "h", pid: 1, instance: "i1" };
  const envelope = {
    v: 2 as const,
    id: `e${number}`,
    seq: number,
    at: "2026-01-31T12:00:00.000Z",
    event: "tool:after",
    source,
    payload: {},
    hops: [],
  };
  return { envelope: { ...envelope, ...changes }, body: `{"number":${number},"text":"ü€😀"}` };
}

describe("packed rows", () => {
  it("come out as they were, after the copy that a message is", () => {
    const origin = openOrigin("connection", { app: "a", instance: "i1" });
    const rows = [
      toRow(accepted(1)),
      toRow({
        ...accepted(2, { session: { id: "s", parentId: "p" }, payload: { tool: { name: "bash" }, usage: { inputTokens: 3 } } }),
        origin,
      }),
      toRow({
        ...accepted(3, { session: { id: "s" }, payload: { model: "m", cwd: "/x" } }),
        origin,
        host: "far",
        isImported: true as const,
      }),
      toRow(accepted(4, { decision: { verdict: "deny", by: "g", modified: false, endLoop: false, trail: [] } })),
    ];
    expect(unpackRows(structuredClone(packRows(rows)))).toEqual(rows);
  });

  it("keep an empty batch empty", () => {
    expect(unpackRows(packRows([]))).toEqual([]);
  });
});
