import { createBus } from "@hookline/core";
import { Prefilter } from "@hookline/core/internal/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { registerRules } from "../../rules/register-rules.js";
import type { Rule } from "../../rules/rule.js";
import { createGates } from "./gates.js";
import { prefilterOf, prefilterReader } from "./prefilter-data.js";

const NAMES = ["read", "Read", "web_search", "WebFetch", "grep", "mcp__db__query", "bash", "exec_command", "deploy", "rea"];
const WORDS = ["prod", "PROD", "secret", "drop table", "rm -rf /", "http://x", ".env", "K", "\u212a", "\u0130d", "id", "ok", "a,b", "*"];
const FIELDS = ["query", "file_path", "url", "text", "items", "code", "args"];
const SHELL_FIELDS = ["command", "cmd", "argv", "language"];

function rare<T>(arbitrary: fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 1, arbitrary }, { weight: 12, arbitrary: usual });
}

const name = fc.constantFrom(...NAMES);
const word = fc.constantFrom(...WORDS);
const path = fc.constantFrom(
  "tool.input.query",
  "tool.input.url",
  "tool.args.text",
  "tool.input",
  "tool.name",
  "cwd",
  "session.id",
  "agent.name",
  "tool.input.items.0",
);
const term = fc.oneof(
  name.map((one) => `'${one}'`),
  fc.constantFrom("rea*", "read|grep", "*", "web_*"),
  fc
    .tuple(
      path,
      fc.constantFrom("==", "!=", "contains", "=~"),
      word.filter((one) => one !== "*"),
    )
    .map(([left, sign, value]) => `${left} ${sign} '${value}'`),
);
const expression = fc.letrec<{ match: string }>((tie) => ({
  match: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    term,
    fc.tuple(tie("match"), fc.constantFrom("&&", "||"), tie("match")).map(([left, sign, right]) => `(${left} ${sign} ${right})`),
    tie("match").map((inner) => `!(${inner})`),
  ),
})).match;

const conditions = rare<object>(
  fc.constantFrom(
    { command: { program: "git" }, path: "**/.env" },
    { path: "**/.env" },
    { host: "x" },
    { secret: "jwt" },
    { when: "tool.input.query == 'prod'" },
    { tool: "deploy", when: "tool.input.missing == 'x'" },
  ),
  fc.oneof(
    fc.record({ match: expression }),
    fc.record({ tool: fc.oneof(name, fc.constantFrom("web*", "@writers", "read|grep")) }),
    fc.record({ tool: name, match: expression }),
    fc.constant({ command: { program: "rm" } }),
    fc.record({ command: fc.constant({ program: "rm" }), match: expression }),
  ),
);
const action = fc.constantFrom(
  { do: "block" as const, message: "no" },
  { do: "ask" as const, message: "sure?" },
  { do: "allow" as const },
  { do: "inject" as const, message: "mind" },
  { do: "modify" as const, set: { "tool.input.query": "x" } },
);
const rules = fc
  .array(fc.tuple(conditions, action), { minLength: 1, maxLength: 4 })
  .map((list) =>
    list.map(([condition, does], index) => ({ name: `r${index}`, events: ["tool:before"], ...condition, ...does }) as unknown as Rule),
  );

const value = fc.oneof(
  word,
  fc.tuple(word, word).map((list) => list.join(" ")),
  fc.array(word, { maxLength: 3 }),
  fc.integer(),
  fc.record({ deep: word }),
  fc.constant(undefined),
  fc.constant(null),
);
const missing = fc.constant(undefined);
const inputs = fc.dictionary(rare(fc.constantFrom(...SHELL_FIELDS), fc.constantFrom(...FIELDS)), value, { maxKeys: 3 });
const payload = fc.record({
  tool: fc.record({
    name: rare<unknown>(fc.anything(), name),
    runtimeName: rare<unknown>(name, missing),
    input: rare<unknown>(fc.anything(), inputs),
  }),
  target: rare<unknown>(word, missing),
  cwd: fc.constantFrom("/srv/prod", undefined),
  session: fc.oneof(fc.record({ id: word }), missing),
  agent: fc.oneof(fc.record({ name: word }), missing),
});

