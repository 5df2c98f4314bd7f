import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

/** What an archive may hold at most, and what it is called in messages. */
export interface ArchiveLimits {
  readonly noun: string;
  readonly files: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
  /** The file that is at its top: a folder around everything is removed. */
  readonly top: string;
}

export const PACK_LIMITS: ArchiveLimits = {
  noun: "pack",
  files: 200,
  fileBytes: 1_048_576,
  totalBytes: 8 * 1_048_576,
  top: "pack.toml",
};
const MAX_NAME = 200;

const BLOCK = 512;
const GZIP = [0x1f, 0x8b];

/** The files of a pack or a bundle, by their paths with slashes. */
export type PackFiles = ReadonlyMap<string, Buffer>;

/** Reads the files of a tarball, in memory. Throws for everything in it that is not a plain file or folder with a harmless name. */
export function readTar(bytes: Buffer, limits: ArchiveLimits = PACK_LIMITS): PackFiles {
  const tar = GZIP.every((byte, index) => bytes[index] === byte) ? unpacked(bytes, limits) : bytes;
  if (tar.length > limits.totalBytes) throw tooLarge(limits);
  const files = new Map<string, Buffer>();
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const { name, size, type } = readHeader(header);
    const end = at + BLOCK + size;
    if (end > tar.length) throw new Error("The tarball ends in the middle of a file.");
    const content = tar.subarray(at + BLOCK, end);
    at = at + BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "x" || type === "g") checkExtended(content);
    else if (type !== "5") addFile(files, { name: checkName(name, limits), type, content }, limits);
    else checkName(name.replace(/\/+$/, ""), limits);
  }
  return withoutTopFolder(files, limits);
}

function unpacked(bytes: Buffer, limits: ArchiveLimits): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: limits.totalBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limits);
    throw new Error("The tarball is damaged: it cannot be decompressed.", { cause: error });
  }
}

function tooLarge({ totalBytes }: ArchiveLimits): Error {
  return new Error(`The tarball unpacks to more than ${totalBytes} bytes.`);
}

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

function addFile(files: Map<string, Buffer>, { name, type, content }: Entry, limits: ArchiveLimits): void {
  if (type !== "0") throw notPlain(name, limits);
  // As in a folder, hidden files are left out.
  if (name.split("/").some((part) => part.startsWith("."))) return;
  if (files.has(name)) throw new Error(`"${name}" is in the tarball twice.`);
  checkSizes({ name, bytes: content.length, count: files.size + 1 }, limits);
  files.set(name, content);
}

function notPlain(name: string, { noun }: ArchiveLimits): Error {
  return new Error(`"${name}" is a link or a device. A ${noun} has plain files only.`);
}

interface Sizes {
  readonly name: string;
  readonly bytes: number;
  readonly count: number;
}

function checkSizes({ name, bytes, count }: Sizes, { noun, files, fileBytes }: ArchiveLimits): void {
  if (bytes > fileBytes) throw new Error(`"${name}" has more than ${fileBytes} bytes.`);
  if (count > files) throw new Error(`A ${noun} has at most ${files} files.`);
}

/** Reads the plain files below a folder. Hidden files, such as `.git`, are not part of it. */
export function readPlainFolder(root: string, limits: ArchiveLimits = PACK_LIMITS): PackFiles {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error(`There is no folder "${root}".`);
  const files = new Map<string, Buffer>();
  const folders = [""];
  let total = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
    for (const name of readdirSync(join(root, folder)).filter((entry) => !entry.startsWith("."))) {
      const file = checkName(folder === "" ? name : `${folder}/${name}`, limits);
      const stats = lstatSync(join(root, file));
      if (stats.isDirectory()) folders.push(file);
      else if (!stats.isFile()) throw notPlain(file, limits);
      else {
        checkSizes({ name: file, bytes: stats.size, count: files.size + 1 }, limits);
        total += stats.size;
        if (total > limits.totalBytes) throw new Error(`A ${limits.noun} has at most ${limits.totalBytes} bytes.`);
        files.set(file, readFileSync(join(root, file)));
      }
    }
  return files;
}

/** Files as a compressed tarball that `readTar` reads. The same files always give the same tarball. */
export function writeTar(files: PackFiles): Buffer {
  const blocks = [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, content]) => [headerOf(name, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const { prefix, name } = splitName(path);
  header.write(name, 0);
  header.write("0000644\x000000000\x000000000\x00", 100, "latin1");
  header.write(`${size.toString(8).padStart(11, "0")}\0${"0".repeat(11)}\0        0`, 124, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** A header has room for 100 bytes of a path, and for 155 more up to one of its slashes. */
function splitName(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: "", name: path };
  const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
  const at = slashes.find((index) => Buffer.byteLength(path.slice(index + 1)) <= 100);
  if (at === undefined || Buffer.byteLength(path.slice(0, at)) > 155) throw new Error(`The path "${path}" is too long for a tarball.`);
  return { prefix: path.slice(0, at), name: path.slice(at + 1) };
}

/** A path that stays inside the archive on every system. */
function checkName(name: string, { noun }: ArchiveLimits): string {
  const plain = name.replace(/^(\.\/)+/, "");
  const parts = plain.split("/");
  const isBad =
    plain === "" ||
    plain.length > MAX_NAME ||
    /[\\:\p{C}]/u.test(plain) ||
    parts.some((part) => part === "" || part === "." || part === "..");
  if (isBad && name !== "." && name !== "./")
    throw new Error(`The path ${JSON.stringify(name.slice(0, 100))} leads out of the ${noun}, or is not plain.`);
  return plain;
}

interface Header {
  readonly name: string;
  readonly size: number;
  readonly type: string;
}

function readHeader(header: Buffer): Header {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  if (octal(header, 148, 8) !== sum) throw new Error("The tarball is damaged: a header has the wrong checksum.");
  const prefix = header.subarray(257, 262).toString("latin1") === "ustar" && header[263] === 0x30 ? text(header, 345, 155) : "";
  const name = text(header, 0, 100);
  const type = String.fromCharCode(header[156] || 0x30);
  return { name: prefix === "" ? name : `${prefix}/${name}`, size: octal(header, 124, 12), type };
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString("utf8");
}

function octal(header: Buffer, at: number, length: number): number {
  const digits = header
    .subarray(at, at + length)
    .toString("latin1")
    .replaceAll(/[\0 ]+/g, "");
  if (!/^[0-7]{1,11}$/.test(digits)) throw new Error("The tarball is damaged: a header has a wrong number.");
  return Number.parseInt(digits, 8);
}

/** Times and owners do not matter. A name or size that replaces the one in the header is a way to hide it. */
function checkExtended(content: Buffer): void {
  if (/(?:^|\n)\d+ (?:path|linkpath|size|GNU\.sparse[^=]*)=/.test(content.toString("latin1")))
    throw new Error("The tarball has extended headers that rename files. Pack it again with: tar --format=ustar -czf");
}

/** `npm pack` and most people put everything into one folder. */
function withoutTopFolder(files: PackFiles, limits: ArchiveLimits): PackFiles {
  if (files.has(limits.top)) return files;
  const [top = ""] = [...files.keys()].map((name) => name.split("/")[0]);
  if (![...files.keys()].every((name) => name.startsWith(`${top}/`))) return files;
  return new Map([...files].map(([name, content]) => [name.slice(top.length + 1), content]));
}
