import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import { takeHubLocks } from "../../hub/lifecycle/hub-options.js";
import { PROTECT_FILE } from "../../hub/mode.js";
import { holdPolicy } from "../../hub/policy/accepted-policy.js";
import { digestOf } from "../../hub/policy/shown.js";
import { SCHEMA_VERSION } from "../../hub/store/schema.js";
import { findInstallation } from "../../machine/installation.js";
import { agreeToShown, type DigestOption, digestOption } from "../agree-to-shown.js";
import { readFacts, replaceFacts } from "../backup/adopt-facts.js";
import {
  copyForOwner,
  faultsOf,
  hashOfFile,
  isForAnyHub,
  type Manifest,
  type Places,
  placesOf,
  readManifest,
  STORE,
} from "../backup/backup-files.js";
import { isSealedHere } from "../backup/backup-seal.js";
import { policyChanges } from "../backup/restored-policy.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectIfRunning } from "../hub-client.js";
import { text } from "../option-values.js";
import { withProgress } from "../progress.js";
import type { Terminal } from "../terminal.js";

export const command: CommandModule<DigestOption & { readonly dryRun?: boolean }> = {
  define(command) {
    command
      .argument("<folder>", "what `hookline backup` wrote", text)
      .option("--dry-run", "check the backup, and show what would be replaced")
      .option(...digestOption)
      .addHelpText(
        "after",
        "\nShows which rules and hooks come and go, and asks. Without a terminal, give the digest. The hub must not run.",
      )
      .addHelpText("after", "What is replaced is moved to a folder beside it, and not deleted. Of a backup that this hub did not make,")
      .addHelpText("after", "consent, what was accepted and keys are left out, and its rules and hooks wait: hookline policy diff")
      .addHelpText(
        "after",
        examples(
          "hookline restore ~/backups/hookline-2026-01-31 --dry-run",
          "hookline down && hookline restore ~/backups/hookline-2026-01-31",
        ),
      );
  },

  async run(terminal, { dryRun = false, digest: given }, [name = ""]) {
    const folder = resolve(name);
    const manifest = readManifest(folder);
    if (manifest.schema > SCHEMA_VERSION)
      throw new CliError(`The backup was made by a newer Hookline (${inertText(manifest.version)}).`, {
        fix: { run: findInstallation().update },
      });
    const faults = await withProgress(terminal, "Checking the backup", () => faultsOf(folder, manifest));
    if (faults.length > 0) throw new CliError(`The backup is damaged: ${faults.join("; ")}.`, { fix: "Use another backup." });
    const places = await placesOf(terminal.env);
    const backup: Backup = { folder, manifest, foreign: foreignText(manifest, places), targets: targetsOf(manifest, places) };
    if (backup.foreign !== undefined) for (const path of backup.targets.keys()) if (!isForAnyHub(path)) backup.targets.delete(path);
    await show(backup, places, terminal);
    if (dryRun) return EXIT.ok;
    if ((await connectIfRunning(terminal.env)) !== undefined)
      throw new CliError("The hub is running, and would keep using its own record.", { fix: { run: "hookline down" } });
    const replaced = [...backup.targets.values()].filter((path) => existsSync(path));
    const question = `Restore the backup of ${inertText(manifest.at)}, and replace ${countText(replaced.length, "file")}?`;
    const command = `hookline restore ${shellWord(inertText(name))}`;
    if (!(await agreeToShown(terminal, { name, digest: digestOf(manifest), question, command }, given))) return EXIT.failed;
    putBack(backup, places, terminal);
    return EXIT.ok;
  },
};

interface Backup {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Why this machine does not take its word for what a person has accepted. */
  readonly foreign: string | undefined;
  /** Where its files go, by their path in it. */
  readonly targets: Map<string, string>;
}

/** Under `hookline protect`, what was accepted once does not count again without a factor. */
function foreignText(manifest: Manifest, { state }: Places): string | undefined {
  const at = inertText(manifest.at);
  if (!isSealedHere(state, manifest)) return `The backup of ${at} was not made by this hub, or was changed.`;
  return existsSync(join(state, PROTECT_FILE))
    ? `hookline protect is on, and the backup of ${at} may be of a time with another policy.`
    : undefined;
}

