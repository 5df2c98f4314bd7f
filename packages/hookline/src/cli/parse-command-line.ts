import { didYouMean, inertText, shellWord } from "@hookline/core/internal/text";
import { Command, type Option } from "commander";
import { accessOf } from "../hub/auth/access.js";
import { readVersion } from "../hub/lifecycle/version.js";
import { CliError } from "./cli-error.js";
import { commandGroups, commandList } from "./command-list.js";
import { type CommandGroup, type CommandModule, examples, type ListedCommand } from "./command-module.js";
import { EXIT } from "./exit-codes.js";
import { shortened } from "./report-error.js";
import type { Terminal } from "./terminal.js";

const MAX_ECHO = 300;

type Run = (module: CommandModule, command: Command, listed: ListedCommand) => Promise<void>;

/** Finds the command, loads only that one, reads its options and runs it. */
export async function parseCommandLine(given: readonly string[], terminal: Terminal): Promise<number> {
  if (given[0] === "completions" && given[1] === "--words") return printWords(given.slice(given[2] === "--" ? 3 : 2), terminal);
  const argv = await withStart(given, terminal);
  let exitCode: number = EXIT.ok;
  const program = createProgram(terminal);
  const args = await addCommands(program, { subcommands: commandList }, argv, async (module, command, listed) => {
    if (operates(listed, command.opts())) await (await import("./must-operate.js")).mustOperate(fullName(command), terminal.env);
    if (listed.changesFiles === true && operates(listed, command.opts())) await confirmFirst(argv, terminal);
    exitCode = await module.run(terminal, command.opts(), command.args).catch((error: unknown) => {
      throw withHelpAsFix(error, command);
    });
  });
  withHelp(program, () => program.outputHelp());
  await program.parseAsync([...args], { from: "user" });
  return exitCode;
}

/** For the scripts of `hookline completions`: what can stand in the place of the last word. */
async function printWords(words: readonly string[], { env, print }: Terminal): Promise<number> {
  const { candidatesFor } = await import("./completions/candidates.js");
  for (const { word, about } of await candidatesFor(commandList, words, env)) print(`${inertText(word)}\t${inertText(about)}`);
  return EXIT.ok;
}

/** Without a command, the first run offers to guard the agents of this machine. Without a terminal, it shows the help: a question could not be answered. */
async function withStart(argv: readonly string[], { env, stdin, isInteractive, say }: Terminal): Promise<readonly string[]> {
  if (argv.length === 1 && argv[0] === "--yes") return ["start", "--yes"];
  if (argv.length > 0 || !(await import("./start/is-first-run.js")).isFirstRun(env)) return argv;
  if (isInteractive && stdin.isTTY) return ["start"];
  say("Hookline is not set up yet. To guard the agents on this machine: hookline start --yes");
  return argv;
}

/** What the hub did not understand was on the command line, and the help says what can be there. */
function withHelpAsFix(error: unknown, command: Command): unknown {
  if (!(error instanceof CliError) || error.exitCode !== EXIT.usage || error.fix !== undefined) return error;
  return new CliError(error.message, { exitCode: error.exitCode, fix: { run: `${fullName(command)} --help` }, cause: error });
}

/** Whether the command operates with these options. */
function operates(listed: ListedCommand, options: { readonly [name: string]: unknown }): boolean {
  const has = (names: readonly string[] = []): boolean => names.some((name) => options[name] !== undefined && options[name] !== false);
  return accessOf(listed) === "operate" ? !has(listed.readsWith) : has(listed.operatesWith);
}

/** Where help lists a command. */
function headingOf(listed: ListedCommand): string {
  return `${Object.keys(commandGroups).find((heading) => commandGroups[heading]?.includes(listed))}:`;
}

async function confirmFirst(argv: readonly string[], { env }: Terminal): Promise<void> {
  const { confirmAction } = await import("./protect/confirm-action.js");
  await confirmAction(env, `Run in ${shellWord(process.cwd())}: hookline ${argv.map(shellWord).join(" ")}`);
}

/** Adds every command by its name, and the called one with its options. Returns the arguments in the order that the parser expects. */
async function addCommands(parent: Command, group: Pick<CommandGroup, "subcommands" | "usual">, argv: readonly string[], run: Run) {
  const wanted = readWanted(argv, group, parent, await usualOptions(group));
  let rest = wanted?.args ?? [];
  for (const listed of group.subcommands) {
    const { name, summary, load } = listed;
    const command = parent.command(name).description(summary);
    if (parent.parent === null) command.helpGroup(headingOf(listed));
    if (name !== wanted?.name) continue;
    command.showHelpAfterError(`Run: ${fullName(command)} --help`);
    const { command: module } = await load();
    module.define(command);
    if ("subcommands" in module) {
      rest = await addCommands(command, module, rest, run);
      withHelp(command, () => Promise.reject(noSubcommand(command, module)));
    } else withHelp(command, () => run(module, command, listed));
  }
  return wanted === undefined ? argv : [...wanted.before, wanted.name, ...rest];
}

