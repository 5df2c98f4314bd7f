import { errorText, readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { didYouMean, editCommand, inertText, shellWord } from "@hookline/core/internal/text";
import { addRules, replaceConfigFile } from "../../config/edit-config.js";
import { isStarterName, readStarterRules, type StarterName, starterRules } from "../../rules/starter/starter-rules.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { countText } from "../format/amounts.js";
import { connectHub } from "../hub-client.js";
import { text as textOption } from "../option-values.js";
import { acceptOwn, writtenRules } from "../policy/accept-own.js";
import type { Terminal } from "../terminal.js";
import { type AddPackOptions, addPack, isPackPath } from "./add-pack.js";
import { readSuggestions, SUGGESTED } from "./suggest.js";

export const command: CommandModule<AddPackOptions> = {
  define(command) {
    command
      .argument("[set or pack]", "the name of a set or of a suggestion, or the path of a pack: a folder or a tarball", textOption)
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", textOption)
      .option("--signer <fingerprint>", "trust the signer of the pack from now on", textOption)
      .option("--unsigned", "add a pack that is not signed")
      .option("--downgrade", "replace a newer version of the pack")
      .addHelpText("after", `\nSets:\n${setLines()}\n\nRules that the file already has are left as they are.`)
      .addHelpText("after", examples("hookline rules add destructive-shell", "hookline rules add ./acme-safe.tgz"));
  },

  run: addSet,
};

async function addSet(terminal: Terminal, options: AddPackOptions, [name]: readonly string[]): Promise<number> {
  if (name !== undefined && isPackPath(name)) return addPack(terminal, options, name);
  if (name?.startsWith(SUGGESTED)) return addSuggested(terminal, options, name);
  if (name === undefined || !isStarterName(name)) throw unknownSet(name);
  return addSets(terminal, options, [name]);
}

export function addSets(terminal: Terminal, options: Pick<AddPackOptions, "config">, names: readonly StarterName[]): Promise<number> {
  return addTables(terminal, options, { name: names.join(", "), tables: names.map(readStarterRules).join("\n") });
}

/** A rule that `hookline rules suggest` shows, as the hub suggests it now. */
async function addSuggested(terminal: Terminal, options: AddPackOptions, name: string): Promise<number> {
  const suggestions = await readSuggestions(await connectHub(terminal.env), {});
  const found = suggestions.suggestions.find((one) => one.name === name);
  if (found === undefined) throw new CliError(`Nothing suggests a rule "${inertText(name)}".`, { fix: { run: "hookline rules suggest" } });
  return addTables(terminal, options, { name, tables: found.toml });
}

async function addTables(
  terminal: Terminal,
  options: Pick<AddPackOptions, "config">,
  { name, tables }: { readonly name: string; readonly tables: string },
): Promise<number> {
  const { path, text = "" } = openConfigFile(options.config, terminal.env);
  const { text: next, added } = await addRules(text, path, tables).catch((cause: unknown) => {
    throw new CliError((cause as Error).message, { fix: { run: editCommand(path) }, cause });
  });
  if (added.length === 0) {
    terminal.say(`${inertText(path)} already has the rules of ${name}; nothing was changed.`);
    return EXIT.ok;
  }
  const backup = replaceConfigFile(path, next);
  for (const rule of added) terminal.print(rule);
  await acceptOwn(terminal, name, await writtenRules(next, path, added));
  terminal.say(
    `Added ${countText(added.length, "rule")} to ${inertText(path)}.${backup === undefined ? "" : ` The previous version is in ${inertText(backup)}.`}`,
  );
  terminal.say(
    options.config === undefined
      ? "A running hub loads them automatically. To try them: hookline rules test"
      : `A hub that runs with this file loads them automatically. To try them: hookline rules test --config ${shellWord(options.config)}`,
  );
  return EXIT.ok;
}

const SELF_PROTECTION = "self-protection";
/** In the folder of attached agents' files: the sets that attach has added once. */
const ADDED_FILE = "added-sets.json";

/** Attaching an agent adds this set, once. An operator who removes its rules afterwards keeps them off. */
export async function addSelfProtection(terminal: Terminal, folder: string): Promise<void> {
  const again = `To add it: hookline rules add ${SELF_PROTECTION}`;
  try {
    const { path, text = "" } = openConfigFile(undefined, terminal.env);
    const { text: next, added } = await addRules(text, path, readStarterRules(SELF_PROTECTION));
    if (added.length === 0) return;
    const known = readPrivateJson(folder, ADDED_FILE);
    if (Array.isArray(known) && known.includes(SELF_PROTECTION)) {
      terminal.say(
        `Rules of ${SELF_PROTECTION} that your configuration does not have stay off: ${added.map(inertText).join(", ")}. ${again}`,
      );
      return;
    }
    replaceConfigFile(path, next);
    writePrivateJson(folder, ADDED_FILE, [SELF_PROTECTION]);
    await acceptOwn(terminal, SELF_PROTECTION, await writtenRules(next, path, added));
    terminal.say(
      `Added the rules of ${SELF_PROTECTION} to ${inertText(path)}: they keep agents from operating Hookline and from changing its files.`,
    );
  } catch (error) {
    terminal.say(inertText(`The rules of ${SELF_PROTECTION} could not be added: ${errorText(error)} ${again}`));
  }
}

function setLines(): string {
  return starterRules.map((set) => `  ${set.name.padEnd(20)} ${set.summary}`).join("\n");
}

function unknownSet(name: string | undefined): CliError {
  const names = starterRules.map((set) => set.name);
  const what = name === undefined ? "Name a set of rules." : `There is no set of rules "${inertText(name)}".${didYouMean(name, names)}`;
  return new CliError(`${what} Sets:\n${setLines()}`, { exitCode: EXIT.usage, fix: { run: `hookline rules add ${names[0]}` } });
}
