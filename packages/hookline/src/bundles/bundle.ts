import type { KeyObject } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { HookError } from "@hookline/core";
import { z } from "zod";
import { hashContent } from "../extensions/trust/hash-folder.js";
import { checkSignature, digestOfFiles, type SignedKind, type Signer, signFiles } from "../rules/pack/signature.js";
import { type ArchiveLimits, type PackFiles, readPlainFolder, readTar, writeTar } from "../rules/pack/tar.js";

const MANIFEST_FILE = "bundle.json";
const SIGNED: SignedKind = { context: "hookline-bundle-v1", file: "bundle.sig", noun: "bundle" };
export const DEFAULT_CHANNEL = "stable";

/** What a bundle may hold at most. */
export const BUNDLE_LIMITS: ArchiveLimits = {
  noun: "bundle",
  files: 2_000,
  fileBytes: 8 * 1_048_576,
  totalBytes: 32 * 1_048_576,
  top: MANIFEST_FILE,
};

const bundleName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be small letters, digits and hyphens, at most 40");

const manifest = z.strictObject({
  format: z.literal(1),
  name: bundleName,
  channel: bundleName,
  serial: z.int().min(1),
  notAfter: z.iso.datetime(),
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string(), executable: z.literal(true).optional() })),
});

/** A bundle whose signature is right. Whether its signer is trusted is for the caller to decide. */
export interface Bundle {
  readonly name: string;
  readonly channel: string;
  /** Higher than that of every bundle before. */
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
  readonly signer: Signer;
  /** Identifies its content, the manifest included. */
  readonly digest: string;
  /** What it delivers, without manifest and signature. */
  readonly files: PackFiles;
  readonly executables: ReadonlySet<string>;
}

export interface BundleOptions extends Pick<Bundle, "name" | "channel" | "serial" | "notAfter"> {
  readonly signer: { readonly name: string; readonly key: KeyObject };
}

/** Packs and signs a folder of rules and hooks. Throws `HL_BUNDLE`. */
export function buildBundle(folder: string, options: BundleOptions): Buffer {
  return refusing(() => {
    const files = readPlainFolder(folder, BUNDLE_LIMITS);
    const isExecutable = (path: string): boolean => (lstatSync(join(folder, path)).mode & 0o111) !== 0;
    return packBundle(files, new Set([...files.keys()].filter(isExecutable)), options);
  });
}

/** The same for files that were read before, such as those of an earlier bundle. */
export function packBundle(given: PackFiles, executables: ReadonlySet<string>, options: BundleOptions): Buffer {
  return refusing(() => {
    const { name, channel, serial, notAfter, signer } = options;
    const files = new Map([...given].filter(([path]) => path !== MANIFEST_FILE && path !== SIGNED.file));
    const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
    const rows = sorted.map(([path, content]) => ({
      path,
      sha256: hashContent(content),
      ...(executables.has(path) && { executable: true as const }),
    }));
    const written = { format: 1, name, channel, serial, notAfter: new Date(notAfter).toISOString(), files: rows };
    const checked = manifest.safeParse(written);
    if (!checked.success) throw new Error(issueText(checked.error));
    const all = new Map([...files, [MANIFEST_FILE, Buffer.from(`${JSON.stringify(checked.data, undefined, 1)}\n`)]]);
    const { text } = signFiles(all, SIGNED, signer);
    return writeTar(new Map([...all, [SIGNED.file, Buffer.from(text)]]));
  });
}

/** Reads a bundle and checks that it is whole and signed. Throws `HL_BUNDLE`. */
export function readBundle(bytes: Buffer): Bundle {
  return refusing(() => {
    const files = readTar(bytes, BUNDLE_LIMITS);
    const signer = checkSignature(files, SIGNED);
    if (signer === undefined) throw new Error("It is not signed.");
    const { name, channel, serial, notAfter, files: rows } = readManifest(files.get(MANIFEST_FILE));
    const delivered = new Map([...files].filter(([path]) => path !== MANIFEST_FILE && path !== SIGNED.file));
    checkFiles(delivered, rows);
    return {
      name,
      channel,
      serial,
      notAfter: Date.parse(notAfter),
      signer,
      digest: digestOfFiles(files, SIGNED),
      files: delivered,
      executables: new Set(rows.flatMap(({ path, executable }) => (executable === true ? [path] : []))),
    };
  });
}

/** `acme@12 (stable)`. */
export function bundleText({ name, serial, channel }: Pick<Bundle, "name" | "serial" | "channel">): string {
  return `${name}@${serial} (${channel})`;
}

function readManifest(content: Buffer | undefined): z.output<typeof manifest> {
  if (content === undefined) throw new Error(`It has no ${MANIFEST_FILE}.`);
  const read = manifest.safeParse(JSON.parse(content.toString("utf8")));
  if (read.success) return read.data;
  throw new Error(`${MANIFEST_FILE}: ${issueText(read.error)}`);
}

function issueText({ issues: [issue] }: z.ZodError): string {
  return `"${issue?.path.join(".") ?? ""}" ${issue?.message ?? "is wrong"}.`;
}

function checkFiles(files: PackFiles, rows: z.output<typeof manifest>["files"]): void {
  const listed = new Map(rows.map(({ path, sha256 }) => [path, sha256]));
  const wrong = [...files].find(([path, content]) => listed.get(path) !== hashContent(content));
  if (wrong !== undefined) throw new Error(`"${wrong[0]}" is not the file that ${MANIFEST_FILE} lists.`);
  const missing = [...listed.keys()].find((path) => !files.has(path));
  if (missing !== undefined || listed.size !== rows.length) throw new Error(`"${missing ?? "a file"}" is listed and missing.`);
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof HookError) throw cause;
    throw new HookError("HL_BUNDLE", `The policy bundle cannot be used: ${(cause as Error).message}`, { cause });
  }
}
