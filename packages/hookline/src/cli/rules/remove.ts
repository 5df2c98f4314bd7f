import { didYouMean, inertText } from "@hookline/core/internal/text";
import { putPack, replaceConfigFile } from "../../config/edit-config.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { text as textOption } from "../option-values.js";
import { acceptOwn, writtenRules } from "../policy/accept-own.js";
import type { Terminal } from "../terminal.js";
import { readPacks, writePacks } from "./packs-file.js";

interface RemoveOptions {
  readonly config?: string;
}

export const command: CommandModule<RemoveOptions> = {
  define(command) {
    command
      .argument("<pack>", "its name; hookline rules list shows them", textOption)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", textOption)
      .addHelpText("after", "\nRemoves the rules that the pack has put into your hookline.toml. Its signer stays trusted.")
      .addHelpText("after", examples("hookline rules remove acme-safe"));
  },

  run: removePack,
};

async function removePack(terminal: Terminal, options: RemoveOptions, [name = ""]: readonly string[]): Promise<number> {
  const { path, text = "" } = openConfigFile(options.config, terminal.env);
  const record = readPacks(terminal.env);
  const { text: next, removed } = await putPack(text, path, { name, label: name }).catch((cause: unknown) => {
    throw new CliError(inertText((cause as Error).message), { fix: { run: "hookline rules list" }, cause });
  });
  const names = record.packs.filter(({ file }) => file === path).map((pack) => pack.name);
  if (removed.length === 0 && !names.includes(name))
    throw new CliError(`There is no pack "${inertText(name)}".${didYouMean(name, names)}`, { fix: { run: "hookline rules list" } });
  if (removed.length > 0) replaceConfigFile(path, next);
  writePacks(terminal.env, { ...record, packs: record.packs.filter((pack) => pack.file !== path || pack.name !== name) });
  for (const rule of removed) terminal.print(`- ${inertText(rule)}`);
  await acceptOwn(terminal, name, await writtenRules(next, path, removed));
  terminal.say(`The pack ${inertText(name)} is removed from ${inertText(path)}.`);
  return EXIT.ok;
}
