import { lstatSync, readFileSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { openFolder, replacePrivately } from "@hookline/core/internal/machine";
import { parse } from "jsonc-parser";
import { planEdit } from "../install/plan-edit.js";
import { openOverlay } from "../shared/folder-overlay.js";
import type { RunPlan, RunRequest } from "../shared/run-plan.js";
import { hookEntries, install, isSwitchedOff, settingsPath } from "./install.js";

const HOME = "gemini-home";
/** The files that Gemini CLI looks for beside `.gemini`. */
const BESIDE = [".env", ".agents"];

/**
 * An environment variable names the settings folder of Gemini CLI. For this run it is a folder with links to all of the user's files except the
 * settings, which are a copy that includes our hooks. The system settings file would also work, but only root may write it.
 */
export function planRun({ env, cwd, args, entries, folder, runFolder }: RunRequest): RunPlan {
  const path = settingsPath("user", env, cwd);
  const marks = [join(folder, "gemini."), join(folder, "gemini-strict.")];
  const { after = "{}", file } = planEdit(
    folder,
    { agent: "gemini", scope: "user", path },
    { entries: hookEntries(entries), syntax: install.file.syntax, marks },
  );
  const home = openFolder(join(runFolder, HOME));
  const over = openFolder(join(home, ".gemini"));
  replacePrivately(over, basename(path), after);
  const overlay = openOverlay(dirname(path), over, [basename(path)]);
  // If the variable is set, its launcher looks for the same file here, to learn its memory limit.
  symlinkSync(join(over, basename(path)), join(home, basename(path)));
  linkBeside(env.GEMINI_CLI_HOME || env.HOME || homedir(), home);
  const isOff = isSwitchedOff(parse(file.text ?? "{}"));
  return {
    args,
    env: { GEMINI_CLI_HOME: home },
    ...(isOff && { inactive: `Hooks are switched off in ${path}.` }),
    close() {
      const lost = overlay.close().map((text) => `A file that Gemini CLI wrote could not be moved to your folder: ${text}`);
      const isOther = read(join(over, basename(path))) !== after;
      return isOther
        ? [...lost, `Gemini CLI changed its settings in this run; that is not kept. Change them without "hookline run".`]
        : lost;
    },
  };
}

function linkBeside(from: string, home: string): void {
  for (const name of BESIDE)
    if (lstatSync(join(from, name), { throwIfNoEntry: false }) !== undefined) symlinkSync(join(from, name), join(home, name));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
