import { compileGlob } from "@hookline/core/internal";
import { didYouMean } from "@hookline/core/internal/text";
import type { ArgFact, CommandFact, Destroyed, FactName, Flow, OptionFact, PathFact, Source, SqlFact } from "../../commands/facts.js";
import { compilePathList, type PathTest, setsIn } from "../../commands/path-list.js";
import { alternatives } from "../../commands/path-pattern.js";
import type { PathSets } from "../../commands/path-sets.js";
import type { PathUse } from "../../commands/path-subject.js";
import { joinPath } from "../../commands/paths.js";
import { findProgram } from "../../commands/programs/all-programs.js";
import { optionsOf, programNames, verbsOf } from "./known-words.js";

type OneOrMore = string | readonly string[];

/** Conditions on one simple command. All of them must hold for the same command. */
export interface CommandTable {
  readonly program?: OneOrMore;
  /** One of these options. `--name=glob` also compares the value. */
  readonly option?: OneOrMore;
  /** All of these options. */
  readonly with?: OneOrMore;
  /** None of these options. */
  readonly without?: OneOrMore;
  /** A word after the program. */
  readonly args?: OneOrMore;
  /** Git's paths and refspecs. */
  readonly paths?: OneOrMore;
  readonly refspec?: OneOrMore;
  /** What a subcommand acts on. */
  readonly target?: OneOrMore;
  /** A statement for a database: its verb, or verb and target. */
  readonly sql?: OneOrMore;
  /** Whether that statement has a `where`. */
  readonly where?: boolean;
  readonly reads?: OneOrMore;
  /** Files whose variables a program gets. */
  readonly loads?: OneOrMore;
  readonly writes?: OneOrMore;
  /** Files that a redirection writes. */
  readonly redirects?: OneOrMore;
  readonly deletes?: OneOrMore;
  readonly changes?: OneOrMore;
  readonly dir?: OneOrMore;
  readonly recursive?: boolean;
  readonly runs?: OneOrMore;
  readonly stdin?: OneOrMore;
  readonly sends?: OneOrMore;
  readonly receives?: boolean;
  readonly hosts?: OneOrMore;
  readonly via?: OneOrMore;
  readonly privileged?: boolean;
  readonly forks?: boolean;
  readonly destroys?: OneOrMore;
  /** The subcommand of a program: `git = "reset"`, `docker = ["volume rm", "system prune"]`. */
  readonly [program: string]: OneOrMore | boolean | undefined;
}

/** `true`, `false`, or why it is not known. */
export type Answer = boolean | string;

/** Begins the reason where a command fits whose text does not parse: it may run. This is asked about also where facts that are not known pass. */
const DOUBT = "could not tell what this does: ";
/** Begins the reason where nothing is known of a command, or where its text does not parse. */
const UNREAD = "could not tell what this does, because ";

/** Whether a command fits that may run. */
export function isDoubt(answer: Answer): answer is string {
  return typeof answer === "string" && answer.startsWith(DOUBT);
}

/** Whether the reason is about the command as a whole, and not about a fact that a rule asks for. */
export function isUnread(why: string): boolean {
  return why.startsWith(DOUBT) || why.startsWith(UNREAD);
}

/** The answer about a command that may not run, or of which nothing is known, in words of their own. */
export function withDoubt({ doubt, program, args, unknown }: CommandFact, answer: Answer): Answer {
  if (doubt !== undefined && answer === true) return `${DOUBT}${doubt}`;
  const isWhole = doubt !== undefined || (program === "" && args.length === 0 && unknown.program !== undefined);
  return typeof answer === "string" && isWhole && !isUnread(answer) ? `${UNREAD}${answer}` : answer;
}

/** A table, ready to be asked. */
export interface CompiledTable {
  /** The programs or families that it can hold for. Undefined: any. */
  readonly programs: readonly string[] | undefined;
  /** A fact that is empty in every command for which it does not hold. */
  readonly needs: FactList | undefined;
  /** The paths that it asks for, if they are what it needs. */
  readonly paths: PathTest | undefined;
  /** The first words of the subcommands that it can hold for. Undefined: any. */
  readonly verbs: readonly string[] | undefined;
  /** What a subcommand must act on, in lower case: one of these. Undefined: anything. */
  readonly actsOn: { readonly list: ActedOn; readonly texts: readonly string[] } | undefined;
  test(fact: CommandFact, cwd: string | undefined): Answer;
  /** The answer to each key. */
  explain(fact: CommandFact, cwd: string | undefined): readonly { readonly key: string; readonly answer: Answer }[];
}

