import { agents } from "../../packages/hookline/dist/agents/agents.js";
import type { AgentDefinition, AgentPower } from "../../packages/hookline/dist/agents/shared/definition.js";
import { alignedTable, code, codes, fillMarkers } from "./markdown.ts";

const tables: { readonly [what: string]: () => string } = {
  contracts: contractTable,
  tools: toolTable,
  decisions: decisionTable,
  effects: effectTable,
  holes: holeList,
};

/** `docs/agents.md`: the prose as it is, and between its markers the tables of what the agents' definitions say. */
export function agentsPage(current: string): string {
  return fillMarkers(current, (what) => {
    const content = tables[what];
    if (content === undefined) throw new Error(`docs/agents.md has a marker for "${what}", which is not a table.`);
    return content();
  });
}

/** What is known about the hooks of each agent, and from where. */
function contractTable(): string {
  const rows = agents.flatMap(({ title, contracts }) =>
    contracts.map(({ from, to, source, guarding, timeout, failure }) => {
      const versions = from === undefined || to === undefined ? "any" : from === to ? from : `${from} to ${to}`;
      return [
        title,
        versions,
        source.tried === "here" ? "tried here" : `[its documentation](${source.url}), not tried here`,
        guarding.level,
        defaultTimeout(timeout.defaultMs, timeout.unitMs),
        failure.mode === "open" ? "runs" : "is denied",
      ];
    }),
  );
  return alignedTable(
    ["Agent", "Versions", "Known from", "Guarding", "Timeout of a hook without one", "If a hook crashes, the call"],
    rows,
  );
}

function defaultTimeout(ms: number | undefined, unitMs: number): string {
  if (ms === undefined) return "not documented";
  return Number.isFinite(ms) ? `${ms / unitMs} ${unitMs === 1 ? "ms" : "s"}` : "none: it waits";
}

/** The names that most agents have a tool for, each with the first tool of that name. */
function toolTable(): string {
  const names = [...new Set(agents.flatMap(({ tools }) => Object.values(tools).map(({ name }) => name)))];
  const rows = names.map((name) => [
    code(name),
    ...agents.map(({ tools }) => Object.keys(tools).find((native) => tools[native]?.name === name) ?? ""),
  ]);
  const common = rows.filter(([, ...natives]) => natives.filter((native) => native !== "").length > agents.length / 2);
  return alignedTable(
    [code("tool.name"), ...titles()],
    common.map(([name = "", ...natives]) => [name, ...natives.map((native) => (native === "" ? "" : code(native)))]),
  );
}

/** What happens before a tool call where an agent cannot do it. */
const powers: { readonly [power in AgentPower]?: { readonly label: string; readonly otherwise: string } } = {
  block: { label: "block", otherwise: "no" },
  ask: { label: "ask", otherwise: "no" },
  allow: { label: "allow", otherwise: "no: it follows its own settings" },
  modify: { label: "modify", otherwise: "no: the call is denied" },
  inject: { label: "inject", otherwise: "no" },
  endLoop: { label: "end the loop", otherwise: "no: the call is denied" },
};

function decisionTable(): string {
  const rows = (Object.entries(powers) as [AgentPower, { readonly label: string; readonly otherwise: string }][]).map(
    ([power, { label, otherwise }]) => [label, ...agents.map((agent) => decisionCell(agent, power, otherwise))],
  );
  return alignedTable(["Before a tool call", ...titles()], rows);
}

function decisionCell(agent: AgentDefinition, power: AgentPower, otherwise: string): string {
  if (nativesWith(agent, power, "tool:before").length > 0) return "yes";
  return nativesWith(agent, power, "tool:after").length > 0 ? "after the call" : otherwise;
}

function effectTable(): string {
  const row = (label: string, natives: (agent: AgentDefinition) => readonly string[]) => [
    label,
    ...agents.map((agent) => codes(natives(agent))),
  ];
  return alignedTable(
    ["", ...titles()],
    [
      row("A replaced tool output", (agent) => nativesWith(agent, "replace")),
      row("A replaced prompt", (agent) => nativesWith(agent, "modify", "prompt:submit")),
      row("Context for the model", (agent) => nativesWith(agent, "inject")),
    ],
  );
}

function holeList(): string {
  return agents.flatMap(({ title, holes }) => holes.map((text) => `- **${title}**: ${text}`)).join("\n");
}

/** The agent's own names of the events at which it can do something. */
function nativesWith({ events }: AgentDefinition, power: AgentPower, wanted?: string): readonly string[] {
  return Object.entries(events)
    .filter(([, { event, can, leftAlone }]) => leftAlone === undefined && can.includes(power) && (wanted ?? event) === event)
    .map(([native]) => native);
}

function titles(): readonly string[] {
  return agents.map(({ title }) => title);
}
