import { ArgumentRoles } from "./argument-roles.js";
import { addFlows, addLoaded, argOf, createFact, type FactBuilder, leaveEffectsOpen } from "./fact-builder.js";
import type { PathFact } from "./facts.js";
import { foundFiles } from "./found-files.js";
import { describeGit } from "./git-fact.js";
import type { InnerCode, ProgramCall } from "./inner-code.js";
import { type FoundOption, sortWords } from "./options.js";
import { resolvePath } from "./paths.js";
import { possibleFacts } from "./possible-facts.js";
import { runPowerShell } from "./powershell/run-powershell.js";
import { printedText } from "./printed-text.js";
import { namesData, networkData, ProgramOutput } from "./program-output.js";
import { familyOf, findProgram } from "./programs/all-programs.js";
import { writtenAt } from "./redirections.js";
import { type Data, fork, joinData, noData, type Scope, type Streams, unknownData, type Walker } from "./scope.js";
import { sortArguments, turnedRole } from "./sort-arguments.js";
import { isExact, literal, type Value } from "./value.js";

/** Adds the facts of a program, by its entry, and runs the commands that it runs. Returns what it prints. */
export function describeProgram(
  word: Value,
  program: string,
  args: readonly Value[],
  scope: Scope,
  streams: Streams,
  walker: Walker,
): Data {
  const fact = createFact(program, scope, streams);
  fact.args = args.map(argOf);
  walker.facts.push(fact);
  runWrittenFile(word, args, fact, scope, streams, walker);
  const entry = findProgram(program);
  if (entry === undefined) return describeUnlisted(fact, args, streams, walker);
  fact.family = familyOf(fact.program);
  return describeListed({ entry, fact, scope, streams, walker, sorted: sortArguments(entry, args) }, args);
}

/** A program that is not in the table: its words are sorted as most programs do it, and it does nothing that a fact describes. */
function describeUnlisted(fact: FactBuilder, args: readonly Value[], streams: Streams, walker: Walker): Data {
  const { options, operands, unknown } = sortWords(args, "gnu", []);
  fact.options = options.map(optionFact);
  fact.operands = operands.map(argOf);
  if (unknown !== undefined) fact.unknown.options = unknown;
  if (!streams.isRead) return noData;
  const printing = { args, operands, options, dir: fact.dir, input: streams.stdin ?? noData, nextTemporary: () => walker.nextTemporary() };
  return printedText(fact.program, printing) ?? unknownData(`the output of ${fact.program} is not known`);
}

