import { existsSync } from "node:fs";
import { inertLines } from "@hookline/core/internal/text";
import { applyLock, planLock } from "../../agents/attach/apply-lock.js";
import { readAttached } from "../../agents/attach/attached.js";
import { noteProgram } from "../../agents/attach/find-program.js";
import { withoutKeys } from "../../agents/attach/http-entries.js";
import { oursOf, partPaths } from "../../agents/attach/plan-attach.js";
import { applyEdit } from "../../agents/install/apply-edit.js";
import { planDetach } from "../../agents/install/plan-detach.js";
import { agentNames, EXAMPLE_AGENT, readAgent } from "../agents/agent-argument.js";
import { detachManaged } from "../agents/attach-managed.js";
import { attachSetting } from "../agents/attach-setting.js";
import { dropKeys } from "../agents/rotate-keys.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text } from "../option-values.js";

interface DetachOptions {
  readonly user?: boolean;
  readonly project?: boolean;
  readonly managed?: boolean;
  readonly dryRun?: boolean;
}

export const command: CommandModule<DetachOptions> = {
  define(command) {
    command
      .argument("<agent>", agentNames(), text)
      .option("--user", "from all your sessions (default)")
      .option("--project", "from sessions in this folder")
      .option("--managed", "from all users of this machine; needs root")
      .option("--dry-run", "show the change without making it")
      .addHelpText("after", "\nRestores the file exactly if it has not changed since; otherwise removes only Hookline's entries.")
      .addHelpText("after", examples(`hookline detach ${EXAMPLE_AGENT}`));
  },

  async run(terminal, { project = false, managed = false, dryRun = false }, [id = ""]) {
    const agent = readAgent(id);
    if (managed) return detachManaged(agent, dryRun, terminal);
    const { folder, cwd } = attachSetting(terminal.env, "detach");
    const scope = project ? "project" : "user";
    const target = { agent: agent.id, scope, path: agent.install.settingsPath(scope, terminal.env, cwd) };
    const plan = planDetach(folder, target, oursOf(agent, folder));
    const lock = planLock(agent, target.path, false);
    const parts = partPaths(agent, target.path).map((path) => planDetach(folder, { ...target, path }, oursOf(agent, folder)));
    const diff = `${lock?.diff ?? ""}${[...parts, plan].map((one) => one.diff).join("")}`;
    if (dryRun) terminal.print(diff === "" ? "Nothing would change." : inertLines(withoutKeys(diff.trimEnd())));
    else {
      // First: without the plugin, nothing would take the lock away.
      applyLock(lock);
      for (const one of [...parts, plan]) applyEdit(folder, one);
      await dropKeys(plan, terminal);
      forgetProgram(folder, agent.id);
      terminal.print(target.path);
      const removed = plan.change !== "none" && !existsSync(target.path) ? " The file is removed: it held only Hookline's entries." : "";
      terminal.say(plan.change === "none" ? `${agent.title} was not attached there.` : `${agent.title} is detached.${removed}`);
    }
    return EXIT.ok;
  },
};

function forgetProgram(folder: string, agent: string): void {
  if (!readAttached(folder).some((one) => one.agent === agent)) noteProgram(folder, agent, undefined);
}
