import { Command } from "commander";
import { readVersion } from "../hub/version.js";
import { commandList } from "./command-list.js";
import { examples } from "./command-module.js";
import { EXIT } from "./exit-codes.js";
import { shortened } from "./report-error.js";
import type { Terminal } from "./terminal.js";

const MAX_ECHO = 300;

/** Finds the command, loads it alone, reads its options and runs it. */
export async function parseCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(terminal);
  const wanted = wantedCommand(argv);
  for (const { name, summary, load } of commandList) {
    const command = program.command(name).description(summary);
    if (name !== wanted) continue;
    command.showHelpAfterError(`Run: hookline ${name} --help`);
    const { command: module } = await load();
    module.define(command);
    command.action(async () => {
      exitCode = await module.run(terminal, command.opts() as never, command.args);
    });
  }
  if (argv.length === 0) program.help();
  await program.parseAsync([...argv], { from: "user" });
  return exitCode;
}

function createProgram(terminal: Terminal): Command {
  return new Command("hookline")
    .description("Hook, line and sinker for AI agents: see and steer what they do, keep a record of it.")
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .addHelpText("after", examples("hookline up --demo", "hookline tail --event 'tool:*'", "hookline tail --help"))
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.say(text.trimEnd()),
      outputError: (text) => terminal.say(usageText(text, terminal)),
    })
    .showHelpAfterError("Run: hookline --help")
    .exitOverride();
}

/** No option before the command takes a value. */
function wantedCommand(argv: readonly string[]): string | undefined {
  const [first, second] = argv.filter((text) => !text.startsWith("-"));
  return first === "help" ? second : first;
}

function usageText(text: string, { paintTalk }: Terminal): string {
  return `${paintTalk("red", "hookline:")} ${shortened(text.trim().replace(/^error: /, ""), MAX_ECHO)}`;
}
