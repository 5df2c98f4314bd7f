import type { CommandFact, Flow, PathFact } from "./facts.js";
import type { CompoundList, ParsedScript, SyntaxNode } from "./parse.js";
import { START } from "./paths.js";
import { concat, literal, type Value } from "./value.js";

/** Data on its way between commands: its origin, and its text where it can be computed. */
export interface Data {
  readonly flows: readonly Flow[];
  readonly value: Value | undefined;
  /** The names that it lists, if these are known as patterns. */
  readonly names?: readonly Value[];
}

export const noData: Data = { flows: [], value: literal("") };

export function unknownData(why: string): Data {
  return { flows: [{ from: "unknown", why }], value: undefined };
}

export function joinData(left: Data, right: Data): Data {
  if (left === noData) return right;
  if (right === noData) return left;
  const value = left.value === undefined || right.value === undefined ? undefined : concat(left.value, right.value);
  return { flows: [...left.flows, ...right.flows], value };
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
}

export const noStreams: Streams = { stdin: undefined, reads: [], writes: [], hosts: [], isRead: false };

/** What a variable may hold: one of several values, or the elements of an array. */
export interface Variable {
  readonly choices: readonly Value[];
  readonly elements?: readonly Value[];
}

export type FunctionBody = SyntaxNode | CompoundList;

/** The state of a shell at one place of a text. */
export interface Scope {
  readonly variables: Map<string, Variable>;
  /** Several bodies if branches define a function differently. */
  readonly functions: Map<string, readonly FunctionBody[]>;
  readonly aliases: Map<string, string>;
  /** Files written so far, by path. Shared with subshells. */
  readonly files: Map<string, Data>;
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
    variables: new Map(),
    functions: new Map(),
    aliases: new Map(),
    files: new Map(),
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

/** Most maps of a scope are empty, and to go through an empty one costs more than to make one. */
function copyOf<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  return map.size === 0 ? new Map() : new Map(map);
}

/** A copy whose changes stay inside. */
export function fork(scope: Scope, changes: Partial<Scope> = {}): Scope {
  return {
    ...scope,
    variables: copyOf(scope.variables),
    functions: copyOf(scope.functions),
    aliases: copyOf(scope.aliases),
    dirStack: [...scope.dirStack],
    ...changes,
  };
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
  /** False when the text has used up what may be spent on it. */
  spend(): boolean;
  /** Adds a command of which only this reason is known. */
  addUnknown(why: string, scope: Scope, streams: Streams): void;
}
