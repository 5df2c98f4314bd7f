import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { HookError } from "@hookline/core";
import { replacePrivately } from "@hookline/core/internal/machine";
import { readSettings } from "../install/json-document.js";
import { isObject, type Json } from "../shared/native-payload.js";
import { optionsIn, type RunPlan, type RunRequest, valuesOf } from "../shared/run-plan.js";
import { projectFolders, readSettingsFiles } from "../shared/settings-files.js";
import { install, whyPure } from "./install.js";
import { lockedNames, SETTING } from "./provider-lock.js";

const FILE = "hookline.js";
const VARIABLE = "OPENCODE_CONFIG_CONTENT";
const NAMES = ["opencode.json", "opencode.jsonc"];

/**
 * OpenCode adds the plugins of the settings in an environment variable to those of its files. With `--strict`, these settings also have the lock of
 * providers; they come after the user's and the project's, so none of those undoes it.
 */
export function planRun(request: RunRequest): RunPlan {
  const { args, env, isStrict, entries, runFolder } = request;
  const given = givenSettings(env[VARIABLE]);
  replacePrivately(runFolder, FILE, entries.plugin ?? "");
  const plugins = Array.isArray(given.plugin) ? given.plugin : [];
  const content = {
    ...given,
    plugin: [...plugins, pathToFileURL(join(runFolder, FILE)).href],
    ...(isStrict && { [SETTING]: lockedNames(given[SETTING] ?? providersInFiles(request)) }),
  };
  const inactive = whyPure(args, env) ?? whyElsewhere(args);
  return { args, env: { [VARIABLE]: JSON.stringify(content) }, ...(inactive !== undefined && { inactive }) };
}

function givenSettings(text: string | undefined): Json {
  const settings: unknown = text === undefined || text.trim() === "" ? {} : readSettings(text);
  if (isObject(settings)) return settings;
  throw new HookError("HL_BAD_OPTION", `${VARIABLE} cannot be read, so Hookline's plugin would be lost: it is not an object in JSON.`);
}

/** A session of a server that is already running has that server's plugins. */
function whyElsewhere(args: readonly string[]): string | undefined {
  const options = optionsIn(args);
  const isElsewhere = options[0] === "attach" || valuesOf(options, "--attach").length > 0;
  return isElsewhere ? "The calls would run in an OpenCode server that was started before." : undefined;
}

/** The providers that the user's files and the project's enable: the last file that names some decides. */
function providersInFiles({ env, cwd }: RunRequest): unknown {
  const user = dirname(dirname(install.settingsPath("user", env, cwd)));
  const folders = projectFolders(cwd).toReversed();
  const files = [
    ...["config.json", ...NAMES].map((name) => join(user, name)),
    ...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : []),
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
    ...[env.HOME || homedir(), ...folders].flatMap((folder) => NAMES.map((name) => join(folder, ".opencode", name))),
    ...(env.OPENCODE_CONFIG_DIR ? NAMES.map((name) => join(env.OPENCODE_CONFIG_DIR ?? "", name)) : []),
  ];
  return readSettingsFiles(files).findLast(({ settings }) => settings[SETTING] !== undefined)?.settings[SETTING];
}
