import { compileMatch, pathsIn } from "@hookline/core/internal";
import { didYouMean } from "@hookline/core/internal/text";
import { commandsOf } from "../../commands/commands-of.js";
import type { CommandFact, FactName } from "../../commands/facts.js";
import { ruleRegex } from "../regex/rule-regex.js";
import { type Answer, isDoubt, withDoubt } from "./command-table.js";

const lines = (values: readonly string[]): string => values.join("\n");
const pathsOf = (values: readonly { readonly path: string }[]): string => lines(values.map(({ path }) => path));
const textsOf = (values: readonly { readonly text: string }[]): string => lines(values.map(({ text }) => text));
const originsOf = (values: readonly { readonly from: string }[]): string => lines(values.map(({ from }) => from));

/** The facts as an expression reads them. A list is a text with one value per line. */
const readers: { readonly [name in FactName | "via" | "privileged"]: (fact: CommandFact) => unknown } = {
  program: ({ program }) => program,
  family: ({ family }) => family,
  args: ({ args }) => textsOf(args),
  options: ({ options }) => lines(options.map(({ name }) => name)),
  operands: ({ operands }) => textsOf(operands),
  via: ({ via }) => lines(via),
  privileged: ({ privileged }) => privileged,
  dir: ({ dir }) => dir.path,
  reads: ({ reads }) => pathsOf(reads),
  loads: ({ loads }) => pathsOf(loads),
  writes: ({ writes }) => pathsOf(writes),
  redirects: ({ redirects }) => pathsOf(redirects),
  deletes: ({ deletes }) => pathsOf(deletes),
  changes: ({ changes }) => pathsOf(changes),
  recursive: ({ recursive }) => recursive,
  hosts: ({ hosts }) => lines(hosts),
  sends: ({ sends }) => originsOf(sends),
  receives: ({ receives }) => receives,
  stdin: ({ stdin }) => originsOf(stdin),
  runs: ({ runs }) => originsOf(runs),
  git: ({ git }) => git,
  verb: ({ verb }) => verb,
  target: ({ target }) => lines(target),
  sql: ({ sql }) => lines(sql.map(({ verb, target }) => `${verb} ${target}`)),
  forks: ({ forks }) => forks,
  destroys: ({ destroys }) => lines(destroys),
};

const prefix = "command.";

/** The facts that an expression reads, such as `program` in `command.program == 'rm'`. */
function factsIn(match: string | undefined): readonly string[] {
  if (match === undefined || !match.includes(prefix)) return [];
  try {
    return pathsIn({ match }).flatMap(({ path }) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
  } catch {
    return [];
  }
}

export function readsFacts(match: string | undefined): boolean {
  return factsIn(match).length > 0;
}

/** What is wrong with a path that begins with `command.`; undefined if facts have it. */
export function findFactFault(path: string): string | undefined {
  const [name = ""] = path.slice(prefix.length).split(".");
  if (name === "unknown" || Object.hasOwn(readers, name)) return undefined;
  return `"${path}" is never there: "${name}" is not a fact of a command.${didYouMean(name, Object.keys(readers))}`;
}

/** One command as an expression sees it. It notices when the expression reads something that is not known. */
class FactView {
  readonly fact: CommandFact;
  /** Why a fact that was read is not known. */
  why: string | undefined;

  constructor(fact: CommandFact) {
    this.fact = fact;
  }

  get unknown(): CommandFact["unknown"] {
    return this.fact.unknown;
  }
}

for (const [name, read] of Object.entries(readers))
  Object.defineProperty(FactView.prototype, name, {
    get(this: FactView) {
      this.why ??= this.fact.unknown[name as FactName];
      return read(this.fact);
    },
  });

/**
 * An expression with `command.…` holds if it holds for one of the call's simple commands; with `isAboutAll` it must hold for each. If it does not
 * hold and has read a fact that is not known, the answer is the reason. Undefined for an expression that reads no facts.
 */
export function compileFactMatch(match: string | undefined, isAboutAll: boolean): ((payload: unknown) => Answer) | undefined {
  if (!readsFacts(match)) return undefined;
  const matches = compileMatch({ match }, ruleRegex);
  if (matches === undefined) return undefined;
  return (payload) => {
    const facts = commandsOf({ payload });
    if (facts.length === 0) return !isAboutAll && matches(payload, undefined);
    let why: string | undefined;
    for (const fact of facts) {
      const view = new FactView(fact);
      const holds = matches({ ...(payload as object), command: view }, undefined);
      const answer = withDoubt(fact, holds || (view.why ?? false));
      if (answer === true && !isAboutAll) return true;
      if (isAboutAll && (!holds || view.why !== undefined || fact.doubt !== undefined)) return false;
      if (typeof answer === "string" && (why === undefined || isDoubt(answer))) why = answer;
    }
    return isAboutAll || (why ?? false);
  };
}
