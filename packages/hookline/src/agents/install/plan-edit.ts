import { isAbsolute } from "node:path";
import { HookError } from "@hookline/core";
import { unifiedDiff } from "../../config/unified-diff.js";
import { type AgentFile, readAgentFile, readManagedFile, refused } from "./agent-file.js";
import { splitMark, whoseIs } from "./file-owner.js";
import { findInstalled, hashOf, type Installed, readBackup } from "./installed.js";
import { readSettings, unreadable, withoutSetting, withSetting } from "./json-document.js";
import { isJson, isScript, isToml } from "./line-file.js";
import { mergeHooks, type WantedHooks } from "./merge-hooks.js";
import { type Container, type OurHooks, ourEvents, removeHooks } from "./remove-hooks.js";
import { type NeededSetting, parseToml, removeToml, valueAt } from "./toml-hooks.js";

/** One file of an agent. */
export interface EditTarget {
  readonly agent: string;
  /** The file of the scope `managed` belongs to root, and every user can read it. */
  readonly scope: string;
  /** The full path. */
  readonly path: string;
}

/** The file as it is now. Throws `HL_AGENT_FILE` for a file that must not be edited. */
export function readTarget({ scope, path }: EditTarget): AgentFile {
  return scope === "managed" ? readManagedFile(path) : readAgentFile(path);
}

/** Its content: entries among others' or, with `own`, a whole file of ours that contains the entries. */
export interface WantedFile extends WantedHooks {
  /** The content besides `hooks`, such as `{ version: 1 }`. */
  readonly own?: { readonly [key: string]: unknown };
  /** The file contains a key, so only its owner may read it. */
  readonly isPrivate?: boolean;
}

/** A planned edit. */
export interface EditPlan {
  readonly target: EditTarget;
  readonly file: AgentFile;
  readonly change: "none" | "create" | "change" | "remove";
  /** The new text. Missing if the file is removed. */
  readonly after?: string;
  /** The change as `diff -u` shows it. Empty if there is none. */
  readonly diff: string;
  /** What to record. Missing if none of our entries stay. */
  readonly record?: Omit<Installed, "backup">;
  /** The file without our entries. */
  readonly base?: string;
  /** The file must become private. */
  readonly isPrivate?: boolean;
}

/**
 * Plans how to add our entries to a file, without writing. `folder`: `attach` in the state folder. Throws `HL_AGENT_FILE` for a file that must not
 * be edited.
 */
export function planEdit(folder: string, target: EditTarget, wanted: WantedFile): EditPlan {
  if (!isAbsolute(target.path)) throw new HookError("HL_BAD_OPTION", `The path "${target.path}" of an agent's file must be a full one.`);
  const file = readTarget(target);
  const known = findInstalled(folder, target.path);
  const write = wanted.own === undefined ? merged : whole;
  const { text: after, containers, settings = [] } = explained(target.path, () => write(file, wanted, known));
  const base = explained(target.path, () => baseOf({ folder, file, wanted, known }));
  const { marks, syntax, entries } = wanted;
  const hashes = { before: base === undefined ? null : hashOf(base), after: hashOf(after) };
  const record = {
    ...target,
    ...hashes,
    entries,
    own: wanted.own ?? null,
    containers,
    ...(settings.length > 0 && { settings }),
    folders: known?.folders ?? [],
    marks,
    syntax,
    ...(known?.client !== undefined && { client: known.client }),
  };
  const { isPrivate = false } = wanted;
  return planned({ target, file, after, record, isPrivate, ...(base !== undefined && { base }) });
}

export function planned(plan: Omit<EditPlan, "change" | "diff">): EditPlan {
  const { file, after } = plan;
  const diff = unifiedDiff(file.path, file.text, after);
  const change = file.text === after ? "none" : file.text === undefined ? "create" : after === undefined ? "remove" : "change";
  return { ...plan, change, diff };
}

/** Adds to the error which file it is about, and that nothing was changed. */
export function explained<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    if (!(cause instanceof HookError) || cause.code !== "HL_AGENT_FILE" || cause.position === undefined) throw cause;
    throw refused(path, `cannot be read as its agent would (${cause.message})`, { fix: "Fix it there, then run this again.", cause });
  }
}

