import { closeSync, constants, fstatSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { isAlive, LineReader, MAX_LINE_BYTES } from "@hookline/core/forward";

/**
 * `<instance>.<pid>.<n>.ndjson` is finished; a `.live` one belongs to its process for as long as that lives, and so does `.<name>.tmp`,
 * which is what a process was writing when it was killed on its way out.
 */
const NAME = /^(?:\.(?=.*\.tmp$))?[\w-]{1,64}\.(\d{1,10})\.\d{1,10}\.(ndjson|live|ndjson\.tmp)$/;
const CHUNK_BYTES = 256 * 1024;

/** Whether the hub may take a file of the spool now. */
export function isCollectable(name: string): boolean {
  const [, pid = "", kind] = NAME.exec(name) ?? [];
  return kind === "ndjson" || (kind !== undefined && !isAlive(Number(pid)));
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

/** What can never be stored is kept beside, for a person to look at. Begins anew for a file that is read again from its beginning. */
export function keepBad(path: string, lines: readonly string[], isFirst: boolean): void {
  if (lines.length > 0) writeFileSync(`${path}.bad`, `${lines.join("\n")}\n`, { mode: 0o600, flag: isFirst ? "w" : "a" });
}

export function removeSpool(path: string): void {
  rmSync(path, { force: true });
}
