import { join } from "node:path";
import { replacePrivately } from "@hookline/core/internal/machine";
import type { RunPlan, RunRequest } from "../shared/run-plan.js";

const FILE = "hookline.ts";
/** The first words with which pi manages its packages instead of starting a session. */
const WITHOUT_SESSION = ["install", "remove", "uninstall", "update", "list", "config"];

/** pi also loads the extension that an option names, even with `--no-extensions`, and ends if it cannot load it. */
export function planRun({ args, entries: { plugin = "" }, runFolder }: RunRequest): RunPlan {
  const [first = ""] = args;
  if (WITHOUT_SESSION.includes(first)) return { args, env: {}, inactive: `"pi ${first}" starts no session.` };
  replacePrivately(runFolder, FILE, plugin);
  return { args: ["--extension", join(runFolder, FILE), ...args], env: {} };
}
