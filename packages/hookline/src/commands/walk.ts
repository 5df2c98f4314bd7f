import type { CommandFact, PathFact } from "./facts.js";
import {
  type Assignment,
  type Command,
  type CommandNode,
  type CompoundList,
  faultOf,
  forEachScript,
  MAX_TEXT_LENGTH,
  type ParsedScript,
  type PipelineNode,
  parseShell,
  type Redirection,
  type Statement,
  type SyntaxNode,
  textFault,
  type Word,
} from "./parse.js";
import { isPlainDevice, readRedirections } from "./redirections.js";
import { addUnknownCommand, runCommand } from "./run-command.js";
import {
  createScope,
  type Data,
  type FunctionBody,
  fork,
  joinData,
  noData,
  noStreams,
  type Scope,
  type Streams,
  type Variable,
  type Walker,
} from "./scope.js";
import { concat, concatAll, isExact, literal, someName, unknownValue, type Value } from "./value.js";
import { expandToOne, expandWord, type Shell } from "./words.js";

/** More commands than these are not listed one by one: the rest is one unknown command. */
const MAX_COMMANDS = 1_000;
/** A command has at most these words. */
const MAX_WORDS = 2_000;
/** Commands that are run, also again in loops, and words that braces make. */
const MAX_STEPS = 5_000;
/** Scripts inside scripts: `sh -c "sh -c …"`, functions, substitutions. */
const MAX_DEPTH = 24;
/** Values of a loop that are tried one by one. */
const MAX_ROUNDS = 16;
/** Values of a variable that branches set, and combinations of them in one command. */
const MAX_CHOICES = 8;

/** Where the facts of a text begin. */
export interface Start {
  /** The folder of the call, if it is known. */
  readonly dir: PathFact;
  readonly home: string;
}

/** The commands of a shell text. */
export function commandsInText(text: string, { dir, home }: Start): readonly CommandFact[] {
  const walker = new ScriptWalker(home);
  return attempt(walker, { dir, home }, () => walker.runText(text, createScope(dir), noStreams));
}

/** The commands of a list of words, which no shell reads. */
export function commandsInWords(words: readonly string[], { dir, home }: Start): readonly CommandFact[] {
  const walker = new ScriptWalker(home);
  const total = words.reduce((sum, { length }) => sum + length, words.length);
  const fault =
    total > MAX_TEXT_LENGTH || words.length > MAX_WORDS ? "the command is too long" : words.map(textFault).find((one) => one !== undefined);
  if (fault !== undefined) return [unknownCommand(fault, { dir, home })];
  return attempt(walker, { dir, home }, () => walker.runWords(words.map(literal), createScope(dir), noStreams));
}

/** A fault in this code must not let a command pass: what was found stays, and the rest is unknown. */
function attempt(walker: ScriptWalker, start: Start, run: () => unknown): readonly CommandFact[] {
  try {
    run();
    return walker.facts;
  } catch (error) {
    return [
      ...walker.facts,
      unknownCommand(`the command could not be read: ${error instanceof Error ? error.message : String(error)}`, start),
    ];
  }
}

/** A command of which only the reason is known why nothing else is. */
export function unknownCommand(why: string, { dir, home }: Start): CommandFact {
  const walker = new ScriptWalker(home);
  walker.addUnknown(why, createScope(dir), noStreams);
  return walker.facts[0] as CommandFact;
}

class ScriptWalker implements Walker {
  readonly facts: CommandFact[] = [];
  readonly home: string;
  #isFull = false;
  #steps = 0;

  constructor(home: string) {
    this.home = home;
  }

  runText(text: string, scope: Scope, streams: Streams): Data {
    const script = parseShell(text);
    if (typeof script !== "string") return this.runScript(script, scope, streams);
    this.addUnknown(script, scope, streams);
    return { flows: [{ from: "unknown", why: script }], value: undefined };
  }

  runScript(script: ParsedScript, scope: Scope, streams: Streams): Data {
    const fault = scope.depth > MAX_DEPTH ? "the command is nested too deep" : faultOf(script);
    if (fault === undefined) {
      scope.depth++;
      const data = this.#statements(script.commands, scope, streams);
      scope.depth--;
      return data;
    }
    this.addUnknown(fault, scope, streams);
    return { flows: [{ from: "unknown", why: fault }], value: undefined };
  }

  runFunction(body: FunctionBody, scope: Scope, streams: Streams): Data {
    if (scope.depth > MAX_DEPTH) {
      this.addUnknown("the command is nested too deep", scope, streams);
      return noData;
    }
    return body.type === "CompoundList" ? this.#statements(body.commands, scope, streams) : this.#node(body as CommandNode, scope, streams);
  }

