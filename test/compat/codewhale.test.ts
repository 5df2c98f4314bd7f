// What a codewhale user relies on: its seven hook frames, the {"at", "event"} line of its sinks, and delivery that outlives a failing sink.
import { type CodewhaleFrame, decodeFrame, decodeLine, encodeFrame, encodeLine } from "@hookline/core/adapters/codewhale";
import { createDelivery, createMemorySink, type Envelope, type Sink } from "@hookline/core/sinks";
import { describe, expect, it } from "vitest";

const seven: readonly (readonly [CodewhaleFrame, string])[] = [
  [{ type: "response_start", response_id: "resp-1" }, "message:start"],
  [{ type: "response_delta", response_id: "resp-1", delta: "Hello" }, "message:delta"],
  [{ type: "response_end", response_id: "resp-1" }, "message:complete"],
  [{ type: "tool_lifecycle", response_id: "resp-1", tool_name: "shell", phase: "end", payload: { exit_code: 0 } }, "tool:after"],
  [{ type: "job_lifecycle", job_id: "job-1", phase: "running", progress: 40, detail: null }, "job:update"],
  [{ type: "approval_lifecycle", approval_id: "approval-1", phase: "requested", reason: "needs review" }, "approval:requested"],
  [{ type: "generic_event_frame", frame: { event: "turn_complete", turn_id: "turn-1" } }, "agent:end"],
];

const toolCall = (phase: string, payload: object): CodewhaleFrame => ({
  type: "tool_lifecycle",
  response_id: "tool-1",
  tool_name: "exec_shell",
  phase,
  payload,
});

function envelopeOf(frame: CodewhaleFrame, seq: number): Envelope {
  const { event, payload } = decodeFrame(frame);
  const source = { app: "codewhale", host: "box", pid: 1, instance: "i1" };
  return { v: 2, id: `e${seq}`, seq, at: "2026-02-11T20:18:49.123Z", event, source, payload, hops: [] };
}

describe("codewhale frames", () => {
  it.each(seven)("%j is an event and back", (frame, event) => {
    const decoded = decodeFrame(frame);
    expect(decoded.event).toBe(event);
    expect(encodeFrame(decoded)).toEqual(frame);
    expect(JSON.stringify(encodeFrame(JSON.parse(JSON.stringify(decoded))))).toBe(JSON.stringify(frame));
  });

  it("tells one tool call as before, progress and after", () => {
    const call = [
      toolCall("precheck", { execution_kind: "shell", command: "ls", cwd: "/repo", allow: true, requires_approval: false }),
      toolCall("dispatching", { call_id: "call-1", execution_kind: "shell" }),
      toolCall("completed", { ok: true }),
    ].map(decodeFrame);
    expect(call.map(({ event }) => event)).toEqual(["tool:before", "tool:progress", "tool:after"]);
    expect(call[0]?.payload.tool).toMatchObject({ name: "exec_shell", input: { command: "ls" } });
    expect(call[1]?.payload.tool).toMatchObject({ callId: "call-1" });
    expect(call[2]?.payload.status).toBe("ok");
    expect(decodeFrame(toolCall("failed", { error: "boom" })).payload).toMatchObject({ status: "error", error: "boom" });
  });

  it("says what is wrong with a frame that is none", () => {
    expect(() => decodeFrame({ type: "tool_lifecycel" })).toThrow('Did you mean "tool_lifecycle"?');
    expect(() => decodeFrame({ type: "response_delta", response_id: "r" })).toThrow('"delta"');
  });

  it("carries events codewhale has no frame for", () => {
    expect(encodeFrame({ event: "compact:before", payload: { reason: "full" } })).toEqual({
      type: "generic_event_frame",
      frame: { reason: "full", event: "compact_before" },
    });
  });
});

describe("codewhale lines", () => {
  it.each(seven)("%j travels as { at, event }", (frame, event) => {
    const line = encodeLine(envelopeOf(frame, 1));
    expect(JSON.parse(line)).toEqual({ at: "2026-02-11T20:18:49.123Z", event: frame });
    expect(decodeLine(line)).toMatchObject({ at: "2026-02-11T20:18:49.123Z", event });
  });

  it("reads the time as chrono writes it", () => {
    const line = `{"at":"2026-02-11T20:18:49.123456789+00:00","event":{"type":"response_end","response_id":"r"}}`;
    expect(decodeLine(line).at).toBe("2026-02-11T20:18:49.123Z");
  });
});

describe("codewhale delivery", () => {
  it("goes on to the next sink, in order, when one fails", async () => {
    const first = createMemorySink({ name: "first" });
    const broken: Sink = {
      name: "broken",
      send: () => Promise.reject(new Error("disk full")),
      close: async () => {},
    };
    const second = createMemorySink({ name: "second" });
    const delivery = createDelivery([first, broken, second]);
    await Promise.all(seven.map(([frame], index) => delivery.deliver(envelopeOf(frame, index + 1))));
    expect(second.envelopes.map((envelope) => encodeFrame(envelope))).toEqual(seven.map(([frame]) => frame));
    expect(first.envelopes).toEqual(second.envelopes);
    expect(delivery.counters).toEqual([
      { sink: "first", sent: 7, failed: 0 },
      { sink: "broken", sent: 0, failed: 7 },
      { sink: "second", sent: 7, failed: 0 },
    ]);
  });
});
