import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openFolder } from "@hookline/core/internal/machine";
import { withLock } from "../../machine/lock.js";
import { type AgentFile, refused, removeAgentFile, replaceAgentFile } from "./agent-file.js";
import { dropBackup, findInstalled, type Installed, keepBackup, noteInstalled } from "./installed.js";
import { type EditPlan, readTarget } from "./plan-edit.js";

const LOCK_FILE = "attach.lock";

/** Applies the plan. Throws `HL_AGENT_FILE`, and does nothing, if the file has changed since or another process is attaching an agent. */
export function applyEdit(folder: string, plan: EditPlan): void {
  const busy = () => refused(plan.target.path, "waits for another process that attaches or detaches an agent", { fix: "Run this again." });
  withLock(join(openFolder(folder), LOCK_FILE), busy, () => apply(folder, plan));
}

function apply(folder: string, plan: EditPlan): void {
  const { path } = plan.target;
  const now = readTarget(plan.target);
  if (now.text !== plan.file.text || now.realPath !== plan.file.realPath)
    throw refused(path, "was changed by another program in the meantime", { fix: "Run this again." });
  if (plan.record === undefined) detach(folder, plan, now);
  else attach(folder, plan, { ...plan.record, backup: null });
}

function attach(folder: string, { target, file, after, base, isPrivate }: EditPlan, record: Installed): void {
  const earlier = findInstalled(folder, target.path);
  const backup = base === undefined ? null : keepBackup(folder, target, base);
  const { folders } = record;
  // The record is written first: if this stops halfway, a record of entries that are not in the file does no harm.
  if (!isDeepStrictEqual(earlier, plain({ ...record, backup, folders })))
    noteInstalled(folder, target.path, { ...record, backup, folders });
  if (after !== undefined && after !== file.text) {
    const made = replaceAgentFile(file, after, modeFor(target, isPrivate));
    if (made.length > 0) noteInstalled(folder, target.path, { ...record, backup, folders: [...made, ...folders] });
  }
  if (earlier !== undefined && earlier.backup !== backup) dropBackup(folder, earlier.backup);
}

/** Agents of every user must be able to read a managed file. */
function modeFor({ scope }: EditPlan["target"], isPrivate = false): number | undefined {
  return scope === "managed" ? 0o644 : isPrivate ? 0o600 : undefined;
}

function plain(record: Installed): unknown {
  return JSON.parse(JSON.stringify(record));
}

function detach(folder: string, { target, after }: EditPlan, file: AgentFile): void {
  const known = findInstalled(folder, target.path);
  if (after === undefined) removeAgentFile(file, known?.folders ?? []);
  else if (after !== file.text) replaceAgentFile(file, after, modeFor(target));
  if (known === undefined) return;
  noteInstalled(folder, target.path, undefined);
  dropBackup(folder, known.backup);
}
