import { join } from "node:path";
import type { RunPlan, RunRequest } from "../shared/run-plan.js";
import { openSettingsOverlay } from "../shared/settings-overlay.js";
import { hookFaults, install } from "./install.js";

/** An environment variable names the settings folder of Kimi Code. */
export function planRun(request: RunRequest): RunPlan {
  const over = join(request.runFolder, "kimi-home");
  const { path, text = "", close } = openSettingsOverlay({ id: "kimi", title: "Kimi Code", install }, over, request);
  const [inactive] = hookFaults(text, path);
  return { args: request.args, env: { KIMI_CODE_HOME: over }, ...(inactive !== undefined && { inactive }), close };
}