/** What is wrong with a table, and under which key. */
export interface TableFault {
  readonly key: string;
  readonly message: string;
}

export type FactList = (typeof factLists)[number];
/** The facts that are lists and that a table can ask for without naming a program. */
export const factLists = [
  "destroys",
  "deletes",
  "changes",
  "redirects",
  "writes",
  "reads",
  "loads",
  "runs",
  "sends",
  "stdin",
  "hosts",
  "sql",
] as const;

const pathLists = ["deletes", "changes", "redirects", "writes", "reads", "loads"] as const;

export function isPathList(name: FactList): name is (typeof pathLists)[number] {
  return (pathLists as readonly FactList[]).includes(name);
}

/** How the paths of a fact are compared. */
export function pathUseOf(fact: CommandFact, name: (typeof pathLists)[number], cwd: string | undefined): PathUse {
  return { cwd, dir: fact.dir, isRecursive: fact.recursive && (name === "deletes" || name === "changes"), isRead: name === "reads" };
}

/** The keys that say what a subcommand acts on. */
export type ActedOn = "refspec" | "target";

/** What the subcommand of a command acts on. Undefined if that is not known. */
export function actedOn(fact: CommandFact, list: ActedOn): readonly string[] | undefined {
  if (fact.unknown[list === "refspec" ? "git" : "target"] !== undefined) return undefined;
  return list === "refspec" ? (fact.git?.refspecs ?? []) : fact.target;
}

type Test = (fact: CommandFact, cwd: string | undefined) => Answer;

interface KeySpec {
  readonly type: "texts" | "flag";
  /** Throws what is wrong with the value. */
  readonly compile: (texts: readonly string[], context: { readonly table: CommandTable; readonly sets: PathSets }) => Test;
}

const sources: readonly Source[] = ["literal", "file", "network", "decoded", "secret", "unknown"];

const destroyed: readonly Destroyed[] = [
  "machine",
  "disk",
  "database",
  "container",
  "infrastructure",
  "backup",
  "secret",
  "repository",
  "package",
  "guards",
];

const flag = (name: "recursive" | "receives" | "privileged" | "forks"): KeySpec => ({
  type: "flag",
  compile:
    (_, { table }) =>
    (fact) =>
      fact[name] === table[name] || (name !== "privileged" && fact.unknown[name]) || false,
});

const paths = (name: (typeof pathLists)[number]): KeySpec => ({
  type: "texts",
  compile(texts, { sets }) {
    const test = compilePathList(texts, sets);
    return (fact, cwd) => testPaths(fact, name, test, pathUseOf(fact, name, cwd));
  },
});

const flows = (name: "runs" | "sends" | "stdin"): KeySpec => ({
  type: "texts",
  compile(texts) {
    checkKnown(texts, sources, "a source");
    return (fact) => testFlows(fact[name], texts, fact.unknown[name]);
  },
});

const words = (read: (fact: CommandFact) => readonly string[], name: FactName, sign = ""): KeySpec => ({
  type: "texts",
  compile(texts) {
    const test = compileTexts(texts, sign);
    return (fact) => read(fact).some(test) || fact.unknown[name] || false;
  },
});

