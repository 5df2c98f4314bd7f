import { copyFileSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "@hookline/core/internal/machine";
import type { RuleConfig } from "./config.js";
import { parseConfig } from "./load-config.js";
import { formatProblem } from "./problem.js";

/**
 * Replaces the file atomically and keeps the old content as `<file>.bak`. Returns the path of that copy; undefined if there was no file.
 */
export function replaceConfigFile(path: string, text: string): string | undefined {
  const target = resolved(path);
  const stats = statSync(target, { throwIfNoEntry: false });
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const backup = stats === undefined ? undefined : `${target}.bak`;
  if (backup !== undefined) copyFileSync(target, backup);
  replaceFile(target, text, stats === undefined ? { mode: 0o600 } : { like: stats });
  return backup;
}

// A link to a file elsewhere stays a link.
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The new text, and which rules are new in it. */
interface RulesAdded {
  readonly text: string;
  readonly added: readonly string[];
}

/**
 * Appends the rules of a set that a file does not have yet. The existing text stays unchanged, including comments. Throws for a file that
 * cannot be extended.
 */
export async function addRules(text: string, path: string, set: string): Promise<RulesAdded> {
  const before = await parseConfig(text, path);
  if (before.config === undefined) throw new Error(before.problems.map(formatProblem).join("\n"));
  const present = new Set(before.config.rules.map(({ name }) => name));
  const parts = set.split(/^(?=\[\[rule\]\]$)/m);
  const [heading, tables] = parts[0]?.startsWith("[[rule]]") ? ["", parts] : [parts[0] ?? "", parts.slice(1)];
  const missing = tables.filter((table) => !present.has(nameIn(table)));
  if (missing.length === 0) return { text, added: [] };
  const next = `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${text === "" ? "" : "\n"}${heading}${missing.join("")}`;
  const after = await parseConfig(next, path);
  const isWorse = after.config === undefined || after.problems.length > before.problems.length;
  if (isWorse) throw new Error(`Nothing can be added to the file:\n${after.problems.map(formatProblem).join("\n")}`);
  return { text: next, added: missing.map(nameIn) };
}

function nameIn(table: string): string {
  return /^name = "([^"]+)"$/m.exec(table)?.[1] ?? "";
}

/** Removes the rules of these names. The rest of the text stays unchanged. Throws for a file that cannot be edited in this way. */
export async function removeRules(
  text: string,
  path: string,
  names: readonly string[],
): Promise<{ readonly text: string; readonly removed: readonly string[] }> {
  const before = await parsed(text, path);
  const isOld = ({ name }: RuleConfig): boolean => names.includes(name);
  const old = before.rules.filter(isOld);
  const next = withoutTables(text, old);
  const others = before.rules.filter((rule) => !isOld(rule));
  if (!sameRules((await parsed(next, path)).rules, others)) throw new Error("The file cannot be edited here. Remove the tables by hand.");
  return { text: next, removed: old.map(({ name }) => name) };
}

/** A pack's rules as they are written into a file, and what that changes there. */
interface PackEdit {
  readonly text: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/**
 * Puts the rules of a pack into a file, in the place of those that an earlier version put there; without `rules`, removes them. The rest of the
 * text stays unchanged. Throws for a file that cannot be edited in this way.
 */
export async function putPack(text: string, path: string, { name, label, rules = "" }: PackText): Promise<PackEdit> {
  const before = await parsed(text, path);
  const isOwn = ({ pack }: RuleConfig): boolean => pack?.split("@")[0] === name;
  const old = before.rules.filter(isOwn);
  const others = before.rules.filter((rule) => !isOwn(rule));
  const next = (await parsed(rules, path)).rules;
  const taken = next.find((rule) => others.some((other) => other.name === rule.name));
  if (taken !== undefined) throw new Error(`The file already has a rule "${taken.name}" that is not from the pack.`);
  const kept = withoutTables(text, old);
  const written = next.map((rule, index) => tableOf(rules, rule, next[index + 1], label));
  const edited = written.length === 0 ? kept : `${kept === "" ? "" : `${kept.trimEnd()}\n\n`}${written.join("\n")}`;
  const after = await parsed(edited, path);
  const expected = [...others, ...next.map((rule) => ({ ...rule, pack: label }))];
  if (!sameRules(after.rules, expected))
    throw new Error("The file cannot be edited here. Remove the tables of the pack by hand, then add it again.");
  const textOf = ({ pack: _, ...rule }: RuleConfig): string => JSON.stringify(placeless(rule as RuleConfig));
  return {
    text: edited,
    added: next.filter((rule) => !old.some((one) => one.name === rule.name)).map((rule) => rule.name),
    changed: next.filter((rule) => old.some((one) => one.name === rule.name && textOf(one) !== textOf(rule))).map((rule) => rule.name),
    removed: old.filter((rule) => !next.some((one) => one.name === rule.name)).map((rule) => rule.name),
  };
}

interface PackText {
  readonly name: string;
  /** `name@version` */
  readonly label: string;
  readonly rules?: string;
}

async function parsed(text: string, path: string) {
  const { config, problems } = await parseConfig(text, path);
  if (config === undefined || problems.length > 0) throw new Error(problems.map(formatProblem).join("\n"));
  return config;
}

function sameRules(left: readonly RuleConfig[], right: readonly RuleConfig[]): boolean {
  return JSON.stringify(left.map(placeless)) === JSON.stringify(right.map(placeless));
}

/** Without its place, and with its keys in one order. */
function placeless({ file: _, line: __, ...rule }: RuleConfig): object {
  return Object.fromEntries(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const RULE = /^\s*\[\[\s*rule\s*\]\]/;
const OTHER_TABLE = /^\s*\[(?!\s*rule\s*\.)\[?[^[\]]+\]\]?\s*(?:#.*)?$/;

/** From the heading of each table to the next table. What is left is checked, so a heading within a text is found out. */
function withoutTables(text: string, rules: readonly RuleConfig[]): string {
  const lines = text.split("\n");
  const gone = new Set<number>();
  for (const { line } of rules) {
    if (!RULE.test(lines[line - 1] ?? "")) continue;
    const next = lines.findIndex((one, index) => index >= line && OTHER_TABLE.test(one));
    for (let index = line - 1; index < (next < 0 ? lines.length : next); index++) gone.add(index);
  }
  return lines.filter((_, index) => !gone.has(index)).join("\n");
}

function tableOf(text: string, { name, line }: RuleConfig, next: RuleConfig | undefined, label: string): string {
  const lines = text.split("\n").slice(line - 1, next === undefined ? undefined : next.line - 1);
  if (!RULE.test(lines[0] ?? "")) throw new Error(`The rule "${name}" of the pack must be written as a table: [[rule]].`);
  return `${[lines[0], `pack = ${JSON.stringify(label)}`, ...lines.slice(1)].join("\n").trimEnd()}\n`;
}
