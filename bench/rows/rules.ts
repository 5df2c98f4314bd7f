import { createBus, type Decision, type ToolPayload } from "@hookline/core";
import { type Rule, registerRules, ruleRegex } from "hookline/rules";
import type { Group } from "../group.ts";
import type { Contender, Row } from "../measure.ts";
import type { Target } from "../targets.ts";

const FEW = "100 rules";
const MANY = "1,000 rules";
const NONE = "no rules";

interface Shape {
  readonly name: string;
  readonly rule: (index: number) => Pick<Rule, "match" | "tool" | "path">;
  readonly limitNs: number;
}

/** Rules of which none is for the call at hand, by what they look at. */
const shapes: readonly Shape[] = [
  { name: "for another tool", rule: (i) => ({ tool: `Other${i}` }), limitNs: 200 },
  { name: "for other tools, globs", rule: (i) => ({ tool: `other${i}_*` }), limitNs: 200 },
  { name: "another tool, and a regex", rule: (i) => ({ tool: `Other${i}`, match: `tool.input.command =~ 'x${i}.*y'` }), limitNs: 200 },
  { name: "literal", rule: (i) => ({ match: `tool.input.command contains 'needle${i}'` }), limitNs: 1_000 },
  { name: "tool and literal", rule: (i) => ({ tool: "Bash", match: `tool.input.command contains 'needle${i}'` }), limitNs: 1_000 },
  { name: "glob in an expression", rule: (i) => ({ match: `B*x${i}` }), limitNs: 1_000 },
  { name: "glob of a command's tool", rule: (i) => ({ tool: ["B*x", `Ba?h${i}`] }), limitNs: 200 },
  { name: "path", rule: (i) => ({ path: `/data/${i}/**` }), limitNs: 2_000 },
  { name: "regex", rule: (i) => ({ match: `tool.input.command =~ 'git\\s+push${i}\\b.*--force'` }), limitNs: 1_000 },
  {
    name: "regex, alternatives",
    rule: (i) => ({ match: `tool.input.command =~ '(^|[;&|])\\s*(rm${i}|del${i})\\s+-[a-z]*r'` }),
    limitNs: 1_000,
  },
  { name: "regex, any case", rule: (i) => ({ match: `tool.input.command =~ '(?i)drop\\s+table${i}'` }), limitNs: 1_000 },
];

const payloads: readonly ToolPayload[] = Array.from({ length: 8 }, (_, index) => ({
  tool: {
    name: "Bash",
    callId: String(index),
    input: { command: `npm run build && node scripts/generate.ts --check --into /tmp/out/${index}` },
  },
}));

/** What rules that do not match add to a decision: a hundred of them, and a thousand beside them. */
export function rules(): Group {
  return {
    rows: shapes.map(rowOf),
    targets: shapes.flatMap(({ name, limitNs }): Target[] => [
      { kind: "adds", row: titleOf(name), contender: FEW, peer: NONE, limitNs },
      { kind: "at most", row: titleOf(name), contender: MANY, peer: FEW, limit: 2 },
    ]),
  };
}

function titleOf(name: string): string {
  return `decide, rules: ${name}`;
}

function rowOf({ name, rule }: Shape): Row {
  return { name: titleOf(name), checksum: 1, contenders: [decider(FEW, 100, rule), decider(MANY, 1_000, rule), decider(NONE, 0, rule)] };
}

function decider(name: string, count: number, rule: Shape["rule"]): Contender {
  const bus = createBus({ source: "bench", regex: ruleRegex });
  registerRules(
    bus,
    Array.from({ length: count }, (_, index): Rule => ({ name: `rule-${index}`, events: ["tool:before"], do: "block", ...rule(index) })),
  );
  const handle = bus.event("tool:before");
  return {
    name,
    role: count === 0 ? "reference" : "ours",
    run(iterations) {
      let passed = 0;
      for (let i = 0; i < iterations; i++) if ((handle.decide(payloads[i & 7] as ToolPayload) as Decision).allowed) passed++;
      return passed;
    },
  };
}
