import { effectsOfCode } from "./code-effects.js";
import { addFlows, addPath, argOf, createFact, type FactBuilder, leaveEffectsOpen } from "./fact-builder.js";
import type { Flow, PathFact } from "./facts.js";
import { foundFiles, withInputs } from "./found-files.js";
import { describeGit } from "./git-fact.js";
import { hostOfUrl, remoteOf } from "./hosts.js";
import { commandIn, type FoundOption, rolesOf, sortWords, tail, withoutCount, wordOrderOf } from "./options.js";
import { joinPath, resolvePath } from "./paths.js";
import { printedText } from "./printed-text.js";
import type { CommandEntry, Effect, OperandRole, OptionTable, ProgramEntry, Role } from "./program-entry.js";
import { findProgram } from "./programs/all-programs.js";
import { contentOf, dataOf, isPlainDevice } from "./redirections.js";
import { type Data, fork, joinData, noData, type Scope, type Streams, unknownData, type Walker } from "./scope.js";
import { shellLinesIn, statementsIn } from "./sql-fact.js";
import { concatAll, flowsOf, isExact, literal, patternOf, unknownValue, type Value } from "./value.js";

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
  for (const arg of args) fact.args.push(argOf(arg));
  walker.facts.push(fact);
  runWrittenFile(word, fact, scope, streams, walker);
  const entry = findProgram(program);
  if (entry === undefined) return describeUnlisted(fact, args, streams);
  return new Description(entry, fact, scope, streams, walker).describe(args);
}

/** A program that is not in the table: its words are sorted as most programs do it, and it does nothing that a fact describes. */
function describeUnlisted(fact: FactBuilder, args: readonly Value[], streams: Streams): Data {
  const { options, operands, unknown } = sortWords(args, "gnu", []);
  fact.options.push(...options.map(optionFact));
  fact.operands.push(...operands.map(argOf));
  if (unknown !== undefined) fact.unknown.options = unknown;
  if (!streams.isRead) return noData;
  const printing = { args, operands, options, dir: fact.dir, input: streams.stdin ?? noData };
  return printedText(fact.program, printing) ?? unknownData(`the output of ${fact.program} is not known`);
}

/** `./x`, after the same text has written x: it runs what was written. */
function runWrittenFile(word: Value, fact: FactBuilder, scope: Scope, streams: Streams, walker: Walker): void {
  if (scope.files.size === 0 || !word.text.includes("/")) return;
  const path = resolvePath(word, scope.dir);
  const content = path === undefined ? undefined : scope.files.get(path.path);
  if (content === undefined) return;
  addFlows(fact, "runs", content.flows);
  if (content.value !== undefined && isExact(content.value))
    walker.runText(content.value.text, fork(scope, { via: [...scope.via, fact.program] }), streams);
}

function optionFact({ name, value }: FoundOption) {
  return value === undefined ? { name } : { name, value: argOf(value) };
}

class Description {
  readonly #entry: ProgramEntry;
  readonly #fact: FactBuilder;
  readonly #scope: Scope;
  readonly #streams: Streams;
  readonly #walker: Walker;
  /** What the files that it reads hold. */
  #content: Data = noData;
  #readsFiles = false;
  #runsCode = false;
  readonly #written: PathFact[] = [];
  #roles: readonly Role[] = [];
  #operandWords: readonly Value[] = [];
  /** Commands and texts that it runs, in order. */
  readonly #inner: (() => Data)[] = [];
  readonly #environment: Value[] = [];
  /** What a program that goes through folders finds. */
  #found: readonly Value[] | undefined;
  #placeholder: string | undefined;
  #effect: Effect;
  #subcommand: CommandEntry;
  #turns: readonly NonNullable<Effect["turns"]>[] = [];

  constructor(entry: ProgramEntry, fact: FactBuilder, scope: Scope, streams: Streams, walker: Walker) {
    this.#entry = entry;
    this.#fact = fact;
    this.#scope = scope;
    this.#streams = streams;
    this.#walker = walker;
    this.#effect = entry;
    this.#subcommand = entry;
    fact.family = entry.names[0];
  }

