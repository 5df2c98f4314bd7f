import { didYouMean } from "@hookline/core/internal/text";
import { Command } from "commander";
import { readVersion } from "../hub/lifecycle/version.js";
import { CliError } from "./cli-error.js";
import { commandList } from "./command-list.js";
import { type CommandModule, examples } from "./command-module.js";
import { EXIT } from "./exit-codes.js";
import { pickAction } from "./pick-action.js";
import { shortened } from "./report-error.js";
import type { Terminal } from "./terminal.js";

const MAX_ECHO = 300;

/** Finds the command, loads it alone, reads its options and runs it. */
export async function parseCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.ok;
  const { wanted, args } = readWanted(argv);
  const program = createProgram(terminal);
  for (const { name, summary, load } of commandList) {
    const command = program.command(name).description(summary);
    if (name !== wanted) continue;
    command.showHelpAfterError(`Run: hookline ${name} --help`);
    const { command: module } = await load();
    module.define(command);
    withHelp(command, module, async () => {
      exitCode = await module.run(terminal, command.opts() as never, command.args);
    });
  }
  withHelp(program, {}, () => program.outputHelp());
  await program.parseAsync([...args], { from: "user" });
  return exitCode;
}

/**
 * Shows help as an option among others. The parser's own `--help` ends everything before anything is checked,
 * and help with exit code 0 would confirm a name that does not exist.
 */
function withHelp(command: Command, { actions = {} }: Pick<CommandModule, "actions">, act: () => void | Promise<void>): void {
  const required = command.registeredArguments.filter((argument) => argument.required);
  command
    .helpOption(false)
    .option("-h, --help", "show help")
    .on("option:help", () => {
      for (const argument of required) argument.argOptional();
    })
    .action(() => {
      if (command.opts().help !== true) return act();
      for (const argument of required) argument.argRequired();
      const [action] = command.args;
      if (action !== undefined && Object.keys(actions).length > 0) pickAction(actions, action, command.name());
      command.outputHelp();
    });
}

function createProgram(terminal: Terminal): Command {
  return new Command("hookline")
    .description("Hook, line and sinker for AI agents: see and steer what they do, keep a record of it.")
    .version(readVersion(), "-V, --version", "print the version")
    .helpCommand("help [command]", "show help for a command")
    .enablePositionalOptions()
    .addHelpText("after", examples("hookline up --demo", "hookline tail --event 'tool:*'", "hookline tail --help"))
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => terminal.print(terminal.typeable(text.trimEnd())),
      writeErr: (text) => terminal.say(text.trimEnd()),
      outputError: (text) => terminal.say(usageText(text, terminal)),
    })
    .showHelpAfterError("Run: hookline --help")
    .exitOverride();
}

/** The command that is meant, and the arguments with `--help` behind its name, wherever help was asked for. Throws for a command that does not exist. */
function readWanted(argv: readonly string[]): { readonly wanted: string | undefined; readonly args: readonly string[] } {
  // No option before the command takes a value.
  const at = argv.findIndex((text) => text === "--" || !/^-./s.test(text));
  if (at === -1) return { wanted: undefined, args: argv };
  const [before, name = "", after] = [argv.slice(0, at), argv[at], argv.slice(at + 1)];
  if (name === "help") return readWanted(["--help", ...before, ...after]);
  if (!commandList.some((command) => command.name === name)) throw unknownCommand(name);
  const isHelp = before.includes("-h") || before.includes("--help");
  const others = before.filter((text) => text !== "-h" && text !== "--help");
  return { wanted: name, args: [...others, name, ...(isHelp ? ["--help"] : []), ...after] };
}

function unknownCommand(name: string): CliError {
  const names = commandList.map((command) => command.name);
  // Nothing is close to a dash.
  const meant = /[a-z]{2}/i.test(name) ? didYouMean(name, names) : "";
  return new CliError(`There is no command "${shortened(name, MAX_ECHO)}".${meant}`, {
    exitCode: EXIT.usage,
    fix: { run: "hookline --help" },
  });
}

function usageText(text: string, { paintTalk }: Terminal): string {
  return `${paintTalk("red", "hookline:")} ${shortened(text.trim().replace(/^error: /, ""), MAX_ECHO)}`;
}
