import { existsSync, lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { openFolder, readPrivately, replaceFile, replacePrivately, stateFolder } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import { SIGNATURE_FILE, signPack } from "../../rules/pack/pack.js";
import { createSigningKey, readSigningKey } from "../../rules/pack/signature.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { text as textOption } from "../option-values.js";
import type { Terminal } from "../terminal.js";
import { userName } from "../user-name.js";

const KEY_FILE = "pack-key.pem";

interface SignOptions {
  readonly newKey?: boolean;
  readonly name?: string;
}

export const command: CommandModule<SignOptions> = {
  define(command) {
    command
      .argument("<folder>", "the folder of the pack", textOption)
      .option("--new-key", `make the key first: ${KEY_FILE}, in the state folder`)
      .option("--name <signer>", "the name that is shown with the fingerprint (default: your user name)", textOption)
      .addHelpText("after", `\nWrites ${SIGNATURE_FILE} into the folder. Publish the fingerprint, so that others can compare it.`)
      .addHelpText(
        "after",
        examples('hookline rules sign ./acme-safe --new-key --name "Acme Security"', "tar --format=ustar -czf acme-safe.tgz acme-safe"),
      );
  },

  run: signFolder,
};

async function signFolder(
  terminal: Terminal,
  { newKey = false, name = userName() }: SignOptions,
  [given = ""]: readonly string[],
): Promise<number> {
  const folder = resolve(given);
  if (!existsSync(folder) || !lstatSync(folder).isDirectory())
    throw new CliError(`"${inertText(given)}" is not a folder. Sign the folder, then make the tarball.`, { exitCode: EXIT.usage });
  const home = stateFolder(terminal.env);
  if (newKey) makeKey(home);
  const read = readPrivately(home, KEY_FILE);
  if (read.state !== "found")
    throw new CliError(
      read.state === "none"
        ? `There is no key "${inertText(join(home, KEY_FILE))}".`
        : `The key cannot be used: ${inertText(read.reason)}.`,
      { fix: { run: `hookline rules sign ${shellWord(given)} --new-key` } },
    );
  try {
    const { text, signer } = signPack(folder, name, readSigningKey(read.bytes.toString("utf8")));
    replaceFile(join(folder, SIGNATURE_FILE), text, { mode: 0o644 });
    terminal.print(signer.fingerprint);
    terminal.say(
      `${inertText(join(folder, SIGNATURE_FILE))} is written, signed by ${inertText(signer.name)}. Sign again after every change.`,
    );
    return EXIT.ok;
  } catch (cause) {
    throw new CliError(inertText(`The pack cannot be signed: ${(cause as Error).message}`), {
      fix: { run: "hookline rules sign --help" },
      cause,
    });
  }
}

/** A key that exists is never replaced: its packs could not be upgraded any more. */
function makeKey(home: string): void {
  if (existsSync(join(home, KEY_FILE)))
    throw new CliError(`There is a key already: ${inertText(join(home, KEY_FILE))}. Sign without --new-key.`);
  replacePrivately(openFolder(home), KEY_FILE, createSigningKey());
}
