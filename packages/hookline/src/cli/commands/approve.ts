import { inertText } from "@hookline/core/internal/text";
import { ANSWERED, answerApproval } from "../answer-approval.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { type Approval, approvalLines } from "../format/approval-lines.js";
import { connectHub } from "../hub-client.js";
import { text } from "../option-values.js";
import { fleetCommand, listWaiting } from "./approvals.js";

export interface AnswerOptions {
  readonly reason?: string;
  readonly fleet?: boolean;
  readonly host?: string;
  readonly hash?: string;
}

export const command = answeringCommand("allow");
export const deny = answeringCommand("deny");

/** Shows the call with that id and answers it. */
function answeringCommand(verdict: "allow" | "deny"): CommandModule<AnswerOptions> {
  const word = verdict === "allow" ? "approve" : "deny";
  return {
    define(command) {
      command
        .argument("<id>", "the call's id, or the start of it", text)
        .option("--reason <text>", "why; the agent gets this text", text)
        .option("--fleet", "a call on another host of the fleet")
        .option("--host <name>", "with --fleet: the host, if several have a call with this id", text)
        .option("--hash <start>", "with --fleet: the start of the call's hash; answers without asking you", text)
        .addHelpText("after", examples("hookline approvals", `hookline ${word} 01k9`));
    },
    async run(terminal, { fleet = false, ...options }, [id = ""]) {
      if (fleet) return (await fleetCommand(word)).command.run(terminal, options, [id]);
      const { reason } = options;
      const hub = await connectHub(terminal.env);
      const found = pick(await listWaiting(hub), id);
      for (const line of approvalLines(found)) terminal.say(line);
      await answerApproval(hub, found, { verdict, reason });
      terminal.print(`${inertText(found.id)} ${ANSWERED[verdict]}`);
      return EXIT.ok;
    },
  };
}

function pick(approvals: readonly Approval[], id: string): Approval {
  const [found, second] = approvals.filter((approval) => approval.id.startsWith(id));
  if (found === undefined) throw new CliError(`No waiting call has the id "${id}".`, { fix: { run: "hookline approvals" } });
  if (second !== undefined && found.id !== id)
    throw new CliError(`"${id}" is the start of several ids. Give more of it.`, {
      exitCode: EXIT.usage,
      fix: { run: "hookline approvals" },
    });
  return found;
}
