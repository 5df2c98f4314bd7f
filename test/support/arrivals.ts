import { DatabaseSync } from "node:sqlite";

/** Says of a store, which may be open, when its events arrived: those from a place on, so many milliseconds ago. */
export function setArrivals(path: string, ages: { readonly [place: number]: number }): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    database.exec("DELETE FROM arrivals");
    const insert = database.prepare("INSERT INTO arrivals (place, at, boot, uptime) VALUES (?, ?, 'before', 0)");
    for (const [place, age] of Object.entries(ages)) insert.run(Number(place), Date.now() - age);
  } finally {
    database.close();
  }
}
