import { describe, expect, it } from "vitest";
import type { Envelope } from "../../catalog/envelope.js";
import { createMemorySink } from "./memory.js";

const envelope = (id: string): Envelope => ({
  v: 2,
  id,
  seq: 0,
  at: "2026-01-01T00:00:00.000Z",
  event: "agent:start",
  source: { app: "test", host: "", pid: 0, instance: "i" },
  payload: null,
  hops: [],
});
const { signal } = new AbortController();

describe("createMemorySink", () => {
  it("keeps what it is sent, in order", async () => {
    const sink = createMemorySink();
    expect(await sink.send([envelope("a"), envelope("b")], signal)).toEqual({ status: "sent" });
    await sink.send([envelope("c")], signal);
    await sink.close();
    expect(sink.envelopes.map((kept) => kept.id)).toEqual(["a", "b", "c"]);
    expect(sink.counters).toEqual({ sent: 3, dropped: 0 });
    expect(sink.name).toBe("memory");
  });

  it("lets the oldest go and counts them", async () => {
    const sink = createMemorySink({ limit: 2 });
    for (const id of "abcd") await sink.send([envelope(id)], signal);
    await sink.send([envelope("e"), envelope("f"), envelope("g")], signal);
    expect(sink.envelopes.map((kept) => kept.id)).toEqual(["f", "g"]);
    expect(sink.counters).toEqual({ sent: 7, dropped: 5 });
  });

  it("refuses an invalid limit", () => {
    for (const limit of [0, -1, 1.5, Number.NaN, "5" as unknown as number])
      expect(() => createMemorySink({ limit })).toThrow(expect.objectContaining({ code: "HL_BAD_OPTION" }));
  });
});
