import { homedir } from "node:os";
import type { Bus } from "@hookline/core";
import { secretNames, secretNamesIn } from "@hookline/core/internal";
import { didYouMean } from "@hookline/core/internal/text";
import type { PathFact } from "../../commands/facts.js";
import { hostOfUrl } from "../../commands/hosts.js";
import { compilePathList, type PathTest, setsIn } from "../../commands/path-list.js";
import type { PathUse } from "../../commands/path-subject.js";
import { joinPath, START } from "../../commands/paths.js";
import { literal } from "../../commands/value.js";
import type { Rule } from "../rule.js";
import type { RuleNeeds } from "../rule-index.js";
import { toolsOf } from "../tool-sets.js";
import { commandIndexOf } from "./command-index.js";
import { type Answer, type CommandTable, compileHosts, compileTable, findTableFaults, isDoubt, setsOfTable } from "./command-table.js";

/** The conditions of a rule beyond its match: `command`, `path`, `host` and `secret`, of which one is enough. */
export interface Condition {
  answer(payload: unknown): Answer;
  close(): void;
  /** What a payload must have for another answer than no, if an index can look for it. */
  readonly needs?: RuleNeeds;
}

type Conditions = Pick<Rule, "command" | "path" | "host" | "secret" | "tool" | "sets" | "do">;

/** Compiles the conditions for a bus, whose rules share what they know of a call. Undefined for a rule without any. */
export function openCondition(bus: Bus, rule: Conditions): Condition | undefined {
  const { command, path, host, secret, sets } = rule;
  const tests: ((payload: unknown) => Answer)[] = [];
  let needs: RuleNeeds = {};
  let close = (): void => {};
  if (command !== undefined) {
    const index = commandIndexOf(bus);
    // To allow a call because one of its commands is harmless would allow the others.
    const question = { tables: tablesOf(command).map((table) => compileTable(table, sets)), isAboutAll: rule.do === "allow" };
    close = index.add(question);
    needs = { question };
    tests.push(question.isAboutAll ? (payload) => index.fitsAll(question, payload) : (payload) => index.answer(question, payload));
  }
  if (path !== undefined) {
    const paths = compilePathList([path].flat(), sets);
    needs = { ...needs, paths };
    tests.push((payload) => testPaths(paths, payload));
  }
  if (host !== undefined) tests.push(compileHost([host].flat()));
  if (secret !== undefined) {
    const secrets = [secret].flat();
    needs = { ...needs, secrets };
    tests.push(compileSecret(secrets));
  }
  const [first] = tests;
  if (first === undefined) return undefined;
  // No index looks for hosts: the test of one text is quicker.
  return { answer: tests.length === 1 ? first : (payload) => anyOf(tests, payload), close, ...(host === undefined && { needs }) };
}

/** What is wrong with the conditions, each with the path of its key. */
export function findConditionFaults({
  command,
  path,
  host,
  secret,
  tool,
  sets,
}: Conditions): { readonly path: readonly (string | number)[]; readonly message: string }[] {
  const tables = command === undefined ? [] : tablesOf(command);
  const inList = Array.isArray(command);
  return [
    ...(inList && tables.length === 0 ? [{ path: ["command"], message: "must be a table or a list of tables" }] : []),
    ...tables.flatMap((table, index) =>
      findTableFaults(table, sets).map(({ key, message }) => ({
        path: ["command", ...(inList ? [index] : []), ...(key === "command" ? [] : [key])],
        message,
      })),
    ),
    ...faultsOf("path", path, (texts) => compilePathList(texts, sets)),
    ...faultsOf("host", host, compileHosts),
    ...faultsOf("secret", secret, compileSecret),
    ...faultsOf("tool", tool, toolsOf),
  ];
}

function faultsOf(key: string, value: string | readonly string[] | undefined, compile: (texts: readonly string[]) => unknown) {
  if (value === undefined) return [];
  try {
    compile([value].flat());
    return [];
  } catch (error) {
    return [{ path: [key], message: `is wrong: ${(error as Error).message}` }];
  }
}

/** The sets of paths that a rule names. */
export function setsOfRule({ command, path }: Pick<Rule, "command" | "path">): readonly string[] {
  const named = [
    ...(command === undefined ? [] : tablesOf(command).flatMap(setsOfTable)),
    ...setsIn(path === undefined ? [] : [path].flat()),
  ];
  return [...new Set(named)];
}

export function tablesOf(command: CommandTable | readonly CommandTable[]): readonly CommandTable[] {
  return Array.isArray(command) ? command : [command as CommandTable];
}

function anyOf(tests: readonly ((payload: unknown) => Answer)[], payload: unknown): Answer {
  let why: string | undefined;
  for (const test of tests) {
    const answer = test(payload);
    if (answer === true) return true;
    if (typeof answer === "string" && (why === undefined || isDoubt(answer))) why = answer;
  }
  return why ?? false;
}

type Fields = { readonly [key: string]: unknown };

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Deeper than the input of any tool that takes paths. */
const MAX_DEPTH = 6;
const PATH_KEY =
  /^(?:(?:file|notebook|absolute|full|local|target|old|new|from|to|source|destination|relative|dest|src|in|input|out|output|save)?_?(?:path|file|file_?name|uri)s?|path_?in_?project|source|destination|dest)$/i;
