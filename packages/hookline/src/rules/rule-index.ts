import type { Bus } from "@hookline/core";
import { compilePath, compileToolScope, pathsIn, type Reader, requiredTexts, type TextCondition, toText } from "@hookline/core/internal";
import { indexPathLists, type PathListIndex, type PathTest } from "../commands/path-list.js";
import type { RuleHandler } from "./actions.js";
import { type CommandQuestion, commandIndexOf } from "./command/command-index.js";
import { namedPaths, secretsIn } from "./command/condition.js";
import { readsFacts } from "./command/expression-facts.js";
import { createLiteralSearch, type LiteralSearch, searchablePart } from "./regex/literal-search.js";
import { requiredLiterals } from "./regex/required-literals.js";
import { ruleRegex } from "./regex/rule-regex.js";
import type { Rule } from "./rule.js";

/** What a payload must have for a rule to match it: one of these. */
export interface RuleNeeds {
  readonly question?: CommandQuestion;
  readonly paths?: PathTest;
  readonly secrets?: readonly string[];
  readonly texts?: readonly TextNeed[];
  /** All paths that the rule reads. If one cannot be read, the rule reports it. */
  readonly reads?: readonly string[];
  /** The names of tools, if nothing else is needed. */
  readonly isFor?: ReturnType<typeof compileToolScope>;
}

interface TextNeed {
  readonly path: string;
  /** The text at the path contains one of them, in whatever case. */
  readonly literals: readonly string[];
}

/** Finds the rules for one event that a payload can concern. */
export interface RuleIndex {
  /** All other rules do not match the payload. */
  readonly find: (payload: unknown) => readonly RuleHandler[];
  add(handler: RuleHandler, needs: RuleNeeds): () => void;
}

const indexes = new WeakMap<Bus, Map<string, RuleIndex>>();

/** The index that all rules of a bus for an event share. */
export function ruleIndexOf(bus: Bus, event: string): RuleIndex {
  const ofBus = indexes.get(bus) ?? new Map<string, RuleIndex>();
  indexes.set(bus, ofBus);
  const known = ofBus.get(event);
  if (known !== undefined) return known;
  const made = createRuleIndex(bus);
  ofBus.set(event, made);
  return made;
}

/** What `match` needs. Undefined if it can hold for every payload. */
export function needsOfMatch(match: Rule["match"]): RuleNeeds | undefined {
  // What a fact says may not be known, and then the rule asks.
  if (match === undefined || match.trim() === "*" || readsFacts(match)) return undefined;
  const texts = requiredTexts(match, worthOf)?.map((condition) => ({ path: condition.path, literals: literalsOf(condition) }));
  if (texts === undefined) return { isFor: compileToolScope({ match }, ruleRegex) };
  return { texts, reads: pathsIn({ match }).map(({ path }) => path) };
}

/** The longer the shortest literal, the fewer texts have it. */
export function worthOf(condition: TextCondition): number {
  const lengths = literalsOf(condition).map(({ length }) => length);
  return lengths.length === 0 ? 0 : Math.min(...lengths);
}

/** Literals of which the text has one. None if that is not known. */
export function literalsOf({ sign, value }: TextCondition): readonly string[] {
  const literals = (sign === "=~" ? (requiredLiterals(value)?.literals ?? []) : [value]).map(searchablePart);
  return literals.includes("") ? [] : literals;
}

/** Below this many rules, to search for each literal by itself is faster. */
const FEW = 8;
/** Tools' names come from outside; past this many the index of names starts again. */
const MAX_NAMES = 256;

interface Entry {
  readonly handler: RuleHandler;
  readonly needs: RuleNeeds;
  /** The search that found it last. */
  search: number;
}

/** The entries, sorted by what they need. */
interface Sorted {
  readonly always: readonly Entry[];
  readonly questions: ReadonlyMap<CommandQuestion, readonly Entry[]>;
  readonly paths: { readonly entries: readonly Entry[]; readonly index: PathListIndex } | undefined;
  readonly secrets: ReadonlyMap<string, readonly Entry[]>;
  readonly texts: readonly { readonly read: Reader; readonly entries: readonly Entry[]; readonly search: LiteralSearch }[];
  readonly reads: readonly Reader[];
  readonly named: readonly Entry[];
  readonly byName: Map<string, readonly Entry[]>;
}

