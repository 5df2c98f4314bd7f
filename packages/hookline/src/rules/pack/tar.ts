import { gunzipSync } from "node:zlib";

/** What a pack may hold at most. */
export const PACK_LIMITS = { files: 200, fileBytes: 1_048_576, totalBytes: 8 * 1_048_576, nameLength: 200 } as const;

const BLOCK = 512;
const GZIP = [0x1f, 0x8b];

/** A file of a pack, by its path with slashes. */
export type PackFiles = ReadonlyMap<string, Buffer>;

/** Reads the files of a tarball, in memory. Throws for everything in it that is not a plain file or folder with a harmless name. */
export function readTar(bytes: Buffer): PackFiles {
  const tar = GZIP.every((byte, index) => bytes[index] === byte) ? unpacked(bytes) : bytes;
  if (tar.length > PACK_LIMITS.totalBytes) throw tooLarge();
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
    else if (type !== "5") addFile(files, checkName(name), type, content);
    else checkName(name.replace(/\/+$/, ""));
  }
  return withoutTopFolder(files);
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: PACK_LIMITS.totalBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    throw new Error("The tarball is damaged: it cannot be decompressed.", { cause: error });
  }
}

function tooLarge(): Error {
  return new Error(`The tarball unpacks to more than ${PACK_LIMITS.totalBytes} bytes.`);
}

function addFile(files: Map<string, Buffer>, name: string, type: string, content: Buffer): void {
  if (type !== "0") throw new Error(`"${name}" is a link or a device. A pack has plain files only.`);
  // Hidden files are not part of a pack.
  if (name.split("/").some((part) => part.startsWith("."))) return;
  if (files.has(name)) throw new Error(`"${name}" is in the tarball twice.`);
  checkSizes(name, content.length, files.size + 1);
  files.set(name, content);
}

export function checkSizes(name: string, bytes: number, count: number): void {
  if (bytes > PACK_LIMITS.fileBytes) throw new Error(`"${name}" has more than ${PACK_LIMITS.fileBytes} bytes.`);
  if (count > PACK_LIMITS.files) throw new Error(`A pack has at most ${PACK_LIMITS.files} files.`);
}

/** A path that stays inside the pack on every system. */
export function checkName(name: string): string {
  const plain = name.replace(/^(\.\/)+/, "");
  const parts = plain.split("/");
  const isBad =
    plain === "" ||
    plain.length > PACK_LIMITS.nameLength ||
    /[\\:\p{C}]/u.test(plain) ||
    parts.some((part) => part === "" || part === "." || part === "..");
  if (isBad && name !== "." && name !== "./")
    throw new Error(`The path ${JSON.stringify(name.slice(0, 100))} leads out of the pack, or is not plain.`);
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
function withoutTopFolder(files: PackFiles): PackFiles {
  if (files.has("pack.toml")) return files;
  const [top = ""] = [...files.keys()].map((name) => name.split("/")[0]);
  if (![...files.keys()].every((name) => name.startsWith(`${top}/`))) return files;
  return new Map([...files].map(([name, content]) => [name.slice(top.length + 1), content]));
}
