import { byEntry, type ConfigProblem, entryOf, formatProblem } from "../../config/problem.js";
import { type InstalledHook, rejected } from "./installed-hook.js";

/** The `[[hook]]` tables of `hookline.toml` that cannot be used, for lists. Rules and sinks are listed elsewhere. */
export function brokenEntries(problems: readonly ConfigProblem[]): InstalledHook[] {
  const own = problems.filter(({ key }) => key === "" || /^hook\b/.test(key));
  return byEntry(own).map(brokenEntry);
}

function brokenEntry(problems: readonly [ConfigProblem, ...ConfigProblem[]]): InstalledHook {
  const [{ file, line, ...first }] = problems;
  const name = first.name ?? (first.key === "" ? "hookline.toml" : entryOf(first));
  const path = `${file}:${line}`;
  const shared = { id: `${name} (${path})`, name, kind: "command", from: "user", path, version: "" } as const;
  const [text = "", ...more] = problems.map(plainProblem);
  return rejected({ ...shared, problems: more }, text);
}

/** Without the entry's name: for what is shown under it. */
export function plainProblem({ name: _, ...problem }: ConfigProblem): string {
  return formatProblem({ ...problem, key: "" });
}
