import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A call that the hub was not asked about: the agent went on, or under `--strict` was told no. */
export interface Miss {
  readonly at: string;
  readonly agent: string;
  readonly event: string;
  /** `curl-<exit code>`, `key`, `stdin`, `seal`, `answer`, `size`, `event` or `cut`. */
  readonly reason: string;
}

const FILE = "misses.log";

/** What the clients noted so far. */
export function readMisses(folder: string): readonly Miss[] {
  return parse(join(folder, FILE));
}

/** The same, and the file starts anew. A client that is writing at this moment may lose its line. */
export function collectMisses(folder: string): readonly Miss[] {
  const aside = join(folder, `${FILE}.${process.pid}`);
  try {
    renameSync(join(folder, FILE), aside);
  } catch {
    return [];
  }
  const misses = parse(aside);
  rmSync(aside, { force: true });
  return misses;
}

function parse(path: string): Miss[] {
  const lines = read(path).split("\n").slice(0, -1);
  return lines.flatMap((line) => {
    const [at = "", agent = "", event = "", reason = "", ...more] = line.split(" ");
    return reason === "" || more.length > 0 ? [] : [{ at, agent, event, reason }];
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