interface Result {
  readonly text: string;
  readonly containers: readonly Container[];
  /** Those that were added. */
  readonly settings?: readonly NeededSetting[];
}

function merged({ path, text = "" }: AgentFile, wanted: WantedFile, known: Installed | undefined): Result {
  const { bom, body } = splitMark(text);
  const { syntax } = wanted;
  if (isScript(syntax)) return mergeHooks(body, wanted);
  if (bom !== "" && !(isJson(syntax) && syntax.byteOrderMark)) throw unreadable(text, 0, "a byte order mark");
  if (isToml(syntax)) {
    checkSettings(path, parseToml(removeToml(body, { syntax, marks: wanted.marks })), wanted);
    return mergeHooks(body, wanted);
  }
  if (!isJson(syntax)) return mergeHooks(body, wanted);
  const isEmpty = body.trim() === "";
  const start = isEmpty ? "{}\n" : body;
  const isThere = !isEmpty && ourEvents(body, wanted).length > 0;
  const { text: hooked, containers } = mergeHooks(start, wanted, isThere ? known?.containers : []);
  const missing = checkSettings(path, readSettings(hooked), wanted);
  const after = missing.reduce((rest, { path: at, value }) => withSetting(rest, at, value), hooked);
  return { text: isEmpty ? after : bom + after, containers, settings: [...(isThere ? (known?.settings ?? []) : []), ...missing] };
}

/** The settings that are missing. Throws `HL_AGENT_FILE` if an administrator has decided otherwise. */
function checkSettings(file: string, values: unknown, { settings = [] }: WantedFile): readonly NeededSetting[] {
  return settings.filter(({ path, value, isFree = false }) => {
    const found = valueAt(values, path);
    if (found === undefined || found === value || isFree) return found === undefined;
    throw refused(file, `sets "${path.join(".")}" to ${JSON.stringify(found)}, and Hookline's hooks need ${JSON.stringify(value)}`, {
      fix: "Change it there if you agree, then run this again.",
    });
  });
}

/** The text of a file without our entries and settings. */
export function withoutOurs(body: string, ours: OurHooks, known: Installed | undefined): string {
  const rest = removeHooks(body, ours, known?.containers);
  return (known?.settings ?? []).reduce(
    (left, { path, value }) => (valueAt(readSettings(left), path) === value ? withoutEmpty(withoutSetting(left, path), path) : left),
    rest,
  );
}

/** An object goes with its last setting. */
function withoutEmpty(text: string, path: readonly string[]): string {
  const around = path.slice(0, -1);
  const value = around.length === 0 ? undefined : valueAt(readSettings(text), around);
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty ? withoutSetting(text, around) : text;
}

/** In a file of ours that others have edited, only our entries are ours. */
function whole(file: AgentFile, wanted: WantedFile, known: Installed | undefined): Result {
  const rest = file.text === undefined ? "ours" : whoseIs(file.text, wanted);
  if (rest === "foreign")
    throw refused(file.path, "was not written by Hookline, and has the name of Hookline's own file", { fix: "Move it away." });
  if (isScript(wanted.syntax)) return mergeHooks("", wanted);
  if (rest === "shared") return merged(file, wanted, known);
  const { text } = mergeHooks(`${JSON.stringify(wanted.own, undefined, 2)}\n`, wanted);
  const lists = Object.keys(wanted.entries).map((event) => ({ path: ["hooks", event] }));
  return { text, containers: [{ path: ["hooks"] }, ...lists] };
}

/** The file without our entries. Undefined if there would be no file. */
function baseOf({
  folder,
  file,
  wanted,
  known,
}: {
  folder: string;
  file: AgentFile;
  wanted: WantedFile;
  known: Installed | undefined;
}): string | undefined {
  const { text } = file;
  if (text === undefined || (wanted.own !== undefined && whoseIs(text, wanted) === "ours")) return undefined;
  const { bom, body } = splitMark(text);
  if (body.trim() === "" || ourEvents(body, wanted).length === 0) return text;
  const kept = known === undefined ? undefined : readBackup(folder, known);
  if (known?.after === hashOf(text) && (kept !== undefined || known.before === null)) return kept;
  return bom + withoutOurs(body, wanted, known);
}
