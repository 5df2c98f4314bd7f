import { createHash, randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "smol-toml";
import { CODEX_HOOK_FEATURES, CODEX_WITHOUT_CONFIG } from "../../commands/programs/agents.js";
import { readConfigFile } from "../../config/read-config-file.js";
import { withTomlValue } from "../../config/set-enabled.js";
import { readSettings } from "../install/json-document.js";
import type { AgentStart, AttachTarget } from "../shared/definition.js";
import { isObject } from "../shared/native-payload.js";
import { optionsIn, valuesOf } from "../shared/run-plan.js";
import { projectFolders, readSettingsText } from "../shared/settings-files.js";

/** Entries in the form of a hooks file or of options. */
type Entries = { readonly [event: string]: readonly unknown[] };

/** The option that makes Codex run hooks that were not reviewed. Only the user ever gives it. */
export const BYPASS = "--dangerously-bypass-hook-trust";

/** The source that Codex records for hooks from its command line. */
export const SESSION_FLAGS = "/<session-flags>/config.toml";

/**
 * The events whose hook the user has not reviewed in Codex in its current form: Codex silently skips these. It keeps a hash of each reviewed hook
 * in its `config.toml`, by file, event and position. `source`: the file of the hooks; `listed`: all of its hooks.
 */
export function unreviewedEvents(
  source: string,
  listed: Entries,
  isOurs: (handler: unknown) => boolean,
  env: NodeJS.ProcessEnv,
  { states = readStates(env), over, isBypassed = false }: ReviewOptions = {},
): string[] {
  const changed = over ?? {};
  return Object.entries(listed).flatMap(([event, groups]) => {
    const ours = groups.flatMap((group, at) => placesOf(group, at)).filter(({ handler }) => isOurs(handler));
    const isReviewed = ours.every(({ place, handler, matcher }) => {
      const key = `${source}:${labelOf(event)}:${place}`;
      const { trusted_hash, enabled }: HookState = { ...states[key], ...changed[key] };
      return enabled !== false && (isBypassed || trusted_hash === hashOf(event, handler, matcher));
    });
    return isReviewed ? [] : [event];
  });
}

interface ReviewOptions {
  /** What `config.toml` says. Default: what it says now. */
  readonly states?: HookStates;
  /** What the options of a process say instead of `config.toml`. */
  readonly over?: HookStates;
  /** The process runs hooks that were not reviewed, but none that are switched off. */
  readonly isBypassed?: boolean;
}

function isOurs(handler: unknown): boolean {
  return /\/attach\/codex(-strict)?\./.test(JSON.stringify(handler));
}

/** The text of a `config.toml` with the reviews of our hooks that another text has, and nothing else of it. `path`: the file with the hooks. */
export function withReviews(text: string, reviewed: string, path: string): string {
  const hooks = entriesIn(settingsIn(path)) ?? {};
  const places = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap(placesOf).flatMap(({ place, handler }) => (isOurs(handler) ? [`${labelOf(event)}:${place}`] : [])),
  );
  const keys = [...new Set([path, realPath(path)])].flatMap((source) => places.map((place) => `${source}:${place}`));
  const [now, before] = [statesIn(text), statesIn(reviewed)];
  return keys.reduce((rest, key) => {
    const hash = before[key]?.trusted_hash;
    if (typeof hash !== "string" || before[key]?.enabled === false) return rest;
    const state = now[key];
    if (state === undefined) return `${rest.trimEnd()}\n\n[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(hash)}\n`;
    const trusted = withTomlValue(rest, ["hooks", "state", key, "trusted_hash"], JSON.stringify(hash));
    return state.enabled === false ? withTomlValue(trusted, ["hooks", "state", key, "enabled"], "true") : trusted;
  }, text);
}

