import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { takeHubLocks } from "../../hub/lifecycle/hub-options.js";
import { SCHEMA_VERSION } from "../../hub/store/schema.js";
import { findInstallation } from "../../machine/installation.js";
import { copyForOwner, faultsOf, type Manifest, type Places, placesOf, readManifest, STORE } from "../backup/backup-files.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectIfRunning } from "../hub-client.js";
import { text } from "../option-values.js";
import { withProgress } from "../progress.js";
import { askFor } from "../prompt.js";
import type { Terminal } from "../terminal.js";

export const command: CommandModule<{ readonly dryRun?: boolean; readonly yes?: boolean }> = {
  define(command) {
    command
      .argument("<folder>", "what `hookline backup` wrote", text)
      .option("--dry-run", "check the backup, and say what would be replaced")
      .option("--yes", "do not ask before files are replaced")
      .addHelpText("after", "\nWhat is replaced is moved to a folder beside it, and not deleted. The hub must not run.")
      .addHelpText(
        "after",
        examples(
          "hookline restore ~/backups/hookline-2026-01-31 --dry-run",
          "hookline down && hookline restore ~/backups/hookline-2026-01-31",
        ),
      );
  },

  async run(terminal, { dryRun = false, yes = false }, [given = ""]) {
    const folder = resolve(given);
    const manifest = readManifest(folder);
    if (manifest.schema > SCHEMA_VERSION)
      throw new CliError(`The backup was made by a newer Hookline (${inertText(manifest.version)}).`, {
        fix: { run: findInstallation().update },
      });
    const faults = await withProgress(terminal, "Checking the backup", () => faultsOf(folder, manifest));
    if (faults.length > 0) throw new CliError(`The backup is damaged: ${faults.join("; ")}.`, { fix: "Use another backup." });
    const targets = targetsOf(manifest, await placesOf(terminal.env));
    const replaced = [...targets.values()].filter((path) => existsSync(path));
    if (dryRun) {
      for (const [name, path] of targets)
        terminal.print(`${existsSync(path) ? "replace" : "write  "} ${inertText(path)} from ${inertText(name)}`);
      return EXIT.ok;
    }
    if ((await connectIfRunning(terminal.env)) !== undefined)
      throw new CliError("The hub is running, and would keep using its own record.", { fix: { run: "hookline down" } });
    const question = `Replace ${countText(replaced.length, "file")} by the backup of ${inertText(manifest.at)}?`;
    if (replaced.length > 0 && !yes && !(await askFor(terminal, question, "--yes"))) return EXIT.failed;
    await putBack(folder, targets, terminal);
    return EXIT.ok;
  },
};

function targetsOf({ files }: Manifest, { store, config, state }: Places): Map<string, string> {
  const bases: { readonly [top: string]: string } = { config, state };
  return new Map(
    Object.keys(files).map((name) => {
      const [top = "", ...rest] = name.split("/");
      return [name, name === STORE ? store : join(bases[top] ?? state, ...rest)];
    }),
  );
}

async function putBack(folder: string, targets: ReadonlyMap<string, string>, terminal: Terminal): Promise<void> {
  const { state, store } = await placesOf(terminal.env);
  const data = dirname(store);
  for (const folder of [state, data]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const aside = join(state, `before-restore-${new Date().toISOString().replace(/[:.]/g, "-")}`);
  const locks = takeHubLocks({ state, data });
  try {
    replaceAll(folder, targets, aside);
  } finally {
    locks.release();
  }
  for (const path of targets.values()) terminal.print(inertText(path));
  if (existsSync(aside)) terminal.say(`What was there before is in ${inertText(aside)}.`);
  terminal.say("Restored. To start the hub: hookline up --detach");
}

/** All files, or none: half of a backup would be rules of one day and consent of another. */
function replaceAll(folder: string, targets: ReadonlyMap<string, string>, aside: string): void {
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
    }
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
