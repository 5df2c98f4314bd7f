import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { checkName, checkSizes, PACK_LIMITS, type PackFiles, readTar } from "./tar.js";

export const SIGNATURE_FILE = "pack.sig";
const MANIFEST_FILE = "pack.toml";
const CONTEXT = "hookline-pack-v1";

/** The signer of a pack. */
export interface Signer {
  /** What the signer calls itself. Only the fingerprint proves anything. */
  readonly name: string;
  /** The public key, in base64. */
  readonly key: string;
  /** `SHA256:…` */
  readonly fingerprint: string;
}

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

const signature = z.strictObject({ signer: z.string().min(1).max(100), key: z.string().max(200), signature: z.string().max(200) });

/** Reads a folder or a tarball. Throws for a pack that is not what it should be, or not what was signed. */
export function readPack(path: string): Pack {
  const files = readFiles(path);
  const { name, version, description } = readManifest(files);
  const rules = [...files]
    .filter(([file]) => file.endsWith(".toml") && file !== MANIFEST_FILE)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, content]) => content.toString("utf8").trimEnd());
  if (rules.length === 0) throw new Error(`The pack has no rules: put them into a file such as rules.toml, beside ${MANIFEST_FILE}.`);
  const signer = checkSignature(files);
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    ...(signer !== undefined && { signer }),
    rules: `${rules.join("\n\n")}\n`,
  };
}

/** The text of `pack.sig` for a folder. */
export function signPack(path: string, signer: string, key: KeyObject): { readonly text: string; readonly signer: Signer } {
  const files = readFiles(path);
  readManifest(files);
  const signed = sign(null, signedBytes(files, signer), key).toString("base64");
  const own = signerOf(signer, rawKey(createPublicKey(key)));
  return { text: `${JSON.stringify({ signer, key: own.key, signature: signed }, undefined, 2)}\n`, signer: own };
}

/** A new private key, as PEM. */
export function createPackKey(): string {
  return generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

export function readPackKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("The key is not an Ed25519 key.");
  return key;
}

function readFiles(path: string): PackFiles {
  const stats = lstatSync(path);
  if (stats.isDirectory()) return readFolder(path);
  if (!stats.isFile()) throw new Error("It is neither a folder nor a tarball.");
  if (stats.size > PACK_LIMITS.totalBytes) throw new Error(`The tarball has more than ${PACK_LIMITS.totalBytes} bytes.`);
  return readTar(readFileSync(path));
}

/** Hidden files, such as `.git`, are not part of a pack. */
function readFolder(root: string): PackFiles {
  const files = new Map<string, Buffer>();
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const name of readdirSync(join(root, folder)).filter((entry) => !entry.startsWith("."))) {
      const file = checkName(folder === "" ? name : `${folder}/${name}`);
      const stats = lstatSync(join(root, file));
      if (stats.isDirectory()) folders.push(file);
      else if (!stats.isFile()) throw new Error(`"${file}" is a link or a device. A pack has plain files only.`);
      else {
        checkSizes(file, stats.size, files.size + 1);
        files.set(file, readFileSync(join(root, file)));
      }
    }
  return files;
}

function readManifest(files: PackFiles): z.output<typeof manifest> {
  const content = files.get(MANIFEST_FILE);
  if (content === undefined) throw new Error(`It has no ${MANIFEST_FILE} with a name and a version.`);
  const read = manifest.safeParse(parse(content.toString("utf8")));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`${MANIFEST_FILE}: "${issue?.path.join(".") ?? ""}" ${issue?.message ?? "is wrong"}.`);
}

/** Undefined for a pack without a signature. */
function checkSignature(files: PackFiles): Signer | undefined {
  const content = files.get(SIGNATURE_FILE);
  if (content === undefined) return undefined;
  const wrong = new Error(`The signature in ${SIGNATURE_FILE} is wrong: the pack is not what its signer signed.`);
  let read: z.output<typeof signature>;
  let key: KeyObject;
  try {
    read = signature.parse(JSON.parse(content.toString("utf8")));
    key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(read.key, "base64").toString("base64url") }, format: "jwk" });
  } catch {
    throw wrong;
  }
  if (!verify(null, signedBytes(files, read.signer), key, Buffer.from(read.signature, "base64"))) throw wrong;
  return signerOf(read.signer, rawKey(key));
}

/** Every file by its name and digest, and the signer's name: nothing can be added, removed, renamed or changed. */
function signedBytes(files: PackFiles, signer: string): Buffer {
  const rows = [...files]
    .filter(([name]) => name !== SIGNATURE_FILE)
    .map(([name, content]) => [name, createHash("sha256").update(content).digest("hex")] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify([CONTEXT, signer, rows]));
}

function rawKey(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");
}

function signerOf(name: string, raw: Buffer): Signer {
  return { name, key: raw.toString("base64"), fingerprint: `SHA256:${createHash("sha256").update(raw).digest("base64url")}` };
}
