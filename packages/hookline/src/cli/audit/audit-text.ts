import { inertText } from "@hookline/core/internal/text";
import { findAgent } from "../../agents/agents.js";
import { countText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { dateText } from "../format/times.js";
import { SAID_TEXT } from "../rules/backtest-report.js";
import type { Terminal } from "../terminal.js";
import type { Audit, AuditedAgent } from "./audit.js";

const UNKNOWN = "unknown";

/** Tokens in, tokens out and cost. What the files do not say is unknown. */
export function amountsOf({ inputTokens, outputTokens, costUsd }: AuditedAgent): string[] {
  const count = (amount: number | undefined): string => (amount === undefined ? UNKNOWN : countText(amount, "", "").trim());
  return [count(inputTokens), count(outputTokens), costUsd === undefined ? UNKNOWN : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`];
}

/** One sentence about what rules would have done. */
export function verdictLine({ own, result: { calls, changes, now } }: Audit): string {
  const stopped = now.block + now.ask;
  const rules = own.length === 0 ? "the rules that come with Hookline" : "your rules and those that come with Hookline";
  if (calls === 0) return "The files tell of no calls in that time.";
  if (stopped === 0)
    return `${rules.replace(/^./, (first) => first.toUpperCase())} would have let all ${countText(calls, "call or prompt", "calls and prompts")} through.`;
  const rewritten = changes.rewrite === 0 ? "" : ` and rewritten ${changes.rewrite}`;
  return `Of ${countText(calls, "call or prompt", "calls and prompts")}, ${rules} would have blocked ${now.block} and asked you about ${now.ask}${rewritten}.`;
}

/** The commands that put the agents and the rules that acted in force. */
export function nextCommands({ agents, own, result }: Audit): string[] {
  const missing = result.rules.filter(({ matched, name }) => matched > 0 && !own.includes(name));
  const sets = new Set(missing.map(({ name }) => name.split("/")[0] ?? ""));
  return [
    ...[...sets].map((set) => `hookline rules add ${set}`),
    ...agents.filter(({ agent, calls }) => calls > 0 && findAgent(agent) !== undefined).map(({ agent }) => `hookline attach ${agent}`),
    "hookline up --detach",
  ];
}

/** A sentence about agents that can be read and not attached. */
export function readOnlyAgents({ agents }: Audit): string | undefined {
  const titles = agents.filter(({ agent, calls }) => calls > 0 && findAgent(agent) === undefined).map(({ title }) => title);
  return titles.length === 0 ? undefined : `This version of Hookline reads the sessions of ${titles.join(", ")} and cannot attach it.`;
}

export function printAudit(audit: Audit, { print, say, paint, columns }: Terminal): void {
  const { agents, result, since } = audit;
  print(`What your agents did since ${dateText(since)}, as their session files on this machine say:\n`);
  const rows = agents.map((agent) => [agent.title, ...[agent.sessions, agent.prompts, agent.calls].map(String), ...amountsOf(agent)]);
  for (const line of tableLines(["AGENT", "SESSIONS", "PROMPTS", "CALLS", "TOKENS IN", "TOKENS OUT", "COST"], rows, columns)) print(line);
  const tools = agents
    .flatMap(({ tools }) => tools)
    .reduce((sum, { tool, calls }) => sum.set(tool, (sum.get(tool) ?? 0) + calls), new Map<string, number>());
  const most = [...tools].sort(([, a], [, b]) => b - a).slice(0, 8);
  if (most.length > 0) print(`\n${paint("dim", "Tools")}  ${most.map(([tool, calls]) => `${inertText(tool)} ${calls}`).join(", ")}`);
  print(`\n${verdictLine(audit)}`);
  const changed = result.examples.filter(({ isInconclusive }) => isInconclusive !== true);
  const cells = changed.map(({ times, now, by = "", about }) => [String(times), SAID_TEXT[now], by, about.replace(/\s+/g, " ")]);
  if (cells.length > 0) for (const line of ["", ...tableLines(["TIMES", "WOULD BE", "RULE", "CALL"], cells, columns)]) print(line);
  if (result.inconclusive > 0)
    print(`\n${countText(result.inconclusive, "call")} cannot be judged: the record hides or cuts something that a rule reads.`);
  for (const { title, unknown, unreadable, problems } of agents) {
    const lines = Object.values(unknown).reduce((sum, count) => sum + count, 0);
    if (lines + unreadable > 0)
      say(
        `${title}: ${countText(lines, "line")} of unknown kinds and ${countText(unreadable, "line")} that could not be read are not in this report.`,
      );
    for (const problem of problems) say(inertText(problem));
  }
  say("\nNothing was stored, changed or sent. To have this guarded from now on:");
  for (const command of nextCommands(audit)) say(`  ${command}`);
  const readOnly = readOnlyAgents(audit);
  if (readOnly !== undefined) say(readOnly);
}
