import { addFlows, addUnknownCommand, argOf, createFact, type FactBuilder } from "../fact-builder.js";
import type { Flow, PathFact } from "../facts.js";
import { joinPath, resolvePath } from "../paths.js";
import { namesData, networkData } from "../program-output.js";
import { type Data, fork, joinData, noData, type Scope, type Streams, unknownData, type Walker } from "../scope.js";
import {
  concatAll,
  escapePattern,
  flowsOf,
  isExact,
  joinFlows,
  joinWords,
  literal,
  patternOf,
  unknownValue,
  type Value,
} from "../value.js";
import { withoutEnding } from "../windows.js";
import { MAX_WORDS } from "../words.js";
import { type Cmdlet, findCmdlet, type Sorted, sortParameters } from "./cmdlets.js";
import { type Command, type Part, type Pipeline, parsePowerShell, type Script, type Word } from "./parse.js";

/** A word of a command: its value, and the code that it holds. */
interface Item {
  readonly value: Value;
  readonly text: string;
  readonly isQuoted: boolean;
  readonly blocks: readonly Script[];
}

/** Deeper texts inside texts are not read. */
const MAX_DEPTH = 24;
const NOT_FILES = /^(?:env|variable|function|alias|temp):/i;
const REGISTRY = /^(?:hk[a-z]{1,2}|hkey_\w+|registry|cert|wsman)(?::|::)/i;
/** Methods that give a text or a number, and do nothing else. */
const HARMLESS =
  /^(?:|count|length|to(?:string|lower|upper|array|char\w*|base64string)\w*|trim\w*|split|replace|substring|contains|startswith|endswith|indexof|padleft|padright|join|format|equals|gettype|getenumerator|where|add\w*|foreach|parse|tryparse|abs|max|min|floor|ceiling|round|now|utcnow|isnullor\w+|combine|getfilename\w*|getdirectoryname|getextension|getfullpath|gettemppath|exists|new|gethashcode|compareto|readlines?|readtoend|getenvironmentvariable|getfolderpath)$/;

/** Runs a text of PowerShell as far as Hookline reads it. What it does not read is one unknown command, which says so. */
export function runPowerShell(text: string, scope: Scope, streams: Streams, walker: Walker): Data {
  const script = scope.depth > MAX_DEPTH ? "the PowerShell is nested too deep" : parsePowerShell(text);
  if (typeof script !== "string")
    return new Runner(fork(scope, { depth: scope.depth + 1 }), streams, walker).script(script, streams.isRead);
  addUnknownCommand(script, scope, streams, walker);
  return unknownData(script);
}

class Runner {
  readonly #scope: Scope;
  readonly #streams: Streams;
  readonly #walker: Walker;

  constructor(scope: Scope, streams: Streams, walker: Walker) {
    this.#scope = scope;
    this.#streams = streams;
    this.#walker = walker;
  }

  script(script: Script, isRead: boolean, input?: Data): Data {
    let data = noData;
    for (const pipeline of script) {
      if (!this.#walker.spend()) {
        this.#unknown("the command takes too long to read");
        break;
      }
      data = joinData(data, this.#pipeline(pipeline, isRead, input));
    }
    return data;
  }

  #pipeline({ commands, assigns }: Pipeline, isRead: boolean, input: Data | undefined): Data {
    let data = input;
    for (const [index, command] of commands.entries()) {
      if (!this.#walker.spend()) return this.#unknown("the command takes too long to read");
      data = this.#command(command, data, isRead || assigns !== undefined || index < commands.length - 1);
    }
    const given = data ?? noData;
    if (assigns === undefined) return given;
    this.#scope.variables.set(variable(assigns), { choices: [valueIn(given, `$${assigns}`)] });
    return noData;
  }

  #command(command: Command, input: Data | undefined, isRead: boolean): Data {
    const files: PathFact[] = [];
    const data = this.#redirected(command, input, isRead || command.writes.length > 0, files);
    for (const { path, unknown, glob } of files) if (unknown === undefined && glob === undefined) this.#scope.files.set(path, data);
    return data;
  }