/** Whether Codex skips one of our hooks in the file at `path`, whose content is `settings`. */
export function isUnreviewed(path: string, settings: unknown, env: NodeJS.ProcessEnv, options: ReviewOptions = {}): boolean {
  const hooks = entriesIn(settings);
  if (hooks === undefined) return true;
  const isSkipped = (source: string): boolean => unreviewedEvents(source, hooks, isOurs, env, options).length > 0;
  // The name by which Codex knows a linked folder depends on how the folder was opened. A review has one of the names.
  return options.isBypassed === true ? [path, realPath(path)].some(isSkipped) : [path, realPath(path)].every(isSkipped);
}

/** The lists of hooks in a file, in which anything may be. */
function entriesIn(settings: unknown): Entries | undefined {
  const hooks = isObject(settings) ? settings.hooks : undefined;
  if (!isObject(hooks)) return undefined;
  return Object.fromEntries(Object.entries(hooks).filter((entry): entry is [string, readonly unknown[]] => Array.isArray(entry[1])));
}

export function settingsIn(path: string): unknown {
  return readSettings(readSettingsText(path).text);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What an administrator requires of Codex, managed hooks included. */
export const REQUIREMENTS = "/etc/codex/requirements.toml";

/**
 * The settings with which Codex runs none of the target's hooks. What the requirements say counts before all other settings. `cwd`: the folder that
 * a session would start in.
 */
export function switchesOff(env: NodeJS.ProcessEnv, cwd: string, target: AttachTarget = "user"): string[] {
  const user = join(env.CODEX_HOME || join(env.HOME || homedir(), ".codex"), "config.toml");
  const files = [...new Set([...(target === "managed" ? [] : [user, ...projectConfigs(cwd)]), REQUIREMENTS])];
  return files.flatMap((path) => {
    const { text, fault } = readSettingsText(path);
    const { allow_managed_hooks_only: onlyManaged } = parsed(text) as { readonly allow_managed_hooks_only?: unknown };
    return [
      ...(fault === undefined ? [] : [fault]),
      ...(offKeys(text).length > 0 ? [`"features" in ${path} switches hooks off.`] : []),
      ...(onlyManaged === true && target !== "managed" ? [`"allow_managed_hooks_only" in ${path}: Codex runs only managed hooks.`] : []),
    ];
  });
}

/** The `config.toml` of a project: Codex reads those of the folder and of every folder above it, up to the root of the repository. */
export function projectConfigs(cwd: string): readonly string[] {
  return projectFolders(cwd).map((folder) => join(folder, ".codex", "config.toml"));
}

/** The keys of a `config.toml` with which Codex runs no hook of the user, also in the profile that it uses. */
export function offKeys(text: string): readonly (readonly string[])[] {
  const { features, profile, profiles } = parsed(text) as {
    readonly features?: Features;
    readonly profile?: unknown;
    readonly profiles?: { readonly [name: string]: { readonly features?: Features } | undefined };
  };
  const used = typeof profile === "string" ? profile : undefined;
  return [
    ...offIn(features, ["features"]),
    ...(used === undefined ? [] : offIn(profiles?.[used]?.features, ["profiles", used, "features"])),
  ];
}

/** What in the arguments or in a file that they name makes Codex run no hook of its users. */
export function optionsOff({ args, env, cwd, target, path: hooksFile }: AgentStart): string | undefined {
  if (target === "managed") return undefined;
  const options = optionsIn(args);
  const feature = valuesOf(options, "--disable").find((name) => CODEX_HOOK_FEATURES.some((one) => one === name));
  if (feature !== undefined) return `with --disable ${feature} it runs no hooks.`;
  const isBypassed = options.includes(BYPASS);
  // Its review of the hooks is in that configuration.
  if (options.includes(CODEX_WITHOUT_CONFIG) && !isBypassed)
    return `with ${CODEX_WITHOUT_CONFIG} it skips all hooks, because it does not read your review.`;
  const given = valuesOf(options, "-c", "--config");
  const setting = given.find((text) => isUnknown(text) || offIn((settingOf(text) as Config).features, []).length > 0);
  if (setting !== undefined) return `with -c "${setting}" it runs no hooks.`;
  const home = env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
  const profiles = valuesOf(options, "-p", "--profile").map((name) => join(resolve(cwd, home), `${name}.config.toml`));
  const files = [...profiles, ...valuesOf(options, "-C", "--cd").flatMap((folder) => projectConfigs(resolve(cwd, folder)))];
  for (const path of files) {
    const file = readConfigFile(path);
    if (file !== undefined && !("text" in file)) return `its options name ${path}, which may switch hooks off. ${file.fault}`;
    if (offKeys(file?.text ?? "").length > 0) return `"features" in ${path}, which its options name, switches hooks off.`;
  }
  const states = [...profiles.map((path) => parsed(readSettingsText(path).text)), ...given.map(settingOf)].map(
    (one) => (one as Config).hooks?.state,
  );
  const [content, over] = [settingsIn(hooksFile), Object.assign({}, ...states) as HookStates];
  const isOff = !isUnreviewed(hooksFile, content, env, { isBypassed }) && isUnreviewed(hooksFile, content, env, { isBypassed, over });
  return isOff ? `"hooks.state" in its options or its profile switches them off.` : undefined;
}

type Config = { readonly features?: Features; readonly hooks?: { readonly state?: object } };

/** The configuration that `key=value` of the command line stands for. Empty for a value that is not TOML: Codex takes it for a string. */
function settingOf(setting: string): object {
  const { keys, value } = splitSetting(setting);
  return value === undefined ? {} : (keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object);
}

/** Codex does not start if these are not TOML. If it can read what this cannot, they may switch hooks off. */
function isUnknown(setting: string): boolean {
  const { keys, value } = splitSetting(setting);
  return value === undefined && (keys[0] === "features" || ["hooks", "hooks.state"].includes(keys.join(".")));
}

function splitSetting(setting: string): { readonly keys: readonly string[]; readonly value: unknown } {
  const [, key = "", text = ""] = /^([^=]*)=(.*)$/s.exec(setting) ?? [];
  // A value of several lines must not be able to name the same key again.
  const name = randomUUID();
  const value = (parsed(`${name} = ${text}`) as { readonly [key: string]: unknown })[name];
  return { keys: key.split(".").map((one) => one.trim()), value };
}

type Features = { readonly hooks?: unknown; readonly codex_hooks?: unknown };

function offIn(features: Features | undefined, path: readonly string[]): readonly (readonly string[])[] {
  return CODEX_HOOK_FEATURES.filter((key) => features?.[key] === false).map((key) => [...path, key]);
}

interface Place {
  readonly place: string;
  readonly handler: { readonly [key: string]: unknown };
  readonly matcher?: unknown;
}

function placesOf(group: unknown, at: number): Place[] {
  const { hooks, matcher } = (group ?? {}) as { readonly hooks?: unknown; readonly matcher?: unknown };
  if (!Array.isArray(hooks)) return [];
  return hooks.map((handler: Place["handler"], index) => ({ place: `${at}:${index}`, handler, matcher }));
}

type HookStates = { readonly [key: string]: HookState | undefined };

interface HookState {
  readonly trusted_hash?: unknown;
  readonly enabled?: unknown;
}

function readStates(env: NodeJS.ProcessEnv): HookStates {
  const folder = env.CODEX_HOME || join(env.HOME || homedir(), ".codex");
  return statesIn(readSettingsText(join(folder, "config.toml")).text);
}

/** The reviews that a `config.toml` has. */
export function statesIn(text: string): HookStates {
  const { hooks } = parsed(text) as { readonly hooks?: { readonly state?: object } };
  return (hooks?.state ?? {}) as HookStates;
}

/** Codex does not start with a file that is not TOML. */
function parsed(text: string): object {
  try {
    return parse(text);
  } catch {
    return {};
  }
}

/** Hashes as Codex 0.166.0 does: over the entry with its defaults filled in and its keys sorted. */
function hashOf(event: string, { command, timeout = 600, statusMessage }: Place["handler"], matcher: unknown): string {
  const handler = { async: false, command, ...(statusMessage !== undefined && { statusMessage }), timeout, type: "command" };
  const identity = { event_name: labelOf(event), hooks: [handler], ...(typeof matcher === "string" && { matcher }) };
  return `sha256:${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`;
}

function labelOf(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}
