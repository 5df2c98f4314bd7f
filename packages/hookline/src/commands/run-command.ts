import { runBuiltin } from "./builtins.js";
import { describeProgram } from "./describe-program.js";
import { addUnknownCommand, createFact } from "./fact-builder.js";
import { isPowerShellProgram, runPowerShellProgram } from "./powershell/program.js";
import { findProgram, knownSpelling } from "./programs/all-programs.js";
import { type Data, fork, joinData, keepState, noData, type Scope, type Streams, unknownData, type Walker } from "./scope.js";
import { isExact, literal, type Value } from "./value.js";
import { windowsCommand, withoutEnding } from "./windows.js";

/** Runs the words of a simple command: adds its facts and those of the commands that it runs. Returns what it prints. */
export function runCommand(words: readonly Value[], scope: Scope, streams: Streams, walker: Walker): Data {
  const [first] = words;
  if (first === undefined) {
    // A redirection without a command, which empties a file.
    if (streams.writes.length > 0 || streams.reads.length > 0) walker.facts.push(createFact("", scope, streams));
    return streams.stdin ?? noData;
  }
  const args = words.slice(1);
  const program = programOf(first);
  if (program === undefined) {
    const why = first.unknown ?? `the program is written as a pattern: ${first.text}`;
    addUnknownCommand(why, scope, streams, walker, args);
    return unknownData(why);
  }
  if (isPowerShellProgram(program)) return runPowerShellProgram(program, args, scope, streams, walker);
  const foreign = windowsCommand(program, args);
  if (foreign !== undefined) {
    addUnknownCommand(foreign, scope, streams, walker, args);
    return unknownData(foreign);
  }
  const dashed = gitSubcommand(program);
  if (dashed !== undefined) return runCommand([literal("git"), literal(dashed), ...args], scope, streams, walker);
  const isBare = !first.text.includes("/");
  const alias = isBare ? scope.aliases.get(program) : undefined;
  if (alias !== undefined && !scope.calls.includes(program)) runAlias(program, alias, args, scope, streams, walker);
  if (isBare && scope.functions.has(program)) return callFunction(program, args, scope, streams, walker);
  return runBuiltin(program, args, scope, streams, walker) ?? describeProgram(first, program, args, scope, streams, walker);
}

/** `git-reset`, as Git keeps its subcommands in a folder of its own. */
function gitSubcommand(program: string): string | undefined {
  if (!program.startsWith("git-") || findProgram(program) !== undefined) return undefined;
  return program.slice("git-".length);
}

/** The base name of a program, if it is known. */
function programOf({ text, pattern }: Value): string | undefined {
  if (pattern === undefined) return text === "" ? undefined : knownSpelling(withoutEnding(text.slice(text.lastIndexOf("/") + 1)));
  const base = pattern.slice(pattern.lastIndexOf("/") + 1);
  return base !== pattern && base !== "" && !/[*?[\\]/.test(base) ? base : undefined;
}

/** The text of an alias with the words that follow it. A shell may also not expand it, so the program itself counts too. */
function runAlias(name: string, text: string, args: readonly Value[], scope: Scope, streams: Streams, walker: Walker): void {
  const inner = fork(scope, { calls: [...scope.calls, name] });
  const words = args.map((value) => (isExact(value) ? `'${value.text.replaceAll("'", "'\\''")}'` : value.text));
  walker.runText([text, ...words].join(" "), inner, streams);
}

function callFunction(name: string, args: readonly Value[], scope: Scope, streams: Streams, walker: Walker): Data {
  const bodies = scope.functions.get(name) ?? [];
  if (bodies.some((body) => scope.calls.includes(body))) {
    walker.facts.push({ ...createFact(name, scope, streams), forks: true });
    return unknownData(`the function ${name} calls itself`);
  }
  const inner: Scope = { ...scope, positional: args, calls: [...scope.calls, ...bodies], depth: scope.depth + 1 };
  const data = bodies.map((body) => walker.runFunction(body, inner, streams)).reduce(joinData, noData);
  keepState(scope, inner);
  return data;
}