  #redirected(command: Command, input: Data | undefined, isRead: boolean, files: PathFact[]): Data {
    const writes = command.writes.flatMap(({ target }) => this.#pathOf(this.#item(target)) ?? []);
    const written = writes
      .flatMap((value) => resolvePath(value, this.#scope.dir) ?? [])
      .filter(({ path }) => !/^\/dev\/null$|\/\$null$/.test(path));
    files.push(...written);
    const streams: Streams = { ...this.#streams, stdin: input, isRead, writes: [...this.#streams.writes, ...written] };
    const [first, ...rest] = command.words;
    if (first === undefined) return input ?? noData;
    const [head] = first.parts;
    const isName = command.isCalled || (head?.kind === "text" && !head.isQuoted && !/^(?:-|\d*\.?\d+(?:\.\..*)?$)/.test(head.text));
    if (!isName) return this.#expression(command.words, streams);
    const name = this.#item(first);
    if (name.blocks.length > 0) return this.#blocks(name.blocks, streams);
    return this.#run(
      name.value,
      rest.map((word) => this.#item(word)),
      streams,
    );
  }

  /** Values, calls and operators. Blocks in it belong to a keyword. */
  #expression(words: readonly Word[], streams: Streams): Data {
    const [first, second, ...rest] = words;
    const head = first?.parts[0];
    if (head?.kind === "variable" && rest.length > 0 && second?.parts[0]?.kind === "text" && /^in$/i.test(second.parts[0].text)) {
      const data = this.#command({ isCalled: false, words: rest, writes: [] }, undefined, true);
      this.#scope.variables.set(variable(head.name), { choices: [valueIn({ ...data, value: undefined }, `$${head.name}`)] });
      return noData;
    }
    const items = words.map((word) => this.#item(word));
    let data = noData;
    for (const { blocks } of items) data = joinData(data, this.#blocks(blocks, streams));
    if (streams.writes.length > this.#streams.writes.length) this.#walker.facts.push(createFact("", this.#scope, streams));
    const values = items.filter(({ blocks }) => blocks.length === 0).map(({ value }) => value);
    const [only] = values;
    if (only === undefined) return data;
    if (values.length === 1) return joinData(data, dataOf(only));
    const isSum = words.every(({ parts }, index) => index % 2 === 0 || (parts[0]?.kind === "text" && parts[0].text === "+"));
    if (isSum) return dataOf(concatAll(values.filter((_, index) => index % 2 === 0)));
    return {
      flows: values.flatMap((value) => flowsOf(value)).reduce<readonly Flow[]>((all, flow) => joinFlows(all, [opened(flow)]), []),
      value: undefined,
    };
  }

  #blocks(blocks: readonly Script[], streams: Streams): Data {
    if (blocks.length === 0) return noData;
    const { stdin } = streams;
    const before = this.#scope.variables.get(variable("_"));
    if (stdin !== undefined) this.#scope.variables.set(variable("_"), { choices: stdin.names ?? [valueIn(stdin, "$_")] });
    const data = blocks.map((block) => this.script(block, streams.isRead)).reduce(joinData, noData);
    if (before !== undefined) this.#scope.variables.set(variable("_"), before);
    return data;
  }

  #run(name: Value, args: readonly Item[], streams: Streams): Data {
    if (args.length > MAX_WORDS) return this.#unknown(`a command has more than ${MAX_WORDS} words`, [], streams);
    if (!isExact(name)) {
      const fact = this.#fact("Invoke-Expression", args, streams);
      addFlows(fact, "runs", flowsOf(name));
      // Options and paths of another program may be among them, as this shell writes them.
      const words = args.map((item) => ({ ...item, value: slashedValue(item.value, this.#walker.home) }));
      return this.#unknown(name.unknown ?? `the program is written as a pattern: ${name.text}`, words, streams);
    }
    const written = name.text.slice(Math.max(name.text.lastIndexOf("/"), name.text.lastIndexOf("\\")) + 1);
    const program = withoutEnding(written);
    const cmdlet = findCmdlet(program, args);
    if (cmdlet === "unknown") return this.#unknown(`the PowerShell command ${program} is not known`, [], streams);
    if (cmdlet !== undefined) return this.#cmdlet(program, cmdlet, args, streams);
    const data = args.map(({ blocks }) => this.#blocks(blocks, streams)).reduce(joinData, noData);
    const slashed = /^[.~\\/]|^[A-Za-z]:/.test(name.text) ? literal(name.text.replaceAll("\\", "/")) : literal(program);
    return joinData(
      data,
      this.#program(
        slashed,
        args.map(({ value }) => value),
        streams,
      ),
    );
  }

  #program(name: Value, args: readonly Value[], streams: Streams, scope = this.#scope): Data {
    return this.#walker.runWords([name, ...args], scope, streams);
  }

  #cmdlet(name: string, cmdlet: Cmdlet, args: readonly Item[], streams: Streams): Data {
    const sorted = sortParameters(cmdlet, args, (item, at) => ({ ...item, text: item.text.slice(at), value: cutValue(item.value, at) }));
    if (sorted.switches.some((one) => one.length > 1 && "whatif".startsWith(one))) return noData;
    const { does } = cmdlet;
    const scope = fork(this.#scope, { via: [...this.#scope.via, name] });
    const textOf = (meaning: "text" | "to"): string => (sorted.values[meaning] ?? []).map(({ text }) => text.toLowerCase()).join(" ");
    if (typeof does !== "string") return this.#like(does, sorted, streams);
    switch (does) {
      case "remove":
        return this.#remove(sorted, streams, scope);
      case "copy":
      case "move":
        return this.#program(
          literal(does === "copy" ? "cp" : "mv"),
          [literal(does === "copy" ? "-r" : "-f"), literal("--"), ...this.#targets(sorted, streams), ...this.#paths(sorted.values.to)],
          streams,
          scope,
        );
      case "create":
        return this.#create(sorted, textOf("text"), streams, scope);
      case "write": {
        const [body] = sorted.values.body ?? [];
        const stdin = body === undefined ? (streams.stdin ?? noData) : dataOf(body.value);
        return this.#program(literal("tee"), [literal("--"), ...this.#paths(sorted.values.path)], { ...streams, stdin }, scope);
      }
      case "read":
        return this.#program(literal("cat"), [literal("--"), ...this.#targets(sorted, streams)], { ...streams, stdin: undefined }, scope);
      case "fetch":
        return this.#fetch(sorted, textOf("text"), streams, scope);
      case "evaluate":
        return this.#evaluate(name, args, streams.stdin, sorted.values.text?.[0]?.value, streams);
      case "start":
        return this.#start(sorted, textOf("text"), streams);
      case "list":
        this.#fact(name, args, streams);
        return namesData(this.#listed(sorted));
      case "item":
        this.#fact(name, args, streams);
        return namesData(this.#targets(sorted, streams));
      case "narrow":
        return this.#narrowed(name, args, streams);
      case "print":
        this.#fact(name, args, streams);
        return dataOf(joinWords((sorted.values.text ?? []).map(({ value }) => value)));
      case "blocks":
        return this.#forEach(name, args, streams);
      case "rename":
        return this.#unknown(`${name} gives a command another name`);
      case "stop-process":
        return this.#program(literal("kill"), [literal("-9"), ...(sorted.values.text ?? []).map(({ value }) => value)], streams, scope);
      case "schedule":
        return this.#program(literal("crontab"), [literal("task")], { ...streams, stdin: undefined }, scope);
      case "wipe-disk":
        this.#fact(name, args, streams).destroys.push("disk");
        return noData;
      case "policy":
        return this.#policy(name, args, textOf("to"), streams);
      case "nothing": {
        this.#fact(name, args, streams);
        for (const { blocks } of args) this.#blocks(blocks, streams);
        return unknownData(`the output of ${name} is not known`);
      }
    }
  }

  #narrowed(name: string, args: readonly Item[], streams: Streams): Data {
    this.#fact(name, args, streams);
    for (const { blocks } of args) this.#blocks(blocks, { ...streams, isRead: true });
    const { stdin = noData } = streams;
    return {
      ...stdin,
      flows: stdin.flows.map(opened),
      value: undefined,
      ...(stdin.names !== undefined && { names: stdin.names.map(someOf) }),
    };
  }

  #forEach(name: string, args: readonly Item[], streams: Streams): Data {
    this.#fact(name, args, streams);
    // `% Delete` calls that method of each item.
    const member = args.find(({ text, isQuoted, blocks }) => !isQuoted && blocks.length === 0 && /^[a-z]\w*$/i.test(text));
    if (
      member !== undefined &&
      /^(?:foreach|%)/i.test(name) &&
      !HARMLESS.test(member.text.toLowerCase()) &&
      /^(?:delete|kill|invoke|remove|move|copy|set|create)/i.test(member.text)
    )
      this.#unknown(`what .${member.text}() does is not known`);
    return args.map(({ blocks }) => this.#blocks(blocks, streams)).reduce(joinData, noData);
  }

  /** The same as another program does with the paths. */
  #like([program = "", ...options]: readonly string[], sorted: Sorted<Item>, streams: Streams): Data {
    // In this scope: `cd` changes it.
    return this.#program(literal(program), [...options.map(literal), ...this.#paths(sorted.values.path)], streams);
  }

  #remove(sorted: Sorted<Item>, streams: Streams, scope: Scope): Data {
    const targets = this.#targets(sorted, streams);
    const isRecursive = sorted.switches.some((one) => "recurse".startsWith(one) || /^[fsq]*r[fsq]*$/.test(one));
    if (targets.length === 0) return noData;
    return this.#program(
      literal("rm"),
      [literal(isRecursive ? "-rf" : "-f"), literal("--"), ...targets],
      { ...streams, stdin: undefined },
      scope,
    );
  }

  #create(sorted: Sorted<Item>, type: string, streams: Streams, scope: Scope): Data {
    const targets = this.#paths(sorted.values.path);
    if (/link|junction/.test(type))
      return this.#program(literal("ln"), [literal("-sf"), literal("--"), ...this.#paths(sorted.values.to), ...targets], streams, scope);
    return this.#program(
      literal(type.startsWith("dir") ? "mkdir" : "tee"),
      [literal("--"), ...targets],
      { ...streams, stdin: dataOf(sorted.values.to?.[0]?.value ?? literal("")) },
      scope,
    );
  }

  #fetch(sorted: Sorted<Item>, method: string, streams: Streams, scope: Scope): Data {
    const words: Value[] = [];
    for (const { value } of sorted.values.body ?? []) words.push(literal("--data-raw"), value);
    for (const value of this.#paths(sorted.values.path)) words.push(literal("-T"), value);
    for (const value of this.#paths(sorted.values.to)) words.push(literal("-o"), value);
    if (method !== "") words.push(literal("-X"), literal(method.toUpperCase()));
    const urls = (sorted.values.uri ?? []).map(({ value }) => value);
    return this.#program(literal("curl"), [...words, literal("--"), ...urls], { ...streams, stdin: undefined }, scope);
  }

  #evaluate(name: string, args: readonly Item[], input: Data | undefined, given: Value | undefined, streams: Streams): Data {
    const text = given ?? valueIn(input ?? noData, "the input");
    const fact = this.#fact(name, args, streams);
    addFlows(fact, "runs", flowsOf(text));
    if (isExact(text)) return runPowerShell(text.text, this.#scope, { ...streams, stdin: undefined }, this.#walker);
    return this.#unknown(text.unknown ?? `the text ${text.text} is not known`, [], streams);
  }

  #start({ values }: Sorted<Item>, verb: string, streams: Streams): Data {
    const [program] = values.program ?? [];
    if (program === undefined) return noData;
    const args = (values.args ?? []).flatMap((item) =>
      isExact(item.value)
        ? item.text
            .split(/\s+/)
            .filter(Boolean)
            .map((text) => ({ ...item, text, value: literal(text) }))
        : [item],
    );
    const scope = verb.includes("runas") ? fork(this.#scope, { privileged: true }) : this.#scope;
    return new Runner(scope, this.#streams, this.#walker).#run(program.value, args, { ...streams, stdin: undefined });
  }

  #policy(name: string, args: readonly Item[], scopeName: string, streams: Streams): Data {
    const fact = this.#fact(name, args, streams);
    // Where PowerShell keeps the policy of the machine. That of one process ends with it.
    if (!scopeName.startsWith("process")) fact.writes.push({ path: "/etc/powershell/powershell.config.json" });
    return noData;
  }

  /** The paths that are named, or those that come from the command before. */
  #targets(sorted: Sorted<Item>, { stdin }: Streams): readonly Value[] {
    const named = this.#paths(sorted.values.path);
    const [filter] = sorted.values.text ?? [];
    if (named.length > 0) return filter === undefined ? named : named.map((folder) => below(folder, `**${filter.text}`));
    if (stdin === undefined || stdin === noData) return [];
    return stdin.names ?? [slashedValue(valueIn(stdin, "$_"))];
  }

  #listed(sorted: Sorted<Item>): readonly Value[] {
    const named = this.#paths(sorted.values.path);
    const folders = named.length === 0 ? [literal(".")] : named;
    const isRecursive = sorted.switches.some((one) => "recurse".startsWith(one));
    const [filter] = sorted.values.text ?? [];
    return folders.map((folder) => {
      if (/[*?]/.test(folder.text) && folder.unknown === undefined && filter === undefined) return folder;
      return below(folder, `${isRecursive ? "**" : ""}${filter?.text ?? (isRecursive ? "" : "*")}`);
    });
  }

  #paths(items: readonly Item[] | undefined): readonly Value[] {
    return (items ?? []).flatMap((item) => this.#pathOf(item) ?? []);
  }

  #pathOf({ value, text, isQuoted }: Item): Value | undefined {
    if (value.names !== undefined && value.names.length === 1) return value.names[0];
    if (/^\$null$/i.test(text) && !isQuoted) return undefined;
    if (NOT_FILES.test(text)) return undefined;
    if (REGISTRY.test(text)) {
      this.#unknown(`${text} is not a file, and Hookline does not read what it holds`);
      return undefined;
    }
    return slashedValue(value, this.#walker.home);
  }

  #item({ parts }: Word): Item {
    const blocks = parts.flatMap((part) => (part.kind === "block" ? [part.script] : []));
    let value = literal("");
    let whole: Value | undefined;
    for (const [index, part] of parts.entries()) {
      const type = parts[index - 1];
      if (part.kind === "member") whole = this.#member(whole ?? value, part, type?.kind === "type" ? type.name : "");
      else {
        const next = part.kind === "block" || part.kind === "type" ? literal("") : this.#part(part);
        whole = index === 0 ? next : concatAll([whole ?? value, next]);
      }
      value = whole;
    }
    const [first] = parts;
    return { value, text: value.text, isQuoted: first !== undefined && first.kind !== "text" ? true : first?.isQuoted === true, blocks };
  }