const none: readonly RuleHandler[] = [];

function createRuleIndex(bus: Bus): RuleIndex {
  const commands = commandIndexOf(bus);
  const entries = new Set<Entry>();
  let sorted: Sorted | undefined;
  let search = 0;
  return {
    add(handler, needs) {
      const entry = { handler, needs, search: 0 };
      entries.add(entry);
      sorted = undefined;
      return () => {
        entries.delete(entry);
        sorted = undefined;
      };
    },
    find(payload) {
      sorted ??= sort([...entries]);
      search++;
      let found = none;
      const take = (some: readonly Entry[]): void => {
        for (const entry of some) {
          if (entry.search === search) continue;
          entry.search = search;
          if (found === none) found = [entry.handler];
          else (found as RuleHandler[]).push(entry.handler);
        }
      };
      const { always, questions, paths, secrets, texts, reads, named, byName } = sorted;
      if (always.length > 0) take(always);
      if (questions.size > 0) for (const question of commands.concerned(payload)) take(questions.get(question) ?? []);
      if (paths !== undefined) take(aboutPaths(paths, payload));
      if (secrets.size > 0) for (const name of secretsIn(payload)) take(secrets.get(name) ?? []);
      for (const { read, entries: list, search: searchIn } of texts) {
        const text = toText(read(payload));
        if (text !== "") take(searchIn(text).map((number) => list[number] as Entry));
      }
      for (const read of reads) toText(read(payload));
      if (named.length > 0) take(aboutNames(named, byName, payload));
      return found;
    },
  };
}

function sort(entries: readonly Entry[]): Sorted {
  const always: Entry[] = [];
  const questions = new Map<CommandQuestion, Entry[]>();
  const secrets = new Map<string, Entry[]>();
  const byPath = new Map<string, { readonly entry: Entry; readonly literals: readonly string[] }[]>();
  for (const entry of entries) {
    const { question, secrets: names = [], texts = [] } = entry.needs;
    if (question !== undefined) push(questions, question, entry);
    for (const name of names) push(secrets, name, entry);
    for (const { path, literals } of texts) push(byPath, path, { entry, literals });
  }
  for (const [path, needs] of byPath)
    if (needs.length < FEW) {
      always.push(...needs.map(({ entry }) => entry));
      byPath.delete(path);
    }
  const withPaths = entries.filter(({ needs }) => needs.paths !== undefined);
  return {
    always,
    questions,
    secrets,
    paths:
      withPaths.length === 0
        ? undefined
        : { entries: withPaths, index: indexPathLists(withPaths.flatMap(({ needs }) => needs.paths ?? [])) },
    texts: [...byPath].map(([path, needs]) => ({
      read: compilePath(path),
      entries: needs.map(({ entry }) => entry),
      search: createLiteralSearch(needs.map(({ literals }) => literals)),
    })),
    reads: [...new Set(entries.flatMap(({ needs: { reads = [] } }) => reads))]
      .filter((path) => !byPath.has(path))
      .map((path) => compilePath(path)),
    named: entries.filter(({ needs }) => needs.isFor !== undefined),
    byName: new Map(),
  };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function aboutPaths({ entries, index }: NonNullable<Sorted["paths"]>, payload: unknown): readonly Entry[] {
  const { paths, use } = namedPaths(payload);
  const found: number[] = [];
  for (const path of paths) if (!index.find(path, use, found)) return entries;
  return found.map((number) => entries[number] as Entry);
}

/** The rules for a tool, by its name. A bare word of an expression may also be the payload's `target`. */
function aboutNames(named: readonly Entry[], byName: Map<string, readonly Entry[]>, payload: unknown): readonly Entry[] {
  const { tool, target } = payload as {
    readonly tool?: { readonly name?: unknown; readonly runtimeName?: unknown };
    readonly target?: unknown;
  };
  const name = tool?.name;
  if (typeof name !== "string" || tool?.runtimeName !== undefined || target !== undefined) return named;
  const known = byName.get(name);
  if (known !== undefined) return known;
  const made = named.filter(({ needs }) => needs.isFor?.({ name }) !== false);
  if (byName.size >= MAX_NAMES) byName.clear();
  byName.set(name, made);
  return made;
}
