import { inertHtml } from "@hookline/core/internal/text";
import { htmlStart } from "../../hub/export/html.js";
import { countText } from "../format/amounts.js";
import { dateText } from "../format/times.js";
import { SAID_TEXT } from "../rules/backtest-report.js";
import type { Audit, AuditedAgent } from "./audit.js";
import { amountsOf, nextCommands, readOnlyAgents, verdictLine } from "./audit-text.js";

const CSS = `body { font-size: 15px; margin: 0 auto; max-width: 70rem; padding: 1rem; }
table { margin-bottom: 1.5rem; }
th { white-space: nowrap; }
td { overflow-wrap: normal; }
td:last-child { min-width: 12rem; overflow-wrap: anywhere; }
code, pre, td.call { font-family: ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.sum { font-size: 1.25rem; }
div.wide { overflow-x: auto; }`;

/** The report as a page of its own. It loads nothing and runs nothing, whatever is in the sessions. */
export function auditHtml(audit: Audit): string {
  const { agents, result, since } = audit;
  const changed = result.examples.filter(({ isInconclusive }) => isInconclusive !== true);
  const readOnly = readOnlyAgents(audit);
  const unsure = result.examples.filter(({ isInconclusive }) => isInconclusive === true);
  return `${htmlStart({ title: "Hookline audit", heading: "What your agents did", css: CSS })}<p>Since <time>${inertHtml(dateText(since))}</time>, as their session files on this machine say. Secrets are hidden. Nothing was sent anywhere.</p>
<p class="sum">${inertHtml(verdictLine(audit))}</p>
${table(["Agent", "Sessions", "Prompts", "Calls", "Tokens in", "Tokens out", "Cost", "Most used tools"], agents.map(agentCells))}
<h2>What rules would have stopped</h2>
${
  changed.length === 0
    ? "<p>Nothing.</p>"
    : table(
        ["Times", "Would be", "Rule", "Call"],
        changed.map(({ times, now, by = "", about }) => [String(times), SAID_TEXT[now], by, about]),
        3,
      )
}
${
  unsure.length === 0
    ? ""
    : `<h2>What cannot be judged</h2>\n<p>${inertHtml(countText(result.inconclusive, "call"))}: the record hides or cuts something that a rule reads.</p>\n${table(
        ["Times", "Call"],
        unsure.map(({ times, about }) => [String(times), about]),
        1,
      )}`
}
<h2>Next</h2>
<pre>${nextCommands(audit).map(inertHtml).join("\n")}</pre>
${readOnly === undefined ? "" : `<p>${inertHtml(readOnly)}</p>`}
</main>
</body>
</html>
`;
}

function agentCells(agent: AuditedAgent): string[] {
  const tools = agent.tools.slice(0, 5).map(({ tool, calls }) => `${tool} ${calls}`);
  return [agent.title, String(agent.sessions), String(agent.prompts), String(agent.calls), ...amountsOf(agent), tools.join(", ")];
}

function table(heading: readonly string[], rows: readonly (readonly string[])[], callColumn = -1): string {
  const cell = (text: string, column: number) => `<td${column === callColumn ? ' class="call"' : ""}>${inertHtml(text)}</td>`;
  const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n");
  return `<div class="wide"><table>\n<thead><tr>${heading.map((name) => `<th>${inertHtml(name)}</th>`).join("")}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}
