import { appendFileSync, closeSync, constants, fstatSync, openSync, readSync, rmSync } from "node:fs";
import { isAlive, LineReader, MAX_LINE_BYTES } from "@hookline/core/forward";

/** `<instance>.<pid>.<n>.ndjson` is finished; a `.live` one belongs to its process for as long as that lives. */
const NAME = /^[\w-]{1,64}\.(\d{1,10})\.\d{1,10}\.(ndjson|live)$/;
const CHUNK_BYTES = 256 * 1024;

/** Whether the hub may take a file of the spool now. */
export function isCollectable(name: string): boolean {
  const [, pid = "", kind] = NAME.exec(name) ?? [];
  return kind === "ndjson" || (kind === "live" && !isAlive(Number(pid)));
}

/** The files of one process by their numbers, the tenth after the ninth: what was emitted first is stored first. */
export function compareNames(left: string, right: string): number {
  return left.localeCompare(right, "en", { numeric: true });
}

/** Lines of a spool file, some at a time. Half a line at the end is what a killed process left, and no event. */
export function* readSpool(path: string): Generator<{ readonly lines: string[]; readonly faults: string[] }> {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || (process.geteuid !== undefined && stats.uid !== process.geteuid()))
      throw new Error("it is no file of this user");
    let lines: string[] = [];
    let faults: string[] = [];
    const reader = new LineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: (line) => void lines.push(line),
      onFault: (fault) => void faults.push(fault),
    });
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
      reader.push(chunk.subarray(0, read));
      yield { lines, faults };
      [lines, faults] = [[], []];
    }
  } finally {
    closeSync(fd);
  }
}

/** What can never be stored is kept beside, for a person to look at. */
export function keepBad(path: string, line: string): void {
  appendFileSync(`${path}.bad`, `${line}\n`, { mode: 0o600 });
}

export function removeSpool(path: string): void {
  rmSync(path, { force: true });
}
