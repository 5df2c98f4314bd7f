import { programs } from "../../agents/attach/programs.js";
import { attachSetting } from "../agents/attach-setting.js";
import { capabilityRows } from "../agents/capabilities.js";
import { type AgentRow, readAgentRow } from "../agents/read-agent-row.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText, durationText } from "../format/amounts.js";
import { inert, inertJson } from "../format/inert.js";
import { tableLines } from "../format/table.js";
import { connectHub } from "../hub-client.js";

interface AgentsOptions {
  readonly capabilities?: boolean;
  readonly json?: boolean;
}

export const command: CommandModule<AgentsOptions> = {
  define(command) {
    command
      .option("--capabilities", "what each agent can make of a decision, event by event")
      .option("--json", "as JSON")
      .addHelpText("after", examples("hookline agents", "hookline agents --capabilities"));
  },

  async run(terminal, { capabilities = false, json = false }) {
    if (capabilities) {
      const rows = programs.flatMap(capabilityRows);
      if (json) terminal.print(JSON.stringify(rows, undefined, 2));
      else
        for (const line of tableLines(
          ["AGENT", "EVENT", "BECOMES", "CAN", "NOTE"],
          rows.map(({ agent, native, event, can, note }) => [agent, native, event, can.join(", ") || "-", note]),
        ))
          terminal.print(line);
      return EXIT.ok;
    }
    const hub = await connectHub(terminal.env).catch(() => undefined);
    const setting = attachSetting(terminal.env);
    const rows = await Promise.all(programs.map((program) => readAgentRow(program, { env: terminal.env, setting, hub })));
    if (json) terminal.print(inertJson(JSON.stringify(rows, undefined, 2)));
    else for (const line of tableLines(heading, rows.map(cellsOf))) terminal.print(line);
    if (!json)
      for (const { agent, missed } of rows)
        if (missed > 0) terminal.say(`${agent}: ${countText(missed, "call")} went on or were denied without the hub. Run: hookline doctor`);
    if (hub === undefined) terminal.say("No hub is running, so nobody has seen anything. Run: hookline up --detach");
    return EXIT.ok;
  },
};

const heading = ["AGENT", "INSTALLED", "ATTACHED", "LAST EVENT", "MISSED"];

function cellsOf({ agent, installed, tried, attached, lastEventAt, missed }: AgentRow): string[] {
  const version =
    installed === undefined ? "no" : `${installed.version ?? "yes"}${installed.version === tried ? "" : ` (${tried} was tried)`}`;
  const where = attached
    .map(({ scope, isStrict, transport }) => `${scope}${isStrict ? ", strict" : ""}${transport === "http" ? ", http" : ""}`)
    .join("; ");
  const last = lastEventAt === undefined ? "never" : `${durationText(Math.max(0, Date.now() - lastEventAt))} ago`;
  return [agent, inert(version), where === "" ? "no" : inert(where), last, String(missed)];
}