  runWords(words: readonly Value[], scope: Scope, streams: Streams): Data {
    if (this.#isFull) return noData;
    if (this.facts.length >= MAX_COMMANDS) return this.#stop(`there are more than ${MAX_COMMANDS} commands`, scope, streams);
    if (!this.spend()) return this.#stop("the command takes too long to read", scope, streams);
    if (words.length > MAX_WORDS) {
      this.addUnknown(`a command has more than ${MAX_WORDS} words`, scope, streams);
      return noData;
    }
    return runCommand(words, scope, streams, this);
  }

  spend(): boolean {
    return ++this.#steps <= MAX_STEPS;
  }

  #stop(why: string, scope: Scope, streams: Streams): Data {
    this.#isFull = true;
    this.addUnknown(why, scope, streams);
    return noData;
  }

  addUnknown(why: string, scope: Scope, streams: Streams): void {
    addUnknownCommand(why, scope, streams, this);
  }

  #statements(statements: readonly Statement[], scope: Scope, streams: Streams): Data {
    let data = noData;
    for (const { command, background } of statements) {
      if (this.#isFull) break;
      if (!this.spend()) return this.#stop("the command takes too long to read", scope, streams);
      data = joinData(data, this.#command(command, background === true ? fork(scope) : scope, streams));
    }
    return data;
  }

  #command(node: Statement["command"], scope: Scope, streams: Streams): Data {
    if (node.type !== "AndOr") return this.#pipeline(node, scope, streams);
    let before = scope.dir;
    let data = this.#pipeline(node.commands[0] as PipelineNode, scope, streams);
    for (const [index, operator] of node.operators.entries()) {
      const next = node.commands[index + 1] as PipelineNode;
      if (operator === "&&") {
        before = scope.dir;
        data = joinData(data, this.#pipeline(next, scope, streams));
        continue;
      }
      // The right side runs if the left one failed: a `cd` there has not happened.
      const failed = fork(scope, { dir: before });
      data = joinData(data, this.#pipeline(next, failed, streams));
      if (!endsShell(next)) join(scope, [scope, failed]);
    }
    return data;
  }

  #pipeline(node: PipelineNode, scope: Scope, streams: Streams): Data {
    if (node.type !== "Pipeline") return this.#node(node, scope, streams);
    const last = node.commands.length - 1;
    if (last === 0) return this.#node(node.commands[0] as CommandNode, scope, streams);
    let data: Data | undefined = streams.stdin;
    for (const [index, command] of node.commands.entries())
      data = this.#node(command, fork(scope), { ...streams, stdin: data, isRead: index < last || streams.isRead });
    return data ?? noData;
  }

  #node(node: CommandNode, scope: Scope, streams: Streams): Data {
    switch (node.type) {
      case "Command":
        return this.#simple(node, scope, streams);
      case "Redirected":
        return this.#redirected(node.redirects, scope, streams, (inner) => this.#node(node.command, scope, inner));
      case "BraceGroup":
        return this.#statements(node.body.commands, scope, streams);
      case "Subshell":
        return this.#statements(node.body.commands, fork(scope), streams);
      case "If": {
        const clause = this.#statements(node.clause.commands, scope, streams);
        const branches = [
          node.then,
          ...node.elif.flatMap((elif) => [elif.clause, elif.then]),
          ...(node.else === undefined ? [] : [node.else]),
        ];
        return joinData(clause, this.#branches(branches, scope, streams, node.else === undefined));
      }
      case "While": {
        const clause = this.#statements(node.clause.commands, scope, streams);
        return joinData(clause, this.#repeated(node.body, scope, streams));
      }
      case "For":
      case "Select":
        return this.#loop(node.name.value, node.wordlist, node.body, scope, streams);
      case "ArithmeticFor": {
        this.#inside(node, scope, streams, false);
        const shell = this.#shell(scope, streams);
        for (const name of assignedNames(node.initialize)) shell.assign(name, someName(`$${name}`));
        return this.#repeated(node.body, scope, streams);
      }
      case "Case": {
        const shell = this.#shell(scope, streams);
        shell.inside(node.word);
        for (const item of node.items) for (const pattern of item.pattern) shell.inside(pattern);
        return this.#branches(
          node.items.map(({ body }) => body),
          scope,
          streams,
          true,
        );
      }
      case "Function":
        scope.functions.set(node.name.value, [node.body]);
        return noData;
      case "Coproc":
        return this.runFunction(node.body, fork(scope), {
          ...streams,
          stdin: { flows: [{ from: "unknown", why: "the input of a coprocess" }], value: undefined },
        });
      case "TestCommand":
      case "ArithmeticCommand":
        this.#inside(node, scope, streams, true);
        return noData;
    }
  }

  /** Each branch starts from the same state; afterwards any of them may have run. */
  #branches(branches: readonly CompoundList[], scope: Scope, streams: Streams, mayRunNone: boolean): Data {
    let data = noData;
    const ends: Scope[] = mayRunNone ? [fork(scope)] : [];
    for (const { commands } of branches) {
      const branch = fork(scope);
      data = joinData(data, this.#statements(commands, branch, streams));
      if (!commands.some(({ command }) => endsShell(command))) ends.push(branch);
    }
    join(scope, ends);
    // Which branch printed it is not known.
    return branches.length > 1 && data !== noData ? { ...data, value: undefined } : data;
  }

  /** A second round sees what the first one has set. */
  #repeated(body: CompoundList, scope: Scope, streams: Streams): Data {
    const before = stateOf(scope);
    const data = this.#branches([body], scope, streams, true);
    return stateOf(scope) === before ? data : joinData(data, this.#branches([body], scope, streams, true));
  }

  #loop(name: string, wordlist: readonly Word[] | undefined, body: CompoundList, scope: Scope, streams: Streams): Data {
    const shell = this.#shell(scope, streams);
    const values = wordlist === undefined ? scope.positional : wordlist.flatMap((word) => expandWord(word, shell));
    const isLong = values.length > MAX_ROUNDS;
    const hasSlash = values.some((value) => !isExact(value) || value.text.includes("/"));
    const rounds = !isLong ? values : [hasSlash ? unknownValue(`$${name}`, `${name} takes too many values`) : someName(`$${name}`)];
    let data = noData;
    for (const value of rounds) {
      scope.variables.set(name, { choices: [value] });
      data = joinData(data, this.#statements(body.commands, scope, streams));
    }
    return data;
  }

  #redirected(redirects: readonly Redirection[], scope: Scope, streams: Streams, run: (streams: Streams) => Data): Data {
    if (redirects.length === 0) return run(streams);
    if (redirects.some((one) => one.type === "HereDoc" && one.closing === undefined))
      this.addUnknown("a heredoc does not end", scope, streams);
    const { streams: inner, output, append } = readRedirections(redirects, scope, streams, this.#shell(scope, streams));
    const data = run(inner);
    if (output === undefined) return data;
    if (!isPlainDevice(output.path)) scope.files.set(output.path, append ? joinData(scope.files.get(output.path) ?? noData, data) : data);
    return noData;
  }

  #simple(node: Command, scope: Scope, streams: Streams): Data {
    const shell = this.#shell(scope, streams);
    let data = this.#chosen(node, scope, streams, shell);
    for (const picks of shell.otherPicks()) data = joinData(data, this.#chosen(node, scope, streams, this.#shell(scope, streams, picks)));
    return data;
  }

  #chosen({ name, prefix, suffix, redirects }: Command, scope: Scope, streams: Streams, shell: ScopeShell): Data {
    return this.#redirected(redirects, scope, streams, (inner) => {
      const words: Value[] = [];
      if (name !== undefined) words.push(...expandWord(name, shell));
      for (const word of suffix) {
        if (word.type === "Word") words.push(...expandWord(word, shell));
        else if (word.type === "Assignment") words.push(assignmentWord(word, shell));
      }
      const assignments = prefix.filter((one) => one.type === "Assignment");
      if (words.length === 0 && name === undefined) {
        for (const one of assignments) assign(one, scope, shell);
        if (redirects.length > 0) return this.runWords([], scope, inner);
        return noData;
      }
      if (assignments.length === 0) return this.runWords(words, scope, inner);
      const own = new Map(scope.variables);
      const withEnvironment: Scope = { ...scope, variables: own };
      for (const one of assignments) assign(one, withEnvironment, shell);
      const result = this.runWords(words, withEnvironment, inner);
      scope.dir = withEnvironment.dir;
      return result;
    });
  }

  #shell(scope: Scope, streams: Streams, picks: ReadonlyMap<string, number> = noPicks): ScopeShell {
    return new ScopeShell(this, scope, streams, picks);
  }

  #inside(node: SyntaxNode, scope: Scope, streams: Streams, withStatements: boolean): void {
    const shell = this.#shell(scope, streams);
    if (withStatements) return shell.inside(node);
    if (node.type !== "ArithmeticFor") return;
    for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) shell.inside(part);
  }
}

