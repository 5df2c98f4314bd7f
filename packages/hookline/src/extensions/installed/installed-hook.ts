import type { BrokenGuard, DialectName, RuleConfig } from "../../config/config.js";
import { byEntry, type ConfigProblem, entryOf, formatProblem } from "../../config/problem.js";
import type { RuleHandler } from "../../rules/actions.js";
import type { HookSpec, OwnedSource, SourceKind, StartCheck } from "../handler-source.js";
import type { Consent } from "../trust/consent-file.js";

/** The state of a hook before it runs. `waiting`: for the operator's acceptance. In a running hub it may also be suspended. */
export type InstalledState = "active" | "waiting" | "untrusted" | "modified" | "revoked" | "disabled" | "broken";

/** A hook on this machine, from any place: read, but not run. */
export interface InstalledHook {
  /** Its owner name on a bus, which is unique. */
  readonly id: string;
  readonly name: string;
  /** `rules`: the rules of a project or of the fleet. */
  readonly kind: SourceKind | "rules";
  /** `fleet`: it came in a signed bundle, and counts more than what a user or a project says. */
  readonly from: "fleet" | "user" | "project";
  /** The project's folder. */
  readonly project?: string;
  /** It handles the events of every project that has hooks. */
  readonly isForEveryProject?: boolean;
  readonly state: InstalledState;
  /** The file or folder that contains it. */
  readonly path: string;
  /** For a `[[hook]]`: its line in the file. */
  readonly entry?: { readonly file: string; readonly line: number };
  /** For a folder: its manifest. */
  readonly manifest?: string;
  readonly hooks: readonly HookSpec[];
  /** Its dialect, if that is not our own. */
  readonly dialect?: DialectName;
  /** For kind `rules`: the rules. */
  readonly rules?: readonly RuleConfig[];
  /** Wraps the answers of these rules. */
  readonly around?: (answer: RuleHandler) => RuleHandler;
  /** What is wrong with it, and how to fix it. */
  readonly problems: readonly string[];
  /** A remark on how it is read, if that is not obvious. It is not an error. */
  readonly remarks?: readonly string[];
  /** What stays closed because it cannot be used. */
  readonly broken: readonly BrokenGuard[];
  /** For a hook of a project: what the user consented to. */
  readonly consent?: Consent;
  /** What of it waits for acceptance, while the accepted version runs. */
  readonly waits?: string;
  /** Changes with every change of its code. */
  readonly version: string;
  readonly permissions: readonly string[];
  /**
   * Opens a new instance each time, which the caller must close. Missing if it may not run. Nothing starts before the first event.
   * `onProblem` receives later problems; `check` is called before each start of its program.
   */
  open?(onProblem?: (text: string) => void, check?: StartCheck): OwnedSource;
}

/** A hook that cannot be used in its current form. */
export function rejected(
  hook: Pick<InstalledHook, "id" | "name" | "kind" | "from" | "path" | "version"> & Partial<InstalledHook>,
  problem: string,
): InstalledHook {
  const { open: _open, ...rest } = { hooks: [], problems: [], broken: [], permissions: [], ...hook };
  return { ...rest, state: "broken", problems: [...rest.problems, problem] };
}

/** The state that lists show. A hook is also `broken` if only a part of it is: what that part guards is denied. */
export function shownState({ state, broken, waits }: Pick<InstalledHook, "state" | "broken" | "waits">): InstalledState {
  if (waits !== undefined) return "waiting";
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

/** The problem without the entry's name, for display under that name. */
export function plainProblem({ name: _, ...problem }: ConfigProblem): string {
  return formatProblem({ ...problem, key: "" });
}
