import { randomBytes } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, fstatSync, openSync, renameSync, rmSync, unlinkSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Compresses a file to `<path>.gz` beside it, whole or not at all, and then removes it. Resolves to whether it did. */
export async function compressFile(path: string): Promise<boolean> {
  const unfinished = `${path}.gz.${randomBytes(6).toString("hex")}.tmp`;
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    const { size } = fstatSync(fd);
    await compressRange({ from: path, start: 0, end: size, to: unfinished, flags: "wx" });
    renameSync(unfinished, `${path}.gz`);
    unlinkSync(path);
    await addLateLines(fd, size, `${path}.gz`);
    return true;
  } catch {
    rmSync(unfinished, { force: true });
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

interface Range {
  readonly from: string | number;
  readonly start: number;
  readonly end: number;
  readonly to: string;
  readonly flags: "wx" | "a";
}

async function compressRange({ from, start, end, to, flags }: Range): Promise<void> {
  if (end <= start) return;
  const source = typeof from === "number" ? { path: "", options: { fd: from, autoClose: false } } : { path: from, options: {} };
  await pipeline(
    createReadStream(source.path, { ...source.options, start, end: end - 1 }),
    createGzip(),
    createWriteStream(to, { flags, mode: 0o600, flush: true }),
  );
}

/**
 * A process that was stopped between finding the file and writing to it may have written after it was read. A process that writes after the
 * removal notices and writes again; what was written before it is added here, as a second part, which gzip allows.
 */
async function addLateLines(fd: number, known: number, to: string): Promise<void> {
  await compressRange({ from: fd, start: known, end: fstatSync(fd).size, to, flags: "a" });
}
