import { isLoopback } from "../../hub/auth/remote-approvals.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { makeLink, openDashboard } from "../open/open-dashboard.js";
import { text } from "../option-values.js";

interface OpenOptions {
  readonly approve?: boolean;
  readonly readOnly?: boolean;
  readonly host?: string;
}

export const command: CommandModule<OpenOptions> = {
  define(command) {
    command
      .option("--approve", "the page may also answer calls that wait, and switch hooks and rules")
      .option("--read-only", "only print a link, for somebody else at this machine who may look and nothing else")
      .option("--host <address>", "the link leads there: to an address that hookline up --host named, or to 127.0.0.1", text)
      .addHelpText("after", "\nThe link is good once, for two minutes. The page stays logged in for a week, also when the hub restarts.")
      .addHelpText(
        "after",
        "Its address, <name>.localhost, is the page's own. Safari does not find it; for Safari: hookline open --host 127.0.0.1",
      )
      .addHelpText("after", examples("hookline open", "hookline open --approve", "hookline open --read-only"));
  },

  async run(terminal, { approve = false, readOnly = false, host }) {
    if (approve && readOnly)
      throw new CliError("--approve and --read-only are two different links.", {
        exitCode: EXIT.usage,
        fix: { run: "hookline open --help" },
      });
    const { url, note } = await makeLink(terminal.env, { approve, host });
    terminal.print(url);
    if (note !== undefined) terminal.say(`${terminal.paintTalk("yellow", "!")} ${note}`);
    terminal.say(
      approve
        ? "Whoever opens it may answer calls that wait. Good once, for two minutes."
        : "To look only; to answer calls that wait as well: hookline open --approve. Good once, for two minutes.",
    );
    if (readOnly && isHere(host))
      terminal.say(
        "It opens on this machine only. For another machine: hookline up --host <address>, then hookline open --host <address>.",
      );
    // A link for somebody else must not be used up here; nor one that a program reads.
    if (!readOnly && isHere(host) && terminal.isInteractive) openDashboard(url, terminal);
    return EXIT.ok;
  },
};

function isHere(host: string | undefined): boolean {
  return host === undefined || isLoopback(host);
}
