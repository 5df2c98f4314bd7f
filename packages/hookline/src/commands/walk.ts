import { runVariable } from "./code-variables.js";
import { addUnknownCommand, createFact } from "./fact-builder.js";
import type { CommandFact, PathFact } from "./facts.js";
import { guessCommands } from "./guessed-commands.js";
import {
  type Assignment,
  type Command,
  type CommandNode,
  type CompoundList,
  faultOf,
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
import { resolvePath } from "./paths.js";
import { runPowerShell } from "./powershell/run-powershell.js";
import { isPlainDevice, readRedirections } from "./redirections.js";
import { runCommand } from "./run-command.js";
import {
  createScope,
  type Data,
  type FunctionBody,
  fork,
  joinData,
  joinFiles,
  joinScopes,
  keepSkipped,
  keepState,
  noData,
  noStreams,
  type Scope,
  type Streams,
  stateOf,
  type Walker,
  withOpened,
} from "./scope.js";
import { assign, assignmentWord, ScopeShell } from "./scope-shell.js";
import { isExact, literal, someName, unknownValue, type Value } from "./value.js";
import { isPowerShellText } from "./windows.js";
import { addWord, expandWords, MAX_WORDS } from "./words.js";

/** More commands than these are not listed one by one: the rest is one unknown command. */
const MAX_COMMANDS = 1_000;
/** Commands that are run, also again in loops, and words that braces make. */
const MAX_STEPS = 5_000;
/** A command may go through its whole input: each time it is as long as this, that is one more step. */
const INPUT_OF_STEP = 4_096;
/** A combination of choices may copy all variables: each time there are as many, that is one more step. */
const VARIABLES_OF_STEP = 16;
/** Scripts inside scripts: `sh -c "sh -c …"`, functions, substitutions. */
const MAX_DEPTH = 24;
/** Values of a loop that are tried one by one. */
const MAX_ROUNDS = 16;

/** Where the facts of a text begin. */
export interface Start {
  /** The folder of the call, if it is known. */
  readonly dir: PathFact;
  readonly home: string;
}

/** The commands of a shell text. */
export function commandsInText(text: string, { dir, home }: Start): readonly CommandFact[] {
  const walker = new ScriptWalker(home);
  return attempt(walker, { dir, home }, () => {
    walker.runText(text, createScope(dir), noStreams);
    walker.end();
  });
}

/** The commands of a text for PowerShell. */
export function commandsInPowerShell(text: string, { dir, home }: Start): readonly CommandFact[] {
  const walker = new ScriptWalker(home);
  const fault = textFault(text);
  if (fault !== undefined) return [unknownCommand(fault, { dir, home })];
  return attempt(walker, { dir, home }, () => {
    runPowerShell(text, createScope(dir), noStreams, walker);
    walker.end();
  });
}

/** The commands of a list of words, which no shell reads. */
export function commandsInWords(words: readonly string[], { dir, home }: Start): readonly CommandFact[] {
  const walker = new ScriptWalker(home);
  const total = words.reduce((sum, { length }) => sum + length, words.length);
  const fault =
    total > MAX_TEXT_LENGTH || words.length > MAX_WORDS ? "the command is too long" : words.map(textFault).find((one) => one !== undefined);
  if (fault !== undefined) return [unknownCommand(fault, { dir, home })];
  return attempt(walker, { dir, home }, () => {
    walker.runWords(words.map(literal), createScope(dir), noStreams);
    walker.end();
  });
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

const noPicks: ReadonlyMap<string, number> = new Map();

class ScriptWalker implements Walker {
  readonly facts: CommandFact[] = [];
  readonly home: string;
  #isFull = false;
  readonly #atEnd: (() => void)[] = [];
  #temporaries = 0;
  #steps = 0;
  /** It reads a text that does not parse, of which all commands are guessed. */
  #isGuessing = false;

  constructor(home: string) {
    this.home = home;
  }

  runText(text: string, scope: Scope, streams: Streams): Data {
    if (isPowerShellText(text)) runPowerShell(text, fork(scope), streams, this);
    const script = parseShell(text);
    const fault = typeof script === "string" ? script : faultOf(script, text);
    if (typeof script !== "string")
      return fault === undefined ? this.runScript(script, scope, streams) : this.guess(script, text, fault, scope, streams);
    this.addUnknown(script, scope, streams);
    return { flows: [{ from: "unknown", why: script }], value: undefined };
  }

  guess(script: ParsedScript | undefined, text: string, why: string, scope: Scope, streams: Streams): Data {
    const from = this.facts.length;
    const isOuter = !this.#isGuessing;
    this.#isGuessing = true;
    // Whatever else the text may mean, a shell runs its complete lines before it finds the fault.
    if (script !== undefined && scope.depth <= MAX_DEPTH) {
      scope.depth++;
      this.#statements(script.commands, fork(scope), streams);
      scope.depth--;
    }
    if (isOuter) {
      this.#withoutQuote(script, text, scope, streams);
      this.#guessCommands(text, why, scope, streams);
    }
    this.#isGuessing = !isOuter;
    if (isOuter) this.#doubt(from, why);
    return { flows: [{ from: "unknown", why }], value: undefined };
  }

  #doubt(from: number, why: string): void {
    for (let at = from; at < this.facts.length; at++) {
      const fact = this.facts[at] as CommandFact;
      if (fact.doubt === undefined) this.facts[at] = { ...fact, doubt: why };
    }
  }

  /** The text as if the quote that is not closed were not there: an apostrophe, or one that only this parser does not see closed. */
  #withoutQuote(script: ParsedScript | undefined, text: string, scope: Scope, streams: Streams): void {
    const at = script?.errors?.[0]?.pos ?? -1;
    if (!/["'`]/.test(text[at] ?? "") || scope.depth > MAX_DEPTH) return;
    const other = parseShell(text.slice(0, at) + text.slice(at + 1));
    if (typeof other === "string" || faultOf(other) !== undefined) return;
    scope.depth++;
    this.#statements(other.commands, fork(scope), streams);
    scope.depth--;
  }

  #guessCommands(text: string, why: string, scope: Scope, streams: Streams): void {
    const guesses = scope.depth > MAX_DEPTH ? undefined : guessCommands(text, why);
    if (guesses === undefined) return this.addUnknown(why, scope, streams);
    const moves = guesses.some(({ words }) => /^(?:cd|pushd|popd)$/.test(words[0]?.text ?? ""));
    for (const { words, writes } of guesses) {
      const inner = fork(scope, moves ? { dir: { path: "**", unknown: why } } : {});
      const written = writes.flatMap((value) => resolvePath(value, inner.dir) ?? []);
      this.runWords(words, inner, { ...streams, stdin: undefined, writes: [...streams.writes, ...written] });
    }
  }

  runScript(script: ParsedScript, scope: Scope, streams: Streams): Data {
    const fault = scope.depth > MAX_DEPTH ? "the command is nested too deep" : faultOf(script);
    if (fault === undefined) {
      scope.depth++;
      const data = this.#statements(script.commands, scope, streams);
      scope.depth--;
      return data;
    }
    if (scope.depth <= MAX_DEPTH && this.#isGuessing) return this.guess(script, "", fault, scope, streams);
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
    const { length = 0 } = streams.stdin?.value?.text ?? {};
    if (!this.spend(1 + Math.floor(length / INPUT_OF_STEP))) return this.#stop("the command takes too long to read", scope, streams);
    if (words.length > MAX_WORDS) {
      this.addUnknown(`a command has more than ${MAX_WORDS} words`, scope, streams);
      return noData;
    }
    return runCommand(words, scope, streams, this);
  }

  spend(steps = 1): boolean {
    this.#steps += steps;
    return this.#steps <= MAX_STEPS;
  }

  atEnd(run: () => void): void {
    this.#atEnd.push(run);
  }

  /** Runs what waits for the end of the text. */
  end(): void {
    // A trap may set another one.
    for (const run of this.#atEnd) if (!this.#isFull) run();
  }

  nextTemporary(): number {
    return this.#temporaries++;
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
    let skipped: Scope["variables"] | undefined;
    let data = this.#pipeline(node.commands[0] as PipelineNode, scope, streams);
    for (const [index, operator] of node.operators.entries()) {
      const next = node.commands[index + 1] as PipelineNode;
      if (operator === "&&") {
        before = scope.dir;
        skipped ??= scope.variables.copy();
        data = joinData(data, this.#pipeline(next, scope, streams));
        continue;
      }
      // The right side runs if the left one failed: a `cd` there has not happened.
      const failed = fork(scope, { dir: before });
      keepSkipped(failed, skipped);
      skipped = undefined;
      data = joinData(data, this.#pipeline(next, failed, streams));
      if (!endsShell(next)) joinScopes(scope, [scope, failed]);
    }
    keepSkipped(scope, skipped);
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
        if (startsForever(node)) this.facts.push({ ...createFact(node.kind, scope, streams), forks: true });
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
    joinScopes(scope, ends);
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
    const values = wordlist === undefined ? scope.positional : expandWords(wordlist, shell);
    const isLong = values.length > MAX_ROUNDS;
    const hasSlash = values.length > MAX_WORDS || values.some((value) => !isExact(value) || value.text.includes("/"));
    const rounds = !isLong ? values : [hasSlash ? unknownValue(`$${name}`, `${name} takes too many values`) : someName(`$${name}`)];
    let data = noData;
    for (const value of rounds) {
      scope.variables.set(name, { choices: [value] });
      data = joinData(data, this.#statements(body.commands, scope, streams));
    }
    return data;
  }

  #redirected(redirects: readonly Redirection[], scope: Scope, outer: Streams, run: (streams: Streams) => Data): Data {
    const opened = outer.isRead ? undefined : scope.opened?.output;
    const streams = withOpened(outer, scope.opened);
    if (redirects.length === 0 && opened === undefined) return run(streams);
    for (const one of redirects)
      if (one.type === "HereDoc" && one.closing === undefined)
        this.guess(undefined, one.body.text, "a heredoc does not end", scope, streams);
    const { streams: inner, append } = readRedirections(redirects, scope, streams, this.#shell(scope, streams));
    const data = run(inner);
    const output = inner.output ?? opened;
    if (output === undefined) return data;
    const isAdded = append || inner.output === undefined;
    if (!isPlainDevice(output.path)) scope.files.set(output.path, isAdded ? joinData(scope.files.get(output.path) ?? noData, data) : data);
    return noData;
  }

  #simple(node: Command, scope: Scope, streams: Streams): Data {
    const before = scope.variables.hasChoices ? fork(scope, { files: scope.files.copy() }) : undefined;
    const shell = this.#shell(scope, streams);
    let data = this.#chosen(node, scope, streams, shell);
    const others = before === undefined ? undefined : shell.otherPicks();
    if (before === undefined || others === undefined) return data;
    const ends: Scope[] = [];
    let { areAll } = others;
    for (const picks of others.picks) {
      if (this.#isFull || !this.spend(1 + Math.floor(before.variables.size / VARIABLES_OF_STEP))) {
        areAll = false;
        break;
      }
      const end = fork(before, { files: before.files.copy() });
      data = joinData(data, this.#chosen(node, end, streams, this.#shell(end, streams, picks)));
      ends.push(end);
    }
    joinScopes(scope, [scope, ...ends]);
    joinFiles(
      scope.files,
      ends.map(({ files }) => files),
    );
    if (!areAll) this.addUnknown("the variables of a command may have too many values together", scope, streams);
    return data;
  }

  #chosen({ name, prefix, suffix, redirects }: Command, scope: Scope, streams: Streams, shell: ScopeShell): Data {
    return this.#redirected(redirects, scope, streams, (inner) => {
      const words: Value[] = [];
      if (name !== undefined) addWord(words, name, shell);
      for (const word of suffix) {
        // Lists of names can make many words: after so many, only the commands inside of the others count.
        if (words.length > MAX_WORDS) shell.inside(word);
        else if (word.type === "Word") addWord(words, word, shell);
        else if (word.type === "Assignment") words.push(assignmentWord(word, shell));
      }
      const assignments = prefix.filter((one) => one.type === "Assignment");
      if (isValueOf(name, prefix.at(-1))) {
        // `A=<(…) b`: the parser takes the value for the command.
        const value = words.shift() as Value;
        const last = prefix.at(-1) as Assignment;
        const inEnvironment: Scope = { ...scope, variables: scope.variables.copy().set(last.name, { choices: [value] }) };
        this.#runVariable(last.name, inEnvironment, inner);
        return this.runWords(words, inEnvironment, inner);
      }
      if (words.length === 0 && name === undefined) {
        for (const one of assignments) assign(one, scope, shell);
        if (redirects.length > 0) return this.runWords([], scope, inner);
        return noData;
      }
      if (assignments.length === 0) return this.runWords(words, scope, inner);
      const withEnvironment: Scope = { ...scope, variables: scope.variables.copy() };
      for (const one of assignments) assign(one, withEnvironment, shell);
      for (const one of assignments) this.#runVariable(one.name, withEnvironment, inner);
      const result = this.runWords(words, withEnvironment, inner);
      keepState(scope, withEnvironment);
      return result;
    });
  }

  #runVariable(name: string, scope: Scope, streams: Streams): void {
    for (const value of scope.variables.get(name)?.choices ?? []) runVariable(name, value, scope, streams, this);
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

function assignedNames(expression: SyntaxNode | undefined): string[] {
  if (expression?.type !== "ArithmeticBinary") return [];
  const own = expression.operator === "=" && expression.left.type === "ArithmeticWord" ? [expression.left.value] : [];
  return [...own, ...assignedNames(expression.left), ...assignedNames(expression.right)];
}

function isValueOf(name: Word | undefined, assignment: Command["prefix"][number] | undefined): boolean {
  if (name?.text.startsWith("<(") !== true || assignment?.type !== "Assignment") return false;
  return assignment.end === name.pos && assignment.text.endsWith("=");
}

/** `while true; do work & done`: nothing in the loop waits, so it starts processes until the machine stops. */
function startsForever({ kind, clause, body }: Extract<SyntaxNode, { readonly type: "While" }>): boolean {
  const [condition, ...more] = clause.commands;
  const { command } = condition ?? {};
  const word = command?.type === "Command" && command.args.length === 0 ? command.name?.value : undefined;
  const isEndless = more.length === 0 && word !== undefined && (kind === "until" ? /^(?:.*\/)?false$/ : /^(?:.*\/)?(?:true|:)$/).test(word);
  return isEndless && body.commands.length > 0 && body.commands.every(({ background }) => background === true);
}

/** `exit`, `return`, `break`: what follows in the same list does not run after it. */
function endsShell(node: SyntaxNode): boolean {
  if (node.type === "BraceGroup") return node.body.commands.some(({ command }) => endsShell(command));
  return node.type === "Command" && node.name !== undefined && /^(?:exit|return|break|continue)$/.test(node.name.value);
}
