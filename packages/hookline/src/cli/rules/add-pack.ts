import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { inertText, shellWord } from "@hookline/core/internal/text";
import { type Config, emptyConfig } from "../../config/config.js";
import { putPack, replaceConfigFile } from "../../config/edit-config.js";
import { hasOnlyRules, parseConfig } from "../../config/load-config.js";
import { formatProblem } from "../../config/problem.js";
import { type Pack, readPack } from "../../rules/pack/pack.js";
import { refusedInProject } from "../../rules/register-rules.js";
import { exampleFaults, testRules } from "../../rules/test-rules.js";
import { CliError } from "../cli-error.js";
import { openConfigFile } from "../config-file.js";
import { EXIT } from "../exit-codes.js";
import { acceptOwn, writtenRules } from "../policy/accept-own.js";
import type { Terminal } from "../terminal.js";
import { type PacksRecord, readPacks, signerText, writePacks } from "./packs-file.js";

export interface AddPackOptions {
  readonly config?: string;
  readonly signer?: string;
  readonly unsigned?: boolean;
  readonly downgrade?: boolean;
}

/** A set has a plain name; a pack is named by its path. */
export function isPackPath(given: string): boolean {
  return /[/\\]|\.(?:tar|tgz|tar\.gz)$|^\.{1,2}$/.test(given);
}

/** Adds a pack, or replaces the version that is there. Nothing is written before everything about it was checked. */
export async function addPack(terminal: Terminal, options: AddPackOptions, given: string): Promise<number> {
  const pack = readGiven(given);
  const { path, text = "" } = openConfigFile(options.config, terminal.env);
  const record = readPacks(terminal.env);
  const before = record.packs.find(({ file, name }) => file === path && name === pack.name);
  checkSigner(pack, { before, signers: record.signers }, options, given);
  checkVersion(pack, before, options);
  const config = await checkRules(pack, given);
  await checkExamples(config, given);
  const label = `${pack.name}@${pack.version}`;
  const edit = await putPack(text, path, { name: pack.name, label, rules: pack.rules }).catch((cause: unknown) => {
    throw new CliError(inertText((cause as Error).message), { fix: { run: "hookline rules list" }, cause });
  });
  replaceConfigFile(path, edit.text);
  const known = record.signers.filter(({ fingerprint }) => fingerprint !== pack.signer?.fingerprint);
  writePacks(terminal.env, {
    signers: [...known, ...(pack.signer === undefined ? [] : [pack.signer])],
    packs: [
      ...record.packs.filter((one) => one !== before),
      { file: path, name: pack.name, version: pack.version, ...(pack.signer !== undefined && { signer: pack.signer }) },
    ],
  });
  const touched = [...edit.added, ...edit.changed, ...edit.removed];
  for (const [mark, names] of [["+", edit.added] as const, ["~", edit.changed] as const, ["-", edit.removed] as const])
    for (const name of names) terminal.print(`${mark} ${inertText(name)}`);
  const names = [...config.rules.map(({ name }) => name), ...edit.removed];
  await acceptOwn(terminal, pack.name, await writtenRules(edit.text, path, names));
  for (const rule of config.rules.filter(refusedInProject))
    terminal.say(`! ${inertText(rule.name)} can let more through or change calls: its action is "${rule.do}".`);
  const what = touched.length === 0 ? "No rule is different." : "+ is new, ~ was changed, - was removed.";
  terminal.say(`${inertText(label)} is in ${inertText(path)}, ${inertText(signerText(pack.signer))}. ${what}`);
  return EXIT.ok;
}

function readGiven(given: string): Pack {
  const path = resolve(given);
  if (!existsSync(path)) throw new CliError(`There is no pack "${inertText(given)}".`, { fix: { run: "hookline rules add --help" } });
  try {
    return readPack(path);
  } catch (cause) {
    throw new CliError(inertText(`The pack "${given}" cannot be added: ${(cause as Error).message}`), {
      fix: "Get the pack again from its author. Nothing was changed.",
      cause,
    });
  }
}

/** What was added or trusted before. */
interface Known {
  readonly before: PacksRecord["packs"][number] | undefined;
  readonly signers: PacksRecord["signers"];
}

function checkSigner(
  { name, signer }: Pack,
  { before, signers }: Known,
  { signer: trusted, unsigned = false }: AddPackOptions,
  given: string,
): void {
  if (signer === undefined) {
    const was = before?.signer === undefined ? "" : ` Its version ${before.version} is ${signerText(before.signer)}.`;
    if (!unsigned)
      throw new CliError(inertText(`The pack "${name}" is not signed.${was} Read its rules before you add it.`), {
        fix: { run: `hookline rules add ${shellWord(given)} --unsigned` },
      });
    return;
  }
  const isChange = before !== undefined && before.signer?.fingerprint !== signer.fingerprint;
  const isTrusted = !isChange && signers.some(({ fingerprint }) => fingerprint === signer.fingerprint);
  if (isTrusted || trusted === signer.fingerprint) return;
  const why = isChange ? `The version before is ${signerText(before.signer)}.` : "You have not trusted this signer yet.";
  const wrong = trusted === undefined ? "" : ` The fingerprint that you gave is another one: ${trusted}.`;
  throw new CliError(
    inertText(
      `The pack "${name}" is ${signerText(signer)}. ${why}${wrong} Compare the fingerprint with the one that the author publishes.`,
    ),
    { fix: { run: `hookline rules add ${shellWord(given)} --signer ${shellWord(signer.fingerprint)}` } },
  );
}

function checkVersion({ name, version }: Pack, pack: Known["before"], { downgrade = false }: AddPackOptions): void {
  const before = pack?.version;
  if (before === undefined || downgrade || compareVersions(version, before) >= 0) return;
  throw new CliError(inertText(`The pack "${name}" is in version ${before}, and this is the older ${version}.`), {
    fix: "Add --downgrade to replace it all the same.",
  });
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number)) as [number[], number[]];
  const index = left.findIndex((part, at) => part !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

/** Names begin with the pack's, so that two packs, or a pack and your own rules, never mean the same rule. */
async function checkRules({ name, rules }: Pack, given: string): Promise<Config> {
  const { config = emptyConfig, problems } = await parseConfig(rules, `${given}/rules`);
  const foreign = config.rules.filter((rule) => !rule.name.startsWith(`${name}/`) || rule.pack !== undefined);
  const faults = [
    ...problems.map(formatProblem),
    ...(hasOnlyRules(config) ? [] : ["A pack has [[rule]] tables only."]),
    ...foreign.map((rule) => `The rule "${rule.name}" must be called "${name}/…", and must not set "pack".`),
  ];
  if (faults.length > 0) throw refused(faults, given);
  return config;
}

async function checkExamples({ rules }: Config, given: string): Promise<void> {
  const bare = rules.filter(({ examples }) => (examples?.catches ?? []).length === 0);
  const faults = [
    ...bare.map(({ name }) => `The rule "${name}" has no example of what it catches.`),
    ...exampleFaults(await testRules(rules)),
  ];
  if (faults.length > 0) throw refused(faults, given);
}

function refused(faults: readonly string[], given: string): CliError {
  return new CliError(inertText(`The pack "${given}" cannot be added: ${faults.slice(0, 5).join(" ")}`), {
    fix: "Ask its author to repair it. Nothing was changed.",
  });
}