describe("the prefilter", () => {
  it("never passes a call on which the hub has an opinion", async () => {
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(rules, fc.array(payload, { minLength: 20, maxLength: 20 }), async (policy, calls) => {
        const bus = createBus({ onAsk: "return", onError: () => {} });
        registerRules(bus, policy, { onError: () => {} });
        const gates = createGates(bus);
        const prefilter = new Prefilter(JSON.parse(JSON.stringify(prefilterOf(bus.list()))));
        for (const call of calls) {
          if (!prefilter.passes({ name: "tool:before", payload: call as never })) continue;
          passed++;
          const sent = JSON.parse(JSON.stringify(call));
          const request = { event: "tool:before", payload: sent, session: { id: "prod" }, cwd: "/srv/secret" };
          const { verdict, modified, injections, trail } = await gates.decide(request, AbortSignal.timeout(60_000));
          expect({
            verdict,
            modified,
            injections,
            called: trail.filter(({ action }) => action !== "no-match" && action !== "not-reached"),
          }).toEqual({
            verdict: "pass",
            modified: false,
            injections: [],
            called: [],
          });
        }
      }),
      { numRuns: 400 },
    );
    // A filter that passes nothing would be sound as well.
    expect(passed).toBeGreaterThan(100);
  });

  it.each([
    ["a shell's tool", { tool: { name: "Bash", input: { query: "x" } } }],
    ["a field with a command", { tool: { name: "other", input: { cmd: "x" } } }],
    ["a second name", { tool: { name: "other", runtimeName: "x", input: {} } }],
    ["a target", { tool: { name: "other", input: {} }, target: "x" }],
    ["an input that is not a record", { tool: { name: "other", input: ["x"] } }],
    ["a tool that is a list with fields", { tool: Object.assign([], { name: "other", input: {} }) }],
    ["a payload that is a list with fields", Object.assign([], { tool: { name: "other", input: {} } })],
    ["a value that JSON cannot carry", { tool: { name: "other", input: { at: new Date(0) } } }],
    ["too many values", { tool: { name: "other", input: { list: Array.from({ length: 2_000 }, () => 1) } } }],
    ["too long a text", { tool: { name: "other", input: { text: "x".repeat(100_000) } } }],
    ["a name that a rule names", { tool: { name: "DEPLOY", input: {} } }],
    ["a literal of a rule, in another case", { tool: { name: "other", input: { query: "the PROD one" } } }],
  ])("asks about %s", (_, call) => {
    const bus = createBus({ onAsk: "return" });
    registerRules(bus, [
      { name: "d", events: ["tool:before"], tool: "deploy", do: "block", message: "no" },
      { name: "p", events: ["tool:before"], match: "tool.input.query contains 'prod'", do: "block", message: "no" },
      { name: "c", events: ["tool:before"], command: { program: "rm" }, do: "block", message: "no" },
    ] as Rule[]);
    const prefilter = new Prefilter(prefilterOf(bus.list()));
    expect(prefilter.passes({ name: "tool:before", payload: call as never })).toBe(false);
    expect(prefilter.passes({ name: "tool:before", payload: { tool: { name: "other", input: { query: "staging" } } } as never })).toBe(
      true,
    );
    expect(prefilter.passes({ name: "prompt:submit", payload: { prompt: "x" } as never })).toBe(false);
  });

  it("is computed once for the same handlers, and again when one comes or goes", () => {
    const bus = createBus();
    const read = prefilterReader(bus);
    const before = read();
    expect(read()).toBe(before);
    const off = bus.on("tool:before", () => undefined, { name: "g", tool: "deploy" });
    expect(read().gates["tool:before"]).toEqual([{ tool: ["deploy"] }]);
    expect(read()).toBe(read());
    off();
    bus.on("tool:before", () => undefined, { name: "g", tool: "search" });
    expect(read().gates["tool:before"]).toEqual([{ tool: ["search"] }]);
  });
});
