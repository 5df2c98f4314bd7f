import type { Bus } from "@hookline/core";
import { commandsOf } from "../../commands/commands-of.js";
import type { CommandFact } from "../../commands/facts.js";
import { type Answer, type CompiledTable, type FactList, factLists } from "./command-table.js";

/** The tables of one rule. */
interface CommandQuestion {
  readonly tables: readonly CompiledTable[];
  /** Every command must fit a table, and be known. Otherwise one is enough. */
  readonly isAboutAll: boolean;
}

/** Answers the questions that rules have about commands. */
export interface CommandIndex {
  /** From now on the question is answered together with the others. */
  add(question: CommandQuestion): () => void;
  answer(question: CommandQuestion, payload: unknown): Answer;
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
  readonly byProgram: ReadonlyMap<string, readonly Entry[]>;
  readonly byFact: ReadonlyMap<FactList, readonly Entry[]>;
  readonly others: readonly Entry[];
}

const noEntries: readonly Entry[] = [];

function createCommandIndex(): CommandIndex {
  const questions = new Set<CommandQuestion>();
  let tables: Tables | undefined;
  let last: Call | undefined;
  let lastFacts: readonly CommandFact[] | undefined;
  let answers: ReadonlyMap<CommandQuestion, Answer> = new Map();
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
      if (last !== undefined && isSameCall(last, payload) && !question.isAboutAll)
        return answers.size > 0 && (answers.get(question) ?? false);
      const facts = commandsOf({ payload });
      last = callOf(payload);
      if (facts !== lastFacts) {
        tables ??= sortTables(questions);
        answers = answerAll(facts, tables, cwdOf(payload));
        lastFacts = facts;
      }
      if (!question.isAboutAll) return answers.size > 0 && (answers.get(question) ?? false);
      return facts.length > 0 && fitsAll(question, facts, cwdOf(payload));
    },
  };
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

function sortTables(questions: ReadonlySet<CommandQuestion>): Tables {
  const byProgram = new Map<string, Entry[]>();
  const byFact = new Map<FactList, Entry[]>();
  const others: Entry[] = [];
  for (const question of questions)
    for (const table of question.isAboutAll ? [] : question.tables) {
      const entry: Entry = [question, table];
      if (table.programs !== undefined) for (const program of table.programs) push(byProgram, program, entry);
      else if (table.needs !== undefined) push(byFact, table.needs, entry);
      else others.push(entry);
    }
  return { byProgram, byFact, others };
}

function push<K>(map: Map<K, Entry[]>, key: K, entry: Entry): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [entry]);
  else list.push(entry);
}

function answerAll(facts: readonly CommandFact[], tables: Tables, cwd: string | undefined): ReadonlyMap<CommandQuestion, Answer> {
  const answers = new Map<CommandQuestion, Answer>();
  const ask = (entries: readonly Entry[] | undefined, fact: CommandFact): void => {
    for (const [question, table] of entries ?? noEntries) {
      const known = answers.get(question);
      if (known === true) continue;
      const answer = table.test(fact, cwd);
      if (answer !== false && (answer === true || known === undefined)) answers.set(question, answer);
    }
  };
  for (const fact of facts) {
    ask(tables.others, fact);
    for (const name of factLists) if (fact[name].length > 0 || fact.unknown[name] !== undefined) ask(tables.byFact.get(name), fact);
    if (fact.program === "") for (const entries of tables.byProgram.values()) ask(entries, fact);
    else ask(tables.byProgram.get(fact.program), fact);
    if (fact.family !== fact.program) ask(tables.byProgram.get(fact.family), fact);
  }
  return answers;
}

function fitsAll({ tables }: CommandQuestion, facts: readonly CommandFact[], cwd: string | undefined): boolean {
  return facts.every((fact) => tables.some((table) => table.test(fact, cwd) === true));
}
