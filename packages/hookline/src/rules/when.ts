import { createRequire } from "node:module";
import { HookError } from "@hookline/core";
import { checkPath } from "@hookline/core/internal";
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { commandsOf } from "../commands/commands-of.js";
import type { CommandFact } from "../commands/facts.js";
import { withDoubt } from "./command/command-table.js";
import type { Condition } from "./command/condition.js";
import { linearRegex } from "./linear-regex.js";

const PACKAGE = "@marcbachmann/cel-js";
const VERSION = "8.0.0";
const MAX_LENGTH = 4_096;
const LIMITS = { maxAstNodes: 500, maxDepth: 32, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 };
/** Steps that one evaluation may take. A step is far below a microsecond. */
const MAX_WORK = 1_000_000;
/** Values of a payload that are looked at to know how long an evaluation can take. */
const MAX_VALUES = 20_000;
const MAX_PATTERNS = 100;
/** The methods that evaluate an argument for each item of a list. */
const LOOPS: readonly string[] = ["all", "exists", "exists_one", "map", "filter"];
/** What `matches` becomes: CEL's own engine backtracks. */
const LINEAR = "matchesInLinearTime";
const FACTS = "commands";

type Cel = { readonly Environment: new (options: object) => Environment };

/** Loads the package when the first rule needs it. It is optional, so it may be missing. */
export function loadCel(load: (name: string) => unknown = createRequire(import.meta.url)): Cel {
  try {
    return load(PACKAGE) as Cel;
  } catch (cause) {
    throw new HookError("HL_BAD_RULE", `"when" needs the package ${PACKAGE}, which cannot be loaded.`, {
      fix: { run: `npm install ${PACKAGE}@${VERSION}` },
      cause,
    });
  }
}

interface Written {
  readonly when: string;
  readonly events: readonly string[];
}

