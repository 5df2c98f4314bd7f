import { effectsOfCode } from "./code-effects.js";
import { runVariable } from "./code-variables.js";
import { addFlows, type FactBuilder } from "./fact-builder.js";
import type { PathFact } from "./facts.js";
import { withInputs } from "./found-files.js";
import { type FoundOption, tail } from "./options.js";
import type { ProgramEntry, Role } from "./program-entry.js";
import { networkData } from "./program-output.js";
import { findProgram } from "./programs/all-programs.js";
import { contentOf, isStdin } from "./redirections.js";
import { type Data, fork, joinData, noData, type Scope, type Streams, unknownData, type Walker } from "./scope.js";
import type { SortedArguments } from "./sort-arguments.js";
import { shellLinesIn, statementsIn } from "./sql-fact.js";
import { concat, flowsOf, isExact, joinWords, literal, unknownValue, type Value } from "./value.js";

/** A command is run for each of so many words. */
const MAX_INPUTS = 16;

/** One call of a program that has an entry. */
export interface ProgramCall {
  readonly entry: ProgramEntry;
  readonly fact: FactBuilder;
  readonly scope: Scope;
  readonly streams: Streams;
  readonly walker: Walker;
  readonly sorted: SortedArguments;
}

/** What the inner code of a program needs to know of its arguments. */
export interface CallArguments {
  /** Adds what a value means, as an argument with this role does. */
  value(value: Value, role: Role): void;
  path(value: Value, list: "reads"): PathFact | undefined;
  /** What the files that it reads hold. Undefined if it reads none. */
  readonly content: Data | undefined;
}

/** The commands, scripts and code that one call of a program runs. */
export class InnerCode {
  readonly #call: ProgramCall;
  readonly #arguments: CallArguments;
  /** In order. */
  readonly #inner: (() => Data)[] = [];
  readonly #placeholder: string | undefined;
  /** Whether literal code of it reads variables of the environment. */
  readsEnvironment = false;
  /** Whether there is any. */
  runsCode = false;
  /** Its code talks through a socket, which a shell that it starts gets as its input. */
  #hasSocket = false;
  /** What a program that goes through folders finds. */
  found: readonly Value[] | undefined;

  constructor(call: ProgramCall, args: CallArguments) {
    this.#call = call;
    this.#arguments = args;
    const { options } = call.sorted;
    this.#placeholder =
      options.findLast(({ effect }) => effect?.placeholder === true)?.value?.text ??
      (options.some(({ effect }) => effect?.placeholder === true) ? "{}" : undefined);
  }

  /** Runs all of it, and returns what each part prints. */
  run(): readonly Data[] {
    const { scope, streams, walker, sorted } = this.#call;
    for (const one of sorted.environment) {
      const at = one.text.indexOf("=");
      runVariable(one.text.slice(0, at), tail(one, at + 1), scope, streams, walker);
    }
    return this.#inner.map((run) => run());
  }

  /** A shell that the other side of a connection gets. */
  serve(value: Value): void {
    this.runsCode = true;
    if (!isExact(value)) return addFlows(this.#call.fact, "runs", flowsOf(value));
    this.#inner.push(() =>
      this.#call.walker.runText(value.text, this.#via(), { ...this.#call.streams, stdin: networkData(this.#call.fact.hosts) }),
    );
  }

  /** `deno run https://…`, `npx https://…`. */
  #runAddress(value: Value): void {
    this.runsCode = true;
    this.#arguments.value(value, "url");
    addFlows(this.#call.fact, "runs", networkData(this.#call.fact.hosts).flows);
  }

