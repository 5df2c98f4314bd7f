import { didYouMean, editCommand, inertText } from "@hookline/core/internal/text";
import { putPack, removeRules, replaceConfigFile } from "../../config/edit-config.js";
import { chooseSets, recommended, type SetChoice, starterRules } from "../../rules/starter/starter-rules.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { text as textOption } from "../option-values.js";
import { acceptOwn, writtenRules } from "../policy/accept-own.js";
import type { Terminal } from "../terminal.js";
import { readPacks, writePacks } from "./packs-file.js";
import { rulesOfSets } from "./sets.js";

interface RemoveOptions {
  readonly config?: string;
}

export const command: CommandModule<RemoveOptions> = {
  define(command) {
    command
      .argument("[sets or pack...]", "names of sets, or recommended for all of them; or the name of one pack", textOption)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", textOption)
      .addHelpText(
        "after",
        "\nRemoves their rules from your hookline.toml, also those that you edited, and keeps a copy. The signer of a pack stays trusted.",
      )
      .addHelpText("after", examples("hookline rules remove databases persistence", "hookline rules remove acme-safe"));
  },

  run: removeNamed,
};

async function removeNamed(terminal: Terminal, options: RemoveOptions, names: readonly string[]): Promise<number> {
  const choice = chooseSets(names);
  const [name = ""] = names;
  if (names.length === 0)
    throw new CliError("Name a set or a pack of rules.", { exitCode: EXIT.usage, fix: { run: "hookline rules remove --help" } });
  if (choice !== undefined) return removeSets(terminal, options, names, choice);
  if (names.length > 1)
    throw new CliError(`"${inertText(names.find((one) => chooseSets([one]) === undefined) ?? "")}" is not a set: remove a pack alone.`, {
      exitCode: EXIT.usage,
      fix: { run: "hookline rules remove --help" },
    });
  return removePack(terminal, options, name);
}

async function removeSets(terminal: Terminal, options: RemoveOptions, names: readonly string[], { sets }: SetChoice): Promise<number> {
  const { path, text = "" } = openConfigFile(options.config, terminal.env);
  const rules = await rulesOfSets(sets);
  const { text: next, removed } = await removeRules(
    text,
    path,
    rules.map(({ name }) => name),
  ).catch((cause: unknown) => {
    throw new CliError(inertText((cause as Error).message), { fix: { run: editCommand(path) }, cause });
  });
  const label = names.join(", ");
  if (removed.length === 0) {
    terminal.say(`${inertText(path)} has no rules of ${label}; nothing was changed.`);
    return EXIT.ok;
  }
  const backup = replaceConfigFile(path, next);
  await sayRemoved(terminal, label, { next, path, removed });
  terminal.say(
    `Removed ${countText(removed.length, "rule")} from ${inertText(path)}. The previous version is in ${inertText(backup ?? "")}.`,
  );
  return EXIT.ok;
}

interface Removal {
  readonly next: string;
  readonly path: string;
  readonly removed: readonly string[];
}

async function sayRemoved(terminal: Terminal, name: string, { next, path, removed }: Removal): Promise<void> {
  for (const rule of removed) terminal.print(`- ${inertText(rule)}`);
  await acceptOwn(terminal, name, await writtenRules(next, path, removed));
}

async function removePack(terminal: Terminal, options: RemoveOptions, name: string): Promise<number> {
  const { path, text = "" } = openConfigFile(options.config, terminal.env);
  const record = readPacks(terminal.env);
  const { text: next, removed } = await putPack(text, path, { name, label: name }).catch((cause: unknown) => {
    throw new CliError(inertText((cause as Error).message), { fix: { run: "hookline rules list" }, cause });
  });
  const names = record.packs.filter(({ file }) => file === path).map((pack) => pack.name);
  if (removed.length === 0 && !names.includes(name))
    throw new CliError(
      `There is no set or pack "${inertText(name)}".${didYouMean(name, [...names, recommended.name, ...starterRules.map((set) => set.name)])}`,
      {
        fix: { run: "hookline rules list" },
      },
    );
  if (removed.length > 0) replaceConfigFile(path, next);
  writePacks(terminal.env, { ...record, packs: record.packs.filter((pack) => pack.file !== path || pack.name !== name) });
  await sayRemoved(terminal, name, { next, path, removed });
  terminal.say(`The pack ${inertText(name)} is removed from ${inertText(path)}.`);
  return EXIT.ok;
}
