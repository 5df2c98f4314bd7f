import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createBus } from "./bus.js";
import { fastGates } from "./decide.js";
import type { Decision } from "./types.js";

beforeAll(async () => void (await fastGates.load()));

const names = ["Bash", "bash", "Read", "Write", "mcp__x"];
const filter = fc.constantFrom(undefined, "Bash", "READ", "*", "W*", "[BR]*", "Bash|Write", ["Read", "mcp__*"], "runs");
const answer = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  { decision: "ask" as const },
  { decision: "allow" as const },
  { block: true },
);
const guards = fc.array(
  fc.record({ tool: filter, text: fc.constantFrom(undefined, "a", "b"), answer, priority: fc.integer({ min: 0, max: 2 }) }),
  {
    maxLength: 29,
  },
);
const tool = fc.record({ name: fc.constantFrom(...names), runtimeName: fc.constantFrom(undefined, undefined, "runs", "Read") });

/** The same guards twice: alone on the fast path, and with so many others for no tool there is that the index is asked. */
describe("the index by tool", () => {
  it("changes no decision and no trail", () => {
    fc.assert(
      fc.property(guards, fc.array(fc.tuple(tool, fc.constantFrom("a", "b", "c")), { minLength: 1, maxLength: 5 }), (list, calls) => {
        const [short, long] = [createBus({ onAsk: "return" }), createBus({ onAsk: "return" })];
        for (const [index, { tool: only, text, answer: given, priority }] of list.entries())
          for (const bus of [short, long])
            bus.on("tool:before", () => given, {
              name: `guard ${index}`,
              priority,
              ...(only !== undefined && { tool: only }),
              ...(text !== undefined && { match: `tool.input.text == ${text}` }),
            });
        for (let i = 0; i < 40; i++)
          long.on("tool:before", () => ({ block: true }), { name: `other ${i}`, tool: `none-${i}`, priority: i % 3 });
        for (const [{ name, runtimeName }, text] of calls) {
          const payload = { tool: { name, ...(runtimeName !== undefined && { runtimeName }), callId: "1", input: { text } } };
          const [one, other] = [short, long].map((bus) => bus.decide("tool:before", payload) as Decision);
          expect(shown(other)).toEqual(shown(one));
        }
        const calls1 = short.stats().map(({ name, calls: count }) => [name, count]);
        expect(long.stats().flatMap(({ name, calls: count }) => (name.startsWith("guard") ? [[name, count]] : []))).toEqual(calls1);
      }),
      { numRuns: 300 },
    );
  });

  it("finds the guards of a tool in whatever case it is called", () => {
    const bus = createBus();
    for (let i = 0; i < 40; i++) bus.on("tool:before", () => ({ block: true }), { name: `other ${i}`, tool: `none-${i}` });
    bus.on("tool:before", () => ({ block: true }), { name: "no-bash", tool: "bash" });
    for (const name of ["Bash", "bash", "BASH", "Bash"])
      expect(bus.decide("tool:before", { tool: { name, callId: "1", input: {} } })).toMatchObject({ verdict: "deny", by: "no-bash" });
  });

  it("is rebuilt when handlers come and go, and outlives many names", () => {
    const bus = createBus();
    for (let i = 0; i < 40; i++) bus.on("tool:before", () => ({ block: true }), { name: `other ${i}`, tool: `none-${i}` });
    const verdictOf = (name: string) => (bus.decide("tool:before", { tool: { name, callId: "1", input: {} } }) as Decision).verdict;
    for (let i = 0; i < 1_000; i++) expect(verdictOf(`tool-${i}`)).toBe("pass");
    const off = bus.on("tool:before", () => ({ block: true }), { name: "late", tool: "tool-7" });
    expect([verdictOf("tool-7"), verdictOf("tool-8")]).toEqual(["deny", "pass"]);
    off();
    expect(verdictOf("tool-7")).toBe("pass");
  });
});

/** A guard for a word in the text of a call, and an index of many of them. */
function open(words: readonly string[]) {
  const bus = createBus({ onAsk: "return" });
  const handlers = new Map<string, () => { readonly decision: "ask" }>(words.map((word) => [word, () => ({ decision: "ask" })]));
  const asked: string[] = [];
  const index = (payload: unknown) => {
    const { text } = (payload as { readonly tool: { readonly input: { readonly text: string } } }).tool.input;
    return text.split(" ").flatMap((word) => handlers.get(word) ?? []);
  };
  for (const [word, handler] of handlers) {
    const match = (payload: object): boolean => {
      asked.push(word);
      return index(payload).includes(handler);
    };
    bus.on("tool:before", handler, { name: word, priority: word.length, match, index, tool: word.startsWith("b") ? "Bash" : "*" });
  }
  return { bus, asked, decide: (tool: object) => bus.decide("tool:before", { tool: { callId: "1", ...tool } } as never) as Decision };
}

describe("an index that guards share", () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i}`);

  it("asks the matchers that it names and no others, in the order of priority", () => {
    const { decide, asked } = open([...words, "bb", "longest"]);
    expect(decide({ name: "Bash", input: { text: "nothing here" } })).toMatchObject({ verdict: "pass" });
    expect(asked).toEqual([]);
    const decision = decide({ name: "Bash", input: { text: "bb word7 longest" } });
    expect(decision.verdict).toBe("ask");
    expect(decision.trail.filter(({ action }) => action !== "no-match").map(({ actor }) => actor.name)).toEqual(["longest", "word7", "bb"]);
    expect(decision.trail).toHaveLength(42);
    // From the first guard that answers on, each is asked: one may rewrite the call.
    expect(asked[0]).toBe("longest");
  });

  it("leaves out guards for other tools, and stands beside guards without one", () => {
    const { bus, decide, asked } = open([...words, "bb"]);
    bus.on("tool:before", () => undefined, { name: "alone" });
    expect(decide({ name: "Read", input: { text: "bb" } }).trail.filter(({ action }) => action === "pass")).toMatchObject([
      { actor: { name: "alone" } },
    ]);
    expect(asked).toEqual([]);
    expect(bus.stats().filter(({ calls }) => calls > 0)).toMatchObject([{ name: "alone", calls: 1 }]);
  });

  it("asks each guard itself if the index fails", () => {
    const { decide } = open(words);
    expect(decide({ name: "Bash", input: {} })).toMatchObject({ verdict: "deny", by: "word10" });
  });
});

function shown(decision: Decision | undefined) {
  const trail = decision?.trail.filter(({ actor }) => !actor.name.startsWith("other")).map(({ actor, action }) => [actor.name, action]);
  return { verdict: decision?.verdict, by: decision?.by, reason: decision?.reason, trail };
}
