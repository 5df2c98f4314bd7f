import { runVariable } from "./code-variables.js";
import { addLoaded, argOf, createFact, type FactBuilder } from "./fact-builder.js";
import { resolvePath } from "./paths.js";
import { printedText } from "./printed-text.js";
import { contentOf, isPlainDevice, isStdin } from "./redirections.js";
import { type Data, fork, keepState, noData, type Scope, type Streams, type Walker } from "./scope.js";
import { concat, flowsOf, isExact, joinWords, literal, unknownValue, type Value } from "./value.js";

type Builtin = (args: readonly Value[], scope: Scope, streams: Streams, walker: Walker) => Data | undefined;

/** Runs a command that the shell runs itself, because it changes the shell. Undefined for other commands. */
export function runBuiltin(program: string, args: readonly Value[], scope: Scope, streams: Streams, walker: Walker): Data | undefined {
  const builtin = builtins[program];
  if (builtin === undefined || !Object.hasOwn(builtins, program)) return undefined;
  const data = builtin(args, scope, streams, walker);
  return data;
}

/** Options of builtins are single letters. */
function operandsOf(args: readonly Value[]): readonly Value[] {
  const end = args.findIndex(({ text }) => text === "--" || !/^-\w/.test(text));
  return end < 0 ? [] : args.slice(args[end]?.text === "--" ? end + 1 : end);
}

function add(program: string, args: readonly Value[], scope: Scope, streams: Streams, walker: Walker): FactBuilder {
  const fact = createFact(program, scope, streams);
  fact.args.push(...args.map(argOf));
  fact.operands.push(...operandsOf(args).map(argOf));
  walker.facts.push(fact);
  return fact;
}

function changeDir(scope: Scope, target: Value | undefined, home: string): void {
  const previous = scope.dir;
  if (target?.text === "-") scope.dir = scope.previousDir ?? { path: "**", unknown: "the previous folder is not known" };
  else scope.dir = resolvePath(target ?? scope.variables.get("HOME")?.choices[0] ?? literal(home), scope.dir) ?? scope.dir;
  scope.previousDir = previous;
}

function assignWords(args: readonly Value[], scope: Scope): void {
  for (const arg of operandsOf(args)) {
    const at = arg.text.indexOf("=");
    if (at <= 0) continue;
    const isAppended = arg.text[at - 1] === "+";
    const name = arg.text.slice(0, isAppended ? at - 1 : at);
    const pattern = arg.pattern === undefined ? undefined : arg.pattern.slice(arg.pattern.indexOf("=") + 1);
    const value = { ...arg, text: arg.text.slice(at + 1), pattern };
    const before = scope.variables.get(name)?.choices[0];
    scope.variables.set(name, { choices: [isAppended && before !== undefined ? concat(before, value) : value] });
  }
}

/** `command`, `builtin`, `exec`: the rest is the command, in the same shell. */
function inSameShell(name: string, args: readonly Value[], valueOptions: string, scope: Scope, streams: Streams, walker: Walker): Data {
  let at = 0;
  while (at < args.length && /^-\w/.test(args[at]?.text ?? "")) at += valueOptions.includes(args[at]?.text.at(-1) ?? " ") ? 2 : 1;
  if (args[at]?.text === "--") at++;
  const words = args.slice(at);
  add(name, args, scope, streams, walker);
  if (words.length === 0) {
    if (name === "exec") scope.opened = streams;
    return noData;
  }
  const inner: Scope = { ...scope, via: [...scope.via, name] };
  const data = walker.runWords(words, inner, streams);
  keepState(scope, inner);
  return data;
}

/** Text that runs in this shell. */
function evaluate(name: string, text: Value, scope: Scope, streams: Streams, walker: Walker): Data {
  const fact = createFact(name, scope, streams);
  fact.args.push(argOf(text));
  if (text.isSetup === true) {
    fact.runs.push({ from: "file" });
    walker.facts.push(fact);
    return noData;
  }
  fact.runs.push(...flowsOf(text));
  for (const flow of fact.runs) if (flow.from === "unknown") fact.unknown.runs ??= flow.why ?? "";
  walker.facts.push(fact);
  const inner: Scope = { ...scope, via: [...scope.via, name] };
  const data = isExact(text) ? walker.runText(text.text, inner, streams) : undefined;
  if (data === undefined) walker.addUnknown(text.unknown ?? `the text ${text.text} is a pattern`, inner, streams);
  keepState(scope, inner);
  return data ?? { flows: [{ from: "unknown", why: text.unknown ?? "" }], value: undefined };
}

