import type { PathFact } from "./facts.js";
import { type Assignment, faultOf, forEachScript, type ParsedScript, type SyntaxNode } from "./parse.js";
import { fork, MAX_CHOICES, type Scope, type Streams, type Walker } from "./scope.js";
import { concat, concatAll, isExact, literal, unknownValue, type Value } from "./value.js";
import { expandToOne, expandWords, MAX_WORDS, type Shell } from "./words.js";

/** Which of its choices each variable has in one run of a command. */
type Picks = ReadonlyMap<string, number>;

/** As many combinations of choices are tried for one command. */
const MAX_PICKS = MAX_CHOICES * MAX_CHOICES;

/** The shell of one place: its variables, with one choice for each that branches have set differently. */
export class ScopeShell implements Shell {
  readonly #walker: Walker;
  readonly #scope: Scope;
  readonly #streams: Streams;
  readonly #picks: Picks;
  /** Made for the first variable with a choice: hardly a command has one. */
  #open: Map<string, number> | undefined;

  constructor(walker: Walker, scope: Scope, streams: Streams, picks: Picks) {
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
    if (found === undefined) return this.#builtIn(name) ?? this.#loaded(name);
    if (found.elements !== undefined) return found.elements[0];
    if (found.choices.length > 1) {
      this.#open ??= new Map();
      this.#open.set(name, found.choices.length);
    }
    return found.choices[this.#picks.get(name) ?? 0] ?? found.choices[0];
  }

  /** The combinations of choices that this shell did not take, and whether these are all. Undefined if there was nothing to choose. */
  otherPicks(): { readonly picks: readonly Picks[]; readonly areAll: boolean } | undefined {
    if (this.#open === undefined) return undefined;
    let all: Picks[] = [new Map()];
    for (const [name, count] of this.#open) {
      // Each variable multiplies them, so no more are made than are tried.
      if (all.length * count > MAX_PICKS) return { picks: all.slice(1), areAll: false };
      all = all.flatMap((picks) => Array.from({ length: count }, (_, at) => new Map(picks).set(name, at)));
    }
    return { picks: all.slice(1), areAll: true };
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
      this.#walker.guess(script, text.replace(/^(?:\$\(|`)|[)`]$/g, ""), fault ?? "", fork(this.#scope), this.#streams);
      return unknownValue(text, fault ?? "");
    }
    const data = this.#walker.runScript(script, fork(this.#scope), { ...this.#streams, isRead: true });
    const { value, flows, names } = data;
    const origin = flows.filter(({ from }) => from !== "literal");
    if (names !== undefined) {
      const [first] = names;
      const whole =
        first !== undefined && names.length === 1 ? { ...first, text } : unknownValue(text, `the output of ${text} is not known`);
      return { ...whole, names };
    }
    if (value === undefined) {
      const unknown = unknownValue(text, `the output of ${text} is not known`, origin.length > 0 ? origin : undefined);
      return data.isSetup === true ? { ...unknown, isSetup: true } : unknown;
    }
    const trimmed = isExact(value)
      ? { ...value, text: value.text.replace(/\n+$/, "") }
      : { ...value, text, pattern: value.pattern?.replace(/\n+$/, "") };
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

  spend(steps?: number): boolean {
    return this.#walker.spend(steps);
  }

  inside(node: SyntaxNode): void {
    forEachScript(node, (script) => void this.#walker.runScript(script, fork(this.#scope), this.#streams));
  }

  /** A variable that the text does not set may be one of a file that it has loaded. */
  #loaded(name: string): Value | undefined {
    const { loaded } = this.#scope;
    if (loaded.length === 0) return undefined;
    const flows = loaded.map((path) => ({ from: "file" as const, path }));
    return unknownValue(`$${name}`, `the variable ${name} is not set in the command`, flows);
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

export function assign({ name, value, append, index }: Assignment, scope: Scope, shell: Shell): void {
  if (value.type === "ArrayValue") {
    const elements = expandWords(value.elements, shell, append === true ? shell.elements(name) : []);
    const isLong = elements.length > MAX_WORDS;
    scope.variables.set(
      name,
      isLong ? { choices: [unknownValue(`$${name}`, `${name} has more than ${MAX_WORDS} elements`)] } : { choices: [], elements },
    );
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
export function assignmentWord({ name, value, text, append }: Assignment, shell: Shell): Value {
  if (value.type === "ArrayValue") return unknownValue(text, "the elements of an array");
  return concatAll([literal(`${name}${append === true ? "+" : ""}=`), expandToOne(value, shell)]);
}
