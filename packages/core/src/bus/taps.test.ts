import { block, createBus, modify, type Tap } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { call, never, reportingBus, withCommand } from "../../../../test/support/reporting-bus.js";

function recordingTap(): { tap: Tap; log: string[] } {
  const log: string[] = [];
  return {
    log,
    tap: {
      called: (event, handler) => void log.push(`called ${event.name} ${handler.name}`),
      returned: (_event, handler, { action, failure }) =>
        void log.push(`returned ${handler.name} ${action}${failure === undefined ? "" : ` ${failure.code}`}`),
      dispatched: (event, { kind, decision, error }) =>
        void log.push(`dispatched ${event.name} ${kind} ${decision?.verdict ?? error?.code ?? ""}`.trim()),
    },
  };
}

describe("a tap", () => {
  it("sees every dispatch once, also without a handler, and can be removed", async () => {
    const bus = createBus();
    const { tap, log } = recordingTap();
    const untap = bus.tap(tap);
    bus.emit("agent:start", {});
    bus.decide("tool:before", call());
    await bus.transform("tool:result", "x", call());
    await bus.collect("command:x", {});
    expect(log).toEqual([
      "dispatched agent:start observe",
      "dispatched tool:before gate pass",
      "dispatched tool:result transform",
      "dispatched command:x gate",
    ]);
    untap();
    bus.emit("agent:start", {});
    expect(log).toHaveLength(4);
  });

  it("is told of each call and what came of it", async () => {
    const { bus } = reportingBus();
    const { tap, log } = recordingTap();
    bus.tap(tap);
    bus.on("tool:before", () => {}, { name: "a" });
    bus.on("tool:before", () => {}, { name: "elsewhere", tool: "edit" });
    bus.on("tool:before", ({ payload }) => modify(withCommand(payload, "b")), { name: "b" });
    bus.on("tool:before", never, { name: "c", timeoutMs: 15, onFailure: "open" });
    bus.on("tool:before", () => ({ decision: "maybe" }) as never, { name: "d" });
    await bus.decide("tool:before", call());
    expect(log).toEqual([
      "called tool:before a",
      "returned a pass",
      "called tool:before b",
      "returned b modify",
      "called tool:before c",
      "returned c failed HL_TIMEOUT",
      "called tool:before d",
      "returned d deny HL_INVALID_VERDICT",
      "dispatched tool:before gate deny",
    ]);
  });

  it("is told of observers, sequential ones and the observe stage, too", async () => {
    for (const observe of ["parallel", "sequential"] as const) {
      const { bus } = reportingBus({ observe });
      const { tap, log } = recordingTap();
      bus.tap(tap);
      bus.on(
        "agent:start",
        () => {
          throw new Error("x");
        },
        { name: "a" },
      );
      bus.on("agent:start", async () => {}, { name: "b" });
      await bus.emit("agent:start", {});
      expect(log).toEqual([
        "called agent:start a",
        "returned a failed HL_HANDLER_FAILED",
        "called agent:start b",
        "returned b pass",
        "dispatched agent:start observe",
      ]);
      log.length = 0;
      bus.on("tool:before", () => {}, { name: "late", stage: "observe" });
      bus.decide("tool:before", call());
      expect(log).toEqual(["called tool:before late", "returned late pass", "dispatched tool:before gate pass"]);
    }
  });

  it("is told of a gate that was aborted, and of a matcher that throws", async () => {
    const { bus } = reportingBus();
    const { tap, log } = recordingTap();
    bus.tap(tap);
    const off = bus.on("tool:before", () => {}, {
      name: "m",
      match: () => {
        throw new Error("x");
      },
    });
    bus.decide("tool:before", call());
    expect(log).toEqual(["returned m failed HL_HANDLER_FAILED", "dispatched tool:before gate deny"]);
    off();
    log.length = 0;
    bus.on(
      "tool:before",
      () => {
        throw new Error("x");
      },
      { name: "a", onFailure: "abort" },
    );
    await expect(bus.decide("tool:before", call())).rejects.toThrow();
    expect(log).toEqual(["called tool:before a", "returned a failed HL_HANDLER_FAILED", "dispatched tool:before gate HL_ABORTED"]);
  });

  it("that throws is reported and disturbs no other", () => {
    const { bus, codes } = reportingBus();
    bus.tap({
      called: () => {
        throw new Error("x");
      },
      dispatched: () => {
        throw new Error("y");
      },
    });
    bus.on("tool:before", () => block("no"));
    expect(bus.decide("tool:before", call())).toMatchObject({ verdict: "deny" });
    expect(codes()).toEqual(["HL_HANDLER_FAILED", "HL_HANDLER_FAILED"]);
  });
});
