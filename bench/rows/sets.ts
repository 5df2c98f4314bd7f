import { readdirSync, readFileSync } from "node:fs";
import { createBus, type Decision } from "@hookline/core";
import { parseConfig } from "hookline/internal";
import { type Rule, registerRules, ruleRegex } from "hookline/rules";
import type { Group } from "../group.ts";
import type { Contender, Row } from "../measure.ts";
import type { Target } from "../targets.ts";

const ALL = "all sets";
const NONE = "no rules";
const folder = new URL("../../packages/hookline/rules/", import.meta.url);

/** Commands as agents send them. No rule stops them. */
const usual = [
  "npm run build && node scripts/generate.ts --check --into /tmp/out",
  "git status --short && git diff --stat",
  'grep -rn "createBus" packages/core/src | head -20',
  "cd packages/hookline && npx vitest run src/rules --maxWorkers=1 2>&1 | tail -40",
  "sed -n '1,80p' src/index.ts",
  "curl -s http://localhost:3000/api/status | jq .sessions",
  'find . -name "*.ts" -not -path "./node_modules/*" | xargs wc -l | sort -n | tail -5',
  'git add -A && git commit -m "rules: one more example" && git push',
];
const long = Array.from({ length: 140 }, (_, i) => `cp src/part-${i}/index.ts dist/part-${i}/index.ts 2> /dev/null`).join("\n");
/** It is not read, so the rules ask. */
const huge = `echo ${"x".repeat(1_000_000)}`;

interface Load {
  readonly name: string;
  readonly commands: readonly string[];
  readonly limitNs: number;
  readonly verdict: "pass" | "ask";
}

const loads: readonly Load[] = [
  { name: "commands under 1 kB", commands: usual, limitNs: 30_000, verdict: "pass" },
  { name: "a command of 10 kB", commands: [long], limitNs: 2_000_000, verdict: "pass" },
  { name: "a command of 1 MB", commands: [huge], limitNs: 5_000_000, verdict: "ask" },
];

const MANY_ROW = titleOf("commands under 1 kB, many rules");
const FEW = "100 rules";
const MANY = "1,000 rules";

/** What rules about commands add to a decision, with facts that are computed for each call. */
export async function sets(): Promise<Group> {
  return {
    rows: [...(await Promise.all(loads.map(rowOf))), manyRow()],
    targets: [
      ...loads.map(({ name, limitNs }): Target => ({ kind: "adds", row: titleOf(name), contender: ALL, peer: NONE, limitNs })),
      { kind: "adds", row: MANY_ROW, contender: MANY, peer: NONE, limitNs: 50_000 },
      { kind: "at most", row: MANY_ROW, contender: MANY, peer: FEW, limit: 2 },
    ],
  };
}

function titleOf(name: string): string {
  return `decide, ${name}`;
}

async function rowOf({ name, commands, verdict }: Load): Promise<Row> {
  const ours = decider(ALL, await readSets(), commands, verdict);
  return { name: titleOf(name), checksum: 1, contenders: [ours, decider(NONE, [], commands, "pass")] };
}

function manyRow(): Row {
  const contenders = [
    decider(FEW, rulesOf(100), usual, "pass"),
    decider(MANY, rulesOf(1_000), usual, "pass"),
    decider(NONE, [], usual, "pass"),
  ];
  return { name: MANY_ROW, checksum: 1, contenders };
}

async function readSets(): Promise<readonly Rule[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".toml"));
  const configs = await Promise.all(files.map((file) => parseConfig(readFileSync(new URL(file, folder), "utf8"), file)));
  return configs.flatMap(({ config }) => config?.rules ?? []);
}

/** Each is about another path, program or subcommand. None of them is about the calls. */
function rulesOf(count: number): readonly Rule[] {
  const commands: ((index: number) => NonNullable<Rule["command"]>)[] = [
    (index) => ({ deletes: `/data/${index}/**` }),
    (index) => ({ program: `./tool-${index}` }),
    (index) => ({ git: "push", refspec: `+branch-${index}` }),
    (index) => ({ writes: `~/secret-${index}` }),
  ];
  return Array.from({ length: count }, (_, index): Rule => {
    const command = commands[index % commands.length]?.(index) ?? {};
    return { name: `rule-${index}`, events: ["tool:before"], do: "block", command, unknown: "pass" };
  });
}

function decider(name: string, rules: readonly Rule[], commands: readonly string[], verdict: "pass" | "ask"): Contender {
  const bus = createBus({ source: "bench", regex: ruleRegex, onAsk: "return" });
  registerRules(bus, rules);
  const handle = bus.event("tool:before");
  return {
    name,
    role: rules.length === 0 ? "reference" : "ours",
    run(iterations) {
      let right = 0;
      for (let i = 0; i < iterations; i++) {
        // A new payload each time: the facts of a payload are kept.
        const payload = {
          cwd: "/home/ann/project",
          tool: { name: "Bash", callId: "1", input: { command: commands[i % commands.length] as string } },
        };
        if ((handle.decide(payload) as Decision).verdict === verdict) right++;
      }
      return right;
    },
  };
}
