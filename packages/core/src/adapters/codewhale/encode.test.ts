import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalog } from "../../catalog/events.js";
import { decodeFrame } from "./decode.js";
import { encodeFrame } from "./encode.js";

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));
const phase = fc.oneof(
  fc.string(),
  fc.constantFrom("start", "precheck", "dispatching", "end", "completed", "failed", "requested", "approved"),
);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const type = <T extends string>(name: T) => fc.constant(name);
const id = fc.string();

const exact = [
  fc.record({ type: type("response_start"), response_id: id }),
  fc.record({ type: type("response_delta"), response_id: id, delta: fc.string({ unit: "binary" }) }),
  fc.record({ type: type("response_end"), response_id: id }),
  fc.record({ type: type("job_lifecycle"), job_id: id, phase, progress: maybe(fc.nat({ max: 255 })), detail: maybe(fc.string()) }),
  fc.record({ type: type("approval_lifecycle"), approval_id: id, phase, reason: maybe(fc.string()) }),
];
const toolFrames = fc.record({ type: type("tool_lifecycle"), response_id: id, tool_name: id, phase, payload: json });
const eventName = fc.constantFrom("turn_complete", "turn_started", "error", "response_delta", "exec_approval_request", "PreToolUse", "x:y");
const genericFrames = fc
  .record({
    event: eventName,
    fields: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("turn_id", "tool_name", "raw", "session", "tool")), json),
  })
  .map(({ event, fields }) => ({ type: "generic_event_frame", frame: JSON.parse(JSON.stringify({ ...fields, event })) }));
const frames = fc.oneof(...exact, toolFrames, genericFrames);
const extra = fc.dictionary(fc.string(), json, { maxKeys: 2 });

describe("encodeFrame", () => {
  it("gives back the very frame that was decoded, also one with members we do not know", () => {
    fc.assert(
      fc.property(frames, extra, (known, more) => {
        const frame = { ...more, ...known };
        expect(encodeFrame(decodeFrame(frame))).toBe(frame);
      }),
      { numRuns: 1000 },
    );
  });

  it("does so after a journey as JSON, and when others have added to the payload", () => {
    fc.assert(
      fc.property(frames, (frame) => {
        const { event, payload } = JSON.parse(JSON.stringify(decodeFrame(frame)));
        expect(encodeFrame({ event, payload: { ...payload, _forwarded: true, cwd: "/tmp" } })).toEqual(frame);
      }),
    );
  });

  it("builds the same frame without raw, where the payload says it all", () => {
    fc.assert(
      fc.property(fc.oneof(...exact), (frame) => {
        const { event, payload } = decodeFrame(frame);
        const { raw: _, ...rest } = payload;
        expect(encodeFrame({ event, payload: rest })).toEqual(frame);
      }),
    );
  });

  it("builds a tool frame that says the same without raw", () => {
    fc.assert(
      fc.property(toolFrames, (frame) => {
        const { event, payload } = decodeFrame(frame);
        const { raw: _, ...rest } = payload;
        const again = decodeFrame(encodeFrame({ event, payload: rest }));
        expect(again.event).toBe(event);
        expect(again.payload).toMatchObject({
          phase: frame.phase,
          message: rest.message,
          tool: { input: (rest.tool as { input: object }).input },
        });
        expect(again.payload.status).toBe(rest.status);
      }),
    );
  });

  it("follows a payload that was rewritten", () => {
    const { event, payload } = decodeFrame({
      type: "tool_lifecycle",
      response_id: "r1",
      tool_name: "shell",
      phase: "precheck",
      payload: { command: "rm" },
    });
    const rewritten = { ...payload, tool: { ...(payload.tool as object), input: { command: "ls" } } };
    expect(encodeFrame({ event, payload: rewritten })).toEqual({
      type: "tool_lifecycle",
      response_id: "r1",
      tool_name: "shell",
      phase: "precheck",
      payload: { input: { command: "ls" } },
    });
    const answered = { ...payload, status: "blocked", tool: { ...(payload.tool as object), isError: true } };
    expect(encodeFrame({ event: "tool:after", payload: answered })).toMatchObject({ phase: "denied", payload: { ok: false } });
  });

  it("gives every event of the catalogue a frame that leads back to it", () => {
    const payload = {
      tool: { name: "bash", input: { command: "ls" } },
      status: "timeout",
      job: { id: "j" },
      approval: { id: "a", verdict: "deny" },
      session: { id: "s" },
    };
    for (const event of [...Object.keys(catalog), "myapp:deployed", "codewhale:turn_complete", "codewhale:error", "tui:tool.start"]) {
      const frame = encodeFrame({ event, payload });
      expect(decodeFrame(JSON.parse(JSON.stringify(frame))).event).toBe(event);
    }
    expect(encodeFrame({ event: "PreCompact", payload: { n: 1 } })).toEqual({
      type: "generic_event_frame",
      frame: { n: 1, event: "compact_before" },
    });
  });

  it("takes our own bus's approvals and other agents' events", () => {
    expect(encodeFrame({ event: "permission:replied", payload: { approval: { id: "a", verdict: "allow", by: "me" } } })).toEqual({
      type: "approval_lifecycle",
      approval_id: "a",
      phase: "approved",
      reason: null,
    });
    expect(encodeFrame({ event: "message:delta", payload: { message: "hi", turn: { id: "t" }, raw: { hook_event_name: "x" } } })).toEqual({
      type: "response_delta",
      response_id: "t",
      delta: "hi",
    });
    expect(encodeFrame({ event: "job:update", payload: { note: "no job" } })).toEqual({
      type: "generic_event_frame",
      frame: { note: "no job", event: "job_update" },
    });
  });

  it("encodes whatever a payload is", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(catalog), "own:event"),
        fc.anything({ withBigInt: true, withMap: true }),
        (event, payload) => {
          const frame = encodeFrame({ event, payload });
          expect(() => decodeFrame(JSON.parse(JSON.stringify(frame)))).not.toThrow();
        },
      ),
    );
  });
});
