import { describe, expect, it } from "vitest";
import { decodeFrame } from "./decode.js";

const toolFrame = (phase: string, payload: unknown) => ({ type: "tool_lifecycle", response_id: "r1", tool_name: "shell", phase, payload });
const genericFrame = (frame: object) => ({ type: "generic_event_frame", frame });

describe("decodeFrame", () => {
  it.each([
    [{ type: "response_start", response_id: "r1" }, "message:start", { message: { id: "r1" } }],
    [{ type: "response_delta", response_id: "r1", delta: "hi" }, "message:delta", { message: { id: "r1", delta: "hi" } }],
    [{ type: "response_end", response_id: "r1" }, "message:complete", { message: { id: "r1" } }],
    [
      { type: "job_lifecycle", job_id: "j1", phase: "running", progress: 50, detail: null },
      "job:update",
      { job: { id: "j1", phase: "running", progress: 50, detail: null } },
    ],
    [
      { type: "approval_lifecycle", approval_id: "a1", phase: "requested", reason: "needs review" },
      "approval:requested",
      { approval: { id: "a1", phase: "requested", reason: "needs review" } },
    ],
    [
      { type: "approval_lifecycle", approval_id: "a1", phase: "denied" },
      "permission:replied",
      { approval: { id: "a1", phase: "denied", reason: null, verdict: "deny" } },
    ],
    [
      { type: "approval_lifecycle", approval_id: "a1", phase: "replied", reason: null },
      "permission:replied",
      { approval: { id: "a1", phase: "replied", reason: null } },
    ],
  ])("%j", (frame, event, payload) => {
    expect(decodeFrame(frame)).toEqual({ event, payload: { ...payload, raw: frame } });
  });

  it.each([
    ["start", {}, "tool:before", undefined],
    ["Started", {}, "tool:before", undefined],
    ["precheck", {}, "tool:before", undefined],
    ["dispatching", {}, "tool:progress", undefined],
    ["progress", {}, "tool:progress", undefined],
    ["never heard of", {}, "tool:progress", undefined],
    ["end", {}, "tool:after", "ok"],
    ["completed", { ok: true }, "tool:after", "ok"],
    ["completed", { ok: false }, "tool:after", "error"],
    ["failed", { error: "x" }, "tool:after", "error"],
    ["timed-out", null, "tool:after", "timeout"],
    ["cancelled", "text", "tool:after", "cancelled"],
  ])("reads the tool phase %j %j", (phase, payload, event, status) => {
    const decoded = decodeFrame(toolFrame(phase, payload));
    expect(decoded.event).toBe(event);
    expect(decoded.payload).toMatchObject({ phase, tool: { name: "shell" }, message: { id: "r1" } });
    expect(decoded.payload.status).toBe(status);
  });

  it("fills a tool call from what the runtime sends", () => {
    const before = { execution_kind: "shell", command: "ls", cwd: "/tmp", allow: true };
    expect(decodeFrame(toolFrame("precheck", before)).payload.tool).toEqual({ name: "shell", input: before });
    expect(decodeFrame(toolFrame("start", { call_id: "c1", input: { path: "/x" } })).payload.tool).toEqual({
      name: "shell",
      callId: "c1",
      input: { path: "/x" },
    });
    expect(decodeFrame(toolFrame("failed", { error: "no", duration_ms: 5, output: "text" })).payload).toMatchObject({
      error: "no",
      tool: { name: "shell", input: {}, output: "text", isError: true, durationMs: 5 },
    });
    expect(decodeFrame(toolFrame("end", { exit_code: 0 })).payload.tool).toMatchObject({ output: { exit_code: 0 }, isError: false });
  });

  it.each([
    [{ event: "response_start", response_id: "r1" }, "message:start", { message: { id: "r1" } }],
    [
      { event: "response_delta", response_id: "r1", delta: "x", channel: "reasoning" },
      "reasoning:delta",
      { message: { id: "r1", delta: "x" } },
    ],
    [{ event: "turn_started", turn_id: "t1" }, "agent:start", { turn: { id: "t1" }, turn_id: "t1" }],
    [{ event: "turn_complete", turn_id: "t1" }, "agent:end", { turn: { id: "t1" } }],
    [{ event: "error", response_id: "r1", message: "broke" }, "session:error", { message: "broke" }],
    [{ event: "PreToolUse", tool_name: "shell", arguments: { a: 1 } }, "tool:before", { tool: { name: "shell", input: { a: 1 } } }],
    [{ event: "pre_tool_call", other: 1 }, "codewhale:pre_tool_call", { other: 1 }],
    [{ event: "tool:unheard_of" }, "codewhale:tool:unheard_of", {}],
    [{ event: "myapp:deployed", version: 3 }, "myapp:deployed", { version: 3 }],
    [
      { event: "exec_approval_request", request: { approval_id: "a1", turn_id: "t1", command: "rm", reason: "risky" } },
      "permission:asked",
      { approval: { id: "a1", reason: "risky" }, turn: { id: "t1" }, request: { command: "rm" } },
    ],
  ])("generic %j", (frame, event, payload) => {
    const decoded = decodeFrame(genericFrame(frame));
    expect(decoded.event).toBe(event);
    expect(decoded.payload).toMatchObject(payload);
  });

  it("keeps members that would break a shape in raw only, and __proto__ as data", () => {
    const frame = JSON.parse('{"event":"turn_complete","session":"s1","agent":null,"__proto__":{"polluted":1}}');
    const { payload } = decodeFrame(genericFrame(frame));
    expect(Object.keys(payload).sort()).toEqual(["__proto__", "raw"]);
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    expect((payload as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [null, "JSON object"],
    [[], "JSON object"],
    ["response_start", "JSON object"],
    [{}, `needs a "type"`],
    [{ type: 5 }, `needs a "type"`],
    [{ type: "response_strat" }, `Did you mean "response_start"?`],
    [{ type: "constructor" }, `"constructor" is not a codewhale frame type`],
    [{ type: "__proto__" }, `"__proto__" is not a codewhale frame type`],
    [{ type: "\u001b[2J" }, `"\\u001b[2J" is not a codewhale frame type`],
    [{ type: "response_start" }, `"response_id" of a codewhale response_start frame must be text`],
    [{ type: "response_delta", response_id: "r", delta: 5 }, `"delta"`],
    [{ type: "tool_lifecycle", response_id: "r", tool_name: "t", phase: "end" }, `"payload"`],
    [
      { type: "job_lifecycle", job_id: "j", phase: "p", progress: 256 },
      `"progress" of a codewhale job_lifecycle frame must be a whole number`,
    ],
    [{ type: "job_lifecycle", job_id: "j", phase: "p", progress: 1.5 }, `"progress"`],
    [{ type: "approval_lifecycle", approval_id: "a", phase: null }, `"phase"`],
    [{ type: "generic_event_frame", frame: {} }, `"frame"`],
    [{ type: "generic_event_frame", frame: { event: "two words" } }, `"two words"`],
    [{ type: "generic_event_frame", frame: { event: "" } }, "not an event name"],
  ])("refuses %j", (frame, why) => {
    expect(() => decodeFrame(frame)).toThrow(expect.objectContaining({ code: "HL_CODEC", message: expect.stringContaining(why) }));
  });
});
