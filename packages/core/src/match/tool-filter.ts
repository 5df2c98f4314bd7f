import { badMatch, type Place } from "./bad-match.js";
import { compileGlob } from "./glob.js";
import { readMember, readTool } from "./path.js";
import type { Predicate } from "./predicate.js";

type NameTest = (name: string) => boolean;

/** True for payloads whose tool has one of the names: its API name or its runtime name. `A|B` and `A,B` are lists too. */
export function compileToolFilter(tool: string | readonly string[]): Predicate {
  const tests = [tool].flat().flatMap((names) => compileNames(names, { text: names, at: 0 }));
  if (tests.length === 0) throw badMatch(expectedName);
  const [only] = tests;
  return only !== undefined && tests.length === 1 ? (payload) => isTool(payload, only) : (payload) => hasTool(payload, tests);
}

/** A bare name in an expression: the tool's names, or the payload's `target`. */
export function compileName(names: string, origin: Place): Predicate {
  const tests = compileNames(names, origin);
  return (payload) => hasTool(payload, tests) || isOneOf(tests, readMember(payload, "target"));
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

function compileNames(names: unknown, { text, at }: Place): readonly NameTest[] {
  if (typeof names !== "string") throw badMatch(expectedName);
  let start = at;
  return names.split(separator).map((name) => {
    const place = { text, at: start + name.search(/\S|$/) };
    start += name.length + 1;
    if (name.trim() === "") throw badMatch(expectedName, place);
    return compileGlob(name.trim(), place);
  });
}

// Behind an even number of backslashes, or none.
const separator = /(?<=(?<!\\)(?:\\\\)*)[,|]/;
