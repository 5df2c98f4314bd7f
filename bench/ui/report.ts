import type { Finding } from "../line/measurement.ts";
import { summary, tableOf } from "../line/report.ts";
import { markdownTable } from "../table.ts";

/** The section of `docs/benchmarks.md`. */
export function toMarkdown(findings: readonly Finding[], machine: string): string {
  return `## The page

Written by \`npm run bench:page -- --write\` on ${new Date().toISOString().slice(0, 10)}; do not edit. ${machine}

A real hub, an agent's process on its line and a real Chromium, all on this machine: headless and without a graphics card, so that drawing
too is work of its cores, which the hub, the agent and the store share. Times of views are medians, each in a browser that has nothing of the page yet.
A task is one of the page's thread, as the browser tells (\`longtask\`); the garbage collections that the bench itself asks for to measure the heap are left out.
Times are those of the clock: whatever else the machine does is in them. Processor times are the page's own, and what stands beside a number shows
what the browser and the machine take alone.

${summary(findings)}

${markdownTable(tableOf(findings))}
`;
}
