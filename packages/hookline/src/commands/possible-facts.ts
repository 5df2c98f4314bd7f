import type { FactName } from "./facts.js";
import { withoutCount } from "./options.js";
import type { CommandEntry, Effect, OptionEffect, Role } from "./program-entry.js";

/** What a command can do, apart from its words and that it runs at all. */
export const anything: readonly FactName[] = [
  "reads",
  "loads",
  "writes",
  "deletes",
  "changes",
  "recursive",
  "hosts",
  "sends",
  "receives",
  "runs",
  "git",
  "verb",
  "target",
  "sql",
  "destroys",
];

/** The facts that an argument adds to by its role. A role that runs a command may do anything. */
const byRole: { readonly [role in Role]: readonly FactName[] } = {
  text: [],
  read: ["reads"],
  load: ["loads"],
  folder: ["writes"],
  archive: ["reads", "writes"],
  write: ["writes"],
  disk: ["writes", "destroys"],
  delete: ["deletes"],
  change: ["changes"],
  edit: ["reads", "writes"],
  move: ["reads", "deletes"],
  into: ["writes"],
  mirror: ["writes", "deletes", "hosts", "sends"],
  dir: ["dir"],
  host: ["hosts"],
  rerouted: ["hosts"],
  url: ["hosts", "sends"],
  "url-file": ["hosts", "sends", "writes"],
  clone: ["hosts", "reads", "writes"],
  copy: ["reads", "hosts", "receives"],
  "copy-to": ["writes", "hosts", "sends"],
  send: ["sends"],
  "send-file": ["sends", "reads"],
  "send-at": ["sends", "reads"],
  "send-named": ["sends", "reads"],
  pattern: [],
  script: anything,
  "script-words": anything,
  command: anything,
  "command-end": anything,
  code: ["runs"],
  run: ["runs", "reads"],
  served: anything,
  package: anything,
  module: anything,
  setting: [],
  "http-item": ["hosts", "sends", "reads", "verb"],
  typed: anything,
  mounted: ["reads", "writes"],
  "container-path": ["writes"],
  "git-object": ["reads"],
  "git-alias": anything,
  verb: ["verb"],
  sql: ["sql"],
  "sql-file": ["sql", "reads"],
  signalled: ["destroys"],
  assignment: [],
  remote: ["git"],
  refspec: ["git"],
  ref: ["git"],
  pathspec: ["git"],
  target: ["target"],
  unknown: anything,
};

const known = new WeakMap<CommandEntry, ReadonlySet<FactName>>();

/** The facts that a command can have by its entry, whatever its words are. */
export function possibleFacts(entry: CommandEntry): ReadonlySet<FactName> {
  let found = known.get(entry);
  if (found === undefined) {
    found = new Set(factsOfEntry(entry));
    known.set(entry, found);
  }
  return found;
}

function factsOfEntry(entry: CommandEntry): readonly FactName[] {
  const inner = [...Object.values(entry.subcommands ?? {}), ...Object.values(entry.verbs ?? {})];
  return [
    "options",
    "operands",
    ...factsOfEffect(entry),
    ...Object.values(entry.options ?? {}).flatMap(factsOfOption),
    ...(inner.length === 0 ? [] : (["verb", "target"] as const)),
    ...inner.flatMap((one) => [...possibleFacts(one)]),
  ];
}

function factsOfOption(effect: OptionEffect): readonly FactName[] {
  return [
    ...(effect.value === undefined ? [] : byRole[effect.value]),
    ...(effect.deletesFound === true ? (["deletes", "recursive"] as const) : []),
    ...factsOfEffect(effect),
    ...Object.values(effect.values ?? {}).flatMap(factsOfEffect),
  ];
}

function factsOfEffect({ operands = [], turns = {}, settings = {}, ...effect }: Effect): readonly FactName[] {
  const roles = [...operands.map(withoutCount), ...Object.values(turns), ...Object.values(settings)];
  const found = roles.flatMap((role) => byRole[role]);
  for (const name of ["reads", "writes", "deletes", "changes", "recursive", "receives", "sends", "destroys"] as const)
    if (effect[name] !== undefined) found.push(name);
  return found;
}