  #part(part: Exclude<Part, { readonly kind: "member" | "block" | "type" }>): Value {
    if (part.kind === "text") return literal(part.text);
    if (part.kind === "variable") return this.#variable(part.name);
    if (part.kind === "table") {
      // Names and what stands behind them: only what runs to find a value counts.
      for (const { commands } of part.script)
        for (const { words } of commands) for (const word of words) for (const one of word.parts) if (one.kind === "group") this.#part(one);
      return unknownValue("@{…}", "the values of a table are not computed", []);
    }
    return valueIn(this.script(part.script, true), "(…)");
  }

  #variable(name: string): Value {
    const { home } = this.#walker;
    const known = this.#scope.variables.get(variable(name));
    if (known !== undefined) return known.choices[0] ?? literal("");
    if (/^(?:home|env:userprofile|env:home)$/.test(name)) return literal(home);
    if (/^env:(?:temp|tmp|tmpdir)$/.test(name)) return literal("/tmp");
    if (/^env:(?:local)?appdata$/.test(name)) return literal(`${home}/AppData/${name === "env:appdata" ? "Roaming" : "Local"}`);
    if (/^env:(?:windir|systemroot)$/.test(name)) return literal("C:/Windows");
    if (name === "env:systemdrive") return literal("C:");
    if (name === "pwd")
      return this.#scope.dir.unknown === undefined && this.#scope.dir.glob === undefined
        ? literal(this.#scope.dir.path)
        : unknownValue("$pwd", "the folder is not known");
    if (name === "null") return literal("$null");
    if (name === "true" || name === "false") return literal(name);
    return unknownValue(`$${name}`, `the variable ${name} is not set in the command`);
  }

  /** What a property or a method gives. A method that may do something is known, or the whole command is not. */
  #member(of: Value, { name, args = [] }: Part & { readonly kind: "member" }, type: string): Value {
    const items = args.filter(({ parts }) => parts.length > 0).map((word) => this.#item(word));
    const values = items.map(({ value }) => value);
    const streams: Streams = { ...this.#streams, stdin: undefined, isRead: true };
    const flows = [of, ...values]
      .map((value) => flowsOf(value))
      .reduce(joinFlows, [])
      .filter(({ from }) => from !== "literal");
    const some = unknownValue(`${of.text}.${name}`, `what .${name} gives is not known`, flows);
    if (/^(?:download(?:string|data)|openread|getstringasync|getasync|downloadstringtaskasync)$/.test(name)) {
      this.#program(literal("curl"), [literal("--"), ...values], streams);
      return { ...some, flows: networkData(hostsIn(this.#walker.facts.at(-1)?.hosts)).flows };
    }
    if (/^downloadfile/.test(name)) {
      const [url = literal(""), to = literal("")] = values;
      this.#program(literal("curl"), [literal("-o"), slashedValue(to), literal("--"), url], streams);
      return some;
    }
    if (/^(?:uploadstring|uploadfile|uploaddata|postasync)$/.test(name)) {
      const [url = literal(""), body = literal("")] = [values[0], values.at(-1)];
      this.#program(
        literal("curl"),
        name === "uploadfile" ? [literal("-T"), slashedValue(body), url] : [literal("--data-raw"), body, url],
        streams,
      );
      return some;
    }
    if (name === "frombase64string") return { ...some, flows: [{ from: "decoded" }] };
    if (/^getstring|^create$/.test(name)) return { ...(values[0] ?? some) };
    if (/\bio\.(?:file|directory)$/.test(type)) return this.#file(name, values, streams) ?? some;
    if (!HARMLESS.test(name) && args.length + (name === "invoke" ? 1 : 0) > 0) {
      if (name.startsWith("invoke")) addFlows(this.#fact("Invoke-Expression", [], streams), "runs", flowsOf(values[0] ?? of));
      this.#unknown(`what .${name}() does is not known`);
    }
    for (const { blocks } of items) this.#blocks(blocks, streams);
    return some;
  }

  #file(name: string, values: readonly Value[], streams: Streams): Value | undefined {
    const [path = literal(""), second = literal("")] = values.map((value) => slashedValue(value));
    if (name === "delete") this.#program(literal("rm"), [literal(values.length > 1 ? "-rf" : "-f"), literal("--"), path], streams);
    else if (/^(?:write|append|create)/.test(name)) this.#program(literal("tee"), [literal("--"), path], { ...streams, stdin: noData });
    else if (/^(?:move|copy|replace)/.test(name))
      this.#program(literal(name === "copy" ? "cp" : "mv"), [literal("--"), path, second], streams);
    else if (/^(?:read|open)/.test(name)) return valueIn(this.#program(literal("cat"), [literal("--"), path], streams), "(…)");
    return undefined;
  }

  #fact(name: string, args: readonly Item[], streams: Streams): FactBuilder {
    const fact = createFact(name, this.#scope, streams);
    fact.args = args.map(({ value }) => argOf(value));
    this.#walker.facts.push(fact);
    return fact;
  }

  #unknown(why: string, args: readonly Item[] = [], streams: Streams = this.#streams): Data {
    addUnknownCommand(
      why,
      this.#scope,
      streams,
      this.#walker,
      args.map(({ value }) => value),
    );
    return unknownData(why);
  }
}

/** Variables of PowerShell are others than those of a shell, and their names have no case. */
function variable(name: string): string {
  return `$${name}`;
}

function dataOf(value: Value): Data {
  return { flows: flowsOf(value), value, ...(value.names !== undefined && { names: value.names }) };
}

function valueIn({ value, flows, names }: Data, text: string): Value {
  const origin = flows.filter(({ from }) => from !== "literal");
  if (names !== undefined) {
    const [first] = names;
    return { ...(first !== undefined && names.length === 1 ? first : unknownValue(text, "the names are not known")), names };
  }
  if (value === undefined) return unknownValue(text, `what ${text} gives is not known`, origin.length > 0 ? origin : undefined);
  return origin.length === 0 ? value : { ...value, flows: origin };
}

function opened(flow: Flow): Flow {
  const { text: _, ...rest } = flow;
  return rest.from === "literal" ? { from: "unknown", why: "the value is not computed" } : rest;
}

function someOf(name: Value): Value {
  const { pattern } = name;
  return pattern === undefined || !/(?:^|\/)\*\*?$/.test(pattern) ? name : { ...name, text: `${name.text}?*`, pattern: `${pattern}?*` };
}

function hostsIn(hosts: readonly string[] | undefined): readonly string[] {
  return hosts ?? [];
}

function below(folder: Value, pattern: string): Value {
  const start = patternOf(folder).replace(/\/+$/, "");
  return { ...folder, text: joinPath(folder.text, pattern), pattern: `${start === "" ? "" : start}/${pattern}` };
}

function cutValue(value: Value, at: number): Value {
  const text = value.text.slice(at);
  return isExact(value)
    ? { ...value, text }
    : { ...value, text, pattern: "**", unknown: value.unknown ?? `the value of ${value.text} is not known` };
}

/** A path as the facts have it: `C:\x` is `/C:/x`. A star is a pattern, also in quotes. */
function slashedValue(value: Value, home?: string): Value {
  const turned = (text: string): string => {
    const plain = text.replaceAll("\\", "/").replace(/^(?:microsoft\.powershell\.core\/)?filesystem::/i, "");
    if (home !== undefined && /^~(?:\/|$)/.test(plain)) return home + plain.slice(1);
    return plain.replace(/^([A-Za-z]:)(?=\/|$)/, "/$1");
  };
  if (!isExact(value)) {
    // In a pattern, `\\` is one backslash.
    const pattern = value.pattern?.replaceAll("\\\\", "/").replace(/^([A-Za-z]:)(?=\/|$)/, "/$1");
    return { ...value, text: turned(value.text), pattern };
  }
  const text = turned(value.text);
  if (/^[A-Za-z]:[^/]/.test(text)) return unknownValue(text, `the folder of ${text} is not known`);
  return /[*?]/.test(text) ? { ...value, text, pattern: text.replace(/[[\]\\]/g, escapePattern) } : { ...value, text };
}
