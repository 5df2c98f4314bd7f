import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Names the store itself. */
const OWN = "store";

interface Fact {
  readonly name: string;
  readonly value: string;
}

/** What the hub has noted in its store about itself: which policy, factors, phones and fleet a person has accepted here. */
export function readFacts(path: string): readonly Fact[] {
  return existsSync(path)
    ? withFacts(path, true, (database) => database.prepare("SELECT name, value FROM facts").all() as unknown as Fact[])
    : [];
}

/** Puts these facts into a store in the place of those that another hub has noted. */
export function replaceFacts(path: string, facts: readonly Fact[]): void {
  withFacts(path, false, (database) => {
    database.prepare("DELETE FROM facts WHERE name <> ?").run(OWN);
    const insert = database.prepare("INSERT INTO facts (name, value) VALUES (?, ?)");
    for (const { name, value } of facts.filter((fact) => fact.name !== OWN)) insert.run(name, value);
    return [];
  });
}

/** A store of an early version has no facts. */
function withFacts(path: string, readOnly: boolean, use: (database: DatabaseSync) => readonly Fact[]): readonly Fact[] {
  const database = new DatabaseSync(path, { readOnly });
  try {
    const has = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'facts'").get() !== undefined;
    return has ? use(database) : [];
  } finally {
    database.close();
  }
}
