import type { KeyObject } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { parse } from "smol-toml";
import { z } from "zod";
import { checkSignature, type SignedKind, type Signer, signFiles } from "./signature.js";
import { PACK_LIMITS, type PackFiles, readPlainFolder, readTar } from "./tar.js";

export const SIGNATURE_FILE = "pack.sig";
const MANIFEST_FILE = "pack.toml";
const SIGNED: SignedKind = { context: "hookline-pack-v1", file: SIGNATURE_FILE, noun: "pack" };

/** A pack that was read, and whose signature, if it has one, is right. */
export interface Pack {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly signer?: Signer;
  /** The text of its rules. */
  readonly rules: string;
}

const manifest = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be a name of small letters, digits and hyphens"),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, "must be a version such as 1.2.0"),
  description: z.string().max(500).optional(),
});

/** Reads a folder or a tarball. Throws for a pack that is not what it should be, or not what was signed. */
export function readPack(path: string): Pack {
  const files = readFiles(path);
  const { name, version, description } = readManifest(files);
  const rules = [...files]
    .filter(([file]) => file.endsWith(".toml") && file !== MANIFEST_FILE)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, content]) => content.toString("utf8").trimEnd());
  if (rules.length === 0) throw new Error(`The pack has no rules: put them into a file such as rules.toml, beside ${MANIFEST_FILE}.`);
  const signer = checkSignature(files, SIGNED);
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(signer !== undefined && { signer }),
    rules: `${rules.join("\n\n")}\n`,
  };
}

/** The text of `pack.sig` for a folder. */
export function signPack(path: string, name: string, key: KeyObject): { readonly text: string; readonly signer: Signer } {
  const files = readFiles(path);
  readManifest(files);
  return signFiles(files, SIGNED, { name, key });
}

function readFiles(path: string): PackFiles {
  const stats = lstatSync(path);
  if (stats.isDirectory()) return readPlainFolder(path);
  if (!stats.isFile()) throw new Error("It is neither a folder nor a tarball.");
  if (stats.size > PACK_LIMITS.totalBytes) throw new Error(`The tarball has more than ${PACK_LIMITS.totalBytes} bytes.`);
  return readTar(readFileSync(path));
}

function readManifest(files: PackFiles): z.output<typeof manifest> {
  const content = files.get(MANIFEST_FILE);
  if (content === undefined) throw new Error(`It has no ${MANIFEST_FILE} with a name and a version.`);
  const read = manifest.safeParse(parse(content.toString("utf8")));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${MANIFEST_FILE}: "${issue?.path.join(".") ?? ""}" ${issue?.message ?? "is wrong"}.`);
}
