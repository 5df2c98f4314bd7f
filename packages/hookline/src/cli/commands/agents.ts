import { existsSync } from "node:fs";
import { inertJson, inertText } from "@hookline/core/internal/text";
import { agents } from "../../agents/agents.js";
import { hookLimits, ruleLimits } from "../../agents/attach/agent-limits.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { configPath } from "../../config/config-path.js";
import { findProject } from "../../extensions/trust/project-hooks.js";
import { agentNames, EXAMPLE_AGENT, readAgent } from "../agents/agent-argument.js";
import { readAttachSetting } from "../agents/attach-setting.js";
import { type CapabilityRow, capabilityRows } from "../agents/capabilities.js";
import { contractLines } from "../agents/contract-text.js";
import { type AgentRow, readAgentRow } from "../agents/read-agent-row.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { tableLines } from "../format/table.js";
import { agoText } from "../format/times.js";
import { connectHub } from "../hub-client.js";
import { text } from "../option-values.js";
import type { Terminal } from "../terminal.js";

interface AgentsOptions {
  readonly capabilities?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule<AgentsOptions> = {
  define(command) {
    command
      .argument("[agent]", `only this one: ${agentNames()}`, text)
      .option("--capabilities", "show what each agent supports, event by event")
      .option("--json", "print JSON")
      .addHelpText("after", examples("hookline agents", `hookline agents ${EXAMPLE_AGENT} --capabilities`));
  },

  async run(terminal, { capabilities = false, json = false }, [id]) {
    const chosen = id === undefined ? agents : [readAgent(id)];
    if (capabilities) {
      const rows = chosen.flatMap(capabilityRows);
      if (json) terminal.print(JSON.stringify(rows, undefined, 2));
      else showCapabilities(rows, chosen, terminal);
      return EXIT.ok;
    }
    const hub = await connectHub(terminal.env).catch(() => undefined);
    const setting = readAttachSetting(terminal.env);
    const rows = await Promise.all(chosen.map((agent) => readAgentRow(agent, { env: terminal.env, setting, hub })));
    if (json) terminal.print(inertJson(JSON.stringify(rows, undefined, 2)));
    else
      for (const line of tableLines(
        heading,
        rows.map((row) => cellsOf(row, hub !== undefined)),
      ))
        terminal.print(line);
    if (!json) await tell(rows, terminal);
    if (hub === undefined) terminal.say("No hub is running, so the last events are unknown. Run: hookline up --detach");
    return EXIT.ok;
  },
};

function showCapabilities(rows: readonly CapabilityRow[], chosen: readonly AgentDefinition[], terminal: Terminal): void {
  const cells = rows.map(({ agent, native, events, can, note }) => [agent, native, events.join(", "), can.join(", ") || "-", note]);
  for (const line of tableLines(["AGENT", "ITS EVENT", "EVENTS FOR RULES AND HOOKS", "CAN", "NOTE"], cells)) terminal.print(line);
  terminal.say("-: rules and hooks cannot change this event; the hub records it unless it is ignored.");
  terminal.say("replace works at tool:result; a prompt is rewritten at prompt:build, for agents that can modify there.");
  for (const { title, contracts } of chosen)
    for (const contract of contracts) for (const text of contractLines(contract)) terminal.say(`${title}, ${text}.`);
  for (const { title, holes } of chosen) for (const text of holes) terminal.say(`${title}, known hole: ${text}`);
  terminal.say("inject reaches the model with the answer to that event; a reminder reaches it with the next prompt.");
}

async function tell(rows: readonly AgentRow[], terminal: Terminal): Promise<void> {
  const mark = terminal.paintTalk("yellow", "!");
  for (const { agent, missed, cautions, attached } of rows) {
    if (missed > 0) terminal.say(`${mark} ${agent}: the hub was not asked about ${countText(missed, "call")}. Run: hookline doctor`);
    for (const { path, state } of attached)
      if (state === "gone" || state === "changed")
        terminal.say(`${mark} ${agent}: its hooks are no longer in ${inertText(path)}. Run: hookline doctor`);
    for (const text of cautions) terminal.say(`${mark} ${agent}: ${text}`);
  }
  for (const text of await readLimits(rows, terminal.env)) terminal.say(`${mark} ${inertText(text)}`);
}

/** What rules and hooks need and an attached agent cannot do. */
async function readLimits(rows: readonly AgentRow[], env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const attached = rows.filter((row) => row.attached.length > 0).map(({ agent }) => agent);
  if (attached.length === 0) return [];
  const path = configPath(env);
  const { config } = existsSync(path) ? await (await import("../../config/load-config.js")).loadConfig(path) : {};
  const hooks = await (await import("../hooks/find-hooks.js")).findKnownHooks(env, findProject(process.cwd()));
  const speaking = agents.filter(({ id }) => attached.includes(id));
  const active = hooks.filter(({ state }) => state === "active");
  return [...ruleLimits(config?.rules ?? [], speaking), ...hookLimits(active, speaking)];
}

const heading = ["AGENT", "INSTALLED", "TRIED", "GUARDING", "ATTACHED", "LAST EVENT", "MISSED"];

function cellsOf({ agent, installed, tried, guarding, attached, lastEventAt, missed }: AgentRow, isHubAsked: boolean): string[] {
  const version = installed === undefined ? "no" : (installed.version ?? "yes");
  const where = attached
    .map(({ scope, isStrict, transport }) => `${scope}${isStrict ? ", strict" : ""}${transport === "http" ? ", http" : ""}`)
    .join("; ");
  const last = lastEventAt !== undefined ? agoText(lastEventAt) : isHubAsked ? "never" : "-";
  return [agent, version, tried ?? "not tried here", guarding, where === "" ? "no" : where, last, String(missed)];
}
