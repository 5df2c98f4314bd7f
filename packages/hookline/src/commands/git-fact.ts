import type { FactBuilder } from "./fact-builder.js";
import type { FoundOption } from "./options.js";
import type { Role } from "./program-entry.js";
import type { Value } from "./value.js";

/** Sorts the operands of a git command by their roles. */
export function describeGit(fact: FactBuilder, operands: readonly Value[], roles: readonly Role[], options: readonly FoundOption[]): void {
  const withRole = (role: Role) => operands.filter((_, index) => roles[index] === role);
  const paths = [...withRole("pathspec"), ...operands.filter((_, index) => isPath(roles[index]))];
  const [remote] = withRole("remote");
  // `git checkout "$X"` names a branch. Only after `--` it is surely a path.
  const mayBePath = fact.verb !== "checkout" || fact.args.some(({ text }) => text === "--");
  const open = mayBePath ? paths.find(({ unknown }) => unknown !== undefined)?.unknown : undefined;
  fact.git = {
    verb: fact.verb,
    options: fact.options.filter((_, index) => options[index] !== undefined),
    paths: paths.map(({ text }) => text),
    ...(remote !== undefined && { remote: remote.text }),
    refspecs: [...[...withRole("refspec"), ...withRole("ref")].map(({ text }) => text), ...options.flatMap(configuredRefspec)],
  };
  if (open !== undefined) fact.unknown.git ??= open;
}

/** `-c remote.origin.push=+main` is a refspec, and a mirror overwrites everything. */
function configuredRefspec({ name, value }: FoundOption): readonly string[] {
  const [, key, text = ""] = (name === "-c" && /^remote\..*\.(push|mirror)=(.*)$/is.exec(value?.text ?? "")) || [];
  if (key === undefined) return [];
  return key.toLowerCase() === "push" ? [text] : /^(?:true|yes|on|1)$/i.test(text) ? ["+refs/*:refs/*"] : [];
}

function isPath(role: Role | undefined): boolean {
  return role === "read" || role === "write" || role === "edit" || role === "delete" || role === "move";
}
