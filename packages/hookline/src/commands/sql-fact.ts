import type { SqlFact } from "./facts.js";

/** More text than this is not read: the statements after it are not known. */
const MAX_LENGTH = 65_536;

/** The statements in a text. Words in strings and comments do not count. */
export function statementsIn(text: string): SqlFact[] {
  const read = text.slice(0, MAX_LENGTH);
  // PostgreSQL runs the text of `do $$ … $$` at once.
  const bodies = [...read.matchAll(/\bdo\s+\$(\w*)\$([\s\S]*?)\$\1\$/gi)].map(([, , body = ""]) => body);
  const executed = bodies.flatMap((body) =>
    [...body.matchAll(/\bexecute\s+(?:format\s*\(\s*)?'((?:[^']|'')*)'/gi)].map(([, one = ""]) => one),
  );
  return [read, ...bodies, ...executed].flatMap((one) => splitStatements(one).flatMap(factsOf));
}

/** Lines that the clients give to a shell: `\! rm x` of psql and mysql, `.shell rm x` of sqlite. */
export function shellLinesIn(text: string): string[] {
  return [...text.slice(0, MAX_LENGTH).matchAll(/^[ \t]*(?:\\!|\.(?:shell|system)\b|(?:system|\\system)\b)[ \t]*(.+)$/gm)].map(
    ([, line = ""]) => line,
  );
}

/** What a token begins with, and what ends it. MySQL runs what stands in a comment with an exclamation mark, so its text counts. */
const quoted = /'(?:[^'\\]|''|\\[\s\S])*(?:'|$)|\$(\w*)\$[\s\S]*?(?:\$\1\$|$)|--[^\n]*|#[^\n]*|\/\*(?!!)[\s\S]*?(?:\*\/|$)/g;

function splitStatements(text: string): string[][] {
  const bare = text.replace(quoted, (found) => (found.startsWith("-") || found.startsWith("/") || found.startsWith("#") ? " " : " ? "));
  // A line of a client, such as `\dt` or `.tables`, is a statement of its own.
  const lines = bare.replace(/^[ \t]*[\\.][^\n;]*$/gm, ";");
  return lines.split(";").map((statement) => statement.match(/"[^"]*"|`[^`]*`|\[[^\]]*\]|[\w.$?-]+|[(),=]/g) ?? []);
}

const fillers = new Set([
  "if",
  "exists",
  "not",
  "only",
  "concurrently",
  "ignore",
  "low_priority",
  "quick",
  "recursive",
  "or",
  "replace",
  "temporary",
  "temp",
  "unique",
]);
const verbs = new Set(["select", "insert", "update", "delete", "merge"]);

function factsOf(words: readonly string[]): SqlFact[] {
  const small = words.map((word) => word.toLowerCase());
  if (small[0] === "begin" && small.length > 1) return factsOf(words.slice(1));
  const start = small[0] === "with" ? mainStatement(small) : small.findIndex((word) => word !== "(");
  const verb = small[start];
  if (verb === undefined || !/^[a-z]/.test(verb)) return [];
  const rest = small.slice(start + 1);
  const main: SqlFact = { verb, target: targetOf(verb, rest), where: hasLimit(rest) };
  const dropped = verb === "alter" ? rest.findIndex((word, at) => word === "drop" && at > 1) : -1;
  if (small[0] === "with") return [...innerDeletes(small.slice(1, start)), main];
  return dropped < 0 ? [main] : [main, { verb: "drop", target: droppedPart(rest.slice(dropped + 1)), where: false }];
}

/** `with a as (…) delete from b`: the statement after the parentheses. */
function mainStatement(words: readonly string[]): number {
  let depth = 0;
  return words.findIndex((word) => {
    if (word === "(") depth++;
    if (word === ")") depth--;
    return depth === 0 && verbs.has(word);
  });
}

/** `with a as (delete from b returning c) …` deletes. */
function innerDeletes(words: readonly string[]): SqlFact[] {
  return words.flatMap((word, at) => {
    if (words[at - 1] !== "(" || (word !== "delete" && word !== "update")) return [];
    const end = words.indexOf(")", at);
    return factsOf(words.slice(at, end < 0 ? undefined : end));
  });
}

/** Whether a `where` limits it: one that always holds does not. */
function hasLimit(words: readonly string[]): boolean {
  const at = words.indexOf("where");
  if (at < 0) return false;
  const condition = words.slice(at + 1).join(" ");
  return (
    !/^(?:\(\s*)?(?:true|1|'?\?'? = '?\?'?|(\w+) = \1)(?:\s*\))?(?: returning .*| limit \d+)?$/.test(condition) ||
    /[a-z_]+ = \?/.test(condition)
  );
}

function targetOf(verb: string, rest: readonly string[]): string {
  const words = rest.filter((word) => !fillers.has(word) && /^[\w"`[$]/.test(word)).map(plainName);
  if (verb === "delete" || verb === "select") return words[words.indexOf("from") + 1] ?? "";
  if (verb === "insert") return words[words.indexOf("into") + 1] ?? "";
  if (verb === "drop" || verb === "truncate" || verb === "alter" || verb === "create") return words.slice(0, 2).join(" ");
  return words[0] ?? "";
}

function droppedPart(rest: readonly string[]): string {
  const words = rest.filter((word) => !fillers.has(word)).map(plainName);
  return /^(?:column|constraint|index|partition|key|primary|foreign|default)$/.test(words[0] ?? "")
    ? words.slice(0, 2).join(" ")
    : `column ${words[0] ?? ""}`;
}

function plainName(word: string): string {
  return word.replace(/["`[\]]/g, "");
}
