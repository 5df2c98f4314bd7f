import { describe, expect, it } from "vitest";
import { commandsOf } from "./commands-of.js";
import type { CommandFact, Flow, PathFact } from "./facts.js";
import type { Expected } from "./program-entry.js";
import { allPrograms, familyOf } from "./programs/all-programs.js";

const home = "/home/ann";
const dir = "/home/ann/project";

function factsOf(command: string): readonly CommandFact[] {
  return commandsOf({ payload: { cwd: dir, tool: { name: "Bash", input: { command } } } }, { home });
}

/** A path as an example writes it: `a` below the folder of the call, `~/a` in the home folder. */
function shown({ path }: PathFact): string {
  if (path === dir) return ".";
  if (path.startsWith(`${dir}/`)) return path.slice(dir.length + 1);
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const origin = ({ from }: Flow): string => from;

/** The facts that an example names, in the form it writes them. */
function summaryOf(fact: CommandFact, expected: Expected): Expected {
  const all: Required<Omit<Expected, "git">> & Pick<Expected, "git"> = {
    program: fact.program,
    verb: fact.verb,
    target: fact.target,
    options: fact.options.map(({ name }) => name),
    operands: fact.operands.map(({ text }) => text),
    via: fact.via,
    privileged: fact.privileged,
    dir: shown(fact.dir),
    reads: fact.reads.map(shown),
    loads: fact.loads.map(shown),
    writes: fact.writes.map(shown),
    deletes: fact.deletes.map(shown),
    changes: fact.changes.map(shown),
    recursive: fact.recursive,
    hosts: fact.hosts,
    sends: fact.sends.map(origin),
    receives: fact.receives,
    stdin: fact.stdin.map(origin),
    runs: fact.runs.map(origin),
    sql: fact.sql.map(({ verb, target, where }) => `${verb} ${target}${where ? " where" : ""}`),
    destroys: fact.destroys,
    ...(fact.git !== undefined && { git: pick(fact.git, expected.git ?? {}) }),
    unknown: (Object.keys(fact.unknown) as (keyof CommandFact["unknown"])[]).filter(
      // An empty list says that everything is known.
      (name) => expected.unknown?.length === 0 || expected.unknown?.includes(name),
    ),
  };
  return pick(all, expected);
}

function pick<T extends object>(value: T, keys: object): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => Object.hasOwn(keys, key))) as T;
}

describe("every program", () => {
  it("has one entry", () => {
    const names = allPrograms.flatMap((entry) => [...entry.names, ...(entry.also ?? [])]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("shares its family only with programs that replace it", () => {
    const names = ["podman", "tofu", "pip3", "python3.12", "az", "zpool", "killall", "terragrunt", "no-such-program"];
    expect(names.map(familyOf)).toEqual([
      "docker",
      "terraform",
      "pip",
      "python",
      "az",
      "zpool",
      "killall",
      "terragrunt",
      "no-such-program",
    ]);
  });

  it("has examples", () => {
    expect(allPrograms.filter(({ examples }) => Object.keys(examples).length === 0).map(({ names }) => names[0])).toEqual([]);
  });
});

for (const { names, also = [], examples } of allPrograms)
  describe(names[0], () => {
    for (const [command, expected] of Object.entries(examples))
      it(command, () => {
        const facts = factsOf(command);
        // An example is about its own program, or about the command that it runs: the last one.
        const wanted = expected.program ?? [...names, ...also].find((name) => facts.some(({ program }) => program === name)) ?? names[0];
        const fact = facts.findLast(({ program }) => program === wanted);
        expect(facts.map(({ program }) => program)).toContain(wanted);
        expect(summaryOf(fact as CommandFact, expected)).toEqual(expected);
      });
  });
