import type { ArgFact, CommandFact, FactName, Flow, GitFact, PathFact } from "./facts.js";
import { anything } from "./possible-facts.js";
import type { Scope, Streams, Walker } from "./scope.js";
import type { Value } from "./value.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** Collects what one command does. */
export interface FactBuilder extends Mutable<Omit<CommandFact, "unknown" | "via" | "git">> {
  readonly via: readonly string[];
  git?: GitFact;
  unknown: { [name in FactName]?: string };
}

export function createFact(program: string, scope: Scope, streams: Streams): FactBuilder {
  return {
    program,
    family: program,
    args: [],
    options: [],
    operands: [],
    via: scope.via,
    privileged: scope.privileged,
    dir: scope.dir,
    reads: streams.reads.slice(),
    loads: [],
    writes: streams.writes.slice(),
    redirects: streams.writes.slice(),
    deletes: [],
    changes: [],
    recursive: false,
    hosts: streams.hosts.slice(),
    sends: [],
    receives: false,
    stdin: streams.stdin?.flows.slice() ?? [],
    runs: [],
    verb: "",
    target: [],
    sql: [],
    destroys: [],
    forks: false,
    unknown: scope.dir.unknown === undefined ? {} : { dir: scope.dir.unknown },
  };
}

/** Every fact about what a program does. A command of which the program is not known leaves all of them open. */
const doings: readonly FactName[] = ["program", "family", "args", "options", "operands", ...anything, "forks"];

function leaveOpen(fact: FactBuilder, why: string): void {
  for (const name of doings) fact.unknown[name] ??= why;
}

/** A command whose program is not known, so nothing else about it is. */
export function addUnknownCommand(why: string, scope: Scope, streams: Streams, walker: Walker, args: readonly Value[] = []): void {
  const fact = createFact("", scope, streams);
  leaveOpen(fact, why);
  fact.args.push(...args.map(argOf));
  walker.facts.push(fact);
}

/** What depends on options or on a subcommand that is not known: `possible` of it, or everything. */
export function leaveEffectsOpen(fact: FactBuilder, why: string, possible?: ReadonlySet<FactName>): void {
  for (const name of doings)
    if (name !== "program" && name !== "family" && name !== "args" && name !== "forks" && possible?.has(name) !== false)
      fact.unknown[name] ??= why;
}

export function argOf({ text, unknown }: Value): ArgFact {
  return unknown === undefined ? { text } : { text, unknown };
}

/** The facts that list paths. */
export type PathList = "reads" | "loads" | "writes" | "deletes" | "changes";

export function addPath(fact: FactBuilder, list: PathList, path: PathFact): void {
  if (path.unknown !== undefined) fact.unknown[list] ??= path.unknown;
  fact[list].push(path);
}

/** To show variables that were loaded is to read their files. */
export function addLoaded(fact: FactBuilder, loaded: readonly PathFact[]): void {
  for (const path of loaded) if (!fact.reads.includes(path)) addPath(fact, "reads", path);
}

export function addFlows(fact: FactBuilder, list: "sends" | "runs", flows: readonly Flow[]): void {
  for (const flow of flows) {
    if (flow.from === "unknown") fact.unknown[list] ??= flow.why ?? "its origin is not known";
    fact[list].push(flow);
  }
}
