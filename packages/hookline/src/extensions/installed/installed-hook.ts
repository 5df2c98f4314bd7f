import type { BrokenGuard, DialectName, RuleConfig } from "../../config/config.js";
import { byEntry, type ConfigProblem, entryOf, formatProblem } from "../../config/problem.js";
import type { HookSpec, OwnedSource, SourceKind } from "../handler-source.js";

/** How a hook stands before anybody runs it. A running hub may also have it suspended. */
export type InstalledState = "active" | "untrusted" | "modified" | "revoked" | "disabled" | "broken";

/** A hook on this machine, wherever it comes from: read, and not run. */
export interface InstalledHook {
  /** Who it is on a bus; no two have the same. */
  readonly id: string;
  readonly name: string;
  /** `rules`: the rules that a project brings. */
  readonly kind: SourceKind | "rules";
  readonly from: "user" | "project";
  /** The project's folder. */
  readonly project?: string;
  /** It is asked about the events of every project that brings hooks. */
  readonly isForEveryProject?: boolean;
  readonly state: InstalledState;
  /** The file or folder it stands in. */
  readonly path: string;
  /** Of a `[[hook]]`: where in the file. */
  readonly entry?: { readonly file: string; readonly line: number };
  /** Of a folder: the manifest in it. */
  readonly manifest?: string;
  readonly hooks: readonly HookSpec[];
  /** How it is spoken with, where that is not our own way. */
  readonly dialect?: DialectName;
  /** Of kind `rules`: what it brings. */
  readonly rules?: readonly RuleConfig[];
  /** What is wrong with it, and the way out. */
  readonly problems: readonly string[];
  /** How it is read, where that is not plain to see. Nothing is wrong with it. */
  readonly remarks?: readonly string[];
  /** What stays closed because it cannot be used. */
  readonly broken: readonly BrokenGuard[];
  /** Another one after every change of what stands behind it. */
  readonly version: string;
  readonly permissions: readonly string[];
  /**
   * Opens a new instance of what answers, each time, which the caller must close; missing where nothing may run. Nothing is started before
   * its first event. `onProblem` hears what comes up later.
   */
  open?(onProblem?: (text: string) => void): OwnedSource;
}

/** A hook that cannot be used as it is. */
export function rejected(
  hook: Pick<InstalledHook, "id" | "name" | "kind" | "from" | "path" | "version"> & Partial<InstalledHook>,
  problem: string,
): InstalledHook {
  const { open: _open, ...rest } = { hooks: [], problems: [], broken: [], permissions: [], ...hook };
  return { ...rest, state: "broken", problems: [...rest.problems, problem] };
}

/** The state that lists show. A hook is also `broken` when only a part of it is: what that part guards is denied. */
export function shownState({ state, broken }: Pick<InstalledHook, "state" | "broken">): InstalledState {
  return state === "active" && broken.length > 0 ? "broken" : state;
}

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
