import type { Finding } from "../line/measurement.ts";
import { summary, tableOf } from "../line/report.ts";
import { markdownTable } from "../table.ts";

/** The section of `docs/benchmarks.md`. */
export function toMarkdown(findings: readonly Finding[], machine: string): string {
  return `## The dashboard

Written by \`npm run bench:page -- --write\` on ${new Date().toISOString().slice(0, 10)}; do not edit. ${machine}

The bench runs a real hub, a connected agent process and a real Chromium on this machine. Chromium is headless and has no graphics card, so drawing
uses the same cores as the hub, the agent and the store. Times of views are medians, each in a browser with an empty cache.
A task is a task of the dashboard's thread, as the browser reports it (\`longtask\`); garbage collections that the bench requests to measure the heap are excluded.
Times are wall-clock times and include other work of the machine. Processor times are the dashboard's own. The number beside a result shows
what the browser and the machine take alone.

${summary(findings)}

${markdownTable(tableOf(findings))}
`;
}