  command(words: readonly Value[]): void {
    const [first, text] = words;
    if (first === undefined) return;
    // `env - program`, `env -S 'A=b program'`.
    if (/^(?:-|[A-Za-z_]\w*=.*)$/s.test(first.text)) return this.command(words.slice(1));
    if (/^(?:https?:\/\/|git\+|github:)/i.test(first.text)) return this.#runAddress(first);
    // `flock file -c text`: the option may also follow the operand.
    if (first.text === "-c" && text !== undefined) return this.script(text, words.slice(2));
    this.runsCode = true;
    const listed = this.#call.sorted.effect.takesInput === true ? words.findIndex(({ text }) => /^:::?:?\+?$/.test(text)) : -1;
    if (listed >= 0) {
      const inputs = words.slice(listed + 1).filter(({ text }) => !text.startsWith(":::"));
      this.#inner.push(() => this.#runWithInputs(words.slice(0, listed), inputs, this.#placeholder ?? "{}", this.#call.streams));
      return;
    }
    this.#inner.push(() => {
      const { streams, walker, sorted } = this.#call;
      if (this.found !== undefined) return this.#runWithInputs(words, this.found, "{}", streams);
      if (sorted.effect.takesInput !== true) return walker.runWords(words, this.#via(), this.#codeStreams());
      const isByLine = this.#placeholder !== undefined || sorted.effect.viaShell === true;
      const inputs = inputWords(this.#arguments.content ?? streams.stdin, isByLine ? /\n/ : /[\s\0]+/);
      return this.#runWithInputs(words, inputs, this.#placeholder, { ...streams, stdin: undefined });
    });
  }

  #runWithInputs(words: readonly Value[], inputs: readonly Value[], placeholder: string | undefined, streams: Streams): Data {
    const { walker, sorted } = this.#call;
    const isText = words.length === 0 || (words.length === 1 && /\s/.test(words[0]?.text ?? ""));
    if (sorted.effect.viaShell === true && isText) return this.#runInShell(words, inputs, placeholder ?? "{}", streams);
    // `xargs -I` runs the command once for each line; a word that holds the placeholder is one word for each input.
    const isEach =
      placeholder !== undefined &&
      (placeholder === this.#placeholder || words.some(({ text }) => text !== placeholder && text.includes(placeholder)));
    if (!isEach || inputs.length < 2) return walker.runWords(withInputs(words, inputs, placeholder), this.#via(), streams);
    return eachOf(inputs)
      .map((input) => walker.runWords(withInputs(words, [input], placeholder), this.#via(), streams))
      .reduce(joinData, noData);
  }

  #runInShell(words: readonly Value[], inputs: readonly Value[], placeholder: string, streams: Streams): Data {
    const text = joinWords(words);
    if (inputs.length === 0) return this.#runScript(text, this.#via(), streams);
    const whole = text.text.includes(placeholder) ? text : concat(text, literal(` ${placeholder}`));
    return eachOf(inputs)
      .flatMap((input) => withInputs([whole], [input], placeholder))
      .map((one) => this.#runScript(one, this.#via(), streams))
      .reduce(joinData, noData);
  }

  script(text: Value, args: readonly Value[]): void {
    this.runsCode = true;
    addFlows(this.#call.fact, "runs", flowsOf(text));
    this.#innerScript(text, args);
  }

  #innerScript(text: Value, args: readonly Value[] = []): void {
    this.#inner.push(() => {
      const scope = this.#via();
      const [name] = args;
      // The word after the text is `$0`.
      if (name !== undefined) scope.variables.set("0", { choices: [name] });
      return this.#runScript(text, { ...scope, positional: args.slice(1) }, this.#codeStreams());
    });
  }

  #codeStreams(): Streams {
    const { streams } = this.#call;
    return this.#hasSocket ? { ...streams, stdin: { flows: [{ from: "network" }], value: undefined } } : streams;
  }

