import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openFolder, replacePrivately } from "@hookline/core/internal/machine";
import { stripComments } from "jsonc-parser";
import type { RunPlan, RunRequest } from "../shared/run-plan.js";
import { hookFile, settingsPath } from "./install.js";

const NAME = "copilot-plugin";

/**
 * Copilot CLI loads a plugin from a folder for one run, and adds its hooks to the others. The folder is kept, because Copilot CLI stores state for
 * each such folder. It contains no secret.
 */
export function planRun({ args, env, cwd, isStrict, entries, folder }: RunRequest): RunPlan {
  const plugin = openFolder(join(folder, isStrict ? `${NAME}-strict` : NAME));
  replacePrivately(plugin, "hooks.json", JSON.stringify(hookFile(entries)));
  replacePrivately(
    plugin,
    "plugin.json",
    JSON.stringify({ name: "hookline", version: "1.0.0", description: "Watches and guards this run.", hooks: "hooks.json" }),
  );
  const home = join(settingsPath("user", env, cwd), "..", "..");
  const isOff = readQuietly(join(home, "settings.json")).disableAllHooks === true;
  return {
    args: ["--plugin-dir", plugin, ...args],
    env: {},
    ...(isOff && { inactive: `"disableAllHooks" in ${join(home, "settings.json")} switches all hooks off.` }),
  };
}

function readQuietly(path: string): { readonly disableAllHooks?: unknown } {
  try {
    return (JSON.parse(stripComments(readFileSync(path, "utf8"))) ?? {}) as { readonly disableAllHooks?: unknown };
  } catch {
    return {};
  }
}
