import { shellWord } from "@hookline/core/internal/text";
import type { Config } from "../../config/config.js";
import { configPath } from "../../config/config-path.js";
import { byEntry, type ConfigProblem, entryOf } from "../../config/problem.js";
import { failureModeOf } from "../../extensions/guards-of.js";
import { type InstalledHook, plainProblem, shownState } from "../../extensions/installed/installed-hook.js";
import type { Fault } from "../protocol.js";
import type { OpenedHook } from "./guard-set.js";

const DENIED = "Every call that it might guard is denied until it is fixed.";
const KEPT = "The hub keeps the rules and hooks that it had before this edit.";

/** A version of `hookline.toml` that is in force, and what in it is not. */
export interface ConfigInForce {
  readonly config: Config;
  readonly problems: readonly ConfigProblem[];
  /** Read while the hub was running: then a table that is wrong leaves in force what it said before. */
  readonly isReread: boolean;
}

/** What is wrong in the version that is in force and, with `edit`, in a newer one that is not taken up because of that. */
export function faultsOfConfig(inForce: ConfigInForce, edit: readonly ConfigProblem[] = []): Fault[] {
  const before = faultsInForce(inForce);
  const now = byEntry(edit).map((found) => faultOf(found, ofEdit(found[0])));
  const isSame = (a: Fault) => (b: Fault) => a.kind === b.kind && a.name === b.name;
  return [...before.map((fault) => stillWrong(fault, now.find(isSame(fault)))), ...now.filter((fault) => !before.some(isSame(fault)))];
}

/** Perhaps in another way by now, and on another line. */
function stillWrong(before: Fault, now: Fault | undefined): Fault {
  return now === undefined
    ? before
    : { ...now, denies: before.denies, effect: before.denies ? `${before.effect} ${now.effect}` : now.effect };
}

/** One entry that is wrong leaves all rules and hooks as they were; the other tables stand each for themselves. */
function ofEdit(problem: ConfigProblem): Standing {
  return { effect: isOfPolicy(problem.key) ? KEPT : effectOf(problem, true), denies: false, isEdit: true };
}

const KEPT_VERSION: Standing = { effect: "The hub keeps the version that it had before this edit.", denies: false, isEdit: true };

type Standing = Pick<Fault, "effect" | "denies" | "isEdit">;

function faultsInForce({ config, problems, isReread }: ConfigInForce): Fault[] {
  return byEntry(problems).map((found) => {
    const denies = config.broken.some(({ entry }) => entry === entryOf(found[0]));
    return faultOf(found, { denies, effect: denies ? DENIED : effectOf(found[0], isReread), isEdit: isReread });
  });
}

/** The file cannot be read any more, or is gone. */
export function faultOfFile(file: string, fault: string): Fault {
  return {
    kind: "config",
    state: "broken",
    name: "hookline.toml",
    file,
    what: `${file}: ${fault}`,
    effect: KEPT,
    denies: false,
    isEdit: true,
    run: lookAtConfig("config", file),
  };
}

export function faultsOfHook({ hook, source, stale }: OpenedHook): Fault[] {
  const { name, project, problems, entry, path } = hook;
  const place = {
    name,
    ...(project !== undefined && { project }),
    file: entry?.file ?? path,
    ...(entry !== undefined && { line: entry.line }),
  };
  const shared = { kind: "hook", ...place, run: lookAtHook(hook) } as const;
  const kept: Fault[] = stale === undefined ? [] : [{ ...shared, state: "broken", what: stale, ...KEPT_VERSION }];
  const state = shownState(hook);
  const health = source?.health().state ?? "running";
  if (state === "active" && FAILING.includes(health)) return [{ ...shared, state: "failing", ...failingOf(hook) }, ...kept];
  if (state !== "broken" && state !== "modified") return kept;
  const what = problems.join(" ") || `${path}: it was changed since consent.`;
  return [{ ...shared, state, what, ...standingOf(hook) }, ...kept];
}

const FAILING: readonly string[] = ["failed", "degraded"];