/** Compiles `when`, an expression in CEL. Throws `HL_BAD_MATCH` with the place of the mistake. */
export function compileWhen({ when, events }: Written, cel: () => Cel = loadCel): Condition {
  if (when.length > MAX_LENGTH) throw wrong(`it is longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  const environment = createEnvironment(cel());
  const parsed = parse(environment, when);
  const found = examine(parsed.ast, events);
  const { valid, type, error } = parsed.check();
  if (!valid) throw wrongIn(error);
  if (type !== "bool" && type !== "dyn") throw wrong(`it gives a ${type}, and must give true or false`, 0);
  return {
    answer(payload) {
      const facts = found.hasFacts ? commandsOf({ payload }) : [];
      checkWork([payload, facts], found);
      try {
        const answer: unknown = parsed(contextOf(payload, found.hasFacts, facts));
        if (typeof answer !== "boolean") throw new HookError("HL_BAD_MATCH", `"when" gave ${typeof answer}, and must give true or false.`);
        const [doubted] = answer ? facts.filter(({ doubt }) => doubt !== undefined) : [];
        return doubted === undefined ? answer : withDoubt(doubted, answer);
      } catch (thrown) {
        const unknown = unknownIn(thrown);
        if (unknown !== undefined) return unknown;
        throw thrown instanceof HookError ? thrown : failure(thrown);
      }
    },
    close: () => {},
  };
}

function createEnvironment({ Environment }: Cel): Environment {
  const patterns = new Map<string, { test(text: string): boolean }>();
  return new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits: LIMITS }).registerFunction(
    `string.${LINEAR}(string): bool`,
    (text: string, source: string) => {
      const known = patterns.get(source) ?? linearRegex.compile(source);
      if (patterns.size < MAX_PATTERNS) patterns.set(source, known);
      return known.test(text);
    },
  );
}

function parse(environment: Environment, when: string) {
  try {
    return environment.parse(when);
  } catch (error) {
    throw wrongIn(error);
  }
}

/** What an expression needs of a call, and how much it does with it. */
interface Found {
  nodes: number;
  /** How deep loops are nested. */
  loops: number;
  /** Parts that make a list longer than its source. */
  joins: number;
  hasFacts: boolean;
  splits: boolean;
  /** The items of the longest list that is written out. */
  literal: number;
}

/** Checks names and patterns, and replaces each `matches`. The loops that the parser made of methods hold the same nodes. */
function examine(ast: ASTNode, events: readonly string[]): Found {
  const found: Found = { nodes: 0, loops: 0, joins: 0, hasFacts: false, splits: false, literal: 0 };
  visit(ast, new Set(), 0);
  return found;

  function visit(node: ASTNode, own: ReadonlySet<string>, depth: number): void {
    found.nodes++;
    found.loops = Math.max(found.loops, depth);
    const path = pathOf(node);
    if (path !== undefined) return visitPath(node, path, own);
    if (node.op === "rcall") return visitCall(node, own, depth);
    if (node.op === "+") found.joins++;
    if (node.op === "list") found.literal = Math.max(found.literal, node.args.length);
    for (const child of childrenOf(node.args)) visit(child, own, depth);
  }

  function visitPath(node: ASTNode, path: readonly string[], own: ReadonlySet<string>): void {
    const [root = ""] = path;
    if (own.has(root)) return;
    if (root === FACTS) found.hasFacts = true;
    else {
      const fault = checkPath(path.join("."), events);
      if (fault?.severity === "error") throw wrong(fault.message.replace(/\.$/, ""), node.range.start);
    }
  }

  function visitCall(node: ASTNode & { readonly op: "rcall" }, own: ReadonlySet<string>, depth: number): void {
    const [name, receiver, args] = node.args;
    if (name === "bind") throw wrong('"bind" is not supported', node.range.start);
    if (name === "split") found.splits = true;
    if (name === "matches") {
      const [pattern] = args;
      if (pattern?.op === "value" && typeof pattern.args === "string") checkPattern(pattern.args, pattern.range.start);
      // The parser gives its own tree, and has not looked the method up yet.
      (node.args as unknown as string[])[0] = LINEAR;
    }
    visit(receiver, own, depth);
    const [item] = args;
    if (!LOOPS.includes(name) || item?.op !== "id") return args.forEach((arg) => void visit(arg, own, depth));
    for (const arg of args.slice(1)) visit(arg, new Set([...own, item.args]), depth + 1);
  }
}

function checkPattern(source: string, at: number): void {
  try {
    linearRegex.compile(source);
  } catch (error) {
    throw wrong((error as Error).message, at);
  }
}

/** `tool.input.command`; undefined for anything else. */
function pathOf(node: ASTNode): readonly string[] | undefined {
  if (node.op === "id") return [node.args];
  if (node.op !== ".") return undefined;
  const before = pathOf(node.args[0]);
  return before === undefined ? undefined : [...before, node.args[1]];
}

function childrenOf(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === "object" && args !== null && "op" in args ? [args as ASTNode] : [];
}

/** CEL has no limit of its own: loops within loops over a long list could take hours. Throws before anything is evaluated. */
function checkWork(values: unknown, { nodes, loops, joins, splits, literal }: Found): void {
  if (loops === 0) return;
  const longest = Math.max(literal, longestIn(values, splits)) * (joins + 1);
  if (nodes * longest ** loops <= MAX_WORK) return;
  throw new HookError("HL_BAD_MATCH", `"when" would take more than ${MAX_WORK} steps for a list of ${longest} items.`, {
    fix: "Use fewer loops within loops, or a shorter list.",
  });
}

/** The most items that a list can have: one of the values, or of the parts of a text. */
function longestIn(values: unknown, splits: boolean): number {
  const waiting = [values];
  let longest = 0;
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen > MAX_VALUES) return Number.POSITIVE_INFINITY;
    const value = waiting.pop();
    if (typeof value === "string" && splits) longest = Math.max(longest, value.length);
    else if (typeof value === "object" && value !== null) {
      const items: readonly unknown[] = Object.values(value);
      longest = Math.max(longest, items.length);
      for (const item of items) waiting.push(item);
    }
  }
  return longest;
}

function contextOf(payload: unknown, hasFacts: boolean, facts: readonly CommandFact[]): { [name: string]: unknown } {
  const fields = typeof payload === "object" && payload !== null ? payload : {};
  return { ...fields, ...(hasFacts && { [FACTS]: facts.map(knownFacts) }) };
}

class UnknownFact extends Error {}

/** A fact that is not known ends the evaluation, except where the other side of `||` or `&&` decides. */
function knownFacts(command: CommandFact): object {
  const shown: object = { ...command };
  for (const [name, why] of Object.entries(command.unknown))
    Object.defineProperty(shown, name, {
      enumerable: true,
      get() {
        throw new UnknownFact(why);
      },
    });
  return shown;
}

function unknownIn(thrown: unknown): string | undefined {
  if (thrown instanceof UnknownFact) return thrown.message;
  const { cause } = thrown as { readonly cause?: unknown };
  return cause === undefined ? undefined : unknownIn(cause);
}

/** CEL's errors, as the package reports them. */
interface CelError {
  readonly summary?: string;
  readonly message: string;
  readonly code?: string;
  readonly range?: { readonly start: number };
}

function failure(thrown: unknown): HookError {
  const { summary, message, code } = thrown as CelError;
  const fix =
    code === "no_such_key" ? "Ask first whether the field is there: has(tool.input.command) && …" : "Correct the expression in the rule.";
  return new HookError("HL_BAD_MATCH", `"when" failed: ${summary ?? message}.`, { fix, cause: thrown });
}

function wrongIn(error: unknown): HookError {
  const { summary, message, range } = error as CelError;
  const text = (summary ?? message).replace(/^(?:Expected|Unexpected) [^'"]*$/, (words) => words.replaceAll(/\b[A-Z]+\b/g, tokenText));
  return wrong(text.replaceAll(LINEAR, "matches"), range?.start ?? 0);
}

/** What the package's names of tokens stand for. */
const TOKENS: { readonly [name: string]: string } = {
  EOF: "the end",
  IDENTIFIER: "a name",
  LPAREN: '"("',
  RPAREN: '")"',
  LBRACKET: '"["',
  RBRACKET: '"]"',
  LBRACE: '"{"',
  RBRACE: '"}"',
  DOT: '"."',
  COMMA: '","',
  COLON: '":"',
  QUESTION: '"?"',
};

function tokenText(name: string): string {
  return TOKENS[name] ?? name.toLowerCase();
}

function wrong(message: string, position: number): HookError {
  return new HookError("HL_BAD_MATCH", `${message}.`, { position });
}
