import { projectFolder } from "../../extensions/trust/folder-path.js";
import type { UsageAnswer } from "../protocol.js";
import type { Store } from "../store/store.js";
import { addUp, groupBy, toEntries, type UsageEntry } from "./add-up.js";
import { PRICES_CHECKED } from "./price-table.js";
import type { Prices } from "./prices.js";

const DAY_MS = 86_400_000;
const MAX_ROWS = 1_000;

type UsageBy = UsageAnswer["by"];

export interface UsageQuestion {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly until: number;
  readonly by: UsageBy;
}

/** Tokens and money, from the rollup alone: as fast with a million events as with none. */
export async function readUsage(
  { store, prices }: { readonly store: Pick<Store, "usage">; readonly prices: Prices },
  { since, until, by }: UsageQuestion,
): Promise<UsageAnswer> {
  const bounds = daysBetween(since, until);
  const { rows, silent } = await store.usage(bounds);
  const entries = toEntries(rows, prices);
  const groups = groupBy(entries, keyOf(by, bounds));
  const found = [...groups].map(([key, members]) => ({ key, ...aboutSession(by, members), ...addUp(members) }));
  const isByDay = by === "day";
  const sorted = found.sort(
    isByDay ? (a, b) => a.key.localeCompare(b.key) : (a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.requests - a.requests,
  );
  return {
    since,
    until,
    by,
    total: addUp(entries),
    rows: sorted.slice(0, MAX_ROWS),
    isCut: sorted.length > MAX_ROWS,
    silent: [...silent],
    pricesChecked: PRICES_CHECKED,
  };
}

/** The beginnings of the days in this machine's time zone, between a beginning and an end. */
export function daysBetween(since: number, until: number): number[] {
  const bounds = [since];
  const day = new Date(since);
  for (day.setHours(24, 0, 0, 0); day.getTime() < until; day.setHours(24, 0, 0, 0)) bounds.push(day.getTime());
  return [...bounds, until];
}

/** How many days may be asked for. */
export const MAX_RANGE_MS = 400 * DAY_MS;

function keyOf(by: UsageBy, bounds: readonly number[]): (entry: UsageEntry) => string {
  const projects = new Map<string, string>();
  const project = (cwd: string): string => {
    const known = projects.get(cwd) ?? projectFolder(cwd);
    projects.set(cwd, known);
    return known;
  };
  switch (by) {
    case "day":
      return ({ slice }) => dayText(bounds[slice] ?? 0);
    case "agent":
      return ({ app }) => app;
    case "model":
      return ({ model }) => model;
    case "project":
      return ({ cwd }) => (cwd === "" ? "" : project(cwd));
    case "session":
      return ({ session }) => session;
  }
}

function aboutSession(by: UsageBy, [first]: readonly UsageEntry[]): { readonly agent?: string } {
  return by === "session" && first !== undefined ? { agent: first.app } : {};
}

function dayText(at: number): string {
  const day = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
