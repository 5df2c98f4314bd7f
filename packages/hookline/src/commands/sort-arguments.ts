import { compileGlob } from "@hookline/core/internal";
import type { Destroyed } from "./facts.js";
import { type FoundOption, rolesOf, sortWords, withoutCount, wordOrderOf } from "./options.js";
import type { CommandEntry, Effect, OperandRole, OptionEffect, OptionTable, ProgramEntry, Role } from "./program-entry.js";
import { isExact, type Value } from "./value.js";

/** The words after a program, sorted by its entry. */
export interface SortedArguments {
  readonly options: readonly FoundOption[];
  readonly operands: readonly Value[];
  /** What each operand means. */
  readonly roles: readonly Role[];
  /** Why there may be options or a subcommand that are not listed. */
  readonly unknown: string | undefined;
  readonly verb: string;
  /** The entry of the subcommand, or the program's own. */
  readonly subcommand: CommandEntry;
  /** What the entry, its subcommand and the options say together. */
  readonly effect: Effect;
  readonly turns: readonly NonNullable<Effect["turns"]>[];
  readonly destroyed: readonly Destroyed[];
  /** The assignments before an inner command. */
  readonly environment: readonly Value[];
}

/** Follows the subcommands and merges what the entry, its subcommand and the options say. */
export function sortArguments(entry: ProgramEntry, args: readonly Value[]): SortedArguments {
  let current: CommandEntry = entry;
  let tables: (OptionTable | undefined)[] = [current.options];
  let rest = args;
  let unknown: string | undefined;
  const verbs: string[] = [];
  let options: readonly FoundOption[] = noOptions;
  let operands: readonly Value[];
  let before = 0;
  for (;;) {
    before = options.length;
    const { syntax, beforeEnd } = wordOrderOf(current);
    const sorted = sortWords(rest, syntax, tables, beforeEnd);
    options = joined(options, sorted.options);
    operands = sorted.operands;
    unknown ??= sorted.unknown;
    const [verb] = operands;
    if (current.subcommands === undefined || verb === undefined) break;
    if (!isExact(verb)) unknown ??= verb.unknown ?? `the subcommand is not known: ${verb.text}`;
    const next = subcommandOf(current.subcommands, verb.text);
    if (next === undefined) break;
    verbs.push(next.name);
    tables = [next.entry.options, ...tables];
    rest = operands.slice(1);
    current = next.entry;
  }
  let isListed = current.subcommands === undefined;
  const count = verbCount(current, operands, isListed);
  if (count > 0) {
    verbs.push(...operands.slice(0, count).map(({ text }) => text));
    const last = subcommandOf(current.verbs ?? {}, verbs.at(-1) ?? "")?.entry;
    if (last === undefined) {
      const again = sortWords(operands.slice(count), current.syntax === "words" ? "words" : "gnu", tables);
      options = joined(options, again.options);
      operands = again.operands;
      unknown ??= again.unknown;
    } else {
      // The words before the last one of the subcommand may have options that only it knows.
      const end = wordOrderOf(last).beforeEnd;
      const again = sortWords(rest, wordOrderOf(current).syntax, [last.options, ...tables], end === undefined ? undefined : count + end);
      options = joined(options.slice(0, before), again.options);
      operands = again.operands.slice(count);
      current = last;
      isListed = true;
    }
  }
  const effects: Effect[] = [isListed || current.operands !== undefined ? current : entry];
  for (const { value, effect } of options) {
    if (effect === undefined) continue;
    effects.push(effect);
    const more = effect.values === undefined ? undefined : effectOfValue(effect.values, value?.text ?? "");
    if (more !== undefined) effects.push(more);
  }
  const merged = mergedOf(effects, current !== entry);
  const assignments = countAssignments(operands, merged.roles);
  return {
    options,
    operands,
    roles:
      merged.roles[0] === "assignment..." ? rolesWithAssignments(merged, operands.length, assignments) : rolesIn(merged, operands.length),
    unknown,
    verb: verbs.length < 2 ? (verbs[0] ?? "") : verbs.join(" "),
    subcommand: current,
    effect: merged.effect,
    turns: merged.turns,
    // `kubectl delete --help` shows how it is used.
    destroyed: options.some(({ name }) => name === "--help") ? noneDestroyed : merged.destroyed,
    environment: assignments === 0 ? noValues : operands.slice(0, assignments),
  };
}

const noValues: readonly Value[] = [];
const noOptions: readonly FoundOption[] = [];

function joined(before: readonly FoundOption[], after: readonly FoundOption[]): readonly FoundOption[] {
  return before.length === 0 ? after : after.length === 0 ? before : [...before, ...after];
}

/** What several effects say together. */
interface Merged {
  readonly effect: Effect;
  readonly turns: SortedArguments["turns"];
  readonly roles: readonly OperandRole[];
  readonly destroyed: readonly Destroyed[];
  /** What each operand means, by how many there are. */
  readonly byCount: (readonly Role[] | undefined)[];
}

/** The effects that follow others, and what they say together. */
interface MergeStep {
  readonly next: Map<Effect, MergeStep>;
  merged?: Merged;
}

/** Programs are called with the same few options again and again. Past so many steps the lists start again; longer lists are merged each time. */
const MAX_STEPS = 10_000;
const MAX_MERGED = 8;
let steps = 0;
const ofPrograms = new Map<Effect, MergeStep>();
const ofSubcommands = new Map<Effect, MergeStep>();