const PATCH_LINE = /^\*\*\* (?:(?:add|update|delete) file|move to): (.+?)\s*$/gim;

function testPaths(test: PathTest, payload: unknown): Answer {
  const { paths, use } = namedPaths(payload);
  let why: string | undefined;
  for (const path of paths) {
    const answer = test(path, use);
    if (answer === true) return true;
    if (answer !== false) why ??= answer;
  }
  return why ?? false;
}

/** The paths that a tool's input names, and the folder that they are compared with. */
export function namedPaths(payload: unknown): { readonly paths: readonly PathFact[]; readonly use: PathUse } {
  const { cwd, tool } = fieldsOf(payload);
  const folder = typeof cwd === "string" && cwd.startsWith("/") ? cwd : undefined;
  const paths: string[] = [];
  addPaths(paths, fieldsOf(tool).input, 0);
  return { paths: paths.map((path) => ({ path: absolute(path, folder) })), use: { cwd: folder } };
}

function absolute(path: string, cwd: string | undefined): string {
  const plain = path.replaceAll("\\", "/").replace(/^file:\/\/[^/]*(?=\/)/i, "");
  if (/^[a-z]:/i.test(plain)) return plain;
  return /^~(?:\/|$)/.test(plain) ? joinPath(homedir(), plain.slice(2)) : joinPath(cwd ?? START, plain);
}

/** The paths that a tool's input names: fields that hold a path, and the lines of a patch that name a file. */
function addPaths(paths: string[], value: unknown, depth: number, key = ""): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    if (isPathKey(key) && !isOther(key, value)) paths.push(value);
    else if (value.includes("*** ")) for (const [, path] of value.matchAll(PATCH_LINE)) paths.push(path as string);
  } else if (Array.isArray(value)) {
    for (const item of value) addPaths(paths, item, depth + 1, key);
  } else for (const [name, member] of Object.entries(fieldsOf(value))) addPaths(paths, member, depth + 1, name);
}

/** The source of a program, and the address of something that is not a file. */
function isOther(key: string, value: string): boolean {
  if (key === "source") return value.includes("\n");
  return /uris?$/i.test(key) && /^[a-z][a-z0-9+.-]+:/i.test(value) && !/^file:/i.test(value);
}

/** The names of fields come from outside; past this many the list starts again. */
const MAX_KEYS = 1_000;
const pathKeys = new Map<string, boolean>();

function isPathKey(key: string): boolean {
  let known = pathKeys.get(key);
  if (known === undefined) {
    known = PATH_KEY.test(key);
    if (pathKeys.size >= MAX_KEYS) pathKeys.clear();
    pathKeys.set(key, known);
  }
  return known;
}

/** What a text must have to be read as an address: the parser of addresses takes `\` for `/`, and `http:host` for `http://host`. */
const ADDRESS = /:|[\\/]{2}/;
const BEGINS_WITH_ADDRESS = /^[\0-\x20]*[a-z][a-z0-9+.-]*:[\\/]{2}/i;
const AUTHORITY = /[\\/]{2}([^\\/?#\s"'<>,;()]+)/g;

/** The hosts of a text that is an address or begins with one, also of the addresses inside it. An address that prose mentions is not used. */
function hostsIn(text: string): readonly string[] {
  if (!ADDRESS.test(text)) return [];
  // As the parser of addresses does it.
  const plain = text.replace(/[\t\n\r]/g, "");
  const whole = URL.canParse(plain) ? new URL(plain).hostname : "";
  if (whole === "" && !BEGINS_WITH_ADDRESS.test(plain) && /\s/.test(text.trim())) return [];
  const inside = [...text.matchAll(AUTHORITY), ...(plain === text ? [] : plain.matchAll(AUTHORITY))].map(([, authority = ""]) =>
    authority.slice(authority.lastIndexOf("@") + 1),
  );
  return [whole, ...inside].flatMap((host) => hostOfUrl(literal(host)) ?? []);
}

function compileHost(hosts: readonly string[]): (payload: unknown) => Answer {
  const test = compileHosts(hosts);
  return (payload) => {
    const { tool } = fieldsOf(payload);
    return textsIn([fieldsOf(tool).input]).some((text) => hostsIn(text).some(test));
  };
}

function compileSecret(names: readonly string[]): (payload: unknown) => Answer {
  const known = secretNames();
  for (const name of names)
    if (!known.includes(name))
      throw new SyntaxError(`"${name}" is not a shape of a secret.${didYouMean(name, known)} Known: ${known.join(", ")}`);
  return (payload) => {
    const found = secretsIn(payload);
    return names.some((name) => found.has(name));
  };
}

/** The names of the shapes of secrets in a prompt or in a tool's input. */
export function secretsIn(payload: unknown): ReadonlySet<string> {
  const { prompt, tool } = fieldsOf(payload);
  const found = new Set<string>();
  for (const text of textsIn([prompt, fieldsOf(tool).input])) for (const name of secretNamesIn(text)) found.add(name);
  return found;
}

/** Every text in a value. */
export function textsIn(value: unknown, depth = 0, texts: string[] = []): readonly string[] {
  if (typeof value === "string") texts.push(value);
  else if (depth <= MAX_DEPTH) for (const member of Object.values(fieldsOf(value))) textsIn(member, depth + 1, texts);
  return texts;
}
