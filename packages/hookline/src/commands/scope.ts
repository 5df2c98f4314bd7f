import type { CommandFact, Flow, PathFact } from "./facts.js";
import type { CompoundList, ParsedScript, SyntaxNode } from "./parse.js";
import { START } from "./paths.js";
import { concat, joinFlows, literal, unknownValue, type Value } from "./value.js";

/** Values of a variable that branches set. */
export const MAX_CHOICES = 8;

/** Data on its way between commands: its origin, and its text where it can be computed. */
export interface Data {
  readonly flows: readonly Flow[];
  readonly value: Value | undefined;
  /** The names that it lists, if these are known as patterns. */
  readonly names?: readonly Value[];
  /** See `Value`. */
  readonly isSetup?: boolean;
  /** The commands whose output it is, if that is not known. */
  readonly printedBy?: string;
}

export const noData: Data = { flows: [], value: literal("") };

export function unknownData(why: string): Data {
  return { flows: [{ from: "unknown", why }], value: undefined };
}

export function joinData(left: Data, right: Data): Data {
  if (left === noData) return right;
  if (right === noData) return left;
  const value = left.value === undefined || right.value === undefined ? undefined : concat(left.value, right.value);
  return { flows: joinFlows(left.flows, right.flows), value };
}

/** What a command is connected to. */
export interface Streams {
  /** Undefined: the input of the whole call, from which nothing is read. */
  readonly stdin: Data | undefined;
  /** Files of redirections, of the command itself and of the groups around it. */
  readonly reads: readonly PathFact[];
  readonly writes: readonly PathFact[];
  /** Hosts of `/dev/tcp/host/port`. */
  readonly hosts: readonly string[];
  /** Whether another command or a file gets the output, so that it is worth computing. */
  readonly isRead: boolean;
  /** The file that gets the output, if a redirection of the command itself says so. */
  readonly output: PathFact | undefined;
  /** What can be read from other descriptors: `3< file`. */
  readonly descriptors: ReadonlyMap<number, Data>;
}

const noDescriptors: ReadonlyMap<number, Data> = new Map();

export const noStreams: Streams = {
  stdin: undefined,
  reads: [],
  writes: [],
  hosts: [],
  isRead: false,
  output: undefined,
  descriptors: noDescriptors,
};

/** What `exec` without a command has connected the shell to, and so the commands that it runs afterwards. */
export function withOpened(streams: Streams, opened: Streams | undefined): Streams {
  if (opened === undefined) return streams;
  const { stdin, hosts, descriptors, output } = opened;
  return {
    ...streams,
    stdin: streams.stdin ?? stdin,
    hosts: [...new Set([...streams.hosts, ...hosts])],
    isRead: streams.isRead || output !== undefined,
    descriptors: streams.descriptors.size === 0 ? descriptors : new Map([...descriptors, ...streams.descriptors]),
  };
}

/** What a variable may hold: one of several values, or the elements of an array. */
interface Variable {
  readonly choices: readonly Value[];
  readonly elements?: readonly Value[];
}

/** Names and what they stand for. Most scopes set none, and a copy shares them with its original until one of the two changes: that costs nothing. */
class Names<V> {
  #map: Map<string, V> | undefined;
  #isShared = false;
  /** Whether one of them has several choices. */
  hasChoices = false;

  get size(): number {
    return this.#map?.size ?? 0;
  }

  get(name: string): V | undefined {
    return this.#map?.get(name);
  }

  has(name: string): boolean {
    return this.#map?.has(name) === true;
  }

  set(name: string, value: V): this {
    this.#own().set(name, value);
    return this;
  }

  delete(name: string): void {
    if (this.has(name)) this.#own().delete(name);
  }

