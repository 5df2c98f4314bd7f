import type { FactBuilder } from "./fact-builder.js";
import type { FoundOption } from "./options.js";
import type { Role } from "./program-entry.js";
import type { Value } from "./value.js";

/** Sorts the operands of a git command by their roles. */
export function describeGit(fact: FactBuilder, operands: readonly Value[], roles: readonly Role[], options: readonly FoundOption[]): void {
  const withRole = (role: Role) => operands.filter((_, index) => roles[index] === role);
  const paths = [...withRole("pathspec"), ...operands.filter((_, index) => isPath(roles[index]))];
  const [remote] = withRole("remote");
  const open = operands.find(({ unknown }) => unknown !== undefined)?.unknown;
  fact.git = {
    verb: fact.verb,
    options: fact.options.filter((_, index) => options[index] !== undefined),
    paths: paths.map(({ text }) => text),
    ...(remote !== undefined && { remote: remote.text }),
    refspecs: [...withRole("refspec"), ...withRole("ref")].map(({ text }) => text),
  };
  if (open !== undefined) fact.unknown.git ??= open;
}

function isPath(role: Role | undefined): boolean {
  return role === "read" || role === "write" || role === "edit" || role === "delete" || role === "move";
}
