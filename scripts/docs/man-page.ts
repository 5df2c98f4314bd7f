import { createRequire } from "node:module";
import { commandList } from "../../packages/hookline/dist/cli/command-list.js";
import type { ListedCommand } from "../../packages/hookline/src/cli/command-module.ts";

const { Command } = createRequire(new URL("../../packages/hookline/package.json", import.meta.url))("commander") as {
  readonly Command: new (name: string) => Defined;
};

/** What a command has defined. */
interface Defined {
  readonly registeredArguments: readonly { readonly required: boolean; name(): string }[];
  readonly options: readonly { readonly flags: string; readonly description: string }[];
}

/** The manual of the command line, from the commands themselves: `man hookline`. */
export async function manPage(version: string): Promise<string> {
  const commands: string[] = [];
  for (const listed of commandList) commands.push(...(await commandText(listed, "hookline")));
  return `.\\" Written by "npm run docs".
.TH HOOKLINE 1 "" "hookline ${roff(version)}" "Hookline"
.SH NAME
hookline \\- hook, line and sinker for AI agents
.SH SYNOPSIS
.B hookline
.I command
.RI [ options ]
.SH DESCRIPTION
See and steer what AI agents do, and keep a record of it. Data goes to stdout, messages go to stderr.
.SH COMMANDS
${commands.join("\n")}
.SH EXIT STATUS
0: success. 1: failure. 2: wrong usage. 3: a guard denied or asks. 4: the hub is not running.
.SH FILES
.TP
.I ~/.config/hookline/hookline.toml
rules, hooks, sinks and settings
.TP
.I ~/.local/state/hookline
the record, and what the hub knows
.SH ENVIRONMENT
XDG_STATE_HOME, XDG_CONFIG_HOME, XDG_RUNTIME_DIR, NO_COLOR, FORCE_COLOR, HOOKLINE_DEBUG
`;
}

async function commandText({ name, summary, load }: ListedCommand, above: string): Promise<string[]> {
  const { command: module } = await load();
  const command = new Command(name);
  module.define(command as never);
  const whole = `${above} ${name}`;
  const words = command.registeredArguments.map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`));
  const options = command.options.flatMap(({ flags, description }) => [".RS", ".TP", `.B ${roff(flags)}`, roff(description), ".RE"]);
  const own = [".TP", `.B ${roff([whole, ...words].join(" "))}`, roff(summary), ...options];
  if (!("subcommands" in module)) return own;
  const parts: string[] = [];
  for (const listed of module.subcommands) parts.push(...(await commandText(listed, whole)));
  return [...own, ...parts];
}

/** A text as roff reads it: no escapes, and no line that begins as a request. */
function roff(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/\s+/g, " ").replace(/^[.']/, "\\&$&");
}
