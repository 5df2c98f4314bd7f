import { posix } from "node:path";
import { HookError } from "@hookline/core";
import type { RuleConfig } from "../config/config.js";
import { hasOnlyRules, parseConfig } from "../config/load-config.js";
import { formatProblem } from "../config/problem.js";
import { stampOf } from "../extensions/installed/folder-version.js";
import { readHookFolder } from "../extensions/installed/hook-folder.js";
import type { InstalledHook } from "../extensions/installed/installed-hook.js";
import { copyCheck, withIntactCopy } from "../extensions/installed/intact-copy.js";
import { hashEntries } from "../extensions/trust/hash-folder.js";
import type { FolderEntry } from "../extensions/trust/read-folder.js";
import { makeTrustedCopy } from "../extensions/trust/trusted-copy.js";
import type { Bundle } from "./bundle.js";
import { asFleetHook, asFleetRule, createKeptRewrites, type KeptRewrites } from "./precedence.js";

/** The owner name of the fleet's rules on a bus. With a space, so that no hook of a user or project has it. */
export const FLEET = "fleet policy";
/** Whether a handler on a bus belongs to the fleet. */
export function isOfFleet(owner: string | undefined): boolean {
  return owner === FLEET || owner?.startsWith(`${FLEET}/`) === true;
}

const PATHS_FILE = "paths.toml";
const STATUS = "hookline policy status";

/** The rules and hooks of a bundle, ready to be put on a bus. */
export interface BundleContent {
  readonly rules: readonly RuleConfig[];
  readonly hooks: readonly InstalledHook[];
  /** Wraps the answers of its rules. */
  readonly around: KeptRewrites["rule"];
}

type Files = Pick<Bundle, "name" | "serial" | "files">;

/** Reads rules, and hooks from private copies of their files. Throws `HL_BUNDLE` if anything in it cannot be used. */
export async function openBundle(bundle: Bundle, state: string): Promise<BundleContent> {
  const rules = await readBundleRules(bundle);
  const hooks = await Promise.all(hookNames(bundle.files).map((name) => openHook(name, bundle, state)));
  const doubles = hooks.filter(({ name }, index) => hooks.findIndex((hook) => hook.name === name) !== index);
  const faults = [...hooks.flatMap(({ problems }) => problems), ...doubles.map(({ name }) => `Two hooks have the name "${name}".`)];
  if (faults.length > 0) throw unusable(faults);
  const rewrites = createKeptRewrites();
  return { rules: rules.map(asFleetRule), hooks: hooks.map((hook) => asFleetHook(hook, rewrites)), around: rewrites.rule };
}

/**
 * The rules of the TOML files outside `hooks/`. Every file can name the sets of `paths.toml`. Throws `HL_BUNDLE` if one of them cannot be
 * used: a bundle is valid only as a whole.
 */
export async function readBundleRules({ name, serial, files }: Files): Promise<readonly RuleConfig[]> {
  const rules: RuleConfig[] = [];
  const faults: string[] = [];
  const sets = files.get(PATHS_FILE)?.toString("utf8") ?? "";
  for (const path of ruleFilesOf(files)) {
    const text = (files.get(path) as Buffer).toString("utf8");
    // After the rules, so that the lines in messages are those of the file.
    const whole = path === PATHS_FILE || sets === "" ? text : `${text}\n${sets}`;
    const { config, problems } = await parseConfig(whole, `/${name}@${serial}/${path}`);
    faults.push(...problems.map(formatProblem));
    if (config === undefined) continue;
    if (!hasOnlyRules(config)) faults.push(`${path}: a bundle has [[rule]] and [paths] tables only. Put hooks into folders below hooks/.`);
    rules.push(...config.rules.map((rule) => ({ ...rule, file: `${name}@${serial}/${path}` })));
  }
  const doubles = rules.filter((rule, index) => rules.findIndex((other) => other.name === rule.name) !== index);
  faults.push(...doubles.map((rule) => `Two rules have the name "${rule.name}".`));
  if (faults.length > 0) throw unusable(faults);
  return rules;
}

/** The files with rules and sets of paths, in the order in which they count. */
export function ruleFilesOf(files: Bundle["files"]): string[] {
  return [...files.keys()].filter((path) => path.endsWith(".toml") && !path.startsWith("hooks/")).sort();
}

function unusable(faults: readonly string[]): HookError {
  const more = faults.length > 5 ? ` … and ${faults.length - 5} more.` : "";
  return new HookError("HL_BUNDLE", `The policy bundle cannot be used: ${faults.slice(0, 5).join(" ")}${more}`);
}

function hookNames(files: Bundle["files"]): string[] {
  const names = [...files.keys()].flatMap((path) => /^hooks\/([^/]+)\/./.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

async function openHook(folderName: string, { name, serial, files, executables }: Bundle, state: string): Promise<InstalledHook> {
  const prefix = `hooks/${folderName}/`;
  const own = [...files].flatMap(([path, content]): FolderEntry[] =>
    path.startsWith(prefix) ? [{ kind: "file", name: path.slice(prefix.length), isExecutable: executables.has(path), content }] : [],
  );
  const entries = [...foldersOf(own), ...own].sort((a, b) => (a.name < b.name ? -1 : 1));
  const folder = makeTrustedCopy(state, entries);
  const copy = { folder, stamp: stampOf(folder), hash: hashEntries(entries), run: STATUS };
  const { open, ...content } = await readHookFolder(folder, { permissions: "everything" });
  return {
    ...content,
    id: `${FLEET}/${folderName}`,
    from: "fleet",
    path: `${name}@${serial}/${prefix}`,
    version: `fleet ${copy.hash}`,
    ...(open !== undefined && { open: (onProblem) => withIntactCopy(open(onProblem, copyCheck(content.name, copy)), copy) }),
  };
}

function foldersOf(files: readonly FolderEntry[]): FolderEntry[] {
  const names = new Set<string>();
  for (const { name } of files) for (let at = posix.dirname(name); at !== "."; at = posix.dirname(at)) names.add(at);
  return [...names].map((name) => ({ kind: "folder", name }));
}
