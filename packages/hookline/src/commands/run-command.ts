import { runBuiltin } from "./builtins.js";
import { describeProgram } from "./describe-program.js";
import { argOf, createFact, leaveOpen } from "./fact-builder.js";
import { knownSpelling } from "./programs/all-programs.js";
import { type Data, fork, noData, type Scope, type Streams, unknownData, type Walker } from "./scope.js";
import type { Value } from "./value.js";
import { windowsCommand, withoutEnding } from "./windows.js";

/** Runs the words of a simple command: adds its facts and those of the commands that it runs. Returns what it prints. */
export function runCommand(words: readonly Value[], scope: Scope, streams: Streams, walker: Walker): Data {
  const [first, ...args] = words;
  if (first === undefined) {
    // A redirection without a command, which empties a file.
    if (streams.writes.length > 0 || streams.reads.length > 0) walker.facts.push(createFact("", scope, streams));
    return streams.stdin ?? noData;
  }
  const program = programOf(first);
  if (program === undefined) {
    const why = first.unknown ?? `the program is written as a pattern: ${first.text}`;
    addUnknownCommand(why, scope, streams, walker, args);
    return unknownData(why);
  }
  const foreign = windowsCommand(program, args);
  if (foreign !== undefined) {
    addUnknownCommand(foreign, scope, streams, walker, args);
    return unknownData(foreign);
  }
  const isBare = !first.text.includes("/");
  const alias = isBare ? scope.aliases.get(program) : undefined;
  if (alias !== undefined && !scope.calls.includes(`alias ${program}`))
    walker.runText(`${alias} "$@"`, fork(scope, { positional: args, calls: [...scope.calls, `alias ${program}`] }), streams);
  const body = isBare ? scope.functions.get(program) : undefined;
  if (body !== undefined) return callFunction(program, args, scope, streams, walker);
  return runBuiltin(program, args, scope, streams, walker) ?? describeProgram(first, program, args, scope, streams, walker);
}

/** The base name of a program, if it is known. */
function programOf({ text, pattern }: Value): string | undefined {
  if (pattern === undefined) return text === "" ? undefined : knownSpelling(withoutEnding(text.slice(text.lastIndexOf("/") + 1)));
  const base = pattern.slice(pattern.lastIndexOf("/") + 1);
  return base !== pattern && base !== "" && !/[*?[\\]/.test(base) ? base : undefined;
}

/** A command whose program is not known, so nothing else about it is. */
export function addUnknownCommand(why: string, scope: Scope, streams: Streams, walker: Walker, args: readonly Value[] = []): void {
  const fact = createFact("", scope, streams);
  leaveOpen(fact, why);
  fact.args.push(...args.map(argOf));
  walker.facts.push(fact);
}

function callFunction(name: string, args: readonly Value[], scope: Scope, streams: Streams, walker: Walker): Data {
  const body = scope.functions.get(name);
  if (body === undefined) return noData;
  if (scope.calls.includes(name)) {
    walker.facts.push({ ...createFact(name, scope, streams), forks: true });
    return unknownData(`the function ${name} calls itself`);
  }
  const inner: Scope = { ...scope, positional: args, calls: [...scope.calls, name], depth: scope.depth + 1 };
  const data = walker.runFunction(body, inner, streams);
  scope.dir = inner.dir;
  scope.previousDir = inner.previousDir;
  return data;
}
