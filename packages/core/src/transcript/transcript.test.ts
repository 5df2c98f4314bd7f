import { describe, expect, it } from "vitest";
import {
  allow,
  ask,
  type Bus,
  block,
  createBus,
  handled,
  inject,
  modify,
  remind,
  replace,
  type ToolInput,
  type ToolPayload,
} from "../index.js";
import { createTranscript, type TranscriptEntry, type TranscriptOptions, verifyTranscript } from "./index.js";

const tool = (input: ToolInput): ToolPayload => ({ session: { id: "s1" }, tool: { name: "bash", callId: "c1", input } });
const newInput = (payload: ToolPayload, input: ToolInput) => modify({ ...payload, tool: { ...payload.tool, input } });

function recorded(options: TranscriptOptions = {}, bus: Bus = createBus({ source: "tests", onError: () => {} })) {
  const transcript = createTranscript({ now: () => 0, ...options });
  transcript.attach(bus);
  return { bus, transcript };
}
const typesOf = (entries: readonly TranscriptEntry[]) => entries.map(({ type }) => type);
const afterOpen = (entries: readonly TranscriptEntry[]) => entries.slice(1).map(({ v, n, at, prev, hash, ...entry }) => entry);

describe("what is recorded", () => {
  it("names the bus first", () => {
    const { bus, transcript } = recorded();
    expect(transcript.entries).toEqual([
      {
        v: 1,
        n: 1,
        at: "1970-01-01T00:00:00.000Z",
        type: "open",
        source: { app: "tests", instance: bus.source.instance, pid: process.pid },
        instance: bus.source.instance,
        prev: "0".repeat(64),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it("has each handler's call and answer, with the payload as that handler saw it", async () => {
    const { bus, transcript } = recorded();
    bus.on("tool:before", (event) => newInput(event.payload, { command: "ls" }), {
      name: "tame",
      stage: "rewrite",
      owner: "me",
      permissions: ["tools.intercept"],
    });
    bus.on("tool:before", async () => block("no", { endLoop: true }), { name: "no" });
    await bus.decide("tool:before", tool({ command: "rm" }));
    const place = { id: expect.any(String), event: "tool:before" };
    const entries = afterOpen(transcript.entries);
    expect(entries).toEqual([
      { type: "hook_call", ...place, handler: "tame", owner: "me", stage: "rewrite", payload: tool({ command: "rm" }) },
      {
        type: "hook_returned",
        ...place,
        handler: "tame",
        owner: "me",
        stage: "rewrite",
        action: "modify",
        outcome: { kind: "modify", value: tool({ command: "ls" }) },
        durationMs: expect.any(Number),
        round: 0,
      },
      { type: "hook_call", ...place, handler: "no", stage: "guard", payload: tool({ command: "ls" }) },
      {
        type: "hook_vetoed",
        ...place,
        handler: "no",
        stage: "guard",
        action: "deny",
        reason: "no",
        outcome: { kind: "block", reason: "no", endLoop: true },
        durationMs: expect.any(Number),
        round: 0,
      },
      {
        type: "decision",
        ...place,
        payload: tool({ command: "rm" }),
        out: tool({ command: "ls" }),
        verdict: "deny",
        reason: "no",
        by: "no",
        actor: { kind: "guard", name: "no" },
        modified: true,
        endLoop: true,
        injections: [],
        reminders: [],
      },
    ]);
    expect(new Set(entries.map((entry) => "id" in entry && entry.id)).size).toBe(1);
  });

  it("keeps a failure apart from a decision", async () => {
    const { bus, transcript } = recorded();
    const broken = () => {
      throw new Error("broken");
    };
    bus.on("tool:before", broken, { name: "broken", onFailure: "closed" });
    await bus.decide("tool:before", tool({}));
    expect(transcript.entries[2]).toMatchObject({
      type: "hook_returned",
      action: "failed",
      failure: "crash",
      code: "HL_HANDLER_FAILED",
      onFailure: "closed",
    });
    expect(transcript.entries[3]).toMatchObject({ verdict: "deny", cause: { code: "HL_HANDLER_FAILED", failure: "crash" } });
  });

  it("has what guards leave besides a verdict", async () => {
    const { bus, transcript } = recorded();
    bus.on("tool:before", () => [remind({ body: "b" }), inject("i"), allow("fine")], { name: "kind" });
    bus.on("command:hello", () => handled({ text: "hi" }), { name: "hello" });
    await bus.decide("tool:before", tool({}));
    await bus.decide("command:hello", {});
    expect(transcript.entries[3]).toMatchObject({
      verdict: "allow",
      reason: "fine",
      by: "kind",
      injections: ["i"],
      reminders: [{ spec: { body: "b" }, by: "kind" }],
    });
    expect(transcript.entries.at(-1)).toMatchObject({ type: "decision", handled: { output: { text: "hi" }, by: "hello" } });
  });

  it("has transforms with the value each handler saw, and events that are only told", async () => {
    const { bus, transcript } = recorded();
    bus.on("tool:result", (event) => `${event.value}!`, { name: "louder" });
    bus.on("tool:result", () => replace("done"), { name: "done" });
    await bus.transform("tool:result", "ok", tool({}));
    await bus.transform("prompt:build", "same", {});
    await bus.emit("agent:start", { prompt: "p" });
    await bus.emit("tool:before", tool({}));
    expect(typesOf(transcript.entries).slice(1)).toEqual([
      "hook_call",
      "hook_returned",
      "hook_call",
      "hook_returned",
      "transformed",
      "transformed",
      "emitted",
      "emitted",
    ]);
    expect(transcript.entries[3]).toMatchObject({ handler: "done", value: "ok!" });
    expect(transcript.entries[5]).toMatchObject({ value: "ok", out: "done", payload: tool({}) });
    expect(transcript.entries[6]).not.toHaveProperty("out");
    expect(transcript.entries[7]).toMatchObject({ event: "agent:start", kind: "observe", payload: { prompt: "p" } });
    expect(transcript.entries[8]).toMatchObject({ event: "tool:before", kind: "gate" });
  });

  it("tells concurrent and nested dispatches apart", async () => {
    const { bus, transcript } = recorded();
    const gates: (() => void)[] = [];
    bus.on("tool:before", async (event) => {
      await event.bus.emit("myapp:seen", {});
      await new Promise<void>((resolve) => gates.push(resolve));
      return event.payload.tool.input.command === "rm" ? block() : undefined;
    });
    const both = [bus.decide("tool:before", tool({ command: "rm" })), bus.decide("tool:before", tool({ command: "ls" }))];
    await new Promise(setImmediate);
    gates[1]?.();
    await new Promise(setImmediate);
    gates[0]?.();
    await Promise.all(both);
    const decisions = transcript.entries.filter((entry) => entry.type === "decision");
    expect(decisions.map(({ payload, verdict }) => [(payload as ToolPayload).tool.input.command, verdict])).toEqual([
      ["ls", "pass"],
      ["rm", "deny"],
    ]);
    expect(transcript.entries.filter((entry) => entry.type === "emitted").map(({ depth }) => depth)).toEqual([1, 1]);
    expect(verifyTranscript(transcript).ok).toBe(true);
  });

  it("is a snapshot: what the caller changes in place afterwards does not change the record", async () => {
    const { bus, transcript } = recorded();
    const payload = tool({ command: "ls" });
    bus.on("tool:before", () => {
      (payload.tool.input as { command: string }).command = "changed";
    });
    await bus.decide("tool:before", payload);
    expect(transcript.entries[1]).toMatchObject({ payload: tool({ command: "ls" }) });
    expect(transcript.entries[3]).toMatchObject({ payload: tool({ command: "ls" }), modified: false });
  });

  it("records what JSON cannot carry with markers, and unreadable answers", async () => {
    const { bus, transcript } = recorded();
    const cycle: Record<string, unknown> = { big: 1n };
    cycle.self = cycle;
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    bus.on("myapp:odd", () => hostile);
    bus.on("myapp:odd", (event) => event);
    await bus.emit("myapp:odd", cycle);
    expect(transcript.lost).toBe(0);
    expect(transcript.entries[1]).toMatchObject({ payload: { big: { $hookline: "bigint", value: "1" }, self: { $hookline: "cycle" } } });
    expect(JSON.stringify(transcript.entries).length).toBeLessThan(100_000);
    expect(verifyTranscript(transcript).ok).toBe(true);
  });

  it("stays readable when an approver says something strange", async () => {
    const { bus, transcript } = recorded();
    bus.on("tool:before", () => ask("sure?"));
    bus.setApprover((() => ({ verdict: "deny", reason: { odd: true }, by: 7 })) as never);
    await bus.decide("tool:before", tool({}));
    expect(transcript.entries.at(-1)).toMatchObject({ type: "decision", verdict: "deny", reason: "[object Object]", by: "7" });
    expect(verifyTranscript(transcript).problems).toEqual([]);
  });

  it("says so when it came too late to see what went in", async () => {
    const bus = createBus();
    const transcript = createTranscript();
    bus.on("tool:before", (event) => newInput(event.payload, { command: "ls" }), { stage: "rewrite" });
    bus.on("tool:before", () => {
      transcript.attach(bus);
    });
    await bus.decide("tool:before", tool({ command: "rm" }));
    const decision = transcript.entries.find((entry) => entry.type === "decision");
    expect(decision).toMatchObject({ payload: { $hookline: "unseen" }, out: tool({ command: "ls" }) });
  });

  it("records several buses in one chain, and one bus once", async () => {
    const { bus, transcript } = recorded();
    const other = createBus({ source: "other" });
    expect(transcript.attach(other)).toBe(transcript.attach(other));
    await bus.emit("agent:start", {});
    await other.emit("agent:start", {});
    expect(typesOf(transcript.entries)).toEqual(["open", "open", "emitted", "emitted"]);
  });

  it("is a tap, and stops when it is taken off", async () => {
    const bus = createBus();
    const transcript = createTranscript();
    const untap = bus.tap(transcript);
    await bus.emit("agent:start", {});
    untap();
    await bus.emit("agent:start", {});
    expect(typesOf(transcript.entries)).toEqual(["open", "emitted"]);
  });
});

describe("close", () => {
  it("ends the chain with its count and head, once", async () => {
    const { bus, transcript } = recorded();
    await bus.emit("agent:start", {});
    const before = transcript.head;
    const head = transcript.close();
    expect(transcript.close()).toEqual(head);
    await bus.emit("agent:start", {});
    expect(transcript.entries).toHaveLength(3);
    expect(transcript.entries.at(-1)).toMatchObject({ type: "close", count: 2, head: before.hash, lost: 0, unfinished: 0 });
    expect(transcript).toMatchObject({ isClosed: true, lost: 0, head: { n: 3 } });
  });

  it("closes a transcript that saw nothing, and counts what had not ended", async () => {
    const empty = createTranscript();
    empty.close();
    expect(typesOf(empty.entries)).toEqual(["open", "close"]);
    const { bus, transcript } = recorded();
    bus.on("tool:before", () => new Promise<never>(() => {}), { timeoutMs: 30 });
    const decision = bus.decide("tool:before", tool({}));
    transcript[Symbol.dispose]();
    await decision;
    expect(transcript.entries.at(-1)).toMatchObject({ unfinished: 1 });
  });

  it("counts and reports once what a bus it was tapped into does afterwards", async () => {
    const errors: string[] = [];
    const bus = createBus();
    const transcript = createTranscript({ onError: ({ code }) => errors.push(code) });
    bus.tap(transcript);
    transcript.close();
    await bus.emit("agent:start", {});
    await bus.emit("agent:start", {});
    expect([transcript.lost, errors]).toEqual([2, ["HL_TRANSCRIPT_CLOSED"]]);
  });
});

describe("write", () => {
  it("may be closed from within", async () => {
    const lines: string[] = [];
    const bus = createBus();
    const transcript = createTranscript({
      write: (line) => lines.push(line),
      redact: (payload) => {
        transcript.close();
        return payload;
      },
      onError: () => {},
    });
    transcript.attach(bus);
    await bus.emit("agent:start", {});
    expect([lines.length, transcript.isClosed]).toEqual([1, true]);
    expect(verifyTranscript(lines)).toMatchObject({ ok: true, closed: false });
  });

  it("gets every line, which read together are the transcript", async () => {
    const lines: string[] = [];
    const { bus, transcript } = recorded({ write: (line) => lines.push(line) });
    await bus.emit("agent:start", {});
    transcript.close();
    expect(transcript.entries).toEqual([]);
    expect(verifyTranscript(lines)).toMatchObject({ ok: true, closed: true, entries: 3, head: transcript.head });
  });

  it("loses, counts and reports what cannot be written, and never throws into the bus", async () => {
    const lines: string[] = [];
    const errors: string[] = [];
    const busErrors: string[] = [];
    let isFull = false;
    const { bus, transcript } = recorded(
      {
        write: (line) => {
          if (isFull) throw new Error("no space");
          lines.push(line);
        },
        onError: (error) => {
          errors.push(error.code);
          throw new Error("a bad listener");
        },
      },
      createBus({ onError: (error) => busErrors.push(error.message) }),
    );
    await bus.emit("agent:start", {});
    isFull = true;
    for (let i = 0; i < 3; i++) await bus.emit("agent:start", {});
    isFull = false;
    await bus.emit("agent:end", {});
    transcript.close();
    expect([transcript.lost, errors, busErrors]).toEqual([3, ["HL_TRANSCRIPT_IO"], []]);
    const entries = lines.map((line) => JSON.parse(line));
    expect(typesOf(entries)).toEqual(["open", "emitted", "emitted", "close"]);
    expect(entries.map(({ lostBefore }) => lostBefore)).toEqual([undefined, undefined, 3, undefined]);
    expect(entries[3].lost).toBe(3);
    expect(verifyTranscript(lines).ok).toBe(true);
  });

  it("keeps its one end when writing itself makes events", async () => {
    const lines: string[] = [];
    const bus = createBus();
    const transcript = createTranscript({
      write: (line) => {
        lines.push(line);
        bus.emitSync("myapp:wrote", {});
      },
    });
    bus.tap(transcript);
    await bus.emit("agent:start", {});
    expect(transcript.lost).toBeGreaterThan(0);
    transcript.close();
    expect(verifyTranscript(lines).ok).toBe(true);
  });
});

describe("options", () => {
  it.each([
    [{ file: "x" }, "HL_UNKNOWN_OPTION"],
    [{ path: "" }, "HL_BAD_OPTION"],
    [{ path: 1 }, "HL_BAD_OPTION"],
    [{ path: "a\0b" }, "HL_BAD_OPTION"],
    [{ write: "x" }, "HL_BAD_OPTION"],
    [{ path: "x", write: () => {} }, "HL_BAD_OPTION"],
    [{ redact: "token" }, "HL_BAD_OPTION"],
    [{ redact: ["a..b"] }, "HL_BAD_OPTION"],
    [{ redact: [""] }, "HL_BAD_OPTION"],
    [{ redact: [7] }, "HL_BAD_OPTION"],
    [{ redact: ["tool.inputs.token"] }, "HL_UNKNOWN_PATH"],
    [{ redact: ["payload.tool.inptu.*.token"] }, "HL_UNKNOWN_PATH"],
    [{ redactSecrets: 1 }, "HL_BAD_OPTION"],
    [{ now: 1 }, "HL_BAD_OPTION"],
    [{ onError: 1 }, "HL_BAD_OPTION"],
    [null, "HL_BAD_OPTION"],
  ])("refuses %o", (options, code) => {
    expect(() => createTranscript(options as never)).toThrow(expect.objectContaining({ code }));
  });

  it("survives a clock that tells no time", async () => {
    const errors: string[] = [];
    const { bus, transcript } = recorded({ now: () => Number.NaN, onError: ({ code }) => errors.push(code) });
    await bus.emit("agent:start", {});
    expect([transcript.entries.length, errors]).toEqual([0, ["HL_TRANSCRIPT_IO"]]);
  });
});
