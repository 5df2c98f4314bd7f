import type { DatabaseSync } from "node:sqlite";

/**
 * A session, then those that it started, then theirs. A worker's id is often that of a session of its own; one that names another parent is
 * not taken for it.
 */
export function readFamily(database: DatabaseSync, session: string, limit: number): string[] {
  const rows = database
    .prepare(
      `WITH RECURSIVE family (id) AS (
         SELECT ?
         UNION SELECT sessions.id FROM family JOIN sessions ON sessions.parent = family.id
         UNION SELECT sessions.id FROM family
           JOIN events ON events.session = family.id AND events.event >= 'worker:' AND events.event < 'worker;'
           JOIN sessions ON sessions.id = CASE WHEN json_valid(events.body) THEN events.body ->> '$.payload.worker.id' END
           WHERE sessions.parent IS NULL OR sessions.parent = family.id
       ) SELECT id FROM family LIMIT ?`,
    )
    .all(session, limit);
  return rows.map(({ id }) => String(id));
}