/** The keys of a table, in the order in which they are asked: the cheapest first. */
const keys: { readonly [key in string & keyof CommandTable]: KeySpec } = {
  program: {
    type: "texts",
    compile(texts) {
      for (const text of texts.flatMap(alternatives)) checkProgram(text.replace(/^!/, ""));
      const test = compileWithout(namesOfPrograms(texts), compileTexts);
      // A redirection alone has no program.
      return (fact) => (fact.program === "" ? (fact.unknown.program ?? test("")) : test(fact.program));
    },
  },
  privileged: flag("privileged"),
  recursive: flag("recursive"),
  receives: flag("receives"),
  forks: flag("forks"),
  via: {
    type: "texts",
    compile(texts) {
      for (const text of texts.flatMap(alternatives)) checkProgram(text);
      const test = compileTexts(texts);
      return ({ via }) => via.some(test);
    },
  },
  option: {
    type: "texts",
    compile(texts, { table }) {
      const tests = texts.map((text) => compileOption(text, table));
      return ({ options, unknown }) => tests.some((test) => options.some(test)) || unknown.options || false;
    },
  },
  with: {
    type: "texts",
    compile(texts, { table }) {
      const tests = texts.map((text) => compileOption(text, table));
      return ({ options, unknown }) => tests.every((test) => options.some(test)) || unknown.options || false;
    },
  },
  without: {
    type: "texts",
    compile(texts, { table }) {
      const tests = texts.map((text) => compileOption(text, table));
      return ({ options }) => !tests.some((test) => options.some(test));
    },
  },
  args: {
    type: "texts",
    compile(texts) {
      const test = compileTexts(texts);
      return ({ args }) => args.some(({ text }) => test(text)) || args.find(({ unknown }) => unknown !== undefined)?.unknown || false;
    },
  },
  paths: words(({ git }) => git?.paths.map((path) => path.replace(/(?<=.)\/$/, "")) ?? [], "git"),
  refspec: words(({ git }) => git?.refspecs ?? [], "git"),
  target: words(({ target }) => target, "target"),
  sql: {
    type: "texts",
    compile(texts, { table: { where } }) {
      const test = compileTexts(texts, " *");
      const isMeant = (statement: SqlFact): boolean =>
        (where === undefined || statement.where === where) && test(`${statement.verb} ${statement.target}`);
      return ({ sql, unknown }) => sql.some(isMeant) || unknown.sql || false;
    },
  },
  destroys: {
    type: "texts",
    compile(texts) {
      checkKnown(texts, destroyed, "something that a command destroys");
      return (fact) => fact.destroys.some((what) => texts.includes(what)) || fact.unknown.destroys || false;
    },
  },
  where: {
    type: "flag",
    compile(_, { table }) {
      if (table.sql === undefined) throw new SyntaxError('needs "sql"');
      return () => true;
    },
  },
  hosts: {
    type: "texts",
    compile(texts) {
      const test = compileHosts(texts);
      const canBeNone = canBeUnnamed(texts);
      return ({ hosts, sends, unknown }) => hosts.some(test) || unknown.hosts || (canBeNone && hosts.length === 0 && sends.length > 0);
    },
  },
  runs: flows("runs"),
  sends: flows("sends"),
  stdin: flows("stdin"),
  deletes: paths("deletes"),
  changes: paths("changes"),
  writes: paths("writes"),
  redirects: paths("redirects"),
  reads: paths("reads"),
  loads: paths("loads"),
  dir: {
    type: "texts",
    compile(texts, { sets }) {
      const test = compilePathList(texts, sets);
      return ({ dir }, cwd) => test(dir, { cwd });
    },
  },
};

/** Compiles a table. Throws a `SyntaxError` for the first fault. */
export function compileTable(table: CommandTable, sets: PathSets = {}): CompiledTable {
  const [fault] = findTableFaults(table, sets);
  if (fault !== undefined) throw new SyntaxError(`"${fault.key}" ${fault.message}.`);
  const own = Object.keys(keys).filter((key) => table[key] !== undefined);
  const verbs = verbsIn(table);
  const tests = [
    ...verbs.map((key) => ({ key, test: compileVerb(key, textsOf(table[key])) })),
    ...own.map((key) => ({ key, test: (keys[key] as KeySpec).compile(textsOf(table[key]), { table, sets }) })),
  ];
  const plausible = compilePlausible(table, sets);
  const needs = factLists.find((name) => table[name] !== undefined && !(name === "hosts" && canBeUnnamed(textsOf(table.hosts))));
  return {
    programs: programsOf(table, verbs),
    needs,
    paths: needs !== undefined && isPathList(needs) ? compilePathList(textsOf(table[needs]), sets) : undefined,
    verbs: firstWordsOf(textsOf(verbs[0] === undefined ? undefined : table[verbs[0]])),
    actsOn: actsOnIn(table),
    test: (fact, cwd) => withDoubt(fact, isNameless(fact) ? plausible(fact, cwd) : testAll(tests, fact, cwd)),
    explain: (fact, cwd) =>
      isNameless(fact)
        ? [{ key: "program", answer: withDoubt(fact, plausible(fact, cwd)) }]
        : tests.map(({ key, test }) => ({ key, answer: withDoubt(fact, test(fact, cwd)) })),
  };
}

