import { describe, expect, it } from "vitest";
import { allow, block, createBus, type HookError, handled, modify, replace, type ToolPayload } from "../index.js";
import { createTranscript, type RedactOptions, verifyTranscript } from "./index.js";

const hidden = { $hookline: "redacted" };
const CANARY = "canary-8c1f";

function recorded(options: RedactOptions & { readonly onError?: (error: HookError) => void }) {
  const bus = createBus({ source: "tests", onError: () => {} });
  const transcript = createTranscript(options);
  transcript.attach(bus);
  return { bus, transcript, text: () => JSON.stringify(transcript.entries) };
}

function call(input: object): ToolPayload {
  return { session: { id: "s" }, tool: { name: "http", input: { url: "https://x", ...input } } };
}

describe("by path", () => {
  it.each([
    "payload.tool.input.body.pin",
    "tool.input.body.pin",
    "tool.args.body.pin",
    "tool.input.body.*",
    "tool.input.*.pin",
    "tool.*.body.pin",
    "*.input.body",
    "tool",
    "payload",
  ])("%s hides it in payloads, rewrites and decisions", async (path) => {
    const { bus, transcript, text } = recorded({ redact: [path] });
    const answers = [
      (payload: ToolPayload) => modify({ ...payload, note: 1 }),
      (payload: ToolPayload) => ({ modify: { ...payload, note: 2 } }),
      (payload: ToolPayload) => ({ args: { ...payload.tool.input, more: 3 } }),
      (payload: ToolPayload) => ({ then: { effects: [{ modify: { ...payload, note: 4 } }] } }),
      (payload: ToolPayload) => [{ args: { ...payload.tool.input, more: 5 } }, allow()],
      (payload: ToolPayload) => ({ kind: "modify", value: { ...payload, note: 6 } }),
      (payload: ToolPayload) => ({ action: "modify", input: { ...payload.tool.input, more: 7 } }),
      (payload: ToolPayload) => ({ hookSpecificOutput: { permissionDecision: "allow", updatedInput: { ...payload.tool.input, more: 8 } } }),
      (payload: ToolPayload) => payload,
      (payload: ToolPayload) => ({ payload }),
    ];
    for (const answer of answers) bus.on("tool:before", (event) => answer(event.payload) as never, { stage: "rewrite" });
    await bus.decide("tool:before", call({ body: { pin: CANARY } }));
    expect(transcript.entries.filter(({ type }) => type === "hook_returned" || type === "hook_vetoed")).toHaveLength(answers.length);
    expect(text()).not.toContain(CANARY);
    expect(text()).toContain("redacted");
    expect(verifyTranscript(transcript).ok).toBe(true);
  });

  it("hides list items, and nothing where nothing is", async () => {
    const { bus, transcript } = recorded({ redact: ["tool.input.list.*.pin", "tool.input.list.1", "no.such.path"] });
    await bus.emit("tool:before", call({ list: [{ pin: 1, ok: 2 }, { ok: 3 }] }));
    expect(transcript.entries[1]).toMatchObject({ payload: { tool: { name: "http", input: { list: [{ pin: hidden, ok: 2 }, hidden] } } } });
  });

  it.each([["tool.output.pin"], ["result.pin"], ["tool.output"], ["result.text"], ["result"]])(
    "%s hides it in a tool's result",
    async (path) => {
      const { bus, text } = recorded({ redact: [path] });
      bus.on("tool:result", (event) => ({ ...(event.value as object), a: 1 }));
      bus.on("tool:result", (event) => replace({ ...(event.value as object), b: 1 }));
      await bus.runTool(call({}), () => ({ pin: CANARY }));
      expect(text()).not.toContain(CANARY);
    },
  );

  it("hides other values at `value`", async () => {
    const { bus, transcript } = recorded({ redact: ["value.PIN"] });
    bus.on("tool:env", (event) => ({ ...event.value, MORE: "1" }));
    bus.on("command:pin", () => handled({ PIN: CANARY, ok: 1 }));
    await bus.transform("tool:env", { PIN: CANARY, HOME: "/" }, call({}));
    await bus.decide("command:pin", {});
    expect(JSON.stringify(transcript.entries)).not.toContain(CANARY);
    expect(transcript.entries[3]).toMatchObject({ value: { PIN: hidden, HOME: "/" }, out: { PIN: hidden, HOME: "/", MORE: "1" } });
    expect(transcript.entries.at(-1)).toMatchObject({ handled: { output: { PIN: hidden, ok: 1 } } });
  });

  it("treats __proto__ and constructor as keys like any other", async () => {
    const { bus, transcript } = recorded({ redact: ["__proto__.x", "constructor.prototype", "a.__proto__"] });
    await bus.emit("myapp:odd", JSON.parse('{"__proto__":{"x":1,"y":2},"a":{"__proto__":3}}'));
    const entry = JSON.stringify(transcript.entries[1]);
    expect(entry).toContain('"__proto__":{"x":{"$hookline":"redacted"},"y":2}');
    expect(entry).toContain('"a":{"__proto__":{"$hookline":"redacted"}}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe("by name", () => {
  it("hides secrets by default, and not when told", async () => {
    for (const redactSecrets of [true, false]) {
      const { bus, text } = recorded({ redactSecrets });
      bus.on("tool:before", (event) => modify({ ...event.payload, headers: [["Authorization", CANARY]] }));
      await bus.decide("tool:before", call({ apiKey: CANARY, env: new Map([["NPM_TOKEN", CANARY]]) }));
      expect(text().includes(CANARY)).toBe(!redactSecrets);
    }
  });

  it("does not touch the payload that runs", async () => {
    const { bus } = recorded({ redact: ["tool.input.url"] });
    const payload = call({ token: CANARY });
    const before = structuredClone(payload);
    const decision = await bus.decide("tool:before", payload);
    expect(decision.payload).toBe(payload);
    expect(payload).toEqual(before);
  });
});

describe("by a function", () => {
  it("records what it gives, in payloads, rewrites and decisions, and it may change its copy", async () => {
    const { bus, text } = recorded({
      redact: (payload) => {
        const { input } = (payload as { tool: { input: { pin?: string } } }).tool;
        input.pin = "****";
        return payload;
      },
    });
    bus.on("tool:before", (event) => ({ args: { ...event.payload.tool.input, more: 1 } }));
    bus.on("tool:before", () => block("no"), { priority: -1 });
    const payload = call({ pin: CANARY });
    await bus.decide("tool:before", payload);
    expect(payload.tool.input.pin).toBe(CANARY);
    expect(text()).not.toContain(CANARY);
    expect(text()).toContain("****");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["gives nothing", () => undefined],
  ])("hides everything when it %s", async (how, redact) => {
    const errors: string[] = [];
    const { bus, transcript, text } = recorded({ redact, onError: ({ code }) => errors.push(code) });
    bus.on("tool:before", (event) => ({ args: { ...event.payload.tool.input, more: 1 } }));
    await bus.decide("tool:before", call({ pin: CANARY }));
    expect(text()).not.toContain(CANARY);
    expect(transcript.entries[1]).toMatchObject({ payload: hidden });
    expect(errors.includes("HL_REDACT_FAILED")).toBe(how === "throws");
    expect(transcript.lost).toBe(0);
  });

  it("may give what JSON cannot carry", async () => {
    const { bus, transcript } = recorded({ redact: () => ({ n: 1n }) });
    await bus.emit("agent:start", {});
    expect(transcript.entries[1]).toMatchObject({ payload: { n: { $hookline: "bigint" } } });
  });
});
