import { shellWord } from "@hookline/core/internal/text";
import { isObject, type Json } from "./native-payload.js";

/** What rules call an agent's tool and its fields. */
interface ToolWords {
  /** The name that rules use. */
  readonly name: string;
  /** The field that holds the path. */
  readonly path?: string;
}

export type ToolTable = { readonly [native: string]: ToolWords };

/** Tools that rules call as the agent does. */
export function sameNamed(...names: readonly string[]): ToolTable {
  return Object.fromEntries(names.map((name) => [name, { name }]));
}

/** The names of one of an agent's tools, as its guards see them. */
export function namesOf(table: ToolTable, native: string): Pick<CommonTool, "name" | "runtimeName"> {
  const { name } = wordsOf(table, native);
  return name === native ? { name } : { name, runtimeName: native };
}

export interface CommonTool {
  readonly name: string;
  /** Missing where it is the same. */
  readonly runtimeName?: string;
  readonly input: Json;
}

/** A tool call in common words. Fields are added, none is taken away, so that rules in the agent's own words hold too. */
export function toCommon(table: ToolTable, native: string, input: unknown): CommonTool {
  const words = wordsOf(table, native);
  const named = namesOf(table, native);
  if (!isObject(input)) return { ...named, input: input === undefined || input === null ? {} : { value: input } };
  return { ...named, input: { ...input, ...commandOf(words, input), ...pathOf(words, input) } };
}

/**
 * The way back, for a rewritten input: `undefined` where the rewrite cannot be said in the agent's words. A guard may have looked at
 * either of two fields that mean the same, so when they disagree nobody knows what was agreed to.
 */
export function toNative(table: ToolTable, native: string, rewritten: unknown, original: unknown): Json | undefined {
  if (!isObject(rewritten) || !isObject(original)) return undefined;
  const { path: field } = wordsOf(table, native);
  const result: { [key: string]: unknown } = { ...rewritten };
  if (field !== undefined && !Object.hasOwn(original, "path") && Object.hasOwn(result, "path")) {
    if (Object.hasOwn(result, field) && result[field] !== result.path) return undefined;
    result[field] = result.path;
    delete result.path;
  }
  if (Array.isArray(original.command)) return listAgain(result, original.command);
  return result;
}

/** One text that a shell splits into these words again. */
export function shellText(words: readonly unknown[]): string {
  return words.map((word) => shellWord(String(word))).join(" ");
}

function wordsOf(table: ToolTable, native: string): ToolWords {
  return Object.hasOwn(table, native) ? (table[native] ?? { name: native }) : { name: native };
}

function commandOf({ name }: ToolWords, { command }: Json): Json {
  return name === "Bash" && Array.isArray(command) ? { command: shellText(command) } : {};
}

function pathOf({ path: field }: ToolWords, input: Json): Json {
  if (field === undefined || Object.hasOwn(input, "path") || typeof input[field] !== "string") return {};
  return { path: input[field] };
}

/** A command that came as a list goes back as one: untouched, or as a script for the shell. */
function listAgain(result: Json, original: readonly unknown[]): Json | undefined {
  if (typeof result.command !== "string") return Array.isArray(result.command) ? result : undefined;
  return { ...result, command: result.command === shellText(original) ? original : ["sh", "-c", result.command] };
}
