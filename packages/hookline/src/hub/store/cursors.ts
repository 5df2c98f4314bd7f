import type { DatabaseSync } from "node:sqlite";

/** How far each reader that comes back has got. */
export function createCursors(database: DatabaseSync): { get(name: string): number | undefined; set(name: string, place: number): void } {
  const get = database.prepare("SELECT place FROM cursors WHERE name = ?");
  const set = database.prepare("INSERT INTO cursors VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET place = excluded.place");
  return {
    get: (name) => (get.get(name) as { place: number } | undefined)?.place,
    set: (name, place) => void set.run(name, place),
  };
}
