import { errorText, stateFolder } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { findProject, listProjectHooks, type ProjectHook } from "../../extensions/trust/project-hooks.js";
import { createTrust, requireTrust, type TrustRow } from "../../extensions/trust/trust.js";
import { CliError } from "../cli-error.js";
import type { UpOptions } from "../commands/up.js";
import { countText } from "../format/amounts.js";
import type { Terminal } from "../terminal.js";

/** Reports the project's hooks without consent. If no terminal shows the report, it throws `HL_UNTRUSTED` instead. */
export async function checkProject({ skipUntrusted = false, detach = false }: UpOptions, terminal: Terminal): Promise<void> {
  const project = findProject(process.cwd());
  if (listProjectHooks(project).length === 0) return;
  const rows = createTrust(stateFolder(terminal.env)).look(project);
  const running = runnable(rows, { skipUntrusted, detach }, terminal);
  const left = rows.filter(({ state }) => state === "untrusted" || state === "modified");
  if (left.length === 0) return;
  const names = left.map(({ hook, state }) => `${inertText(hook.name)} (${state})`).join(", ");
  terminal.say(
    `${terminal.paintTalk("yellow", "!")} The project ${inertText(project)} has ${countText(rows.length, "hook")}; ${running.length} may run. Not trusted: ${names}.`,
  );
  terminal.say("  To review them: hookline hooks trust");
}

function runnable(
  rows: readonly TrustRow[],
  { skipUntrusted, detach }: Required<Pick<UpOptions, "skipUntrusted" | "detach">>,
  { isInteractive }: Terminal,
): readonly ProjectHook[] {
  try {
    return requireTrust(rows, { headless: !isInteractive, skipUntrusted });
  } catch (cause) {
    throw new CliError(`${errorText(cause)}\nTo start without them: hookline up ${detach ? "--detach " : ""}--skip-untrusted`, {
      cause,
    });
  }
}
