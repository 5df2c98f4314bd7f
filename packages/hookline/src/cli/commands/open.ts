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
  readonly phone?: boolean;
}

export const command: CommandModule<OpenOptions> = {
  define(command) {
    command
      .option("--approve", "let the dashboard also answer calls that wait, and switch hooks and rules")
      .option("--read-only", "print a view-only link for another person at this machine")
      .option("--phone", "show a QR code that opens the dashboard on a phone, to look and to answer with a passkey")
      .option("--host <address>", "the link's address: one given to hookline up --host, or 127.0.0.1", text)
      .addHelpText(
        "after",
        "\nThe link works once, within two minutes. The dashboard stays signed in for a week, also after the hub restarts.",
      )
      .addHelpText(
        "after",
        "Its address, <name>.localhost, is reserved for the dashboard. Safari cannot resolve it; for Safari: hookline open --host 127.0.0.1",
      )
      .addHelpText("after", examples("hookline open", "hookline open --approve", "hookline open --read-only", "hookline open --phone"));
  },

  async run(terminal, { approve = false, readOnly = false, host, phone = false }) {
    if (approve && readOnly)
      throw new CliError("--approve and --read-only exclude each other.", {
        exitCode: EXIT.usage,
        fix: { run: "hookline open --help" },
      });
    if (phone) return (await import("../open/open-phone.js")).openOnPhone(terminal, { isReadOnly: readOnly, host });
    const { url, note } = await makeLink(terminal.env, { approve, host });
    terminal.print(url);
    if (note !== undefined) terminal.say(`${terminal.paintTalk("yellow", "!")} ${note}`);
    terminal.say(
      approve
        ? "This link can answer approvals. It works once, within two minutes."
        : "This link is view-only and works once, within two minutes. To answer approvals as well: hookline open --approve",
    );
    if (readOnly && isHere(host))
      terminal.say(
        "It opens on this machine only. For another machine: hookline up --host <address>, then hookline open --host <address>.",
      );
    // Opening a link uses it up, so a link for another person or for a program is only printed.
    if (!readOnly && isHere(host) && terminal.isInteractive) openDashboard(url, terminal);
    return EXIT.ok;
  },
};

function isHere(host: string | undefined): boolean {
  return host === undefined || isLoopback(host);
}
