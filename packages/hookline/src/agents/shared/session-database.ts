import { constants } from "node:fs";
import { copyFile, lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SessionRecord } from "./sessions.js";

/** A longer value of a row counts as unreadable. */
export const MAX_DATA = 16 * 1024 * 1024;

/** The SQLite database in which an agent keeps its sessions. */
export interface SessionDatabase {
  /** The agent, as people write it. */
  readonly agent: string;
  /** The tables that `recordsIn` reads. */
  readonly needed: readonly string[];
  /** Tables without calls and prompts. Rows of any further table are reported as unknown. */
  readonly others: readonly string[];
  recordsIn(database: DatabaseSync): Iterable<SessionRecord>;
}

/** The records of a copy, because SQLite writes beside a database in WAL mode even if it only reads it. */
export async function* databaseRecords(path: string, { agent, needed, others, recordsIn }: SessionDatabase): AsyncGenerator<SessionRecord> {
  const folder = await mkdtemp(join(tmpdir(), "hookline-import-"));
  try {
    const database = new DatabaseSync(await copyDatabase(path, folder, agent), { allowExtension: false });
    try {
      database.exec("PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY");
      const names = tablesIn(database);
      yield* unknownRows(
        database,
        names.filter((name) => ![...needed, ...others].includes(name)),
      );
      const missing = needed.filter((name) => !names.includes(name));
      if (missing.length > 0) throw new Error(`it has no table ${missing.join(", ")}`);
      yield* recordsIn(database);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function tablesIn(database: DatabaseSync): readonly string[] {
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  return tables.map(({ name }) => String(name));
}

function* unknownRows(database: DatabaseSync, names: readonly string[]): Generator<SessionRecord> {
  for (const name of names) {
    const { rows } = database.prepare(`SELECT count(*) AS rows FROM "${name.replaceAll('"', '""')}"`).get() as { readonly rows: number };
    if (rows > 0) yield { unknown: `table ${name}`, rows };
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const TRIES = 5;

/** Database and log as they were at one moment: neither has changed while both were copied. */
async function copyDatabase(path: string, folder: string, agent: string): Promise<string> {
  const copy = join(folder, basename(path));
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await stateOf(path);
    for (const ending of ["", "-wal"]) {
      await rm(copy + ending, { force: true });
      if (before[ending] !== undefined) await copyFile(path + ending, copy + ending, constants.COPYFILE_FICLONE);
    }
    if (JSON.stringify(before) === JSON.stringify(await stateOf(path))) return copy;
  }
  throw new Error(`${agent} is writing to it. Run the command again when ${agent} is idle`);
}

async function stateOf(path: string): Promise<{ readonly [ending: string]: string | undefined }> {
  const state: { [ending: string]: string } = {};
  for (const ending of ["", "-wal"]) {
    const found = await lstat(path + ending, { bigint: true }).catch(() => undefined);
    if (found === undefined) continue;
    if (!found.isFile()) throw new Error(`${basename(path)}${ending} is not a file`);
    state[ending] = `${found.ino} ${found.size} ${found.mtimeNs}`;
  }
  return state;
}