/** Of more files that a text loads, only the last ones are followed. */
const MAX_LOADED = 16;

function source(name: string): Builtin {
  return (args, scope, streams, walker) => {
    const [file, ...rest] = args;
    const path = file === undefined ? undefined : resolvePath(file, scope.dir);
    if (file === undefined || path === undefined) return noData;
    const content = isStdin(path.path) ? (streams.stdin ?? noData) : contentOf(file, path, scope);
    const fact = createFact(name, scope, streams);
    fact.args.push(...args.map(argOf));
    fact.operands.push(...args.map(argOf));
    if (!isPlainDevice(path.path)) fact.loads.push(path);
    fact.runs.push(...content.flows);
    for (const flow of fact.runs) if (flow.from === "unknown") fact.unknown.runs ??= flow.why ?? "";
    if (path.unknown !== undefined) {
      fact.unknown.loads = path.unknown;
      fact.unknown.runs ??= path.unknown;
    }
    walker.facts.push(fact);
    if (content.value === undefined || !isExact(content.value)) {
      scope.loaded = [...scope.loaded, ...fact.loads].slice(-MAX_LOADED);
      return { flows: content.flows, value: undefined };
    }
    const inner: Scope = { ...scope, via: [...scope.via, name], ...(rest.length > 0 && { positional: rest }) };
    const data = walker.runText(content.value.text, inner, streams);
    keepState(scope, inner);
    return data;
  };
}

function declare(name: string): Builtin {
  return (args, scope, streams, walker) => {
    assignWords(args, scope);
    const fact = add(name, args, scope, streams, walker);
    if (name === "export")
      for (const { text } of operandsOf(args)) {
        const variable = text.replace(/\+?=.*$/s, "");
        for (const value of scope.variables.get(variable)?.choices ?? []) runVariable(variable, value, scope, streams, walker);
      }
    if (operandsOf(args).length === 0 || args.some(({ text }) => /^-\w*p/.test(text))) addLoaded(fact, scope.loaded);
    // After it, two names are one variable. `export -n` is something else.
    const isReference = name !== "export" && args.some(({ text }) => /^-\w*n/.test(text));
    if (isReference) walker.addUnknown(`${name} -n makes one variable another name of a second one`, scope, streams);
    return noData;
  };
}

