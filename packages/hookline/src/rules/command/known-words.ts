import type { CommandEntry, OptionTable } from "../../commands/program-entry.js";
import { allPrograms, findProgram } from "../../commands/programs/all-programs.js";

/** The base names of all programs that Hookline knows. */
export function programNames(): readonly string[] {
  return allPrograms.flatMap(({ names, also = [] }) => [...names, ...also]);
}

/** The subcommands of a program, `*` if it also has others. Undefined for a program without any. */
export function verbsOf(program: string): readonly string[] | undefined {
  const entry = findProgram(program);
  if (entry === undefined || !hasVerbs(entry)) return undefined;
  const known = verbs.get(entry);
  if (known !== undefined) return known;
  const found = verbsBelow(entry, "");
  verbs.set(entry, found);
  return found;
}

/** Every rule about a program asks: without this, 1,000 rules take 370 ms to read instead of 150. */
const verbs = new WeakMap<CommandEntry, readonly string[]>();

function hasVerbs({ subcommands, verbWords, verbs }: CommandEntry): boolean {
  return subcommands !== undefined || verbWords !== undefined || verbs !== undefined;
}

function verbsBelow(entry: CommandEntry, before: string): readonly string[] {
  const listed = Object.entries({ ...entry.subcommands, ...entry.verbs }).flatMap(([names, inner]) =>
    names.split(/,? /).flatMap((name) => [`${before}${name}`, ...verbsBelow(inner, `${before}${name} `)]),
  );
  return (entry.verbWords ?? 0) === 0 && entry.verbs === undefined ? listed : [...listed, `${before}*`];
}

/** An option of a program: the name that facts use, and how it can be written. */
export interface KnownOption {
  readonly name: string;
  readonly spellings: readonly string[];
}

/** The options of a program, and of its subcommands: of those that a test accepts, or of all. */
export function optionsOf(program: string, isMeant: (verb: string) => boolean = () => true): readonly KnownOption[] {
  const entry = findProgram(program);
  return entry === undefined ? [] : optionsBelow(entry, "", isMeant);
}

function optionsBelow(
  { options, subcommands, verbs }: CommandEntry,
  verb: string,
  isMeant: (verb: string) => boolean,
): readonly KnownOption[] {
  const inner = Object.entries({ ...subcommands, ...verbs }).flatMap(([names, entry]) => {
    const all = names.split(/,? /).map((name) => (verb === "" ? name : `${verb} ${name}`));
    const [first = ""] = all;
    return verbs !== undefined || all.some(isMeant) || entry.subcommands !== undefined ? optionsBelow(entry, first, isMeant) : [];
  });
  return [...optionsIn(options ?? {}), ...inner];
}

function optionsIn(table: OptionTable): readonly KnownOption[] {
  return Object.keys(table).map((key) => {
    const spellings = key.split(" ").filter((word) => !/^(?:[A-Z][A-Z_]*|\[[A-Z_]+\])$/.test(word));
    return { name: spellings.find((spelling) => spelling.startsWith("--")) ?? spellings[0] ?? "", spellings };
  });
}