/**
 * Adds help as an ordinary option. The parser's own `--help` exits before anything is checked,
 * and help with exit code 0 would confirm a name that does not exist.
 */
function withHelp(command: Command, act: () => void | Promise<void>): void {
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
      command.outputHelp();
    });
}

function createProgram(terminal: Terminal): Command {
  return new Command("hookline")
    .description("Hook, line and sinker for AI agents: see and steer what they do, and keep a record of it.")
    .version(readVersion(), "-v, --version", "print the version")
    .addHelpCommand(new Command("help").argument("[command]").description("show help for a command").helpGroup("Machine:"))
    .enablePositionalOptions()
    .addHelpText("after", examples("hookline start", "hookline tail --event 'tool:*'", "hookline tail --help"))
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => terminal.print(terminal.typeable(text.trimEnd())),
      writeErr: (text) => terminal.say(text.trimEnd()),
      outputError: (text) => terminal.say(usageText(text, terminal)),
    })
    .showHelpAfterError("Run: hookline --help")
    .exitOverride();
}

interface Wanted {
  readonly name: string;
  /** The arguments before the name, without `--help`. */
  readonly before: readonly string[];
  /** The arguments of the command, with `--help` if help was requested anywhere. */
  readonly args: readonly string[];
}

/** The options of the subcommand that runs when none is named. Their values are not names of subcommands. */
async function usualOptions({ subcommands, usual }: Pick<CommandGroup, "subcommands" | "usual">): Promise<readonly Option[]> {
  const module = (await subcommands.find(({ name }) => name === usual)?.load())?.command;
  const command = new Command();
  module?.define(command);
  return command.options;
}

/** Where the first word is that is neither an option nor the value of one; -1 without such a word. */
function firstWord(argv: readonly string[], options: readonly Option[]): number {
  const takesValue = (text: string) => options.some((option) => option.required && (option.long === text || option.short === text));
  return argv.findIndex((text, at) => text === "--" || (!/^-./s.test(text) && !takesValue(argv[at - 1] ?? "")));
}

/** The called command; `undefined` without a command or for help alone. Throws for an unknown command. */
function readWanted(
  argv: readonly string[],
  { subcommands, usual }: Pick<CommandGroup, "subcommands" | "usual">,
  parent: Command,
  usualOptions: readonly Option[],
): Wanted | undefined {
  const names = subcommands.map(({ name }) => name);
  const at = firstWord(argv, usualOptions);
  const hasOptions = argv.slice(0, at === -1 ? argv.length : at).some((text) => !isHelp(text));
  if (at === -1) return usual === undefined || (argv.length > 0 && !hasOptions) ? undefined : { name: usual, before: [], args: argv };
  const [before, name = "", after] = [argv.slice(0, at), argv[at], argv.slice(at + 1)];
  if (name === "help")
    return readWanted(["--help", ...before, ...after], { subcommands, ...(usual !== undefined && { usual }) }, parent, usualOptions);
  if (!names.includes(name)) throw unknownCommand(name, names, parent);
  const others = before.filter((text) => !isHelp(text));
  const help = before.some(isHelp) ? ["--help"] : [];
  return usual === undefined
    ? { name, before: others, args: [...help, ...after] }
    : { name, before: [], args: [...help, ...others, ...after] };
}

function isHelp(text: string): boolean {
  return text === "-h" || text === "--help";
}

/** `hookline hooks test` */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function unknownCommand(name: string, names: readonly string[], parent: Command): CliError {
  const whole = parent.parent === null ? name : `${fullName(parent)} ${name}`.slice("hookline ".length);
  // A suggestion for a dash makes no sense.
  const meant = /[a-z]{2}/i.test(name) ? didYouMean(name, names) : "";
  return new CliError(`There is no command "${shortened(whole, MAX_ECHO)}".${meant}`, {
    exitCode: EXIT.usage,
    fix: { run: `${fullName(parent)} --help` },
  });
}

function noSubcommand(command: Command, { subcommands }: CommandGroup): CliError {
  return new CliError(`${fullName(command)} needs a subcommand: ${subcommands.map(({ name }) => name).join(", ")}.`, {
    exitCode: EXIT.usage,
    fix: { run: `${fullName(command)} --help` },
  });
}

function usageText(text: string, { paintTalk }: Terminal): string {
  return `${paintTalk("red", "hookline:")} ${shortened(text.trim().replace(/^error: /, ""), MAX_ECHO)}`;
}
