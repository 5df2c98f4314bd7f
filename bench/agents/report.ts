import type { Finding } from "../line/measurement.ts";
import { summary, tableOf } from "../line/report.ts";
import { alignedTable, markdownTable } from "../table.ts";

/** For the terminal. */
export function toText(findings: readonly Finding[]): string {
  return `${alignedTable(tableOf(findings))}\n\n${summary(findings)}`;
}

/** The section of `docs/benchmarks.md`. */
export function toMarkdown(findings: readonly Finding[], machine: string): string {
  return `## Attached agents

Written by \`npm run bench:agents -- --write\` on ${new Date().toISOString().slice(0, 10)}; do not edit. ${machine}

The bench runs the real Claude Code and Codex with a scripted model. It measures the time from the model's request for a tool call (a shell command that does nothing)
to the agent's next request. The ways to attach take turns, one session each, within every round. A number is the median of the rounds' differences of
medians. The hub has 100 rules for the tool of each call. An empty hook shows what the agent itself takes to run one: its command is \`exit 0\`.

${summary(findings)}

${markdownTable(tableOf(findings))}
`;
}