  [Symbol.iterator](): Iterator<[string, V]> {
    return (this.#map ?? new Map<string, V>())[Symbol.iterator]();
  }

  copy(): Names<V> {
    const copy = new Names<V>();
    if (this.size === 0) return copy;
    copy.#map = this.#map;
    copy.#isShared = this.#isShared = true;
    copy.hasChoices = this.hasChoices;
    return copy;
  }

  #own(): Map<string, V> {
    if (this.#map === undefined || this.#isShared) this.#map = new Map(this.#map);
    this.#isShared = false;
    return this.#map;
  }
}

export type FunctionBody = SyntaxNode | CompoundList;

/** The state of a shell at one place of a text. */
export interface Scope {
  readonly variables: Names<Variable>;
  /** Several bodies if branches define a function differently. */
  readonly functions: Names<readonly FunctionBody[]>;
  readonly aliases: Names<string>;
  /** Files written so far, by path. Shared with subshells. */
  readonly files: Names<Data>;
  /** Links made so far, by path, and where they lead. Shared with subshells. */
  readonly links: Names<string>;
  /** Folders that were unpacked or cloned, by path, and where what is in them comes from. */
  readonly folders: Names<Data>;
  /** What `exec` without a command has connected this shell to. */
  opened: Streams | undefined;
  /** Files whose variables the shell, or the command in it, has got. */
  loaded: readonly PathFact[];
  positional: readonly Value[];
  dir: PathFact;
  previousDir: PathFact | undefined;
  readonly dirStack: PathFact[];
  readonly via: readonly string[];
  readonly privileged: boolean;
  /** The bodies of functions, and the names of aliases, that are being called. */
  readonly calls: readonly (FunctionBody | string)[];
  /** The depth of scripts inside scripts. */
  depth: number;
}

export function createScope(dir: PathFact = { path: START }): Scope {
  return {
    variables: new Names(),
    functions: new Names(),
    aliases: new Names(),
    files: new Names(),
    links: new Names(),
    folders: new Names(),
    opened: undefined,
    loaded: [],
    positional: [],
    dir,
    previousDir: undefined,
    dirStack: [],
    via: [],
    privileged: false,
    calls: [],
    depth: 0,
  };
}

/** A copy whose changes stay inside. */
export function fork(scope: Scope, changes: Partial<Scope> = {}): Scope {
  return {
    ...scope,
    variables: scope.variables.copy(),
    functions: scope.functions.copy(),
    aliases: scope.aliases.copy(),
    dirStack: [...scope.dirStack],
    ...changes,
  };
}

/** Keeps what a command in the same shell, whose scope is a copy, has changed besides variables. */
export function keepState(scope: Scope, { dir, previousDir, loaded, opened }: Scope): void {
  Object.assign(scope, { dir, previousDir, loaded, opened } satisfies Partial<Scope>);
}

/** The variables and functions of a scope, to see whether something has changed. */
export function stateOf({ variables, functions, dir }: Scope): string {
  const values = [...variables].map(([name, { choices, elements = [] }]) => [
    name,
    ...[...choices, ...elements].map(({ text, pattern = "" }) => text + pattern),
  ]);
  return JSON.stringify([values, [...functions].map(([name, bodies]) => [name, bodies.length]), dir.path]);
}

/** Afterwards the scope may be any of these. */
export function joinScopes(scope: Scope, ends: readonly Scope[]): void {
  const [first, ...others] = ends;
  if (first === undefined) return;
  const dirs = new Set(ends.map(({ dir }) => dir.path));
  scope.dir = dirs.size === 1 ? first.dir : { path: "**", unknown: "the folder depends on a condition" };
  scope.loaded = ends.length === 1 ? first.loaded : [...new Set(ends.flatMap(({ loaded }) => loaded))];
  scope.opened = ends.findLast(({ opened }) => opened !== undefined)?.opened;
  scope.positional = joinPositional(ends.map(({ positional }) => positional));
  const names = new Set(ends.flatMap(({ variables }) => Array.from(variables, ([name]) => name)));
  const joined = [...names].map((name): [string, Variable | undefined] => [
    name,
    joinVariable(
      ends.map(({ variables }) => variables.get(name)),
      name,
    ),
  ]);
  const functions = ends.flatMap((end) => [...end.functions]);
  for (const [name, variable] of joined) if (variable !== undefined) setVariable(scope, name, variable);
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

function setVariable({ variables }: Scope, name: string, variable: Variable): void {
  variables.set(name, variable);
  variables.hasChoices ||= variable.choices.length > 1;
}

/** A variable that had a value before `a && X=b` has it afterwards too, if `a` failed. One that had none counts as set. */
export function keepSkipped(scope: Scope, skipped: Scope["variables"] | undefined): void {
  for (const [name, before] of skipped ?? []) {
    const joined = joinVariable([scope.variables.get(name), before], name);
    if (joined !== undefined && joined !== scope.variables.get(name)) setVariable(scope, name, joined);
  }
}

/** What each of several runs of a command has written into the same file. */
export function joinFiles(files: Scope["files"], others: readonly Scope["files"][]): void {
  for (const other of others)
    for (const [path, data] of other) {
      const known = files.get(path);
      if (known !== data) files.set(path, known === undefined ? data : joinData(known, data));
    }
}

function joinPositional([first = [], ...others]: readonly (readonly Value[])[]): readonly Value[] {
  const differing = others.filter((one) => one !== first);
  if (differing.length === 0) return first;
  const length = Math.max(first.length, ...differing.map((one) => one.length));
  return Array.from({ length }, (_, at) => {
    const value = first[at];
    const isSame = value !== undefined && differing.every((one) => one[at]?.text === value.text && one[at]?.pattern === value.pattern);
    return isSame ? value : unknownValue(`$${at + 1}`, `the positional parameter ${at + 1} depends on a condition`);
  });
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

/** What the parts of the walk need of each other. */
export interface Walker {
  readonly facts: CommandFact[];
  readonly home: string;
  /** Runs text as a script. The scope is changed as by `eval`. */
  runText(text: string, scope: Scope, streams: Streams): Data;
  runScript(script: ParsedScript, scope: Scope, streams: Streams): Data;
  /** Runs the words of one command. */
  runWords(words: readonly Value[], scope: Scope, streams: Streams): Data;
  runFunction(body: FunctionBody, scope: Scope, streams: Streams): Data;
  /** Runs something after the whole text, as `trap … EXIT` does. */
  atEnd(run: () => void): void;
  /** A number that no other call gets: two temporary files are not one. */
  nextTemporary(): number;
  /** False when the text has used up what may be spent on it. */
  spend(steps?: number): boolean;
  /** Adds what a text may run that does not parse. The script is what the parser makes of it. */
  guess(script: ParsedScript | undefined, text: string, why: string, scope: Scope, streams: Streams): Data;
  /** Adds a command of which only this reason is known. */
  addUnknown(why: string, scope: Scope, streams: Streams): void;
}