const builtins: { readonly [name: string]: Builtin } = {
  cd(args, scope, streams, walker) {
    add("cd", args, scope, streams, walker);
    changeDir(scope, operandsOf(args.filter(({ text }) => text !== "-"))[0] ?? args.find(({ text }) => text === "-"), walker.home);
    return noData;
  },
  pushd(args, scope, streams, walker) {
    add("pushd", args, scope, streams, walker);
    const [target] = operandsOf(args);
    const top = scope.dirStack.at(-1);
    if (target === undefined && top !== undefined) {
      scope.dirStack[scope.dirStack.length - 1] = scope.dir;
      scope.dir = top;
    } else if (target !== undefined && /^[+-]\d+$/.test(target.text))
      scope.dir = { path: "**", unknown: `the folder of pushd ${target.text} is not known` };
    else {
      scope.dirStack.push(scope.dir);
      changeDir(scope, target, walker.home);
    }
    return noData;
  },
  popd(args, scope, streams, walker) {
    add("popd", args, scope, streams, walker);
    scope.dir = args.length === 0 ? (scope.dirStack.pop() ?? scope.dir) : { path: "**", unknown: "the folder of popd is not known" };
    return noData;
  },
  export: declare("export"),
  declare: declare("declare"),
  typeset: declare("typeset"),
  local: declare("local"),
  readonly: declare("readonly"),
  unset(args, scope, streams, walker) {
    for (const { text } of operandsOf(args)) scope.variables.set(text, { choices: [literal("")] });
    for (const { text } of operandsOf(args)) scope.functions.delete(text);
    add("unset", args, scope, streams, walker);
    return noData;
  },
  read(args, scope, streams, walker) {
    const flows = streams.stdin?.flows.filter(({ from }) => from !== "literal");
    for (const { text } of operandsOf(args))
      if (/^[A-Za-z_]\w*$/.test(text))
        scope.variables.set(text, {
          choices: [unknownValue(`$${text}`, `the value that is read into ${text} is not known`, flows?.length ? flows : undefined)],
        });
    scope.variables.set("REPLY", { choices: [unknownValue("$REPLY", "the value that is read is not known")] });
    add("read", args, scope, streams, walker);
    return noData;
  },
  printf(args, scope, streams) {
    const [option, name, ...rest] = args;
    if (option?.text !== "-v" || name === undefined) return undefined;
    const printing = { args: rest, operands: rest, options: [], dir: scope.dir, input: streams.stdin ?? noData, nextTemporary: () => 0 };
    const value =
      printedText("printf", printing)?.value ?? unknownValue(`$${name.text}`, `the value that printf gives to ${name.text} is not known`);
    scope.variables.set(name.text, { choices: [value] });
    return undefined;
  },
  mapfile: readLines("mapfile"),
  readarray: readLines("readarray"),
  set(args, scope, streams, walker) {
    const end = args.findIndex(({ text }) => text === "--" || !/^[-+]\w/.test(text));
    if (end >= 0) scope.positional = args.slice(args[end]?.text === "--" ? end + 1 : end);
    const fact = add("set", args, scope, streams, walker);
    if (args.length === 0) addLoaded(fact, scope.loaded);
    return noData;
  },
  shift(args, scope, streams, walker) {
    scope.positional = scope.positional.slice(Number(args[0]?.text ?? 1) || 1);
    add("shift", args, scope, streams, walker);
    return noData;
  },
  alias(args, scope, streams, walker) {
    for (const { text, pattern } of args) {
      const at = text.indexOf("=");
      if (at > 0 && pattern === undefined) scope.aliases.set(text.slice(0, at), text.slice(at + 1));
    }
    add("alias", args, scope, streams, walker);
    return noData;
  },
  hash(args, scope, streams, walker) {
    const [option, path, name] = args;
    // After `hash -p path name`, the name runs the program at the path.
    if (option?.text === "-p" && path?.pattern === undefined && path !== undefined && name !== undefined)
      scope.aliases.set(name.text, path.text);
    add("hash", args, scope, streams, walker);
    return noData;
  },
  eval: (args, scope, streams, walker) =>
    evaluate("eval", joinWords(args[0]?.text === "--" ? args.slice(1) : args), scope, streams, walker),
  trap(args, scope, streams, walker) {
    const [text] = operandsOf(args);
    if (text === undefined || text.text === "-" || text.text === "") return noData;
    const run = () => evaluate("trap", text, fork(scope), streams, walker);
    // What runs at the end sees the variables that are set until then.
    const isAtEnd = args.some((arg) => /^(?:EXIT|0)$/i.test(arg.text));
    if (isAtEnd) walker.atEnd(run);
    return isAtEnd ? noData : run();
  },
  source: source("source"),
  ".": source("."),
  command(args, scope, streams, walker) {
    // `command -v rm` only names the program.
    if (/^-\w*[vV]/.test(args[0]?.text ?? "")) return undefined;
    return inSameShell("command", args, "", scope, streams, walker);
  },
  builtin: (args, scope, streams, walker) => inSameShell("builtin", args, "", scope, streams, walker),
  exec: (args, scope, streams, walker) => inSameShell("exec", args, "a", scope, streams, walker),
};

function readLines(name: string): Builtin {
  return (args, scope, streams, walker) => {
    const variable = operandsOf(args).at(-1)?.text ?? "MAPFILE";
    scope.variables.set(variable, {
      choices: [unknownValue(`$${variable}`, `the lines that are read into ${variable} are not known`, streams.stdin?.flows)],
    });
    add(name, args, scope, streams, walker);
    return noData;
  };
}
