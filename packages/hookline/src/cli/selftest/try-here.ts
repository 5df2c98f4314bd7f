import { stateFolder } from "@hookline/core/internal/machine";
import { editCommand, inertText } from "@hookline/core/internal/text";
import { sendersOf } from "../../agents/agent-sender.js";
import { configPath } from "../../config/config-path.js";
import { loadConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import type { OwnedSource } from "../../extensions/handler-source.js";
import { findHooks } from "../../extensions/installed/find-hooks.js";
import type { InstalledState } from "../../extensions/installed/installed-hook.js";
import { findProject } from "../../extensions/trust/project-hooks.js";
import { createTrust } from "../../extensions/trust/trust.js";
import type { OpenedHook } from "../../hub/policy/guard-set.js";
import type { SelftestAnswer } from "../../hub/protocol.js";
import { runSelftest } from "../../hub/selftest/selftest.js";
import { readKnownTools } from "../agents/known-tools.js";
import { CliError } from "../cli-error.js";
import { userHooksFolder } from "../hooks/find-hooks.js";
import type { Terminal } from "../terminal.js";

/** Guards that a hub would not register. */
const unused: readonly InstalledState[] = ["untrusted", "revoked", "disabled"];

/** The guards that a hub would have, loaded for this test only. */
export async function trySelftestHere({ env, say }: Terminal, project: string): Promise<SelftestAnswer> {
  const path = configPath(env);
  const { config, problems, warnings } = await loadConfig(path);
  for (const problem of [...problems, ...warnings]) say(inertText(formatProblem(problem)));
  if (config === undefined)
    throw new CliError(`"${inertText(path)}" cannot be read, so there is nothing to test.`, { fix: { run: editCommand(path) } });
  const { rules, broken } = config;
  const where = { folder: userHooksFolder(env), trust: createTrust(stateFolder(env)), projects: [findProject(project)] };
  const hooks = (await findHooks({ config: config.hooks, ...where })).filter(({ state }) => !unused.includes(state));
  const opened: (OpenedHook & { readonly source: OwnedSource | undefined })[] = [];
  try {
    for (const hook of hooks) opened.push({ hook, source: hook.open?.() });
    return await runSelftest({ rules, broken, hooks: opened }, { senders: sendersOf(await readKnownTools(env)) });
  } finally {
    await Promise.allSettled(opened.map(({ source }) => source?.close()));
  }
}
