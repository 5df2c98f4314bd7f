import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { findRootFault, replaceFile } from "@hookline/core/internal/machine";
import { findRootTreeFault } from "../../machine/root-owned.js";
import { CliError } from "../cli-error.js";
import type { Accounts } from "./accounts.js";
import { copyPackage, copyTree, makeRootFolder, packagesToCopy } from "./copy-package.js";
import { COMMAND_TEXT, managedText, RULES_TEXT, type SystemPlaces, unitText } from "./system-places.js";

/** The files that an install writes, with their texts. Existing rules stay. */
export function filesToWrite({ managed, rules, unit }: SystemPlaces, { ids, names }: Accounts): { readonly [path: string]: string } {
  return { [managed]: managedText(ids), [unit]: unitText(names), ...(existsSync(rules) ? {} : { [rules]: RULES_TEXT }) };
}

/** Writes all parts, then checks that only root can change them. Throws, and leaves the service as it was, if another user can. */
export function installSystem(places: SystemPlaces, accounts: Accounts): void {
  checkFolders(places);
  copyProgram(places);
  for (const folder of [places.config, places.hooks, places.clients, dirname(places.unit)]) makeRootFolder(folder);
  const files = filesToWrite(places, accounts);
  for (const [path, text] of Object.entries(files)) replaceFile(path, text, { mode: 0o644 });
  const fault = findInstallFault(places);
  if (fault !== undefined) throw refused(fault);
}

/** Why a user other than root could change Node, the package, the unit, the rules or a client. */
export function findInstallFault({ root, program, config, unit }: SystemPlaces): string | undefined {
  return findRootTreeFault(program, root) ?? findRootTreeFault(config, root) ?? findRootTreeFault(unit, root);
}

/** Before anything is written: the folders that exist already, and what is in that of the rules. */
export function checkFolders({ root, program, config, unit }: SystemPlaces): void {
  for (const path of [dirname(program), config, dirname(unit)]) {
    const there = nearest(path);
    const fault = there === config ? findRootTreeFault(there, root) : findRootFault(there, root);
    if (fault !== undefined) throw refused(fault);
  }
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}

function refused(fault: string): CliError {
  return new CliError(`Not installed: ${fault}. A guard that others can change does not guard.`, {
    fix: "Make root its owner (chown root:root) and take the right to write from all others (chmod go-w), then repeat the command.",
  });
}

/** The whole folder is written under another name first: a running hub and its next start never see a half of it. */
function copyProgram({ program }: SystemPlaces): void {
  const next = `${program}.next`;
  const last = `${program}.last`;
  for (const left of [next, last]) rmSync(left, { recursive: true, force: true });
  copyTree(realpathSync(process.execPath), join(next, "bin", "node"));
  for (const { from, to } of packagesToCopy()) copyPackage(from, join(next, "node_modules", to));
  replaceFile(join(next, "bin", "hookline"), COMMAND_TEXT, { mode: 0o755 });
  chmodSync(join(next, "bin", "node"), 0o755);
  if (existsSync(program)) renameSync(program, last);
  renameSync(next, program);
  rmSync(last, { recursive: true, force: true });
}

/** The part of the copied source that a user other than root could have changed before it was copied. */
export function findSourceFault(): string | undefined {
  for (const path of [realpathSync(process.execPath), ...packagesToCopy().map(({ from }) => from)]) {
    const fault = findRootFault(path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What systemd says about the unit; empty if nothing, or if there is no systemd. */
export function verifyUnit(unit: string): string {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
  return status === null || status === 0 ? "" : `${stdout}${stderr}`.trim();
}

export const isSystemdRunning = (): boolean => existsSync("/run/systemd/system");

/** Throws with what systemctl says. */
export function systemctl(...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("systemctl", args, { encoding: "utf8" });
  if (status === 0) return stdout.trim();
  throw new CliError(`systemctl ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`, {
    fix: { run: "journalctl -u hookline -n 50" },
  });
}
