import { lstatSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { openFolder } from "@hookline/core/internal/machine";
import { parse } from "jsonc-parser";
import type { RunPlan, RunRequest } from "../shared/run-plan.js";
import { openSettingsOverlay } from "../shared/settings-overlay.js";
import { install, isSwitchedOff } from "./install.js";

const HOME = "gemini-home";
/** The files that Gemini CLI looks for beside `.gemini`. */
const BESIDE = [".env", ".agents"];

/** An environment variable names the settings folder of Gemini CLI. The system settings file would also work, but only root may write it. */
export function planRun(request: RunRequest): RunPlan {
  const { env, args, runFolder } = request;
  const home = openFolder(join(runFolder, HOME));
  const over = join(home, ".gemini");
  const { path, text = "{}", close } = openSettingsOverlay({ id: "gemini", title: "Gemini CLI", install }, over, request);
  // If the variable is set, its launcher looks for the same file here, to learn its memory limit.
  symlinkSync(join(over, basename(path)), join(home, basename(path)));
  linkBeside(env.GEMINI_CLI_HOME || env.HOME || homedir(), home);
  const isOff = isSwitchedOff(parse(text));
  return { args, env: { GEMINI_CLI_HOME: home }, ...(isOff && { inactive: `Hooks are switched off in ${path}.` }), close };
}

function linkBeside(from: string, home: string): void {
  for (const name of BESIDE)
    if (lstatSync(join(from, name), { throwIfNoEntry: false }) !== undefined) symlinkSync(join(from, name), join(home, name));
}