/** It is asked at every event all the same, and may work again at the next. */
function failingOf({ name, hooks }: InstalledHook): Pick<Fault, "what" | "effect" | "denies" | "isEdit" | "run"> {
  const denies = hooks.some((hook) => failureModeOf(hook) === "closed");
  const effect = denies ? "While it fails, what it guards is denied or withheld." : "While it fails, it changes nothing.";
  return { what: "It could not answer.", effect, denies, isEdit: false, run: `hookline hooks test ${shellWord(name)}` };
}

/** What counts in place of a hook that cannot be used as it stands. */
function standingOf({ kind, state, broken, open, rules }: InstalledHook): Standing {
  if (state === "modified" && kind === "rules" && rules !== undefined)
    return { effect: "The rules that you consented to stay in force.", denies: broken.length > 0, isEdit: true };
  // A hook that may not run is replaced by a source that always fails.
  const denies = broken.length > 0 || open !== undefined;
  if (denies && state === "modified")
    return { effect: "Every call that it might guard is denied until you consent to it again.", denies, isEdit: true };
  return { effect: denies ? DENIED : "It is not asked and guards nothing until it is fixed.", denies, isEdit: false };
}

/** The command that shows what is wrong with a hook. */
export function lookAtHook({ name, project, state, entry }: Pick<InstalledHook, "name" | "project" | "state" | "entry">): string {
  if (project === undefined) return entry === undefined ? "hookline hooks doctor" : lookAtConfig("hook", entry.file);
  const where = `--project ${shellWord(project)}`;
  return state === "modified" ? `hookline hooks trust ${shellWord(name)} ${where}` : `hookline hooks doctor ${where}`;
}

/** The same for an entry of `hookline.toml`. `hooks doctor` reads the usual file alone; `doctor` also asks the hub. */
export function lookAtConfig(kind: Fault["kind"], file: string): string {
  if (kind === "rule") return file === configPath() ? "hookline rules list" : `hookline rules list --config ${shellWord(file)}`;
  return file === configPath() && kind === "hook" ? "hookline hooks doctor" : "hookline doctor";
}

/** What is wrong with the table `[policy]`, or with the whole file, in one text. */
export function tableFault(faults: readonly Fault[]): string | undefined {
  const own = faults.find(
    ({ kind, state, name }) => kind === "config" && state === "broken" && (name === "policy" || name === "hookline.toml"),
  );
  return own && `${own.what} ${own.effect}`;
}

/** Whether a problem affects rules and hooks. One in an unknown table does: `[[rules]]` is a typo for `[[rule]]`. */
export function isOfPolicy(key: string): boolean {
  return kindOf(key) !== "config" || !/^(hub|sink|redact|retention)\b/.test(key);
}

function kindOf(key: string): Fault["kind"] {
  const [, kind] = /^(rule|hook)\b/.exec(key) ?? [];
  return (kind as "rule" | "hook" | undefined) ?? "config";
}

function faultOf(found: readonly [ConfigProblem, ...ConfigProblem[]], standing: Standing): Fault {
  const [{ key, file, line }] = found;
  const kind = kindOf(key);
  return {
    kind,
    state: "broken",
    name: nameOf(found[0]),
    file,
    line,
    what: found.map(plainProblem).join(" "),
    ...standing,
    run: lookAtConfig(kind, file),
  };
}

/** The name that its author gave it, or the entry: `sink[1]`. */
function nameOf(problem: ConfigProblem): string {
  return problem.name ?? (problem.key === "" ? "hookline.toml" : entryOf(problem));
}

function effectOf({ key }: ConfigProblem, isReread: boolean): string {
  const [table = ""] = /^\w*/.exec(key) ?? [];
  return (isReread ? REREAD[table] : AT_START[table]) ?? "It does nothing until it is fixed.";
}

const AT_START: { readonly [table: string]: string } = {
  sink: "It receives no events until it is fixed.",
  redact: "No sink runs until it is fixed.",
  retention: "The default limit applies until it is fixed.",
  hub: "The default applies until it is fixed and the hub restarts.",
};
const REREAD: { readonly [table: string]: string } = {
  sink: "The sinks stay as they were before this edit.",
  redact: "The sinks stay as they were before this edit.",
  retention: "The limits stay as they were before this edit.",
  hub: "The hub keeps the settings that it started with.",
};
