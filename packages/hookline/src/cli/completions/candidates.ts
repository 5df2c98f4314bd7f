import { Command } from "commander";
import type { CommandGroup, CommandModule, ListedCommand } from "../command-module.js";
import { valuesOf } from "./values.js";

/** A word that can stand here, and what it means. */
export interface Candidate {
  readonly word: string;
  readonly about: string;
}

/**
 * What can stand in the place of the last word. The words before it are the command line so far, without `hookline` itself.
 * Only the command that is named is loaded. An empty list lets the shell offer files.
 */
export async function candidatesFor(
  commands: readonly ListedCommand[],
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly Candidate[]> {
  const given = words.slice(0, -1);
  const begun = words.at(-1) ?? "";
  const place = await findPlace(commands, given);
  const all = await allAt(place, given, begun, env);
  return all.filter(({ word }) => word.startsWith(begun));
}

interface Place {
  readonly listed: readonly ListedCommand[];
  /** The command that is named, with its options. */
  readonly command?: Command;
  /** The arguments that are given already. */
  readonly args: readonly string[];
}

async function findPlace(commands: readonly ListedCommand[], given: readonly string[]): Promise<Place> {
  let listed = commands;
  for (const [at, word] of given.entries()) {
    const found = listed.find(({ name }) => name === word);
    if (found === undefined) {
      if (word.startsWith("-") || word === "help") continue;
      return { listed: [], args: given.slice(at) };
    }
    const { command: module } = await found.load();
    if (!isGroup(module)) return leafPlace(module, given.slice(at + 1));
    listed = module.subcommands;
  }
  return { listed, args: [] };
}

function isGroup(module: CommandModule | CommandGroup): module is CommandGroup {
  return "subcommands" in module;
}

function leafPlace(module: CommandModule, rest: readonly string[]): Place {
  const command = new Command();
  module.define(command);
  const takesValue = (word: string | undefined): boolean =>
    command.options.some(({ required, long, short }) => required && (long === word || short === word));
  return { listed: [], command, args: rest.filter((word, at) => !word.startsWith("-") && !takesValue(rest[at - 1])) };
}

async function allAt(
  { listed, command, args }: Place,
  given: readonly string[],
  begun: string,
  env: NodeJS.ProcessEnv,
): Promise<Candidate[]> {
  if (command === undefined) return listed.map(({ name, summary }) => ({ word: name, about: summary }));
  const options = command.options.filter(({ hidden }) => !hidden);
  const last = given.at(-1);
  const awaited = options.find(({ required, long, short }) => required && last !== undefined && (long === last || short === last));
  if (awaited !== undefined) return named(awaited.argChoices ?? (await valuesOf(awaited.attributeName(), env)));
  if (begun.startsWith("-"))
    return [...options.map(({ long, short, description }) => ({ word: long ?? short ?? "", about: description })), HELP];
  const argument = command.registeredArguments[Math.min(args.length, command.registeredArguments.length - 1)];
  return argument === undefined ? [] : named(await valuesOf(argument.name(), env));
}

const HELP: Candidate = { word: "--help", about: "show help" };

function named(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word, about: "" }));
}