  describe(args: readonly Value[]): Data {
    const fact = this.#fact;
    const { options, operands, roles, unknown } = this.#sort(args);
    this.#roles = roles;
    this.#operandWords = operands;
    this.#placeholder =
      options.findLast(({ effect }) => effect?.placeholder === true)?.value?.text ??
      (options.some(({ effect }) => effect?.placeholder === true) ? "{}" : undefined);
    fact.options.push(...options.map(optionFact));
    fact.operands.push(...operands.map(argOf));
    if (unknown !== undefined) leaveEffectsOpen(fact, unknown);
    // An archive is named from where the command starts (tar -C).
    const isArchive = ({ effect }: FoundOption) => effect?.value === "archive";
    for (const { value } of options.filter(isArchive)) if (value !== undefined) this.#value(value, this.#turned("archive"));
    for (const { value, effect } of options) if (effect?.value === "dir" && value !== undefined) this.#changeDir(value);
    for (const { value, effect } of options)
      if (effect?.value !== undefined && effect.value !== "dir" && effect.value !== "archive" && value !== undefined)
        this.#value(value, this.#turned(effect.value), effect.settings, operands);
    for (const { effect } of options) if (effect !== undefined) this.#implied(effect);
    this.#implied(this.#entry);
    if (this.#subcommand !== this.#entry) this.#implied(this.#subcommand);
    this.#operands(operands, roles);
    fact.recursive ||= this.#effect.recursive === true;
    fact.receives ||= this.#effect.receives === true;
    this.#input();
    if (this.#effect.sends === "stdin" && this.#streams.stdin !== undefined) addFlows(fact, "sends", this.#streams.stdin.flows);
    if (this.#effect.sends === "unknown") addFlows(fact, "sends", [{ from: "unknown", why: `what ${fact.program} sends is not known` }]);
    if (this.#effect.finds === true) this.#find(options, operands);
    if (fact.family === "git") describeGit(fact, operands, roles, options);
    this.#checkWrapper(options);
    this.#rememberWritten();
    const ran = this.#inner.map((run) => run());
    const printed = this.#printed(args, operands, options, ran);
    // `> /dev/tcp/host/port`: what it prints leaves the machine.
    if (this.#streams.hosts.length > 0) addFlows(fact, "sends", printed.flows);
    return printed;
  }

  /** Follows the subcommands and merges what the entry, its subcommand and the options say. */
  #sort(args: readonly Value[]) {
    let current: CommandEntry = this.#entry;
    let tables: (OptionTable | undefined)[] = [current.options];
    let rest = args;
    let unknown: string | undefined;
    const verbs: string[] = [];
    const options: FoundOption[] = [];
    let operands: readonly Value[];
    let before = 0;
    for (;;) {
      before = options.length;
      const { syntax, beforeEnd } = wordOrderOf(current);
      const sorted = sortWords(rest, syntax, tables, beforeEnd);
      options.push(...sorted.options);
      operands = sorted.operands;
      unknown ??= sorted.unknown;
      const [verb] = operands;
      if (current.subcommands === undefined || verb === undefined) break;
      if (!isExact(verb)) unknown ??= verb.unknown ?? `the subcommand is not known: ${verb.text}`;
      const next = subcommandOf(current.subcommands, verb.text);
      if (next === undefined) break;
      verbs.push(next.name);
      tables = [next.entry.options, ...tables];
      rest = operands.slice(1);
      current = next.entry;
    }
    let isListed = current.subcommands === undefined;
    const count = verbCount(current, operands, isListed);
    if (count > 0) {
      verbs.push(...operands.slice(0, count).map(({ text }) => text));
      const last = subcommandOf(current.verbs ?? {}, verbs.at(-1) ?? "")?.entry;
      if (last === undefined) {
        const again = sortWords(operands.slice(count), current.syntax === "words" ? "words" : "gnu", tables);
        options.push(...again.options);
        operands = again.operands;
        unknown ??= again.unknown;
      } else {
        // The words before the last one of the subcommand may have options that only it knows.
        const end = wordOrderOf(last).beforeEnd;
        const again = sortWords(rest, wordOrderOf(current).syntax, [last.options, ...tables], end === undefined ? undefined : count + end);
        options.splice(before, Number.POSITIVE_INFINITY, ...again.options);
        operands = again.operands.slice(count);
        current = last;
        isListed = true;
      }
    }
    this.#fact.verb = verbs.join(" ");
    const effects: Effect[] = [isListed || current.operands !== undefined ? current : this.#entry];
    for (const { value, effect } of options) {
      if (effect === undefined) continue;
      effects.push(effect);
      const more = effect.values?.[value?.text ?? ""];
      if (more !== undefined) effects.push(more);
    }
    this.#effect = effects.length === 1 ? definedOnly(effects[0] as Effect) : Object.assign({}, ...effects.map(definedOnly));
    this.#subcommand = current;
    this.#turns = effects.flatMap(({ turns }) => (turns === undefined ? [] : [turns]));
    this.#addDestroyed(effects);
    const roles = [...(this.#effect.operands ?? (current === this.#entry ? [] : ["target..." as const]))];
    for (const { drops } of effects) {
      const at = drops === undefined ? -1 : roles.findIndex((role) => withoutCount(role) === drops);
      if (at >= 0) roles.splice(at, 1);
    }
    return { options, operands, roles: this.#takeAssignments(operands, roles).map((role) => this.#turned(role)), unknown };
  }

  #turned(role: Role): Role {
    return this.#turns.reduce((turned, turns) => turns[turned] ?? turned, role);
  }

  #addDestroyed(effects: readonly Effect[]): void {
    if (effects.every(({ destroys }) => destroys === undefined)) return;
    const kinds = new Set(effects.flatMap(({ destroys }) => destroys ?? []));
    if (this.#effect.isDryRun === true || kinds.has("nothing")) return;
    this.#fact.destroys.push(...[...kinds].filter((kind) => kind !== "nothing"));
  }

  /** `env A=b rm`: the assignments are not part of the command. Their role is `assignment`. */
  #takeAssignments(operands: readonly Value[], roles: readonly OperandRole[]): readonly Role[] {
    if (roles[0] !== "assignment...") return rolesOf(operands, roles);
    const end = operands.findIndex(({ text }) => !/^[A-Za-z_]\w*\+?=/.test(text));
    const count = end < 0 ? operands.length : end;
    this.#environment.push(...operands.slice(0, count));
    return [...new Array<Role>(count).fill("assignment"), ...rolesOf(operands.slice(count), roles.slice(1))];
  }

  #changeDir(value: Value): void {
    const dir = resolvePath(value, this.#fact.dir);
    if (dir === undefined) return;
    this.#fact.dir = dir;
    if (dir.unknown !== undefined) this.#fact.unknown.dir = dir.unknown;
  }

  #operands(operands: readonly Value[], roles: readonly Role[]): void {
    for (const [index, role] of roles.entries()) {
      if (role === "command") return void this.#command(operands.slice(index));
      if (role === "script-words")
        return void this.#script(concatAll(operands.slice(index).flatMap((word, at) => (at > 0 ? [literal(" "), word] : [word]))), []);
      if (role === "signalled") return this.#signal(operands.slice(index));
      if (role === "typed") return void this.#script(typedText(operands.slice(index)), []);
      const value = operands[index] as Value;
      if (role === "script") {
        if (roles[index + 1] !== "script" && roles[index - 1] !== "script") return void this.#script(value, operands.slice(index + 1));
        this.#script(value, []);
        continue;
      }
      if (role === "run") this.#run(value, operands.slice(index + 1));
      else if (role === "package") return void this.#command([withoutVersion(value), ...operands.slice(index + 1)]);
      else if (role === "copy-to" || role === "mirror") this.#copyTo(value, operands, roles, role === "mirror");
      else if (role === "into") this.#into(value, operands, roles);
      else this.#value(value, role, this.#effect.settings);
    }
  }

  #value(value: Value, role: Role, settings: Effect["settings"] = {}, operands: readonly Value[] = []): void {
    const fact = this.#fact;
    switch (role) {
      case "read":
      case "archive":
      case "copy":
        return this.#read(value, role === "copy");
      case "write":
        return this.#write(value);
      case "edit":
        this.#read(value, false);
        return this.#write(value);
      case "delete":
      case "change":
        return void this.#path(value, role === "delete" ? "deletes" : "changes");
      case "move":
        this.#read(value, false);
        return void this.#path(value, "deletes");
      case "copy-to":
      case "mirror":
        return this.#copyTo(value, [], [], role === "mirror");
      case "into":
        return this.#into(
          value,
          operands,
          operands.map(() => "read"),
        );
      case "served":
        return this.#serve(value);
      case "module":
        return this.#command([value, ...operands]);
      case "setting":
        return this.#setting(value, settings);
      case "http-item":
        return this.#httpItem(value);
      case "mounted": {
        const [path = "", , mode] = value.text.split(":");
        return /^[./~]/.test(path)
          ? this.#value({ ...value, text: path, pattern: value.pattern?.split(":")[0] }, mode === "ro" ? "read" : "edit")
          : undefined;
      }
      case "container-path":
        return /^[^/.~][^/]*:/.test(value.text) ? undefined : this.#write(value);
      case "git-object":
        return /^[^:]+:./.test(value.text) ? this.#read(tail(value, value.text.indexOf(":") + 1), false) : undefined;
      case "git-alias":
        return value.text.startsWith("!") ? this.#script(tail(value, 1), []) : undefined;
      case "verb":
        fact.verb ||= value.text;
        if (value.unknown !== undefined) fact.unknown.verb ??= value.unknown;
        return;
      case "host":
      case "url":
      case "url-file":
        return this.#host(value, role);
      case "send":
        return addFlows(fact, "sends", flowsOf(value));
      case "send-file":
        return this.#sendFile(value);
      case "send-at":
        return this.#sendAt(value);
      case "send-named": {
        const at = /^[\w.-]+(?=@)/.exec(value.text)?.[0].length ?? 0;
        return this.#sendAt(tail(value, at));
      }
      case "script":
        return this.#script(value, []);
      case "command":
        return this.#command([...value.text.split(/\s+/).filter(Boolean).map(literal), ...this.#operandWords]);
      case "command-end":
        return void this.#command(commandIn(value) ?? [value]);
      case "code":
        return this.#code(value);
      case "run":
        return this.#run(value, operands);
      case "sql":
        return this.#sql(dataOf(value));
      case "sql-file": {
        const path = this.#path(value, "reads");
        return path === undefined ? undefined : this.#sql(contentOf(value, path, this.#scope));
      }
      case "target":
        fact.target.push(value.text);
        if (value.unknown !== undefined) fact.unknown.target = value.unknown;
        return;
      case "unknown":
        return leaveEffectsOpen(fact, `what ${fact.program} does with ${value.text} is not known`);
      case "text":
      case "dir":
      case "script-words":
      case "package":
      case "typed":
      case "pattern":
      case "signalled":
      case "assignment":
      case "remote":
      case "refspec":
      case "ref":
      case "pathspec":
        return;
    }
  }

  #path(value: Value, list: "reads" | "writes" | "deletes" | "changes"): PathFact | undefined {
    if (this.#effect.isDryRun === true && list !== "reads") return undefined;
    const path = resolvePath(value, this.#fact.dir);
    if (path !== undefined && !isPlainDevice(path.path)) addPath(this.#fact, list, path);
    return path;
  }

  #read(value: Value, canBeRemote: boolean): void {
    const host = canBeRemote ? remoteOf(value) : undefined;
    if (host !== undefined) {
      this.#fact.hosts.push(host);
      this.#fact.receives = true;
      this.#content = joinData(this.#content, { flows: [{ from: "network", host }], value: undefined });
      this.#readsFiles = true;
      return;
    }
    if (value.text === "-") return;
    const path = this.#path(value, "reads");
    if (path === undefined) return;
    this.#readsFiles = true;
    this.#content = joinData(this.#content, contentOf(value, path, this.#scope));
  }

  #write(value: Value): void {
    if (value.text === "-") return;
    const path = this.#path(value, "writes");
    if (path !== undefined) this.#written.push(path);
  }

  /** `cp a b dir`: it writes dir, or dir/a and dir/b. */
  #into(value: Value, operands: readonly Value[], roles: readonly Role[]): void {
    this.#write(value);
    for (const [index, role] of roles.entries()) {
      if (role !== "read" && role !== "move" && role !== "copy") continue;
      const name = lastPart(operands[index] as Value);
      if (name !== undefined) this.#write(concatAll([value, literal("/"), name]));
    }
  }

  /** A shell that the other side of a connection gets. */
  #serve(value: Value): void {
    this.#runsCode = true;
    if (!isExact(value)) return addFlows(this.#fact, "runs", flowsOf(value));
    this.#inner.push(() => this.#walker.runText(value.text, this.#via(), { ...this.#streams, stdin: networkData(this.#fact.hosts) }));
  }

  /** `kill -9 -1`: the first word with a dash is the signal, unless `-s SIGNAL` or `--` stands before it. */
  #signal(words: readonly Value[]): void {
    const texts = words.map(({ text }) => text);
    const first = texts[0] === "-s" || texts[0] === "-n" || texts[0] === "--signal" ? 2 : texts[0]?.startsWith("-") === true ? 1 : 0;
    if (texts.slice(first).includes("-1")) this.#fact.destroys.push("machine");
  }

  #setting(value: Value, settings: NonNullable<Effect["settings"]>): void {
    const at = /^(?:[\w.*-]|::)+(?=[=:\s])/.exec(value.text)?.[0].length;
    if (at === undefined) return;
    const name = value.text.slice(0, at).toLowerCase();
    const named = Object.entries(settings).map(([names, role]) => [names.split(" "), role] as const);
    const found =
      named.find(([names]) => names.includes(name)) ??
      named.find(([names]) => names.some((one) => one.endsWith("*") && name.startsWith(one.slice(0, -1))));
    if (found !== undefined) this.#value(tail(value, at + 1), found[1]);
  }

