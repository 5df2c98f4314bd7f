import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertText } from "@hookline/core/internal/text";
import { readVersion } from "../../hub/lifecycle/version.js";
import { readStoreVersion } from "../../hub/store/schema.js";
import { refuseLostDatabase } from "../../hub/store/store-files.js";
import { verifyStore } from "../../hub/store/verify-store.js";
import { copyForOwner, filesToCopy, hashOf, linksBelow, MANIFEST, type Manifest, placesOf, STORE } from "../backup/backup-files.js";
import { sealed } from "../backup/backup-seal.js";
import { copyStore } from "../backup/copy-store.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { bytesText, countText } from "../format/amounts.js";
import { text } from "../option-values.js";
import { createProgress } from "../progress.js";

export const command: CommandModule<{ readonly keys?: boolean }> = {
  define(command) {
    command
      .argument("<folder>", "a new or empty folder", text)
      .option("--keys", "also the keys: a program that has them can act for the hub")
      .addHelpText("after", "\nCopies the events, the configuration with its rules and hooks, and your consent. The hub may run meanwhile.")
      .addHelpText("after", examples("hookline backup ~/backups/hookline-2026-01-31", "hookline restore ~/backups/hookline-2026-01-31"));
  },

  async run(terminal, { keys = false }, [given = ""]) {
    const folder = resolve(given);
    if (existsSync(folder) && readdirSync(folder).length > 0)
      throw new CliError(`The folder "${folder}" is not empty.`, { exitCode: EXIT.usage, fix: "Give a folder that does not exist yet." });
    const places = await placesOf(terminal.env);
    refuseLostDatabase(places.store);
    if (!existsSync(places.store)) throw new CliError(`There is no store at "${places.store}".`, { fix: { run: "hookline up --detach" } });
    const wasThere = existsSync(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const progress = createProgress(terminal);
    try {
      const store = join(folder, STORE);
      await copyStore(places.store, store, (bytes, of) =>
        progress.show(`Copying the record: ${bytesText(bytes)} of at most ${bytesText(of)} …`),
      );
      chmodSync(store, 0o600);
      const copied = filesToCopy(places, keys);
      for (const [name, from] of copied) copyForOwner(from, join(folder, name));
      progress.show("Checking the copy …");
      const { ok, decisions, problems } = verifyStore(store);
      const names = [STORE, ...copied.keys()];
      const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await hashOf(join(folder, name))] as const)));
      const manifest: Manifest = {
        v: 1,
        at: new Date().toISOString(),
        version: readVersion(),
        schema: readStoreVersion(store) ?? 0,
        keys,
        files,
      };
      writeFileSync(join(folder, MANIFEST), `${JSON.stringify(sealed(places.state, manifest), undefined, 2)}\n`, { mode: 0o600 });
      progress.end();
      terminal.print(folder);
      terminal.say(
        `Backed up the record with ${countText(decisions, "decision")}, and ${countText(copied.size, "file")}${keys ? ", keys included" : ""}.`,
      );
      const links = linksBelow(places.config);
      if (links.length > 0)
        terminal.say(`! Symbolic links are not followed. Back up yourself what these lead to: ${links.map(inertText).join(", ")}`);
      if (!ok)
        terminal.say(`! The record is not intact, and so is its copy: ${inertText(problems[0]?.message ?? "")} Run: hookline verify`);
      return EXIT.ok;
    } catch (cause) {
      progress.end();
      // Half a backup must not look like one.
      if (!wasThere) rmSync(folder, { recursive: true, force: true });
      throw new CliError(`No backup was made: ${errorText(cause)}.`, { fix: { run: "hookline doctor" }, cause });
    }
  },
};
