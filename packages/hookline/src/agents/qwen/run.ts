import { join } from "node:path";
import { optionsIn, type RunPlan, type RunRequest } from "../shared/run-plan.js";
import { openSettingsOverlay } from "../shared/settings-overlay.js";
import { install, WITHOUT_HOOKS, whyOff } from "./install.js";

/** An environment variable names the settings folder of Qwen Code. */
export function planRun(request: RunRequest): RunPlan {
  const { env, cwd, args, runFolder } = request;
  const over = join(runFolder, "qwen-home");
  const { path, close } = openSettingsOverlay({ id: "qwen", title: "Qwen Code", install }, over, request);
  const option = optionsIn(args).find((word) => WITHOUT_HOOKS.includes(word));
  const [inactive] = option === undefined ? whyOff({ path, env, cwd }) : [`Qwen Code runs no hooks with ${option}.`];
  return { args, env: { QWEN_HOME: over }, ...(inactive !== undefined && { inactive }), close };
}