  #httpItem(value: Value): void {
    const { text } = value;
    if (/^[A-Z]+$/.test(text)) return this.#value(value, "verb");
    const at = /^[^:=@/]*(?::?=@|:=|==|=|@|:(?=[^/\d]))/.exec(text);
    if (at === null || this.#fact.hosts.length === 0) return this.#host(text.startsWith(":") ? literal("localhost") : value, "url");
    this.#value(tail(value, at[0].length), at[0].endsWith("@") ? "send-file" : "send");
  }

  #copyTo(value: Value, operands: readonly Value[], roles: readonly Role[], isMirror: boolean): void {
    const host = remoteOf(value);
    if (host === undefined && isMirror) this.#path(value, "deletes");
    if (host === undefined) return this.#into(value, operands, roles);
    this.#fact.hosts.push(host);
    for (const [index, role] of roles.entries()) {
      const source = operands[index] as Value;
      const path = role === "copy" && remoteOf(source) === undefined ? resolvePath(source, this.#fact.dir) : undefined;
      if (path !== undefined && this.#effect.isDryRun !== true) addFlows(this.#fact, "sends", contentOf(source, path, this.#scope).flows);
    }
  }

  #host(value: Value, role: "host" | "url" | "url-file"): void {
    const host = hostOfUrl(value);
    if (host === undefined) this.#fact.unknown.hosts ??= value.unknown ?? `the host in ${value.text} is not known`;
    else this.#fact.hosts.push(host);
    // `https://host/?x=$(cat file)` carries what the command prints.
    const carried = value.flows?.filter(({ from }) => from !== "literal" && from !== "unknown") ?? [];
    addFlows(this.#fact, "sends", carried);
    if (role !== "url-file") return;
    const name = /^[^?#]*\/([^/?#]+)(?:[?#].*)?$/.exec(value.text.replace(/^\w+:\/\/[^/]*/, ""))?.[1];
    this.#write(isExact(value) ? literal(name ?? "index.html") : { ...literal(name ?? "*"), pattern: "*" });
  }

  #sendFile(value: Value): void {
    if (this.#effect.isDryRun === true) return void this.#path(value, "reads");
    if (value.text === "-") {
      if (this.#streams.stdin !== undefined) addFlows(this.#fact, "sends", this.#streams.stdin.flows);
      return;
    }
    const path = this.#path(value, "reads");
    if (path === undefined) return;
    addFlows(this.#fact, "sends", contentOf(value, path, this.#scope).flows);
    if (path.unknown !== undefined) this.#fact.unknown.sends ??= path.unknown;
  }

  /** `@file`, `name=@file`, `name=<file`, or text. */
  #sendAt(value: Value): void {
    const at = /^(?:[\w.[\]-]*=)?[@<]/.exec(value.text);
    if (at === null) return addFlows(this.#fact, "sends", flowsOf(value));
    const text = value.text.slice(at[0].length).replace(/;(?:type|filename)=.*$/, "");
    const pattern = value.pattern === undefined ? undefined : patternOf(value).slice(at[0].length);
    this.#sendFile({ ...value, text, pattern });
  }

  #via(): Scope {
    const { program, dir } = this.#fact;
    const inner = fork(this.#scope, {
      via: [...this.#scope.via, program],
      dir,
      privileged: this.#scope.privileged || this.#effect.privileged === true,
    });
    for (const { text } of this.#environment) {
      const at = text.indexOf("=");
      inner.variables.set(text.slice(0, at), { choices: [literal(text.slice(at + 1))] });
    }
    return inner;
  }

  #command(words: readonly Value[]): void {
    const [first, text] = words;
    if (first === undefined) return;
    // `flock file -c text`: the option may also follow the operand.
    if (first.text === "-c" && text !== undefined) return this.#script(text, words.slice(2));
    this.#runsCode = true;
    const listed = this.#effect.takesInput === true ? words.findIndex(({ text }) => /^:::?:?\+?$/.test(text)) : -1;
    if (listed >= 0) {
      const inputs = words.slice(listed + 1).filter(({ text }) => !text.startsWith(":::"));
      this.#inner.push(() =>
        this.#walker.runWords(withInputs(words.slice(0, listed), inputs, this.#placeholder ?? "{}"), this.#via(), this.#streams),
      );
      return;
    }
    this.#inner.push(() => {
      if (this.#found !== undefined) return this.#walker.runWords(withInputs(words, this.#found, "{}"), this.#via(), this.#streams);
      if (this.#effect.takesInput !== true) return this.#walker.runWords(words, this.#via(), this.#streams);
      const all = withInputs(words, inputWords(this.#readsFiles ? this.#content : this.#streams.stdin), this.#placeholder);
      return this.#walker.runWords(all, this.#via(), { ...this.#streams, stdin: undefined });
    });
  }

  #script(text: Value, args: readonly Value[]): void {
    this.#runsCode = true;
    addFlows(this.#fact, "runs", flowsOf(text));
    this.#innerScript(text, args);
  }

  #innerScript(text: Value, args: readonly Value[] = []): void {
    this.#inner.push(() => {
      // The word after the text is `$0`.
      const scope = { ...this.#via(), positional: args.slice(1) };
      if (isExact(text)) return this.#walker.runText(text.text, scope, this.#streams);
      const why = text.unknown ?? `the text ${text.text} is a pattern`;
      this.#walker.addUnknown(why, scope, this.#streams);
      return unknownData(why);
    });
  }

  #code(code: Value): void {
    this.#runsCode = true;
    addFlows(this.#fact, "runs", flowsOf(code));
    if (isExact(code)) this.#runCode(code.text);
  }

  /** What a literal code evidently does. */
  #runCode(code: string): void {
    const { language = "other" } = this.#entry;
    if (language === "mongo" && wipesMongo.test(code)) this.#fact.destroys.push("database");
    for (const effect of effectsOfCode(language, code, this.#walker.home)) {
      if (effect.kind === "command") this.#command(effect.words);
      else if (effect.kind === "send" || effect.kind === "runs") {
        const why = `the code of ${this.#fact.program} is not known`;
        addFlows(this.#fact, effect.kind === "send" ? "sends" : "runs", [
          effect.from === "unknown" ? { from: "unknown", why } : { from: effect.from },
        ]);
      } else {
        if (effect.kind === "script") this.#innerScript(effect.value);
        else this.#value(effect.value, effect.kind);
        if (effect.kind === "url") this.#fact.receives = true;
        if (effect.isRecursive === true) this.#fact.recursive = true;
      }
    }
  }