function mergedOf(effects: readonly Effect[], isSubcommand: boolean): Merged {
  if (effects.length > MAX_MERGED) return merge(effects, isSubcommand);
  let next = isSubcommand ? ofSubcommands : ofPrograms;
  let step: MergeStep | undefined;
  for (const effect of effects) {
    step = next.get(effect);
    if (step === undefined) {
      if (++steps > MAX_STEPS) {
        steps = 0;
        ofPrograms.clear();
        ofSubcommands.clear();
      }
      step = { next: new Map() };
      next.set(effect, step);
    }
    next = step.next;
  }
  if (step === undefined) return merge(effects, isSubcommand);
  step.merged ??= merge(effects, isSubcommand);
  return step.merged;
}

function merge(effects: readonly Effect[], isSubcommand: boolean): Merged {
  const effect: Effect = Object.assign({}, ...effects.map(definedOnly));
  const turns = effects.flatMap((one) => (one.turns === undefined ? [] : [one.turns]));
  const roles = [...(effect.operands ?? (isSubcommand ? ["target..." as const] : []))];
  for (const { drops } of effects) {
    const at = drops === undefined ? -1 : roles.findIndex((role) => withoutCount(role) === drops);
    if (at >= 0) roles.splice(at, 1);
  }
  return { effect, turns, roles, destroyed: destroyedBy(effects, effect.isDryRun === true), byCount: [] };
}

function rolesIn({ roles, turns, byCount }: Merged, count: number): readonly Role[] {
  const known = byCount[count];
  if (known !== undefined) return known;
  const made = rolesOf(count, roles).map((role) => turnedRole(turns, role));
  if (count <= MAX_MERGED) byCount[count] = made;
  return made;
}

function effectOfValue(values: NonNullable<OptionEffect["values"]>, text: string): Effect | undefined {
  if (Object.hasOwn(values, text)) return values[text];
  return Object.entries(values).find(([pattern]) => pattern.includes("*") && compileGlob(pattern)(text))?.[1];
}

/** The role that options turn a role into. */
export function turnedRole(turns: SortedArguments["turns"], role: Role): Role {
  return turns.reduce((turned, one) => one[turned] ?? turned, role);
}

function destroyedBy(effects: readonly Effect[], isDryRun: boolean): readonly Destroyed[] {
  if (effects.every(({ destroys }) => destroys === undefined)) return noneDestroyed;
  const kinds = new Set(effects.flatMap(({ destroys }) => destroys ?? []));
  return isDryRun || kinds.has("nothing") ? noneDestroyed : [...kinds].filter((kind) => kind !== "nothing");
}

const noneDestroyed: readonly Destroyed[] = [];

/** `env A=b rm`: the assignments are not part of the command. */
function countAssignments(operands: readonly Value[], roles: readonly OperandRole[]): number {
  if (roles[0] !== "assignment...") return 0;
  const end = operands.findIndex(({ text }) => !/^[A-Za-z_]\w*\+?=/.test(text));
  return end < 0 ? operands.length : end;
}

function rolesWithAssignments({ roles, turns }: Merged, count: number, assignments: number): readonly Role[] {
  const others = rolesOf(count - assignments, roles.slice(1));
  return [...new Array<Role>(assignments).fill("assignment"), ...others].map((role) => turnedRole(turns, role));
}

/** What an entry of the tables says itself about a call as a whole. */
function definedOnly(effect: Effect): Effect {
  const {
    isDryRun,
    settings,
    operands,
    recursive,
    receives,
    sends,
    prints,
    stdin,
    privileged,
    takesInput,
    finds,
    links,
    unpacks,
    viaShell,
  } = effect;
  return {
    ...(operands !== undefined && { operands }),
    ...(recursive !== undefined && { recursive }),
    ...(receives !== undefined && { receives }),
    ...(sends !== undefined && { sends }),
    ...(prints !== undefined && { prints }),
    ...(stdin !== undefined && { stdin }),
    ...(privileged !== undefined && { privileged }),
    ...(takesInput !== undefined && { takesInput }),
    ...(isDryRun !== undefined && { isDryRun }),
    ...(settings !== undefined && { settings }),
    ...(finds !== undefined && { finds }),
    ...(links !== undefined && { links }),
    ...(unpacks !== undefined && { unpacks }),
    ...(viaShell !== undefined && { viaShell }),
  };
}

function verbCount({ verbs, verbWords, subcommands }: CommandEntry, operands: readonly Value[], isListed: boolean): number {
  if (verbs !== undefined) {
    const at = operands.findIndex(({ text }) => subcommandOf(verbs, text) !== undefined);
    if (at >= 0) return at + 1;
  }
  return Math.min(operands.length, verbWords ?? (isListed || subcommands === undefined ? 0 : 1));
}

interface Subcommand {
  readonly name: string;
  readonly entry: CommandEntry;
}

interface Subcommands {
  readonly names: ReadonlyMap<string, Subcommand>;
  /** What names with a star begin with. */
  readonly beginnings: readonly (readonly [beginning: string, entry: CommandEntry])[];
}

const subcommandsOf = new WeakMap<object, Subcommands>();

function subcommandOf(subcommands: NonNullable<CommandEntry["subcommands"]>, name: string): Subcommand | undefined {
  let known = subcommandsOf.get(subcommands);
  if (known === undefined) {
    const all = Object.entries(subcommands).flatMap(([key, entry]) =>
      key.split(", ").flatMap((group) => group.split(" ").map((one) => [one, { name: group.split(" ")[0] ?? one, entry }] as const)),
    );
    const names = new Map(all);
    known = {
      names,
      beginnings: [...names].flatMap(([one, { entry }]) => (one.endsWith("*") ? [[one.slice(0, -1), entry] as const] : [])),
    };
    subcommandsOf.set(subcommands, known);
  }
  // Some programs, such as redis-cli, take any case.
  const found = known.names.get(name) ?? known.names.get(name.toLowerCase());
  if (found !== undefined) return found;
  for (const [beginning, entry] of known.beginnings) if (name.startsWith(beginning)) return { name, entry };
  return undefined;
}
