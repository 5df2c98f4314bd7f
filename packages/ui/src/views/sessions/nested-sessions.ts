import type { SessionRow } from "../../api/answers.js";

/** A session in the list: below the one that started it, and with what its subagents did added to its own numbers. */
export interface NestedSession {
  readonly session: SessionRow;
  readonly depth: number;
  /** How many sessions are below it. */
  readonly below: number;
}

const SUMS = ["events", "denied", "asked", "inputTokens", "outputTokens", "costUsd"] as const;

/** Parents before their children; those with the latest event of the whole family first. */
export function nestSessions(sessions: readonly SessionRow[]): readonly NestedSession[] {
  const known = new Map(sessions.map((session) => [session.id, session]));
  const children = new Map<string, SessionRow[]>();
  const roots: SessionRow[] = [];
  for (const session of sessions) {
    const parent = session.parentId;
    if (parent === undefined || !known.has(parent) || isWithin(session.id, parent, known)) roots.push(session);
    else children.set(parent, [...(children.get(parent) ?? []), session]);
  }
  const familyOf = (session: SessionRow, depth: number): readonly NestedSession[] => {
    const below = (children.get(session.id) ?? []).flatMap((child) => familyOf(child, depth + 1));
    const direct = below.filter((row) => row.depth === depth + 1).map((row) => row.session);
    return [{ session: withTotals(session, direct), depth, below: below.length }, ...below];
  };
  return roots
    .map((root) => familyOf(root, 0))
    .toSorted(([a], [b]) => latest(b) - latest(a))
    .flat();
}

/** Whether a parent is below its own child: what agents say of each other may be a circle. */
function isWithin(id: string, parent: string, known: ReadonlyMap<string, SessionRow>): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = parent; at !== undefined && !seen.has(at); at = known.get(at)?.parentId) {
    if (at === id) return true;
    seen.add(at);
  }
  return false;
}

/** The children's numbers have their own children's in them. A number that neither knows stays unknown. */
function withTotals(session: SessionRow, children: readonly SessionRow[]): SessionRow {
  if (children.length === 0) return session;
  const family = [session, ...children];
  const sums = SUMS.flatMap((field) => {
    const numbers = family.flatMap((row) => row[field] ?? []);
    return numbers.length === 0 ? [] : [[field, numbers.reduce((sum, number) => sum + number, 0)] as const];
  });
  const lastAt = Math.max(...family.map((row) => row.lastAt));
  return { ...session, ...Object.fromEntries(sums), firstAt: Math.min(...family.map((row) => row.firstAt)), lastAt };
}

function latest(row: NestedSession | undefined): number {
  return row?.session.lastAt ?? 0;
}