  #run(value: Value, args: readonly Value[]): void {
    if (value.text === "-") return;
    this.#runsCode = true;
    const path = this.#path(value, "reads");
    if (path === undefined) return;
    const name = value.text.slice(value.text.lastIndexOf("/") + 1);
    if (findProgram(name)?.isScript === true) this.#command([literal(name), ...args]);
    const content = contentOf(value, path, this.#scope);
    addFlows(this.#fact, "runs", content.flows);
    if (path.unknown !== undefined) this.#fact.unknown.runs ??= path.unknown;
    this.#runContent(content, args);
  }

  #runContent({ value, flows }: Data, args: readonly Value[]): void {
    if (value === undefined || !isExact(value)) {
      const why = flows.find(({ from }) => from === "unknown")?.why;
      if (why === undefined || this.#entry.language !== "shell") return;
      this.#inner.push(() => {
        this.#walker.addUnknown(why, this.#via(), this.#streams);
        return unknownData(why);
      });
      return;
    }
    if (this.#entry.language !== "shell") return this.#runCode(value.text);
    this.#inner.push(() => this.#walker.runText(value.text, { ...this.#via(), positional: args }, { ...this.#streams, stdin: undefined }));
  }

  #sql(data: Data): void {
    if (data.value !== undefined && isExact(data.value)) {
      this.#fact.sql.push(...statementsIn(data.value.text));
      for (const line of shellLinesIn(data.value.text)) this.#script(literal(line), []);
    } else this.#fact.unknown.sql ??= data.flows.find(({ why }) => why !== undefined)?.why ?? "the statements are not in the command";
  }

  /** Paths that an effect names itself. */
  #implied({ reads = none, writes = none, deletes = none, changes = none }: Effect): void {
    if (reads === none && writes === none && deletes === none && changes === none) return;
    const home = this.#walker.home;
    const word = (text: string): Value => {
      const path = text === "~" ? home : text.startsWith("~/") ? joinPath(home, text.slice(2)) : text;
      return path.includes("*") ? { ...literal(path), pattern: path } : literal(path);
    };
    for (const text of reads) this.#path(word(text), "reads");
    for (const text of writes) this.#path(word(text), "writes");
    for (const text of deletes) this.#path(word(text), "deletes");
    for (const text of changes) this.#path(word(text), "changes");
  }

  /** What the program does with its input. */
  #input(): void {
    const { stdin } = this.#streams;
    const use = this.#effect.stdin;
    if (use === undefined || use === "none" || use === "read" || stdin === undefined || this.#runsCode) return;
    if (use === "sql") {
      if (this.#fact.sql.length === 0) this.#sql(stdin);
      return;
    }
    addFlows(this.#fact, "runs", stdin.flows);
    this.#runContent(stdin, []);
  }

  /** An option that the table does not have may take the next word, so the command of a wrapper is not known. */
  #checkWrapper(options: readonly FoundOption[]): void {
    if (this.#entry.wrapper !== true) return;
    const strange = options.find(({ name, value, effect }) => effect === undefined && value === undefined && !/^-\d+$/.test(name));
    if (strange === undefined) return;
    this.#inner.length = 0;
    const why = `the option ${strange.name} of ${this.#fact.program} is not known`;
    this.#inner.push(() => {
      this.#walker.addUnknown(why, this.#via(), this.#streams);
      return unknownData(why);
    });
  }

  #data(): Data {
    const { hosts, receives } = this.#fact;
    if (this.#readsFiles) return this.#content;
    if (receives) return networkData(hosts);
    return this.#streams.stdin ?? noData;
  }

  #rememberWritten(): void {
    if (this.#written.length === 0) return;
    const data = this.#effect.prints === "decoded" ? decoded(this.#data()) : this.#data();
    for (const { path, unknown } of this.#written) if (unknown === undefined) this.#scope.files.set(path, data);
  }

  #find(options: readonly FoundOption[], operands: readonly Value[]): void {
    const starts = operands.filter((_, index) => this.#roles[index] === "text");
    const hasPattern = operands.some(({ text }, index) => this.#roles[index] === "pattern" && text !== ".");
    const narrowed = hasPattern ? [...options, { name: "", value: undefined, effect: { narrows: "other" as const } }] : options;
    this.#found = foundFiles(narrowed, starts, this.#fact.args);
    if (!options.some(({ effect }) => effect?.deletesFound === true)) return;
    for (const value of this.#found) this.#path(value, "deletes");
    this.#fact.recursive = true;
  }

  #printed(args: readonly Value[], operands: readonly Value[], options: readonly FoundOption[], ran: readonly Data[]): Data {
    if (!this.#streams.isRead && this.#streams.hosts.length === 0) return noData;
    if (ran.length > 0) return ran.reduce(joinData, noData);
    if (this.#found !== undefined) return { ...namesData, names: this.#found };
    const computed = printedText(this.#fact.program, { args, operands, options, dir: this.#fact.dir, input: this.#data() });
    if (computed !== undefined) return computed;
    switch (this.#effect.prints) {
      case "nothing":
        return noData;
      case "stdin":
        return filtered(this.#streams.stdin ?? noData, this.#fact.program);
      case "files":
        return filtered(this.#data(), this.#fact.program);
      case "args":
        return dataOf(concatAll(operands.flatMap((word, at) => (at > 0 ? [literal(" "), word] : [word]))));
      case "network":
        return networkData(this.#fact.hosts);
      case "decoded":
        return decoded(this.#data());
      case "secret":
        return { flows: [{ from: "secret" }], value: undefined };
      case "names":
        return namesData;
      default:
        return unknownData(`the output of ${this.#fact.program} is not known`);
    }
  }
}

const none: readonly string[] = [];

const namesData: Data = {
  flows: [{ from: "unknown", why: "the names of files are not known" }],
  value: undefined,
  names: [{ ...literal("./**"), pattern: "./**" }],
};

function networkData(hosts: readonly string[]): Data {
  const flows: readonly Flow[] = hosts.length === 0 ? [{ from: "network" }] : hosts.map((host) => ({ from: "network", host }));
  return { flows, value: undefined };
}

/** The text is no longer known; names stay, because a pattern covers a part of what it matches too. */
function filtered({ flows, names }: Data, program: string): Data {
  const why = `the output of ${program} is not computed`;
  const origins = flows.map((flow): Flow => (flow.from === "literal" ? { from: "unknown", why } : withoutText(flow)));
  return { flows: origins, value: undefined, ...(names !== undefined && { names }) };
}

function withoutText({ text: _text, ...flow }: Flow): Flow {
  return flow;
}

function decoded({ flows }: Data): Data {
  const isSecret = flows.some(({ from }) => from === "network");
  return {
    flows: isSecret ? [{ from: "decoded" }, ...flows.filter(({ from }) => from === "network")] : [{ from: "decoded" }],
    value: undefined,
  };
}

/** The words that xargs reads. */
function inputWords(stdin: Data | undefined): readonly Value[] {
  if (stdin === undefined) return [];
  const { value, names } = stdin;
  if (names !== undefined) return names;
  if (value === undefined) return [unknownValue("…", "the words that xargs reads are not known", stdin.flows)];
  if (!isExact(value)) return [value];
  return value.text
    .split(/[\s\0]+/)
    .filter(Boolean)
    .map(literal);
}

const definedParts = new WeakMap<Effect, Effect>();

/** What an entry of the tables says itself, read once per entry. */
function definedOnly(effect: Effect): Effect {
  let known = definedParts.get(effect);
  if (known === undefined) {
    known = readDefined(effect);
    definedParts.set(effect, known);
  }
  return known;
}

function readDefined(effect: Effect): Effect {
  const { isDryRun, settings, operands, recursive, receives, sends, prints, stdin, privileged, takesInput, finds } = effect;
  return {
    ...(operands !== undefined && { operands }),
    ...(recursive !== undefined && { recursive }),
    ...(receives !== undefined && { receives }),
    ...(sends !== undefined && { sends }),
    ...(prints !== undefined && { prints }),
    ...(stdin !== undefined && { stdin }),
    ...(privileged !== undefined && { privileged }),
    ...(takesInput !== undefined && { takesInput }),
    ...(isDryRun !== undefined && { isDryRun }),
    ...(settings !== undefined && { settings }),
    ...(finds !== undefined && { finds }),
  };
}

function verbCount({ verbs, verbWords, subcommands }: CommandEntry, operands: readonly Value[], isListed: boolean): number {
  if (verbs !== undefined) {
    const at = operands.findIndex(({ text }) => subcommandOf(verbs, text) !== undefined);
    if (at >= 0) return at + 1;
  }
  return Math.min(operands.length, verbWords ?? (isListed || subcommands === undefined ? 0 : 1));
}

interface Subcommand {
  readonly name: string;
  readonly entry: CommandEntry;
}

interface Subcommands {
  readonly names: ReadonlyMap<string, Subcommand>;
  /** What names with a star begin with. */
  readonly beginnings: readonly (readonly [beginning: string, entry: CommandEntry])[];
}

const subcommandsOf = new WeakMap<object, Subcommands>();

function subcommandOf(subcommands: NonNullable<CommandEntry["subcommands"]>, name: string): Subcommand | undefined {
  let known = subcommandsOf.get(subcommands);
  if (known === undefined) {
    const all = Object.entries(subcommands).flatMap(([key, entry]) =>
      key.split(", ").flatMap((group) => group.split(" ").map((one) => [one, { name: group.split(" ")[0] ?? one, entry }] as const)),
    );
    const names = new Map(all);
    known = {
      names,
      beginnings: [...names].flatMap(([one, { entry }]) => (one.endsWith("*") ? [[one.slice(0, -1), entry] as const] : [])),
    };
    subcommandsOf.set(subcommands, known);
  }
  const found = known.names.get(name);
  if (found !== undefined) return found;
  for (const [beginning, entry] of known.beginnings) if (name.startsWith(beginning)) return { name, entry };
  return undefined;
}

/** Calls of the shell of MongoDB that drop, or that delete without a condition. */
const wipesMongo =
  /\.(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsersFromDatabase)\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)/;

/** What tmux types: the words together, with `Enter` as the end of a line. */
function typedText(words: readonly Value[]): Value {
  return concatAll(
    words.map((word) => (/^(?:Enter|C-m|C-j|KPEnter)$/.test(word.text) ? literal("\n") : word.text === "Space" ? literal(" ") : word)),
  );
}

/** The name that a file keeps when it is copied into a folder. `dir/` copies what is in dir, and its names are not known. */
function lastPart(value: Value): Value | undefined {
  const { text, pattern } = value;
  const name = text.slice(text.search(/[^/:]*$/));
  if (pattern === undefined) return /^\.{0,2}$/.test(name) ? undefined : literal(name);
  const part = pattern.slice(pattern.lastIndexOf("/") + 1);
  return part === "" || part.includes("**") ? undefined : { ...value, text: name, pattern: part };
}

/** `@scope/name@1.2` is the command `name`. */
function withoutVersion(value: Value): Value {
  if (!isExact(value)) return value;
  return literal(/^(?:@[^/@]+\/)?([^@/:]+)(?:@[^/]*)?$/.exec(value.text)?.[1] ?? value.text);
}