  #runScript(text: Value, scope: Scope, streams: Streams): Data {
    // Names of files, and parts that the shell computes again, stand in the text as a shell reads them.
    if (text.unknown === undefined) return this.#call.walker.runText(text.text, scope, streams);
    this.#call.walker.addUnknown(text.unknown, scope, streams);
    return unknownData(text.unknown);
  }

  code(code: Value): void {
    this.runsCode = true;
    addFlows(this.#call.fact, "runs", flowsOf(code));
    if (!isExact(code)) return;
    this.readsEnvironment ||= environment.test(code.text);
    this.#runCode(code.text);
  }

  /** What a literal code evidently does. */
  #runCode(code: string): void {
    const { language = "other" } = this.#call.entry;
    if ((language === "mongo" ? wipesMongo : wipesByModel).test(code)) this.#call.fact.destroys.push("database");
    for (const [, ...texts] of code.matchAll(sqlCall))
      this.#call.fact.sql.push(...statementsIn(texts.find((text) => text !== undefined) ?? ""));
    this.#hasSocket ||= opensSocket.test(code);
    for (const effect of effectsOfCode(language, code, this.#call.walker.home)) {
      if (effect.kind === "command") this.command(effect.words);
      else if (effect.kind === "send" || effect.kind === "runs") {
        const why = `the code of ${this.#call.fact.program} is not known`;
        addFlows(this.#call.fact, effect.kind === "send" ? "sends" : "runs", [
          effect.from === "unknown" ? { from: "unknown", why } : { from: effect.from },
        ]);
      } else {
        if (effect.kind === "script") this.#innerScript(effect.value);
        else this.#arguments.value(effect.value, effect.kind);
        if (effect.kind === "url") this.#call.fact.receives = true;
        if (effect.isRecursive === true) this.#call.fact.recursive = true;
      }
    }
  }

  runFile(value: Value, args: readonly Value[]): void {
    if (value.text === "-") return;
    if (/^https?:\/\//i.test(value.text)) return this.#runAddress(value);
    this.runsCode = true;
    const path = this.#arguments.path(value, "reads");
    if (path === undefined) return;
    if (isStdin(path.path)) {
      this.runsCode = false;
      return;
    }
    const name = value.text.slice(value.text.lastIndexOf("/") + 1);
    if (findProgram(name)?.isScript === true) this.command([literal(name), ...args]);
    const content = contentOf(value, path, this.#call.scope);
    addFlows(this.#call.fact, "runs", content.flows);
    if (path.unknown !== undefined) this.#call.fact.unknown.runs ??= path.unknown;
    this.#runContent(content, args);
  }

  #runContent({ value, flows }: Data, args: readonly Value[], isShell = this.#call.entry.language === "shell"): void {
    if (value === undefined || !isExact(value)) {
      const why = flows.find(({ from }) => from === "unknown")?.why;
      if (why === undefined || !isShell) return;
      this.#inner.push(() => {
        this.#call.walker.addUnknown(why, this.#via(), this.#call.streams);
        return unknownData(why);
      });
      return;
    }
    if (!isShell) return this.#runCode(value.text);
    this.#inner.push(() =>
      this.#call.walker.runText(value.text, { ...this.#via(), positional: args }, { ...this.#call.streams, stdin: undefined }),
    );
  }

  sql(data: Data): void {
    if (data.value !== undefined && isExact(data.value)) {
      this.#call.fact.sql.push(...statementsIn(data.value.text));
      for (const line of shellLinesIn(data.value.text)) this.script(literal(line), []);
    } else this.#call.fact.unknown.sql ??= data.flows.find(({ why }) => why !== undefined)?.why ?? "the statements are not in the command";
  }

  /** What the program does with its input. */
  input(): void {
    const { stdin } = this.#call.streams;
    const use = this.#call.sorted.effect.stdin;
    if (use === undefined || use === "none" || use === "read" || stdin === undefined || this.runsCode) return;
    if (use === "lines") return this.#lines(stdin);
    if (use === "sql") {
      if (this.#call.fact.sql.length === 0) this.sql(stdin);
      return;
    }
    addFlows(this.#call.fact, "runs", stdin.flows);
    this.#runContent(stdin, [], use === "script");
  }

  #lines({ value }: Data): void {
    if (value === undefined || !isExact(value) || this.#call.sorted.operands.length > 0) return;
    for (const line of value.text.split("\n")) {
      const words = line.trim().split(/\s+/).filter(Boolean).map(literal);
      if (words.length > 0) this.command([literal(this.#call.fact.program), ...words]);
    }
  }

  /** An option that the table does not have may take the next word, so the command of a wrapper is not known. */
  checkWrapper(options: readonly FoundOption[]): void {
    if (this.#call.entry.wrapper !== true) return;
    const strange = options.find(({ name, value, effect }) => effect === undefined && value === undefined && !/^-\d+$/.test(name));
    if (strange === undefined) return;
    this.#inner.length = 0;
    const why = `the option ${strange.name} of ${this.#call.fact.program} is not known`;
    this.#inner.push(() => {
      this.#call.walker.addUnknown(why, this.#via(), this.#call.streams);
      return unknownData(why);
    });
  }

  #via(): Scope {
    const { program, dir } = this.#call.fact;
    const { loads } = this.#call.fact;
    const inner = fork(this.#call.scope, {
      ...(loads.length > 0 && { loaded: [...this.#call.scope.loaded, ...loads] }),
      via: [...this.#call.scope.via, program],
      dir,
      privileged: this.#call.scope.privileged || this.#call.sorted.effect.privileged === true,
    });
    for (const { text } of this.#call.sorted.environment) {
      const at = text.indexOf("=");
      inner.variables.set(text.slice(0, at), { choices: [literal(text.slice(at + 1))] });
    }
    return inner;
  }
}

/** The inputs that are tried one by one; the others are not known. */
function eachOf(inputs: readonly Value[]): readonly Value[] {
  if (inputs.length <= MAX_INPUTS) return inputs;
  return [...inputs.slice(0, MAX_INPUTS), unknownValue("…", "there are too many words for one command each")];
}

/** Code that connects to a host by itself. */
const opensSocket =
  /\bsocket\b[\s\S]{0,400}\bconnect(?:_ex)?\s*\(|\bTCPSocket\b|\bfsockopen\s*\(|\bconnect\s*\(\s*S\b|\bnet\.(?:connect|createConnection|Socket)\b|['"]net['"]\)|\bIO::Socket\b|\/inet\/tcp\//;
const environment = /\bprocess\s*\.\s*env\b|\benviron\b|\bgetenv\b|\bENV\b|\bENVIRON\b|\$_ENV\b|\bDeno\.env\b/;

/** The words that xargs reads. */
function inputWords(stdin: Data | undefined, separator: RegExp): readonly Value[] {
  if (stdin === undefined) return [];
  const { value, names, printedBy } = stdin;
  if (names !== undefined) return names;
  if (value === undefined)
    return [unknownValue(printedBy === undefined ? "…" : `$(${printedBy})`, "the words that xargs reads are not known", stdin.flows)];
  if (!isExact(value)) return [value];
  return value.text
    .split(separator)
    .filter((text) => text.trim() !== "")
    .map(literal);
}

/** Calls of the shell of MongoDB that drop, or that delete without a condition. */
const wipesMongo =
  /\.(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsersFromDatabase)\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)|\b(?:dropDatabase|drop)['"]?\s*:/;

/** Calls of libraries that map tables to classes: all rows, all tables. */
const wipesByModel =
  /\.(?:drop_all|dropDatabase|delete_all|destroy_all)\b|\.objects\.all\(\)\.delete\(|\.deleteMany\(\s*(?:\{\s*\})?\s*\)|\.sync\(\s*\{\s*force\s*:\s*true/;

/** A statement that a library's call sends to a database. */
const sqlCall =
  /\.(?:execute|executescript|executemany|exec|query|exec_driver_sql|raw|unsafe|\$executeRawUnsafe|\$queryRawUnsafe)\(\s*(?:\w+\()?[rfbu]{0,2}(?:"""([\s\S]*?)"""|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g;
