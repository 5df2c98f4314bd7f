import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HookError } from "@hookline/core";
import { replacePrivately } from "@hookline/core/internal/machine";
import { CLAUDE_WITHOUT_HOOKS } from "../../commands/programs/agents.js";
import type { GroupedHooks } from "../shared/definition.js";
import { optionsIn, type RunPlan, type RunRequest } from "../shared/run-plan.js";
import { isSwitchedOff } from "../shared/settings-files.js";
import { hookEntries, settingsPath } from "./install.js";
import { environmentFiles, offVariables } from "./settings-env.js";
import { rejectedIn } from "./settings-types.js";

type Settings = { readonly hooks?: { readonly [event: string]: readonly unknown[] }; readonly [key: string]: unknown };

const FILE = "settings.json";

/** Claude Code adds the hooks of `--settings` to those of its files. It uses only the last such option, so ours includes the user's. */
export function planRun(request: RunRequest): RunPlan {
  const { args, runFolder, entries } = request;
  const given = findSettings(args);
  const settings = given === undefined ? {} : readSettings(given.value, request.cwd);
  replacePrivately(runFolder, FILE, JSON.stringify({ ...settings, hooks: joined(settings.hooks ?? {}, hookEntries(entries)) }));
  const path = join(runFolder, FILE);
  const inactive = whyInactive(request, settings);
  return {
    args: given === undefined ? ["--settings", path, ...args] : given.replace(path),
    env: {},
    ...(inactive !== undefined && { inactive }),
  };
}

interface Given {
  readonly value: string;
  replace(value: string): string[];
}

function findSettings(args: readonly string[]): Given | undefined {
  const options = optionsIn(args);
  const at = options.findLastIndex((word) => word === "--settings" || word.startsWith("--settings="));
  const word = options[at];
  if (word === undefined) return undefined;
  const isJoined = word !== "--settings";
  const value = isJoined ? word.slice("--settings=".length) : (options[at + 1] ?? "");
  return { value, replace: (path) => [...args.slice(0, at), "--settings", path, ...args.slice(at + (isJoined ? 1 : 2))] };
}

/** A file name or the settings themselves, as Claude Code accepts it. */
function readSettings(value: string, cwd: string): Settings {
  try {
    const text = value.trimStart().startsWith("{") ? value : readFileSync(resolve(cwd, value), "utf8");
    const settings: unknown = JSON.parse(text);
    if (typeof settings === "object" && settings !== null && !Array.isArray(settings)) return settings as Settings;
  } catch (cause) {
    throw unusable((cause as Error).message, cause);
  }
  throw unusable("it is not an object");
}

function unusable(why: string, cause?: unknown): HookError {
  return new HookError("HL_BAD_OPTION", `The value of --settings cannot be read, so Hookline's hooks would be lost: ${why}.`, { cause });
}

function joined(given: NonNullable<Settings["hooks"]>, ours: GroupedHooks): { [event: string]: readonly unknown[] } {
  const events = new Set([...Object.keys(given), ...Object.keys(ours)]);
  // Claude Code leaves out what is not a list.
  const listed = (event: string): readonly unknown[] => (Array.isArray(given[event]) ? given[event] : []);
  return Object.fromEntries([...events].map((event) => [event, [...listed(event), ...(ours[event] ?? [])]]));
}

function whyInactive({ args, env, cwd }: RunRequest, given: Settings): string | undefined {
  const option = optionsIn(args).find((word) => CLAUDE_WITHOUT_HOOKS.includes(word));
  if (option !== undefined) return `Claude Code runs no hooks with ${option}.`;
  const rejected = rejectedIn(given);
  if (rejected !== undefined) return `Claude Code does not accept "${rejected}" in --settings, and would ignore all settings there.`;
  const files = [settingsPath("user", env, cwd), settingsPath("project", env, cwd), join(cwd, ".claude", "settings.json")];
  const off = files.find((path) => isSwitchedOff(readQuietly(path)));
  if (off !== undefined || isSwitchedOff(given)) return `"disableAllHooks" in ${off ?? "--settings"} switches all hooks off.`;
  // The hooks come with `--settings`, wherever the user's folder is.
  const user = { folder: dirname(settingsPath("user", env, cwd)), hasHooks: false };
  const set = environmentFiles(user.folder).find((path) => offVariables(readQuietly(path), user).length > 0);
  return set === undefined ? undefined : `"env" in ${set} sets a variable that switches all hooks off.`;
}

function readQuietly(path: string): Settings {
  try {
    return (JSON.parse(readFileSync(path, "utf8")) ?? {}) as Settings;
  } catch {
    return {};
  }
}
