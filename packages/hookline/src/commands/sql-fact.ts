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
  return lines.split(";").map((statement) => statement.match(/"[^"]*"|`[^`]*`|\[[^\]]*\]|[\w.$?-]+|[(),]|<=>|<>|[<>!=]=|[<>=]/g) ?? []);
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
  const end = words.findIndex((word, index) => index > at && (word === "returning" || word === "limit" || word === "order"));
  return !new Condition(words.slice(at + 1, end < 0 ? undefined : end)).holdsAlways();
}

/** Conditions inside conditions. */
const MAX_DEPTH = 50;

/** The words of a condition, read as far as it takes to see that it always holds. */
class Condition {
  readonly #words: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  holdsAlways(): boolean {
    return this.#words.length > 0 && this.#any() === true && this.#at === this.#words.length;
  }

  /** `true` or `false` if it is always that. */
  #any(): boolean | undefined {
    let holds = this.#all();
    while (this.#take("or")) {
      const next = this.#all();
      holds = holds === true || next === true ? true : holds === false ? next : next === false ? holds : undefined;
    }
    return holds;
  }

  #all(): boolean | undefined {
    let holds = this.#one();
    while (this.#take("and")) {
      const next = this.#one();
      holds = holds === false || next === false ? false : holds === true ? next : undefined;
    }
    return holds;
  }

  #one(): boolean | undefined {
    if (++this.#depth > MAX_DEPTH) return undefined;
    let holds: boolean | undefined;
    if (this.#take("not")) {
      const inner = this.#one();
      holds = inner === undefined ? undefined : !inner;
    } else if (this.#words[this.#at] === "(" && !verbs.has(this.#words[this.#at + 1] ?? "")) {
      this.#at++;
      holds = this.#any();
      if (!this.#take(")")) holds = undefined;
    } else holds = this.#comparison();
    this.#depth--;
    return holds;
  }

  #comparison(): boolean | undefined {
    const start = this.#at;
    let open = 0;
    for (; this.#at < this.#words.length; this.#at++) {
      const word = this.#words[this.#at];
      if (open === 0 && (word === "and" || word === "or" || word === ")")) break;
      if (word === "(") open++;
      if (word === ")") open--;
    }
    return comparisonHolds(this.#words.slice(start, this.#at));
  }

  #take(word: string): boolean {
    if (this.#words[this.#at] !== word) return false;
    this.#at++;
    return true;
  }
}

/** `?` stands for a string: two strings that are compared are taken for the same one. */
function comparisonHolds(words: readonly string[]): boolean | undefined {
  const [left = "", sign = "", right = ""] = words;
  if (words.length === 1) return left === "true" || (/^\d+$/.test(left) ? Number(left) !== 0 : left === "false" ? false : undefined);
  // Rows without a key are rare.
  if (words.slice(1).join(" ") === "is not null") return true;
  if (words.length !== 3) return undefined;
  const [a, b] = [Number(left), Number(right)];
  const areNumbers = /^-?[\d.]+$/.test(left) && /^-?[\d.]+$/.test(right);
  if (sign === "=" || sign === "==" || sign === "<=>") return left === right ? true : areNumbers ? a === b : undefined;
  if (!areNumbers) return undefined;
  return { "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "<>": a !== b, "!=": a !== b }[sign];
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