async function show({ folder, foreign, manifest, targets }: Backup, places: Places, terminal: Terminal): Promise<void> {
  for (const [name, path] of targets)
    terminal.print(`${existsSync(path) ? "replace" : "write  "} ${inertText(path)} from ${inertText(name)}`);
  const changes = await policyChanges(folder, places);
  for (const { kind, name, what, isCode } of changes) {
    const label = terminal.paint(isCode ? "red" : "yellow", isCode ? "CODE" : kind);
    terminal.print(`${label} ${inertText(name)}: ${inertText(what)}`);
  }
  const count = changes.length === 0 ? "No rule, hook or setting differs from what is accepted here." : undefined;
  if (count !== undefined) terminal.say(count);
  if (foreign !== undefined) {
    const out = Object.keys(manifest.files).filter((name) => !targets.has(name));
    const left = out.length === 0 ? "" : ` Left out, because they say what a person has allowed: ${out.map(inertText).join(", ")}.`;
    terminal.say(`! ${foreign}${left} What its rules and hooks loosen waits until you accept it: hookline policy diff`);
  }
}

function targetsOf({ files }: Manifest, { store, config, state }: Places): Map<string, string> {
  const bases: { readonly [top: string]: string } = { config, state };
  return new Map(
    Object.keys(files).map((name) => {
      const [top = "", ...rest] = name.split("/");
      return [name, name === STORE ? store : join(bases[top] ?? state, ...rest)];
    }),
  );
}

function putBack(backup: Backup, { state, store }: Places, terminal: Terminal): void {
  const data = dirname(store);
  for (const folder of [state, data]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = join(state, `before-restore-${new Date().toISOString().replace(/[:.]/g, "-")}`);
  const locks = takeHubLocks({ state, data });
  try {
    const facts = readFacts(store);
    // Before any file is there: a hub that starts after a crash in between must not take them.
    if (backup.foreign !== undefined) holdPolicy({ state, data }, backup.foreign);
    replaceAll(backup, aside, () => backup.foreign !== undefined && replaceFacts(store, facts));
  } finally {
    locks.release();
  }
  for (const path of backup.targets.values()) terminal.print(inertText(path));
  if (existsSync(aside)) terminal.say(`What was there before is in ${inertText(aside)}.`);
  terminal.say("Restored. To start the hub: hookline up --detach");
  if (backup.foreign !== undefined) terminal.say("Then look at what waits: hookline policy diff");
}

/** All files, or none: half of a backup would be rules of one day and consent of another. */
function replaceAll({ folder, targets, manifest }: Backup, aside: string, finish: () => unknown): void {
  const undo: (() => void)[] = [];
  try {
    for (const [name, path] of targets) {
      // With the log of the store, which SQLite would apply to the new file.
      for (const ending of ["", "-wal", "-shm"]) {
        const [old, kept] = [`${path}${ending}`, join(aside, `${name}${ending}`)];
        if (!isThere(old)) continue;
        move(old, kept);
        undo.unshift(() => move(kept, old));
      }
      undo.unshift(() => rmSync(path, { force: true }));
      copyForOwner(join(folder, name), path);
      // The folder may have changed after the check: only the bytes of the list count.
      if (hashOfFile(path) !== manifest.files[name]) throw new Error(`${name} was changed after it was shown`);
    }
    finish();
  } catch (cause) {
    throw new CliError(`Nothing was restored: ${errorText(cause)}.${left(undo, aside)}`, { fix: { run: "hookline doctor" }, cause });
  }
}

/** Puts everything back, and says where the rest is if that fails, too. */
function left(undo: readonly (() => void)[], aside: string): string {
  try {
    for (const step of undo) step();
    return "";
  } catch (error) {
    return ` Not everything could be put back (${errorText(error)}): the rest of what was there is in ${inertText(aside)}.`;
  }
}

/** Also a link that leads nowhere: to write through it would create a file elsewhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(from, { recursive: true });
  }
}
