import { join } from "node:path";
import { openFolder, readPrivately, replacePrivately, stateFolder } from "@hookline/core/internal/machine";
import { z } from "zod";
import type { Signer } from "../../rules/pack/signature.js";
import { CliError } from "../cli-error.js";

const FILE = "packs.json";

const signer = z.object({ name: z.string(), key: z.string(), fingerprint: z.string() });
const record = z.object({
  /** The signers that the operator trusts. */
  signers: z.array(signer),
  packs: z.array(z.object({ file: z.string(), name: z.string(), version: z.string(), signer: signer.optional() })),
});

/** What was added with `rules add`, to which file, and whose packs may be added. It is in the state folder. */
export type PacksRecord = z.output<typeof record>;

export const NO_PACKS: PacksRecord = { signers: [], packs: [] };

export function readPacks(env: NodeJS.ProcessEnv): PacksRecord {
  const read = readPrivately(stateFolder(env), FILE, { maxBytes: 1_048_576 });
  if (read.state === "none") return NO_PACKS;
  try {
    if (read.state === "found") return record.parse(JSON.parse(read.bytes.toString("utf8")));
  } catch {
    // It is reported below.
  }
  const reason = read.state === "found" ? "it is damaged" : read.reason;
  throw new CliError(`The record of packs and signers, "${join(stateFolder(env), FILE)}", cannot be used: ${reason}.`, {
    fix: "Repair or remove the file. Then trust the signers again, with --signer.",
  });
}

export function writePacks(env: NodeJS.ProcessEnv, packs: PacksRecord): void {
  replacePrivately(openFolder(stateFolder(env)), FILE, `${JSON.stringify(packs, undefined, 2)}\n`);
}

/** `Acme (SHA256:…)`, or `unsigned`. */
export function signerText(given: Pick<Signer, "name" | "fingerprint"> | undefined): string {
  return given === undefined ? "unsigned" : `signed by ${given.name} (${given.fingerprint})`;
}
