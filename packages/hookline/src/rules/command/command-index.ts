import type { Bus } from "@hookline/core";
import { commandsOf } from "../../commands/commands-of.js";
import type { CommandFact } from "../../commands/facts.js";
import { indexPathLists, type PathListIndex } from "../../commands/path-list.js";
import {
  type ActedOn,
  type Answer,
  actedOn,
  type CompiledTable,
  type FactList,
  factLists,
  isDoubt,
  isPathList,
  pathUseOf,
} from "./command-table.js";

/** The tables of one rule. */
export interface CommandQuestion {
  readonly tables: readonly CompiledTable[];
  /** Every command must fit a table, and be known. Otherwise one is enough. */
  readonly isAboutAll: boolean;
}

/** Answers the questions that rules have about commands. */
export interface CommandIndex {
  /** From now on the question is answered together with the others. */
  add(question: CommandQuestion): () => void;
  /** Whether one of the commands fits a table. */
  answer(question: CommandQuestion, payload: unknown): Answer;
  /** The questions whose answer may be another than no. */
  concerned(payload: unknown): Iterable<CommandQuestion>;
  /** Whether every command fits a table, and is known. */
  fitsAll(question: CommandQuestion, payload: unknown): Answer;
}

const indexes = new WeakMap<Bus, CommandIndex>();

/** The index of a bus: all its rules share it, so a call is looked at once. */
export function commandIndexOf(bus: Bus): CommandIndex {
  const known = indexes.get(bus);
  if (known !== undefined) return known;
  const made = createCommandIndex();
  indexes.set(bus, made);
  return made;
}

type Entry = readonly [question: CommandQuestion, table: CompiledTable];

/** The tables that can hold for a command, by what they need. */
interface Tables {
  readonly byProgram: ReadonlyMap<string, Subcommands>;
  readonly byFact: readonly FactTables[];
  readonly others: readonly Entry[];
  readonly isEmpty: boolean;
}

/** The tables for a program. */
interface Subcommands {
  readonly all: readonly Entry[];
  /** By the first word of the subcommand; those for any subcommand are in each list. */
  readonly byVerb: ReadonlyMap<string, VerbTables>;
  readonly anyVerb: VerbTables;
}

/** The tables for a subcommand. */
interface VerbTables {
  readonly all: readonly Entry[];
  /** Those that say what it must act on, by that word, as places in the list; and the others. Undefined if there are few of them. */
  readonly byWord: ReadonlyMap<ActedOn, ReadonlyMap<string, readonly number[]>> | undefined;
  readonly others: readonly number[];
  readonly otherEntries: readonly Entry[];
}

/** The tables for a fact. */
interface FactTables {
  readonly name: FactList;
  readonly all: readonly Entry[];
  /** For a fact that lists paths: which of the tables are about a path. */
  readonly paths: PathListIndex | undefined;
}

const noEntries: readonly Entry[] = [];
const noQuestions: readonly CommandQuestion[] = [];

function createCommandIndex(): CommandIndex {
  const questions = new Set<CommandQuestion>();
  let tables: { readonly any: Tables; readonly all: Tables } | undefined;
  let last: Call | undefined;
  let lastFacts: readonly CommandFact[] | undefined;
  let answers: ReadonlyMap<CommandQuestion, Answer> = new Map();
  let concerned: readonly CommandQuestion[] = [];
  return {
    add(question) {
      questions.add(question);
      [tables, last, lastFacts] = [undefined, undefined, undefined];
      return () => {
        questions.delete(question);
        [tables, last, lastFacts] = [undefined, undefined, undefined];
      };
    },
    answer(question, payload) {
      if (last === undefined || !isSameCall(last, payload)) look(payload);
      return answers.size > 0 && (answers.get(question) ?? false);
    },
    concerned(payload) {
      if (last === undefined || !isSameCall(last, payload)) look(payload);
      return concerned;
    },
    fitsAll(question, payload) {
      const facts = commandsOf({ payload });
      return facts.length > 0 && fitsAll(question, facts, cwdOf(payload));
    },
  };

  function look(payload: unknown): void {
    const facts = commandsOf({ payload });
    last = callOf(payload);
    if (facts === lastFacts) return;
    tables ??= { any: sortTables(questions, false), all: sortTables(questions, true) };
    const cwd = cwdOf(payload);
    answers = answerAll(facts, tables.any, cwd);
    // What every command must fit, the first one must fit.
    const fitting = answerAll(facts.slice(0, 1), tables.all, cwd);
    concerned = answers.size + fitting.size === 0 ? noQuestions : [...answers.keys(), ...fitting.keys()];
    lastFacts = facts;
  }
}

/** What a call is told by from rule to rule. To ask for the facts each time would cost more than all answers together. */
interface Call {
  readonly payload: object;
  readonly input: object;
  readonly command: string;
}

function callOf(payload: unknown): Call | undefined {
  const input = (payload as { readonly tool?: { readonly input?: { readonly command?: unknown } } } | null)?.tool?.input;
  const command = input?.command;
  return typeof command === "string" ? { payload: payload as object, input: input as object, command } : undefined;
}

function isSameCall({ payload, input, command }: Call, other: unknown): boolean {
  if (payload !== other) return false;
  const { tool } = payload as { readonly tool: { readonly input: { readonly command?: unknown } } };
  return tool.input === input && tool.input.command === command;
}

function cwdOf(payload: unknown): string | undefined {
  const cwd: unknown = (payload as { readonly cwd?: unknown }).cwd;
  return typeof cwd === "string" && cwd.startsWith("/") ? cwd : undefined;
}

