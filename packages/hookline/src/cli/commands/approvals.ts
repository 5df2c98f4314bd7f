import { inertJson, inertText, shellWord } from "@hookline/core/internal/text";
import type { ApprovalsAnswer } from "../../hub/protocol.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { approvalLines } from "../format/approval-lines.js";
import { connectHub } from "../hub-client.js";

export const command: CommandModule<{ readonly json?: boolean }> = {
  define(command) {
    command
      .option("--json", "print JSON")
      .addHelpText("after", examples("hookline approvals", "hookline approve 01k9", 'hookline deny 01k9 --reason "not on a Friday"'));
  },

  async run(terminal, { json = false }) {
    const hub = await connectHub(terminal.env);
    const { approvals } = await hub.get<ApprovalsAnswer>("/api/approvals");
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
