import { errorText, readPrivateJson, writePrivateJson } from "@hookline/core/internal/machine";
import { didYouMean, editCommand, inertText, shellWord } from "@hookline/core/internal/text";
import { addRules, replaceConfigFile } from "../../config/edit-config.js";
import { chooseSets, readSets, readStarterRules, recommended, starterRules } from "../../rules/starter/starter-rules.js";
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
import { planLines } from "./sets.js";
import { readSuggestions, SUGGESTED } from "./suggest.js";

export const command: CommandModule<AddPackOptions> = {
  define(command) {
    command
      .argument(
        "[sets or pack...]",
        "names of sets, or recommended for all of them; or one suggestion, or the path of a pack: a folder or a tarball",
        textOption,
      )
      .option("--config <file>", "the hookline.toml to use (default: in the config folder)", textOption)
      .option("--signer <fingerprint>", "trust the signer of the pack from now on", textOption)
      .option("--unsigned", "add a pack that is not signed")
      .option("--downgrade", "replace a newer version of the pack")
      .addHelpText("after", `\nSets:\n${setLines()}\n\nRules that the file already has are left as they are.`)
      .addHelpText(
        "after",
        examples("hookline rules add recommended", "hookline rules add destructive-shell databases", "hookline rules add ./acme-safe.tgz"),
      );
  },

  run: addNamed,
};

async function addNamed(terminal: Terminal, options: AddPackOptions, names: readonly string[]): Promise<number> {
  const [name] = names;
  const single = name !== undefined && names.length === 1;
  if (single && isPackPath(name)) return addPack(terminal, options, name);
  if (single && name.startsWith(SUGGESTED)) return addSuggested(terminal, options, name);
  return addSets(terminal, options, names);
}

/** Shows what the sets do, and adds those of their rules that the file does not have. */
export async function addSets(terminal: Terminal, options: Pick<AddPackOptions, "config">, names: readonly string[]): Promise<number> {
  const choice = chooseSets(names);
  if (choice === undefined || names.length === 0) throw unknownSet(names);
  terminal.say("Rules to add:");
  for (const line of await planLines(choice)) terminal.say(`  ${line}`);
  const code = await addTables(terminal, options, { name: names.join(", "), tables: readSets(choice) });
  if (choice.shadow.length > 0)
    terminal.say(
      `In shadow mode, a rule only records what it would say: ${choice.shadow.join(", ")}. To see that, and to let one decide: hookline rules shadow`,
    );
  return code;
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
    const known = readPrivateJson(folder, ADDED_FILE);
    const wasAdded = Array.isArray(known) && known.includes(SELF_PROTECTION);
    if (added.length === 0) {
      if (!wasAdded) writePrivateJson(folder, ADDED_FILE, [SELF_PROTECTION]);
      return;
    }
    if (wasAdded) {
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
  return [recommended, ...starterRules].map((set) => `  ${set.name.padEnd(20)} ${set.summary}`).join("\n");
}

function unknownSet(names: readonly string[]): CliError {
  const known = [recommended, ...starterRules].map((set) => set.name);
  const wrong = names.find((name) => !known.includes(name));
  const what = wrong === undefined ? "Name a set of rules." : faultOf(wrong, known);
  return new CliError(`${what} Sets:\n${setLines()}`, { exitCode: EXIT.usage, fix: { run: `hookline rules add ${recommended.name}` } });
}

function faultOf(name: string, known: readonly string[]): string {
  if (isPackPath(name) || name.startsWith(SUGGESTED)) return `"${inertText(name)}" is not a set of rules: add it alone.`;
  return `There is no set of rules "${inertText(name)}".${didYouMean(name, known)}`;
}