/** `./x`, after the same text has written x: it runs what was written. */
function runWrittenFile(word: Value, args: readonly Value[], fact: FactBuilder, scope: Scope, streams: Streams, walker: Walker): void {
  if ((scope.files.size === 0 && scope.folders.size === 0) || !word.text.includes("/")) return;
  const path = resolvePath(word, scope.dir);
  const content = path === undefined ? undefined : writtenAt(path.path, scope);
  if (content === undefined) return;
  addFlows(fact, "runs", content.flows);
  const inner = fork(scope, { via: [...scope.via, fact.program] });
  if (content.value !== undefined && isExact(content.value)) {
    const { text } = content.value;
    return void (/\.ps1$/i.test(word.text) ? runPowerShell(text, inner, streams, walker) : walker.runText(text, inner, streams));
  }
  // `cp /bin/rm x; ./x`: a program under another name.
  const [origin, ...others] = content.flows;
  const name = origin?.path?.path.replace(/^.*\//, "") ?? "";
  if (others.length === 0 && name !== fact.program && findProgram(name) !== undefined)
    walker.runWords([literal(name), ...args], inner, streams);
}

function optionFact({ name, value }: FoundOption) {
  return value === undefined ? { name } : { name, value: argOf(value) };
}

function describeListed(call: ProgramCall, args: readonly Value[]): Data {
  const { fact, streams, sorted, entry } = call;
  const { options, operands, effect, subcommand } = sorted;
  const roles = new ArgumentRoles(call);
  fact.verb = sorted.verb;
  for (const what of sorted.destroyed) fact.destroys.push(what);
  fact.options = options.map(optionFact);
  fact.operands = operands.map(argOf);
  if (sorted.unknown !== undefined) leaveEffectsOpen(fact, sorted.unknown, possibleFacts(subcommand));
  describeOptions(call, roles);
  roles.implied(entry);
  if (subcommand !== entry) roles.implied(subcommand);
  roles.operands(operands, sorted.roles);
  fact.recursive ||= effect.recursive === true;
  fact.receives ||= effect.receives === true;
  roles.inner.input();
  if (effect.sends === "stdin" && streams.stdin !== undefined) addFlows(fact, "sends", streams.stdin.flows);
  if (effect.sends === "unknown") addFlows(fact, "sends", [{ from: "unknown", why: `what ${fact.program} sends is not known` }]);
  if (effect.prints === "secret" && !roles.inner.runsCode) addLoaded(fact, call.scope.loaded);
  if (roles.inner.readsEnvironment) addLoaded(fact, [...call.scope.loaded, ...fact.loads]);
  if (effect.prints === "args") addLoaded(fact, loadedIn(args, call.scope.loaded));
  if (effect.finds === true) findFiles(call, roles);
  if (fact.family === "git") describeGit(fact, operands, sorted.roles, options);
  roles.inner.checkWrapper(options);
  const output = new ProgramOutput(call, roles.content);
  for (const { path, unknown } of roles.written) if (unknown === undefined) call.scope.files.set(path, output.written());
  if (effect.unpacks === true)
    for (const { path, unknown } of fact.writes.length === 0 ? [fact.dir] : fact.writes)
      if (unknown === undefined) call.scope.folders.set(path, output.written());
  const printed = printedBy(roles.inner, output, args, call);
  // `> /dev/tcp/host/port`: what it prints leaves the machine.
  if (streams.hosts.length > 0) addFlows(fact, "sends", printed.flows);
  return printed;
}

/** The files that words get their values from, by variables that were loaded. */
function loadedIn(args: readonly Value[], loaded: readonly PathFact[]): readonly PathFact[] {
  return loaded.length === 0 ? loaded : loaded.filter((path) => args.some(({ flows }) => flows?.some((flow) => flow.path === path)));
}

function describeOptions({ sorted }: ProgramCall, roles: ArgumentRoles): void {
  const { options, operands, turns } = sorted;
  // An archive is named from where the command starts (tar -C).
  for (const { value, effect } of options)
    if (effect?.value === "archive" && value !== undefined) roles.value(value, turnedRole(turns, "archive"));
  for (const { value, effect } of options) if (effect?.value === "dir" && value !== undefined) roles.changeDir(value);
  for (const { value, effect } of options)
    if (effect?.value !== undefined && effect.value !== "dir" && effect.value !== "archive" && value !== undefined)
      roles.value(value, turnedRole(turns, effect.value), effect.settings, operands);
  for (const { effect } of options) if (effect !== undefined) roles.implied(effect);
}

function findFiles({ fact, sorted: { options, operands, roles: meanings } }: ProgramCall, roles: ArgumentRoles): void {
  const starts = operands.filter((_, index) => meanings[index] === "text");
  const hasPattern = operands.some(({ text }, index) => meanings[index] === "pattern" && text !== ".");
  const narrowed = hasPattern ? [...options, { name: "", value: undefined, effect: { narrows: "other" as const } }] : options;
  const found = foundFiles(narrowed, starts, fact.args);
  roles.inner.found = found;
  if (!options.some(({ effect }) => effect?.deletesFound === true)) return;
  for (const value of found) roles.path(value, "deletes");
  fact.recursive = true;
}

function printedBy(
  inner: InnerCode,
  output: ProgramOutput,
  args: readonly Value[],
  { fact: { hosts }, streams, sorted }: ProgramCall,
): Data {
  const ran = inner.run();
  // What a command prints on another machine arrives from there.
  const isRemote = sorted.effect.prints === "network" && hosts.length > 0;
  if (!streams.isRead && streams.hosts.length === 0) return noData;
  if (ran.length > 0) return isRemote ? networkData(hosts) : ran.reduce(joinData, noData);
  return inner.found === undefined ? output.printed(args) : namesData(inner.found);
}