/** Its program is not known, but its words are. */
function isNameless({ program, args }: CommandFact): boolean {
  return program === "" && args.length > 0;
}

function verbsIn(table: CommandTable): string[] {
  return Object.keys(table).filter((key) => !Object.hasOwn(keys, key) && table[key] !== undefined);
}

/** Everything that is wrong with a table. */
export function findTableFaults(table: CommandTable, sets: PathSets = {}): TableFault[] {
  const entries = Object.entries(table).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return [{ key: "command", message: "must say something about a command" }];
  return entries.flatMap(([key, value]) => {
    const message = faultOf(key, value, { table, sets });
    return message === undefined ? [] : [{ key, message }];
  });
}

function faultOf(key: string, value: unknown, context: { readonly table: CommandTable; readonly sets: PathSets }): string | undefined {
  const spec = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (spec === undefined && verbsOf(key) === undefined)
    return `is not a fact or a program with subcommands.${didYouMean(key, [...Object.keys(keys), ...programNames()])}`;
  if (spec?.type === "flag") return typeof value === "boolean" ? compileFault(() => spec.compile([], context)) : "must be true or false";
  const texts = textsOf(value);
  if (texts.length === 0 || !texts.every((text) => typeof text === "string" && text !== "")) return "must be text, or a list of texts";
  return compileFault(() => (spec === undefined ? compileVerb(key, texts) : spec.compile(texts, context)));
}

function compileFault(compile: () => unknown): string | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    return `is wrong: ${(error as Error).message.split("\n")[0]}`;
  }
}

/** The sets that a table names. */
export function setsOfTable(table: CommandTable): readonly string[] {
  return ["reads", "loads", "writes", "redirects", "deletes", "changes", "dir"].flatMap((key) => setsIn(textsOf(table[key])));
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((text) => text !== undefined) as string[];
}

