import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { errorText } from "@hookline/core/internal/machine";
import { inertText, shellWord } from "@hookline/core/internal/text";
import { type BundleOptions, buildBundle, bundleText, DEFAULT_CHANNEL, readBundle } from "../../bundles/bundle.js";
import { openBundle } from "../../bundles/bundle-content.js";
import { removeCopies } from "../../extensions/trust/trusted-copy.js";
import { bundlePath } from "../../hub/bundles/bundle-source.js";
import { testBundle } from "../../hub/bundles/bundle-test.js";
import { createSigningKey, readSigningKey } from "../../rules/pack/signature.js";
import { CliError } from "../cli-error.js";
import { type CommandModule, examples } from "../command-module.js";
import { EXIT } from "../exit-codes.js";
import { dateText } from "../format/times.js";
import { sinceOf } from "../import/since.js";
import { serial as serialOption, text, time } from "../option-values.js";
import { userName } from "../user-name.js";

export const DEFAULT_VALID = "90d";

interface BundleCommandOptions {
  readonly key?: string;
  readonly newKey?: boolean;
  readonly out?: string;
  readonly name?: string;
  readonly channel?: string;
  readonly serial?: number;
  readonly notAfter?: string;
  readonly signer?: string;
}

export const command: CommandModule<BundleCommandOptions> = {
  define(command) {
    command
      .argument("<folder>", "the folder with rules (*.toml) and hook folders (hooks/<name>/)", text)
      .requiredOption("--key <file>", "the private key that signs it", text)
      .option("--new-key", "make the key first")
      .requiredOption("--out <path>", "the folder or the file to write to; in a folder, <channel>.bundle", text)
      .option("--name <name>", "what the policy is called (default: the name of the folder)", text)
      .option("--channel <name>", `which hosts it is for (default: ${DEFAULT_CHANNEL})`, text)
      .option("--serial <number>", "higher than every serial before (default: one more than that of the file it replaces)", serialOption)
      .option("--not-after <time>", `until when it is valid: 30d from now, or 2027-01-31 (default: ${DEFAULT_VALID})`, time)
      .option("--signer <name>", "the name that is shown with the fingerprint (default: your user name)", text)
      .addHelpText("after", "\nTries the rules and hooks first, as a host does: it runs the hooks. Prints the public key for [policy] key.")
      .addHelpText(
        "after",
        examples(
          "hookline policy bundle ./policy --key ~/policy-key.pem --new-key --out ./dist",
          "hookline policy bundle ./policy --key ~/policy-key.pem --out ./dist --not-after 30d",
        ),
      );
  },

  async run(terminal, { key: keyFile = "", newKey = false, out = "", channel = DEFAULT_CHANNEL, ...options }, [given = ""]) {
    const folder = resolve(given);
    if (!existsSync(folder) || !lstatSync(folder).isDirectory())
      throw new CliError(`"${inertText(given)}" is not a folder.`, { exitCode: EXIT.usage });
    const made = newKey ? makeKey(resolve(keyFile)) : undefined;
    const target = bundlePath(resolve(out), channel);
    const serial = options.serial ?? nextSerial(target);
    const name = options.name ?? policyName(folder);
    const notAfter = endOf(options.notAfter ?? DEFAULT_VALID);
    const signer = { name: options.signer ?? userName(), key: made === undefined ? readKey(keyFile, given) : readSigningKey(made) };
    const bytes = await buildTested(folder, { name, channel, serial, notAfter, signer });
    if (made !== undefined) writeKey(resolve(keyFile), made);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.new`, bytes);
    renameSync(`${target}.new`, target);
    const bundle = readBundle(bytes);
    terminal.print(bundle.signer.key);
    terminal.say(
      inertText(
        `${bundleText(bundle)} is in ${target}, signed by ${bundle.signer.name} (${bundle.signer.fingerprint}), valid until ${dateText(notAfter)}.`,
      ),
    );
    return EXIT.ok;
  },
};

/** What a policy is called unless its author says so: as its folder. */
export function policyName(folder: string): string {
  return basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-");
}

/** An age counts from now on. A host would refuse a policy that has ended. */
export function endOf(given: string, now = Date.now()): number {
  const end = /^\d+[smhdw]$/.test(given) ? now + (now - sinceOf(given, now)) : sinceOf(given);
  if (end > now) return end;
  throw new CliError(`--not-after ${inertText(given)} is over already: every host would refuse this policy.`, {
    exitCode: EXIT.usage,
    fix: "Give a time that is still to come, such as --not-after 30d.",
  });
}

/** A key that exists is never replaced: hosts would refuse every later bundle. */
function makeKey(path: string): string {
  if (existsSync(path)) throw new CliError(`There is a key already: ${inertText(path)}. Leave out --new-key.`);
  return createSigningKey();
}

function writeKey(path: string, key: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, key, { mode: 0o600, flag: "wx" });
}

function readKey(given: string, folder: string): BundleOptions["signer"]["key"] {
  try {
    return readSigningKey(readFileSync(resolve(given), "utf8"));
  } catch (cause) {
    throw new CliError(inertText(`The key "${given}" cannot be used: ${errorText(cause)}`), {
      fix: { run: `hookline policy bundle ${shellWord(folder)} --key ${shellWord(given)} --new-key --out .` },
      cause,
    });
  }
}

function nextSerial(path: string): number {
  if (!existsSync(path)) return 1;
  try {
    return readBundle(readFileSync(path)).serial + 1;
  } catch (cause) {
    throw new CliError(inertText(`"${path}" is not a bundle, so the next serial is not known: ${errorText(cause)}`), {
      fix: "Give the serial with --serial.",
      cause,
    });
  }
}

/** What a host would refuse is not written. */
export async function buildTested(folder: string, options: BundleOptions): Promise<Buffer> {
  const state = mkdtempSync(join(tmpdir(), "hookline-bundle-"));
  try {
    const bytes = buildBundle(folder, options);
    await testBundle(await openBundle(readBundle(bytes), state));
    return bytes;
  } catch (cause) {
    throw new CliError(inertText(withPathsOf(folder, options, errorText(cause))), {
      fix: "Repair the folder. Nothing was written.",
      cause,
    });
  } finally {
    removeCopies(state);
  }
}

/** Messages name files as hosts know them. The author has them in the folder. */
function withPathsOf(folder: string, { name, serial }: BundleOptions, message: string): string {
  const [first = "", ...more] = message.split(`${name}@${serial}/`);
  return more.reduce((text, part) => `${text.replace(/\/$/, "")}${folder}/${part}`, first);
}
