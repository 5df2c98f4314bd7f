import { basename } from "node:path";
import { inertText } from "@hookline/core/internal/text";
import type { SelftestGuard, SelftestResult, SelftestState } from "../../hub/protocol.js";
import { countText } from "../format/amounts.js";
import { cutTo } from "../format/display-width.js";
import type { Style } from "../format/paint.js";
import { tableLines } from "../format/table.js";
import type { Terminal } from "../terminal.js";

const SENT_COLUMNS = 44;
const MAX_REASONS = 5;

const good = ["green", "✓"] as const;
const failed = ["red", "✗"] as const;
const marks: { readonly [state in SelftestState]: readonly [Style, string] } = {
  denied: good,
  asked: good,
  "failed closed": failed,
  broken: failed,
  "let through": failed,
  "not asked": failed,
  "no such tool": failed,
  waiting: failed,
  "no canary": ["yellow", "!"],
};

/** A line for each guard, followed by its faults. */
export function printGuards(guards: readonly SelftestGuard[], { print, paint, typeable }: Terminal): void {
  if (guards.length === 0) return;
  const [heading = "", ...lines] = tableLines(["GUARD", "SENT", "SENT BY", "RESULT", "TIME"], guards.map(cellsOf));
  print(paint("dim", `  ${heading}`));
  for (const [index, guard] of guards.entries()) {
    const [style, mark] = marks[guard.state];
    print(`${paint(style, mark)} ${lines[index]}`);
    for (const line of remarksOn(guard)) print(`    ${paint("dim", typeable(line))}`);
  }
}

const wordings: { readonly [state in SelftestState]: readonly [one: string, many: string] } = {
  denied: ["denies its canary", "deny their canary"],
  asked: ["asks about it", "ask about it"],
  "failed closed": ["fails", "fail"],
  broken: ["is broken and denies everything", "are broken and deny everything"],
  "let through": ["lets it through", "let it through"],
  "not asked": ["is not asked", "are not asked"],
  "no such tool": ["is for a tool that no attached agent has", "are for tools that no attached agent has"],
  waiting: ["waits for acceptance", "wait for acceptance"],
  "no canary": ["has no canary", "have no canary"],
};

/** `12 guards: 10 deny their canary, 1 lets it through, 1 has no canary.` */
export function summaryOf(guards: readonly SelftestGuard[]): string {
  if (guards.length === 0) return "There are no guards to test. To add some: hookline rules add destructive-shell";
  const parts = Object.entries(wordings).flatMap(([state, [one, many]]) => {
    const count = guards.filter((guard) => guard.state === state).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return `${countText(guards.length, "guard")}: ${parts.join(", ")}.`;
}

function cellsOf(guard: SelftestGuard): string[] {
  const { state, canaries } = guard;
  const shown = canaries.find((result) => result.state === state);
  if (shown === undefined) return [titleOf(guard), "-", "-", state, "-"];
  const count = new Set(canaries.map(({ sent }) => JSON.stringify(sent))).size;
  const more = count > 1 ? ` (+${count - 1})` : "";
  const result = shown.failure === undefined ? state : `${state}: ${shown.failure}`;
  return [titleOf(guard), `${sentText(shown)}${more}`, sendersText(canaries), result, timeText(shown.ms)];
}

/** The agents in whose dialect the canary was sent. */
function sendersText(canaries: readonly SelftestResult[]): string {
  const agents = new Set(canaries.flatMap(({ agent }) => agent ?? []));
  return agents.size === 0 ? "as written" : inertText([...agents].join(", "));
}

/** The dialects in which the canaries were sent. */
export function sendersSentence(agents: readonly string[]): string {
  if (agents.length === 0) return "No agent is attached: each canary was sent as written, with the tool name that the guard itself uses.";
  return `Each canary was sent as the attached ${agents.length === 1 ? "agent sends its" : "agents send their"} calls: ${inertText(agents.join(", "))}.`;
}

function titleOf({ name, kind, project }: SelftestGuard): string {
  const full = project === undefined ? name : `${basename(project)}/${name}`;
  return inertText(kind === "broken" ? `${full} (broken)` : full);
}

function remarksOn(guard: SelftestGuard): string[] {
  const { state, hint, missing = [] } = guard;
  const unguarded = missing.map(({ reason }) => inertText(state === "no such tool" ? reason : `Not guarded: ${reason}`));
  if (state === "waiting") return [`It is not in force. Run: ${hint}`];
  if (state === "no canary") return hint === undefined ? unguarded : [`Give it one: ${hint}`, ...unguarded];
  return [...wrongOnes(guard), ...unguarded];
}

function wrongOnes({ canaries }: SelftestGuard): string[] {
  const wrong = canaries.filter((result) => marks[result.state] === failed);
  const lines = wrong
    .slice(0, MAX_REASONS)
    .map((result) =>
      `${sentText(result)}${result.agent === undefined ? "" : `, as ${inertText(result.agent)} sends it`}: ${result.state}. ${inertText(result.reason ?? "")}`.trimEnd(),
    );
  return wrong.length > MAX_REASONS ? [...lines, `and ${wrong.length - MAX_REASONS} more`] : lines;
}

function sentText({ sent }: SelftestResult): string {
  return cutTo(inertText(typeof sent === "string" ? sent : JSON.stringify(sent)), SENT_COLUMNS);
}

function timeText(ms: number): string {
  if (ms < 0.1) return "<0.1 ms";
  return ms < 10 ? `${ms} ms` : `${Math.round(ms)} ms`;
}