const noPicks: ReadonlyMap<string, number> = new Map();

/** The shell of one place: its variables, with one choice for each that branches have set differently. */
class ScopeShell implements Shell {
  readonly #walker: Walker;
  readonly #scope: Scope;
  readonly #streams: Streams;
  readonly #picks: ReadonlyMap<string, number>;
  readonly #open = new Map<string, number>();

  constructor(walker: Walker, scope: Scope, streams: Streams, picks: ReadonlyMap<string, number>) {
    this.#walker = walker;
    this.#scope = scope;
    this.#streams = streams;
    this.#picks = picks;
  }

  get positional(): readonly Value[] {
    return this.#scope.positional;
  }

  lookup(name: string): Value | undefined {
    const found = this.#scope.variables.get(name);
    if (found === undefined) return this.#builtIn(name);
    if (found.elements !== undefined) return found.elements[0];
    if (found.choices.length > 1) this.#open.set(name, found.choices.length);
    return found.choices[this.#picks.get(name) ?? 0] ?? found.choices[0];
  }

  /** The combinations of choices that this shell did not take. */
  otherPicks(): ReadonlyMap<string, number>[] {
    let all: Map<string, number>[] = [new Map()];
    for (const [name, count] of this.#open)
      all = all.flatMap((picks) => Array.from({ length: count }, (_, at) => new Map(picks).set(name, at)));
    return all.slice(1, MAX_CHOICES * MAX_CHOICES);
  }

  elements(name: string): readonly Value[] | undefined {
    const found = this.#scope.variables.get(name);
    return found?.elements ?? (found === undefined ? undefined : [this.lookup(name) ?? literal("")]);
  }

  assign(name: string, value: Value): void {
    this.#scope.variables.set(name, { choices: [value] });
  }

  homeOf(user: string): string {
    if (user === "") {
      const home = this.lookup("HOME");
      return home !== undefined && isExact(home) ? home.text : this.#walker.home;
    }
    if (user === "root") return this.#walker.home.startsWith("/Users/") ? "/var/root" : "/root";
    const parent = this.#walker.home.slice(0, this.#walker.home.lastIndexOf("/"));
    return `${parent === "" ? "/home" : parent}/${user}`;
  }

  output(script: ParsedScript | undefined, text: string): Value {
    const fault = faultOf(script);
    if (script === undefined || fault !== undefined) {
      this.#walker.addUnknown(fault ?? "", this.#scope, this.#streams);
      return unknownValue(text, fault ?? "");
    }
    const { value, flows } = this.#walker.runScript(script, fork(this.#scope), { ...this.#streams, isRead: true });
    const origin = flows.filter(({ from }) => from !== "literal");
    if (value === undefined) return unknownValue(text, `the output of ${text} is not known`, origin.length > 0 ? origin : undefined);
    const trimmed = isExact(value)
      ? { ...value, text: value.text.replace(/\n+$/, "") }
      : { ...value, pattern: value.pattern?.replace(/\n+$/, "") };
    return origin.length === 0 ? trimmed : { ...trimmed, flows: origin };
  }

  process(script: ParsedScript | undefined, operator: "<" | ">"): Value {
    const streams: Streams = { ...this.#streams, isRead: true };
    const fault = faultOf(script);
    if (script === undefined || fault !== undefined) {
      this.#walker.addUnknown(fault ?? "", this.#scope, this.#streams);
      return unknownValue("/dev/fd/63", fault ?? "");
    }
    const data = this.#walker.runScript(script, fork(this.#scope), streams);
    if (operator === ">") return literal("/dev/fd/63");
    const { value, flows } = data;
    const text = value !== undefined && isExact(value) ? value.text : undefined;
    return { ...literal("/dev/fd/63"), flows: flows.map((flow) => (text === undefined ? flow : { ...flow, text })) };
  }

  spend(): boolean {
    return this.#walker.spend();
  }

  inside(node: SyntaxNode): void {
    forEachScript(node, (script) => void this.#walker.runScript(script, fork(this.#scope), this.#streams));
  }

  #builtIn(name: string): Value | undefined {
    switch (name) {
      case "HOME":
        return literal(this.#walker.home);
      case "PWD":
        return pathValue(this.#scope.dir);
      case "OLDPWD":
        return this.#scope.previousDir === undefined ? undefined : pathValue(this.#scope.previousDir);
      case "IFS":
        return literal(" \t\n");
      case "SHELL":
      case "BASH":
        return literal("/bin/bash");
      default:
        return undefined;
    }
  }
}

function pathValue({ path, glob, unknown }: PathFact): Value {
  return glob === undefined && unknown === undefined ? literal(path) : { ...literal(path), pattern: path, unknown };
}

function assign({ name, value, append, index }: Assignment, scope: Scope, shell: Shell): void {
  if (value.type === "ArrayValue") {
    const elements = value.elements.flatMap((word) => expandWord(word, shell));
    scope.variables.set(name, { choices: [], elements: append === true ? [...(shell.elements(name) ?? []), ...elements] : elements });
    return;
  }
  const assigned = expandToOne(value, shell);
  if (index !== undefined) {
    scope.variables.set(name, { choices: [unknownValue(`$${name}`, `the elements of ${name} are not computed`)] });
    return;
  }
  scope.variables.set(name, { choices: [append === true ? concat(shell.lookup(name) ?? literal(""), assigned) : assigned] });
}

/** `export A=b`, `dd if=x`: an assignment that stands after the command's name is a word of it. */
function assignmentWord({ name, value, text, append }: Assignment, shell: Shell): Value {
  if (value.type === "ArrayValue") return unknownValue(text, "the elements of an array");
  return concatAll([literal(`${name}${append === true ? "+" : ""}=`), expandToOne(value, shell)]);
}

function assignedNames(expression: SyntaxNode | undefined): string[] {
  if (expression?.type !== "ArithmeticBinary") return [];
  const own = expression.operator === "=" && expression.left.type === "ArithmeticWord" ? [expression.left.value] : [];
  return [...own, ...assignedNames(expression.left), ...assignedNames(expression.right)];
}

/** `exit`, `return`, `break`: what follows in the same list does not run after it. */
function endsShell(node: SyntaxNode): boolean {
  if (node.type === "BraceGroup") return node.body.commands.some(({ command }) => endsShell(command));
  return node.type === "Command" && node.name !== undefined && /^(?:exit|return|break|continue)$/.test(node.name.value);
}

/** The variables and functions of a scope, to see whether something has changed. */
function stateOf({ variables, functions, dir }: Scope): string {
  const values = [...variables].map(([name, { choices, elements = [] }]) => [
    name,
    ...[...choices, ...elements].map(({ text, pattern = "" }) => text + pattern),
  ]);
  return JSON.stringify([values, [...functions].map(([name, bodies]) => [name, bodies.length]), dir.path]);
}

/** Afterwards the scope may be any of these. */
function join(scope: Scope, ends: readonly Scope[]): void {
  const [first, ...others] = ends;
  if (first === undefined) return;
  const dirs = new Set(ends.map(({ dir }) => dir.path));
  scope.dir = dirs.size === 1 ? first.dir : { path: "**", unknown: "the folder depends on a condition" };
  const names = new Set(ends.flatMap(({ variables }) => [...variables.keys()]));
  const joined = [...names].map((name): [string, Variable | undefined] => [
    name,
    joinVariable(
      ends.map(({ variables }) => variables.get(name)),
      name,
    ),
  ]);
  const functions = ends.flatMap((end) => [...end.functions]);
  for (const [name, variable] of joined) if (variable !== undefined) scope.variables.set(name, variable);
  for (const [name, bodies] of functions)
    scope.functions.set(name, [
      ...new Set([
        ...(ends.includes(scope) ? (scope.functions.get(name) ?? []) : []),
        ...functions.flatMap(([other, some]) => (other === name ? some : [])),
        ...bodies,
      ]),
    ]);
  for (const { aliases } of others) for (const [name, text] of aliases) scope.aliases.set(name, text);
}

function joinVariable(found: readonly (Variable | undefined)[], name: string): Variable | undefined {
  const [first] = found;
  if (found.every((one) => one === first)) return first;
  const known = found.filter((one) => one !== undefined);
  const arrays = known.filter(({ elements }) => elements !== undefined);
  if (arrays.length > 0) return arrays.at(-1);
  const choices = known.flatMap(({ choices: some }) => some);
  // Not set in one branch: it has the value of the environment there.
  if (known.length < found.length) choices.push(unknownValue(`$${name}`, `the variable ${name} is set only under a condition`));
  const distinct = [...new Map(choices.map((value) => [`${value.text}\0${value.pattern}\0${value.unknown}`, value])).values()];
  return { choices: distinct.length > MAX_CHOICES ? [unknownValue(`$${name}`, `${name} may have too many values`)] : distinct };
}
