import { badMatch, type Place } from "./bad-match.js";
import { compileGlob, compileNameGlob } from "./glob.js";
import { readMember, readTool } from "./path.js";
import type { Predicate } from "./predicate.js";
import { toText } from "./text.js";

type NameTest = (name: string) => boolean;

/** True for payloads whose tool has one of the names, in any case: its API name or its runtime name. `A|B` and `A,B` are lists too. */
export function compileToolFilter(tool: string | readonly string[]): Predicate {
  const tests = [tool].flat().flatMap((names) => compileNames(names, { text: names, at: 0 }));
  if (tests.length === 0) throw badMatch(expectedName);
  const [only] = tests;
  return only !== undefined && tests.length === 1 ? (payload) => isTool(payload, only) : (payload) => hasTool(payload, tests);
}

/** A bare name in an expression: the tool's names in any case, or the payload's `target`, which may be a path: there case counts. */
export function compileName(names: string, origin: Place): Predicate {
  const tests = compileNames(names, origin);
  const targets = compileNames(names, origin, compileGlob);
  return (payload) => hasTool(payload, tests) || isOneOf(targets, readMember(payload, "target"));
}

/**
 * `tool.name == bash`, compared as a tool filter compares: in any case, and `tool.name` with the runtime name too. The name of a tool means
 * the same tool in an expression and in a filter. Undefined for every other path.
 */
export function compileNameAt(path: string, test: NameTest): Predicate | undefined {
  if (!isNamePath(path)) return undefined;
  const field = path.slice("tool.".length);
  return (payload) => {
    const tool = readTool(payload);
    return test(toText(tool?.[field])) || (field === "name" && typeof tool?.runtimeName === "string" && test(tool.runtimeName));
  };
}

export function isNamePath(path: string): boolean {
  return path === "tool.name" || path === "tool.runtimeName";
}

const expectedName = "Expected a tool name, a glob or a list of them. Write * for any tool.";

function isTool(payload: unknown, test: NameTest): boolean {
  const tool = readTool(payload);
  if (tool === undefined) return false;
  const { name, runtimeName } = tool;
  return (typeof name === "string" && test(name)) || (typeof runtimeName === "string" && test(runtimeName));
}

function hasTool(payload: unknown, tests: readonly NameTest[]): boolean {
  const tool = readTool(payload);
  return tool !== undefined && (isOneOf(tests, tool.name) || isOneOf(tests, tool.runtimeName));
}

function isOneOf(tests: readonly NameTest[], name: unknown): boolean {
  if (typeof name === "string") for (const test of tests) if (test(name)) return true;
  return false;
}

function compileNames(names: unknown, { text, at }: Place, compile = compileNameGlob): readonly NameTest[] {
  if (typeof names !== "string") throw badMatch(expectedName);
  let start = at;
  return names.split(separator).map((name) => {
    const place = { text, at: start + name.search(/\S|$/) };
    start += name.length + 1;
    if (name.trim() === "") throw badMatch(expectedName, place);
    return compile(name.trim(), place);
  });
}

// Behind an even number of backslashes, or none.
const separator = /(?<=(?<!\\)(?:\\\\)*)[,|]/;
