import { inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import type { ApprovalsAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { type Approval, approvalLines } from "../format/approval-lines.js";
import { connectHub, type HubClient } from "../hub-client.js";

export const command: CommandModule<{ readonly json?: boolean; readonly fleet?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .option("--fleet", "the calls of all hosts of the fleet")
      .addHelpText("after", examples("hookline approvals", "hookline approve 01k9", 'hookline deny 01k9 --reason "not on a Friday"'));
  },

  async run(terminal, { json = false, fleet = false }) {
    if (fleet) return (await fleetCommand("approvals")).command.run(terminal, { json }, []);
    const hub = await connectHub(terminal.env);
    const approvals = await listWaiting(hub);
    if (json) terminal.print(inertJson(JSON.stringify(approvals, undefined, 2)));
    else if (approvals.length === 0) terminal.say("No call waits for approval.");
    else terminal.print(approvals.map((approval) => approvalLines(approval).join("\n")).join("\n\n"));
    const [first] = approvals;
    if (!json && first !== undefined) {
      const id = shellWord(inertText(first.id));
      terminal.say(`\nAnswer with: hookline approve ${id}, or hookline deny ${id} --reason "…"`);
    }
    return EXIT.ok;
  },
};

/** All calls that wait, page by page. A call that is answered meanwhile may still be among them. */
export async function listWaiting(hub: HubClient): Promise<readonly Approval[]> {
  const found: Approval[] = [];
  for (let query = new URLSearchParams(); ; ) {
    const { approvals, cursor } = await hub.get<ApprovalsAnswer>("/api/approvals", query);
    found.push(...approvals);
    if (cursor === undefined) return found;
    query = new URLSearchParams({ cursor: String(cursor) });
  }
}

/** The same command for all hosts. Its package is loaded only then. */
export async function fleetCommand(name: string): Promise<{ readonly command: CommandModule }> {
  return (await import("../fleet/load-commands.js")).loadFleetCommand(name);
}
