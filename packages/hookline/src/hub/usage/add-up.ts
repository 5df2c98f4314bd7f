import { USAGE_FIELDS } from "../store/row.js";
import type { UsageRow } from "../store/usage-table.js";
import { costOf, type Prices } from "./prices.js";

type Tokens = Pick<UsageRow, "inputTokens" | "outputTokens" | "cacheReadTokens" | "cacheWriteTokens">;

/** What was used, once: an agent that reports tokens by request and by turn is counted by request. */
export interface UsageEntry extends UsageRow {
  /** How much of the cost comes from the prices of models, not from the agent. */
  readonly estimatedUsd: number | null;
}

/** Tokens and money of many entries. A number that no entry knows is missing. */
export interface UsageSums {
  readonly requests: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly costUsd?: number;
  /** The part of `costUsd` that comes from the prices of models. */
  readonly estimatedUsd?: number;
  /** Tokens of models without a price, which `costUsd` does not include. */
  readonly unpricedTokens: number;
}

/** Decides for each session and slice which rows count, and what they cost. */
export function toEntries(rows: readonly UsageRow[], prices: Prices): UsageEntry[] {
  const sessions = groupBy(rows, ({ slice, session, app }) => JSON.stringify(session === "" ? [slice, app] : [slice, session, ""]));
  return [...sessions.values()].flatMap((found) => entriesOf(found, prices));
}

function entriesOf(rows: readonly UsageRow[], prices: Prices): UsageEntry[] {
  const requests = rows.filter(({ way }) => way === "request");
  const turns = rows.filter(({ way }) => way === "turn");
  if (!requests.some((row) => tokensIn(row) !== null)) return [...requests, ...turns].map((row) => priced(row, prices));
  const reported = sumOf(turns, "costUsd");
  if (reported === null || requests.some(({ costUsd }) => costUsd !== null)) return requests.map((row) => priced(row, prices));
  return spread(reported, requests, prices);
}

function priced(row: UsageRow, prices: Prices): UsageEntry {
  const price = prices.find(row.model);
  if (row.costUsd !== null || price === undefined || tokensIn(row) === null) return { ...row, estimatedUsd: null };
  const estimatedUsd = costOf(price, row);
  return { ...row, costUsd: estimatedUsd, estimatedUsd };
}

/** The agent reports the money for all requests together: each gets its share by price or, where one has none, by tokens. */
function spread(cost: number, requests: readonly UsageRow[], prices: Prices): UsageEntry[] {
  const estimates = requests.map((row) => {
    const price = prices.find(row.model);
    return price === undefined ? undefined : costOf(price, row);
  });
  const weights = estimates.includes(undefined) ? requests.map((row) => tokensIn(row) ?? 0) : (estimates as number[]);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return requests.map((row, index) => {
    const share = total > 0 ? (weights[index] ?? 0) / total : 1 / requests.length;
    return { ...row, costUsd: cost * share, estimatedUsd: null };
  });
}

export function addUp(entries: readonly UsageEntry[]): UsageSums {
  const known = [...USAGE_FIELDS, "estimatedUsd" as const].flatMap((field) => {
    const sum = sumOf(entries, field);
    return sum === null ? [] : [[field, sum] as const];
  });
  return {
    requests: entries.reduce((sum, { requests }) => sum + requests, 0),
    ...Object.fromEntries(known),
    unpricedTokens: entries.reduce((sum, entry) => sum + (entry.costUsd === null ? (tokensIn(entry) ?? 0) : 0), 0),
  };
}

function sumOf<F extends string>(rows: readonly { readonly [field in F]: number | null }[], field: F): number | null {
  return rows.reduce<number | null>((sum, row) => (row[field] === null ? sum : (sum ?? 0) + row[field]), null);
}

function tokensIn({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Tokens): number | null {
  const known = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens].filter((tokens) => tokens !== null);
  return known.length === 0 ? null : known.reduce((sum, tokens) => sum + tokens, 0);
}

export function groupBy<T>(members: readonly T[], keyOf: (member: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [member]);
    else group.push(member);
  }
  return groups;
}
