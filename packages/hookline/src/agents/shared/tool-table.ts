import { shellWord } from "@hookline/core/internal/text";
import { isObject, type Json } from "./native-payload.js";

/** The names that rules use for an agent's tool and its fields. */
interface ToolWords {
  /** The name that rules use. */
  readonly name: string;
  /** The field that holds the path. */
  readonly path?: string;
  /** The field that holds the command of a shell, where that is not `command`. */
  readonly command?: string;
  /** The field that holds a list of commands, which run one after the other. */
  readonly commands?: string;
}

export type ToolTable = { readonly [native: string]: ToolWords };

/** Tools for which rules use the agent's own name. */
export function sameNamed(...names: readonly string[]): ToolTable {
  return Object.fromEntries(names.map((name) => [name, { name }]));
}

/** The names of an agent's tool that guards see. */
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

/** A tool call with common names. Fields are only added, so rules that use the agent's own names work too. */
export function toCommon(table: ToolTable, native: string, input: unknown): CommonTool {
  const words = wordsOf(table, native);
  const named = namesOf(table, native);
  if (!isObject(input)) return { ...named, input: input === undefined || input === null ? {} : { value: input } };
  return { ...named, input: { ...input, ...commandOf(words, input), ...pathOf(words, input) } };
}

/**
 * Translates a rewritten input back. Undefined if the rewrite cannot be expressed in the agent's form. A guard may have read either of two fields
 * with the same meaning, so if they differ it is unknown which one it approved.
 */
export function toNative(table: ToolTable, native: string, rewritten: unknown, original: unknown): Json | undefined {
  if (!isObject(rewritten) || !isObject(original)) return undefined;
  const result: { [key: string]: unknown } = { ...rewritten };
  const words = wordsOf(table, native);
  for (const common of ["path", "command"] as const) {
    const field = words[common];
    if (field === undefined || Object.hasOwn(original, common) || !Object.hasOwn(result, common)) continue;
    if (Object.hasOwn(result, field) && result[field] !== result[common]) return undefined;
    result[field] = result[common];
    delete result[common];
  }
  if (Array.isArray(original.command)) return listAgain(result, original.command);
  const { commands } = words;
  if (commands !== undefined && Object.hasOwn(original, commands)) return commandsAgain(result, original, commands);
  return result;
}

/** Text that a shell splits into these words again. */
export function shellText(words: readonly unknown[]): string {
  return words.map((word) => shellWord(String(word))).join(" ");
}

function wordsOf(table: ToolTable, native: string): ToolWords {
  return Object.hasOwn(table, native) ? (table[native] ?? { name: native }) : { name: native };
}

function commandOf({ name, command: field, commands }: ToolWords, input: Json): Json {
  const { command } = input;
  if (field !== undefined && command === undefined && typeof input[field] === "string") return { command: input[field] };
  if (commands !== undefined && Object.hasOwn(input, commands)) return { command: script(input[commands]) };
  return name === "Bash" && Array.isArray(command) ? { command: shellText(command) } : {};
}

function pathOf({ path: field }: ToolWords, input: Json): Json {
  if (field === undefined || Object.hasOwn(input, "path") || typeof input[field] !== "string") return {};
  return { path: input[field] };
}

/** The text that a shell would run for a list of commands. */
function script(commands: unknown): string {
  const list: readonly unknown[] = Array.isArray(commands) ? commands : [commands];
  return list.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n");
}

/** A rewritten script is one command of the list. The list itself cannot be rewritten: guards may have read either. */
function commandsAgain({ command, ...rest }: Json, original: Json, field: string): Json | undefined {
  if (script(rest[field]) !== script(original[field])) return undefined;
  if (command === undefined || command === script(original[field])) return rest;
  return typeof command === "string" ? { ...rest, [field]: [command] } : undefined;
}

/** A command that arrived as a list is returned as a list: unchanged, or as a script for the shell. */
function listAgain(result: Json, original: readonly unknown[]): Json | undefined {
  if (typeof result.command !== "string") return Array.isArray(result.command) ? result : undefined;
  return { ...result, command: result.command === shellText(original) ? original : ["sh", "-c", result.command] };
}