/** Programs are compared by the last part of their path. A slash inside braces belongs to its alternative. */
function namesOfPrograms(texts: readonly string[]): readonly string[] {
  return texts.flatMap(alternatives).map((text) => text.replace(/^(!?).*\//, "$1"));
}

/** In lower case, because tables compare without it. */
function programsOf({ program }: CommandTable, verbs: readonly string[]): readonly string[] | undefined {
  const names = program === undefined ? verbs : namesOfPrograms(textsOf(program));
  if (names.length === 0 || names.some((name) => /^!|[*?[\\]/.test(name))) return undefined;
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/** Undefined if there is none, or if one is a glob. */
function firstWordsOf(verbs: readonly string[]): readonly string[] | undefined {
  const words = verbs.flatMap(alternatives).map((verb) => verb.toLowerCase().split(" ", 1)[0] ?? "");
  return words.length === 0 || words.some((word) => /[*?[\\]/.test(word)) ? undefined : [...new Set(words)];
}

/** Undefined if the table does not say it, or says it with a glob. */
function actsOnIn(table: CommandTable): CompiledTable["actsOn"] {
  const list = table.refspec !== undefined ? "refspec" : "target";
  const texts = textsOf(table[list]).map((text) => text.toLowerCase());
  return texts.length === 0 || texts.some((text) => /[*?[\\{]/.test(text)) ? undefined : { list, texts };
}

function testAll(tests: readonly { readonly test: Test }[], fact: CommandFact, cwd: string | undefined): Answer {
  let why: string | undefined;
  for (let i = 0; i < tests.length; i++) {
    const answer = (tests[i] as { readonly test: Test }).test(fact, cwd);
    if (answer === false) return false;
    if (answer !== true) why ??= answer;
  }
  return why ?? true;
}

function testPaths(fact: CommandFact, name: (typeof pathLists)[number], test: PathTest, use: PathUse): Answer {
  let why: string | undefined;
  let isExplained = false;
  for (const path of fact[name]) {
    const answer = test(path, use);
    if (answer === true) return true;
    if (answer !== false) why ??= answer;
    // The path itself says what is not known about it, and it is not one of these.
    if (path.unknown !== undefined && path.unknown === fact.unknown[name]) isExplained = true;
  }
  return why ?? (isExplained ? false : (fact.unknown[name] ?? false));
}

function testFlows(given: readonly Flow[], wanted: readonly string[], unknown: string | undefined): Answer {
  let why = unknown;
  for (const { from, why: reason } of given) {
    if (wanted.includes(from)) return true;
    if (from === "unknown") why ??= reason;
  }
  return why ?? false;
}

function checkKnown(texts: readonly string[], known: readonly string[], what: string): void {
  const wrong = texts.find((text) => !known.includes(text));
  if (wrong !== undefined) throw new SyntaxError(`"${wrong}" is not ${what}.${didYouMean(wrong, known)} Known: ${known.join(", ")}`);
}

/** Globs; case does not matter in names of programs, hosts and SQL. `sign` is what may follow a text without a glob. */
function compileTexts(texts: readonly string[], sign = ""): (text: string) => boolean {
  const globs = texts.flatMap((text) => alternatives(text.toLowerCase()));
  const tests = globs.map((glob) => compileText(glob));
  if (sign !== "") tests.push(...globs.map((glob) => compileText(`${glob}${sign}`)));
  return (text) => {
    const lower = text.toLowerCase();
    return tests.some((test) => test(lower));
  };
}

/** Most globs are a text with a star before it, after it or both, and these are found without going through the text in steps. */
function compileText(pattern: string): (text: string) => boolean {
  const [, before, part = "", after] = /^(\*?)([^*?[\\]+)(\*?)$/.exec(pattern) ?? [];
  if (before === undefined || (before === "" && after === "")) return compileGlob(pattern);
  if (before === "") return (text) => text.startsWith(part);
  return after === "" ? (text) => text.endsWith(part) : (text) => text.includes(part);
}

/** Texts with `!` are left out; without any other text, everything else is meant. */
function compileWithout(
  texts: readonly string[],
  compile: (texts: readonly string[]) => (text: string) => boolean,
): (text: string) => boolean {
  const included = texts.filter((text) => !text.startsWith("!"));
  const isIn = included.length === 0 ? () => true : compile(included);
  const isOut = compile(texts.filter((text) => text.startsWith("!")).map((text) => text.slice(1)));
  return (text) => isIn(text) && !isOut(text);
}

/** The named sets of hosts: the machine itself, for `hosts = "!@local"`, and others. */
const hostSets: { readonly [name: string]: readonly string[] } = {
  "@local": ["localhost", "*.localhost", "127.*", "0.0.0.0", "::", "::1", "host.docker.internal"],
  /** Services of clouds that give a machine its credentials. Some names hold an address: `169.254.169.254.nip.io`. */
  "@metadata": [
    ...["169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "100.100.100.200", "192.0.0.192", "168.63.129.16"],
    ...["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fe80::a9fe:a9fe"],
    ...["metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal", "metadata.tencentyun.com"],
    ...["*169.254.169.254.*", "*169-254-169-254*", "*a9fea9fe.*"],
  ],
};

/** Whether hosts that a command does not name may be meant: it sends something to the client of a port that it listens on. */
function canBeUnnamed(hosts: readonly string[]): boolean {
  return hosts.every((host) => host.startsWith("!"));
}

/** A test for hosts in their canonical spelling, of which patterns and sets name some. */
export function compileHosts(texts: readonly string[]): (host: string) => boolean {
  const named = texts.flatMap((text) => {
    if (!/^!?@/.test(text)) return [text];
    const [, sign = "", name = ""] = /^(!?)(.*)$/.exec(text) ?? [];
    const hosts = Object.hasOwn(hostSets, name) ? hostSets[name] : undefined;
    if (hosts === undefined)
      throw new SyntaxError(
        `"${name}" is not a set of hosts.${didYouMean(name, Object.keys(hostSets))} Known: ${Object.keys(hostSets).join(", ")}`,
      );
    return hosts.map((host) => `${sign}${host}`);
  });
  return compileWithout(named, compileTexts);
}

function checkProgram(text: string): void {
  // A program of one's own is named by a path.
  if (/[/*?[]/.test(text) || findProgram(text) !== undefined) return;
  throw new SyntaxError(
    `"${text}" is not a program that Hookline knows.${didYouMean(text, programNames())} For a program of your own, write its path, such as "./${text}"`,
  );
}

/** `volume` is `volume rm` too. */
function compileVerb(program: string, texts: readonly string[]): Test {
  const known = verbsOf(program) ?? [];
  for (const text of texts.flatMap(alternatives)) {
    const test = compileTexts([text], " *");
    if (!known.some((verb) => test(verb) || (verb.endsWith("*") && text.startsWith(verb.slice(0, -1)))))
      throw new SyntaxError(`"${text}" is not a subcommand of ${program} that Hookline knows.${didYouMean(text, known)}`);
  }
  const test = compileTexts(texts, " *");
  return (fact) => {
    if (fact.program === "") return fact.unknown.program ?? false;
    if (fact.family !== program && fact.program !== program) return false;
    return test(fact.verb) || fact.unknown.verb || false;
  };
}

function compileOption(text: string, table: CommandTable): (option: OptionFact) => boolean {
  const at = text.indexOf("=");
  const [written, value] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const names = namesOfOption(written, table);
  const test = value === undefined ? undefined : compileTexts([value]);
  return (option) => names.includes(option.name) && (test === undefined || (option.value !== undefined && test(option.value.text)));
}

/** An option by the name that facts use. An option needs a program, because `-f` means something else for each. */
function namesOfOption(written: string, table: CommandTable): readonly string[] {
  const verbs = verbsIn(table);
  const programs = [...textsOf(table.program).flatMap(alternatives), ...verbs].filter((name) => findProgram(name) !== undefined);
  if (programs.length === 0) throw new SyntaxError(`"${written}" needs a program or a subcommand in the same table`);
  const known = programs.flatMap((name) => optionsOf(name, verbs.includes(name) ? compileTexts(textsOf(table[name]), " *") : undefined));
  const names = known.filter(({ spellings }) => spellings.includes(written)).map(({ name }) => name);
  if (names.length > 0) return [...new Set(names)];
  const spellings = known.flatMap((option) => option.spellings);
  throw new SyntaxError(`"${written}" is not an option of ${programs.join(", ")} that Hookline knows.${didYouMean(written, spellings)}`);
}

/**
 * For a command whose program is not known, but whose words are: the table can hold only if the words fit it. `$CC -o a a.c` deletes nothing that
 * a rule is about, whatever it is; `$X -rf /` may.
 */
function compilePlausible(table: CommandTable, sets: PathSets): Test {
  const verbs = verbsIn(table);
  const listed = pathLists.flatMap((key) => textsOf(table[key]));
  const test = listed.length === 0 ? undefined : compilePathList(listed, sets);
  const hasOption = table.option !== undefined || table.with !== undefined || table.recursive === true;
  const verbTests = verbs
    .flatMap((verb) => textsOf(table[verb]).flatMap(alternatives))
    .map((verb) => verb.split(" ").map((word) => compileGlob(word.toLowerCase())));
  return ({ args, dir, unknown }, cwd) => {
    const why = unknown.program ?? "the program is not known";
    const hidden = args.some((arg) => arg.unknown !== undefined);
    if (test === undefined && verbTests.length === 0) return false;
    if (hasOption && !hidden && !args.some(({ text }) => text.startsWith("-"))) return false;
    if (
      verbTests.length > 0 &&
      !hidden &&
      !verbTests.some((parts) => parts.every((part) => args.some(({ text }) => part(text.toLowerCase()))))
    )
      return false;
    if (test !== undefined && !hidden && !args.some((arg) => test(pathOf(arg, dir), { cwd, dir, isRecursive: true }) !== false))
      return false;
    return why;
  };
}

function pathOf({ text, unknown }: ArgFact, dir: PathFact): PathFact {
  return { path: joinPath(dir.path, text), ...(unknown !== undefined && { unknown }) };
}
