import { DatabaseSync } from "node:sqlite";

/** An event as it lies on the hub's disk. */
export interface StoredRow {
  readonly place: number;
  readonly id: string;
  readonly seq: number;
  /** The program that it came from. */
  readonly app: string;
  readonly event: string;
  readonly payload: unknown;
}

/** Reads the store's own file, and not what a hub says of it. In the order of places. */
export function readRows(path: string): StoredRow[] {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare("SELECT place, body FROM events ORDER BY place").all() as { place: number; body: string }[];
    return rows.map(({ place, body }) => {
      const { id, seq, event, payload, source } = JSON.parse(body) as Omit<StoredRow, "place" | "app"> & { source: { app: string } };
      return { place, id, seq, event, payload, app: source.app };
    });
  } finally {
    database.close();
  }
}

/** What SQLite itself says of the file; "ok" when all is well. */
export function checkIntegrity(path: string): string {
  const database = new DatabaseSync(path);
  try {
    return String(Object.values(database.prepare("PRAGMA integrity_check").get() ?? {})[0]);
  } finally {
    database.close();
  }
}