function sortTables(questions: ReadonlySet<CommandQuestion>, isAboutAll: boolean): Tables {
  const byProgram = new Map<string, Entry[]>();
  const byFact = new Map<FactList, Entry[]>();
  const others: Entry[] = [];
  for (const question of questions)
    for (const table of question.isAboutAll === isAboutAll ? question.tables : []) {
      const entry: Entry = [question, table];
      if (table.programs !== undefined) for (const program of table.programs) push(byProgram, program, entry);
      else if (table.needs !== undefined) push(byFact, table.needs, entry);
      else others.push(entry);
    }
  return {
    byProgram: new Map([...byProgram].map(([program, entries]) => [program, bySubcommand(entries)])),
    // In a fixed order: the first reason why something is not known is the one that is shown.
    byFact: factLists.filter((name) => byFact.has(name)).map((name) => tablesOf(name, byFact.get(name) ?? [])),
    others,
    isEmpty: byProgram.size + byFact.size + others.length === 0,
  };
}

function bySubcommand(all: readonly Entry[]): Subcommands {
  const verbs = new Set(all.flatMap(([, table]) => table.verbs ?? []));
  const isFor = (verb: string | undefined) =>
    byActedOn(all.filter(([, table]) => table.verbs === undefined || (verb !== undefined && table.verbs.includes(verb))));
  return { all, byVerb: new Map([...verbs].map((verb) => [verb, isFor(verb)])), anyVerb: isFor(undefined) };
}

/** Below this many tables, to ask each is faster. */
const FEW = 8;

function byActedOn(all: readonly Entry[]): VerbTables {
  const byWord = new Map<ActedOn, Map<string, number[]>>();
  const others: number[] = [];
  for (const [place, [, { actsOn }]] of all.entries()) {
    if (actsOn === undefined) others.push(place);
    else {
      const words = byWord.get(actsOn.list) ?? new Map<string, number[]>();
      byWord.set(actsOn.list, words);
      for (const text of actsOn.texts) push(words, text, place);
    }
  }
  const isWorthIt = all.length - others.length >= FEW;
  return { all, byWord: isWorthIt ? byWord : undefined, others, otherEntries: others.map((place) => all[place] as Entry) };
}

function tablesOf(name: FactList, all: readonly Entry[]): FactTables {
  const tests = all.flatMap(([, { paths }]) => paths ?? []);
  return { name, all, paths: tests.length === all.length ? indexPathLists(tests) : undefined };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

const noAnswers: ReadonlyMap<CommandQuestion, Answer> = new Map();

function answerAll(facts: readonly CommandFact[], tables: Tables, cwd: string | undefined): ReadonlyMap<CommandQuestion, Answer> {
  if (tables.isEmpty) return noAnswers;
  const answers = new Map<CommandQuestion, Answer>();
  const ask = (entries: readonly Entry[], fact: CommandFact): void => {
    for (const [question, table] of entries) {
      const known = answers.get(question);
      if (known === true) continue;
      const answer = table.test(fact, cwd);
      if (answer !== false && (answer === true || known === undefined || isDoubt(answer))) answers.set(question, answer);
    }
  };
  for (const fact of facts) {
    ask(tables.others, fact);
    for (const entries of tables.byFact)
      if (fact[entries.name].length > 0 || fact.unknown[entries.name] !== undefined) ask(entriesForFact(entries, fact, cwd), fact);
    if (fact.program === "") for (const { all } of tables.byProgram.values()) ask(all, fact);
    else ask(entriesForVerb(tables.byProgram.get(fact.program.toLowerCase()), fact), fact);
    if (fact.family !== fact.program) ask(entriesForVerb(tables.byProgram.get(fact.family.toLowerCase()), fact), fact);
  }
  return answers;
}

/** The tables that are about one of the paths, in their order. */
function entriesForFact({ name, all, paths }: FactTables, fact: CommandFact, cwd: string | undefined): readonly Entry[] {
  if (paths === undefined || !isPathList(name) || fact.unknown[name] !== undefined || fact.program === "") return all;
  const found: number[] = [];
  const use = pathUseOf(fact, name, cwd);
  for (const path of fact[name]) if (!paths.find(path, use, found)) return all;
  return found.length === 0 ? noEntries : inOrder(all, found);
}

function inOrder(all: readonly Entry[], places: readonly number[]): readonly Entry[] {
  return [...new Set(places)].sort((a, b) => a - b).map((place) => all[place] as Entry);
}

function entriesForVerb(entries: Subcommands | undefined, fact: CommandFact): readonly Entry[] {
  if (entries === undefined) return noEntries;
  if (fact.program === "" || fact.unknown.verb !== undefined) return entries.all;
  const { verb } = fact;
  const end = verb.indexOf(" ");
  return entriesForWords(entries.byVerb.get((end < 0 ? verb : verb.slice(0, end)).toLowerCase()) ?? entries.anyVerb, fact);
}

/** The tables that can hold for what the subcommand acts on. */
function entriesForWords({ all, byWord, others, otherEntries }: VerbTables, fact: CommandFact): readonly Entry[] {
  if (byWord === undefined) return all;
  let found: number[] | undefined;
  for (const [list, places] of byWord) {
    const words = actedOn(fact, list);
    if (words === undefined) return all;
    for (const word of words) {
      const some = places.get(word.toLowerCase());
      if (some !== undefined) found = [...(found ?? others), ...some];
    }
  }
  return found === undefined ? otherEntries : inOrder(all, found);
}

function fitsAll({ tables }: CommandQuestion, facts: readonly CommandFact[], cwd: string | undefined): boolean {
  return facts.every((fact) => tables.some((table) => table.test(fact, cwd) === true));
}
