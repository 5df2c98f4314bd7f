import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Managed } from "@hookline/core/internal/machine";
import { inertLines, inertText, shellWord } from "@hookline/core/internal/text";
import { askCanary } from "../../agents/attach/ask-canary.js";
import { readAttached } from "../../agents/attach/attached.js";
import { hookFaults } from "../../agents/attach/effective-hooks.js";
import { askProgram, noteProgram } from "../../agents/attach/find-program.js";
import { applyAttach, managedHooks, oursOf, planAttach } from "../../agents/attach/plan-attach.js";
import { applyEdit } from "../../agents/install/apply-edit.js";
import { planDetach } from "../../agents/install/plan-detach.js";
import type { AgentDefinition } from "../../agents/shared/definition.js";
import { findRootTreeFault } from "../../machine/root-owned.js";
import { CliError } from "../cli-error.js";
import { EXIT } from "../exit-codes.js";
import { addSelfProtection } from "../rules/add.js";
import { membersOf } from "../service/accounts.js";
import type { Terminal } from "../terminal.js";
import { type AttachSetting, managedSetting } from "./attach-setting.js";
import { faultsOf } from "./cautions.js";
import { versionCaution } from "./contract-text.js";

type ManagedSetting = AttachSetting & { readonly managed: Managed };

/** `hookline attach --managed <agent>`: for all users of the machine. What was written is removed again if the hooks are not seen to run. */
export async function attachManaged(agent: AgentDefinition, isDryRun: boolean, terminal: Terminal): Promise<number> {
  const { title, id, program } = agent;
  mustBeRoot(`attach --managed ${id}`);
  // Says first why an agent cannot be attached in this way.
  const { path } = managedHooks(agent);
  const setting = managedSetting();
  const { folder, socket, cwd, managed } = setting;
  const plan = planAttach({ agent, target: "managed", isStrict: true, env: terminal.env, folder, socket, cwd, managed });
  if (isDryRun) {
    terminal.print(plan.edit.diff === "" ? "Nothing would change." : inertLines(plan.edit.diff.trimEnd()));
    return EXIT.ok;
  }
  checkShells(agent, managed);
  const wasAttached = readAttached(folder).some((one) => one.path === path);
  applyAttach(plan);
  const fault = await whyNotSeen(agent, setting, path, Object.keys(plan.edit.record?.entries ?? {}));
  if (fault !== undefined) {
    // An agent that was attached before stays so: its calls are denied rather than not guarded.
    if (!wasAttached) applyEdit(folder, planDetach(folder, plan.edit.target, oursOf(agent, folder, "managed")));
    throw new CliError(`${title} is ${wasAttached ? "not guarded" : "not attached"}: ${fault}`, {
      fix: { run: "sudo hookline service status" },
    });
  }
  const found = askProgram(program, terminal.env);
  noteProgram(folder, id, found);
  terminal.print(path);
  terminal.say(
    `${title} is ${plan.edit.change === "none" ? "already attached; nothing changed" : "attached"} for all users of this machine.`,
  );
  terminal.say(`Calls of users who are not in the group with the number ${managed.group} are denied: they cannot ask the hub.`);
  terminal.say("Hooks of users and projects do not run, except those of agents that always run them: see docs/agents.md.");
  const caution = versionCaution(agent, found?.version);
  if (caution !== undefined) terminal.say(`${terminal.paintTalk("yellow", "!")} ${caution}`);
  terminal.say(`To undo this: sudo hookline detach --managed ${id}`);
  await addSelfProtection(terminal, folder);
  return EXIT.ok;
}

/** A shell that is called "sh" or "dash" reads no start-up file for a command. The others let no one log in. */
const PLAIN_SHELLS: readonly string[] = ["sh", "dash", "nologin", "false"];

/** Refuses an agent that starts its hooks in a shell in which the user can put something before them. */
function checkShells({ title, install }: AgentDefinition, { group }: Managed): void {
  const others = install.hasUsersShell === true ? membersOf(group).filter(({ shell }) => !PLAIN_SHELLS.includes(basename(shell))) : [];
  if (others.length === 0) return;
  const shells = others.map(({ name, shell }) => `${inertText(name)} (${inertText(shell)})`).join(", ");
  throw new CliError(
    `${title} starts its hooks in the login shell of its user. That of ${shells} first reads a file that the user can choose (BASH_ENV, ZDOTDIR), and such a file can end it before the hook runs.`,
    { fix: { run: others.map(({ name }) => `sudo usermod --shell /bin/sh ${shellWord(name)}`).join("; ") } },
  );
}

/** Does what an agent of a user would do. Returns why the hub did not get the call. */
async function whyNotSeen(
  agent: AgentDefinition,
  setting: ManagedSetting,
  path: string,
  events: readonly string[],
): Promise<string | undefined> {
  const { folder } = setting;
  const writable = findRootTreeFault(folder) ?? findRootTreeFault(path);
  if (writable !== undefined) return `${writable}. A guard that others can change does not guard.`;
  const attached = readAttached(folder).find((one) => one.path === path);
  if (attached === undefined) return `"${path}" is not in the record of attached agents.`;
  const faults = [...faultsOf(agent, attached, {}), ...hookFaults(agent, attached, folder, events)];
  if (faults.length > 0) return faults.join(" ");
  const { isDenied, isFromHub, how } = await askCanary(agent, attached, setting);
  if (isDenied && isFromHub) return undefined;
  return `its hook was run as a user of the group, and the hub did not answer (${inertText(how)}).`;
}

/** `hookline detach --managed <agent>`. */
export function detachManaged(agent: AgentDefinition, isDryRun: boolean, terminal: Terminal): number {
  const { title, id } = agent;
  mustBeRoot(`detach --managed ${id}`);
  const { path } = managedHooks(agent);
  const { folder } = managedSetting();
  const plan = planDetach(folder, { agent: id, scope: "managed", path }, oursOf(agent, folder, "managed"));
  if (isDryRun) {
    terminal.print(plan.diff === "" ? "Nothing would change." : inertLines(plan.diff.trimEnd()));
    return EXIT.ok;
  }
  applyEdit(folder, plan);
  noteProgram(folder, id, undefined);
  terminal.print(path);
  const removed = plan.change !== "none" && !existsSync(path) ? " The file is removed: it held only Hookline's entries." : "";
  terminal.say(
    plan.change === "none" ? `${title} was not attached there.` : `${title} is detached for all users of this machine.${removed}`,
  );
  return EXIT.ok;
}

function mustBeRoot(command: string): void {
  if (process.geteuid?.() === 0) return;
  throw new CliError("Only root can do this: it is for all users of the machine.", { fix: { run: `sudo hookline ${command}` } });
}
