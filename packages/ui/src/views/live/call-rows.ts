import type { FeedRow } from "../../state/feed-row.js";

/** A row of the list: an event, or a call in place of all its events. */
export interface ShownRow extends FeedRow {
  /** How many events the call has; 0 for what is not a call. */
  readonly parts: number;
  /** An event of the call above, which is open. */
  readonly isPart: boolean;
}

/** What only those look for who look for everything: it stands in the row of its call, or says that something went on. */
const QUIET = new Set([
  ...["message:start", "message:delta", "message:end", "agent:start", "agent:end", "turn:start", "turn:end"],
  ...["llm:before", "llm:after", "llm:result", "llm:request", "llm:response", "llm:chunk", "prompt:build", "finish:before"],
  ...["approval:requested", "permission:replied", "transcript:head", "worker:step", "worker:progress", "session:idle", "session:info"],
]);

/** Every event in the order of time. */
export function allRows(rows: readonly FeedRow[], order: "newest" | "tail"): readonly ShownRow[] {
  return ordered(
    byTime(rows).map((row) => ({ ...row, parts: 0, isPart: false })),
    order,
  );
}

/** One row for each call, and what else a reader looks for. Below the call that is open, each of its events. */
export function callRows(rows: readonly FeedRow[], order: "newest" | "tail", chosen: string | undefined): readonly ShownRow[] {
  const calls = groupCalls(byTime(rows));
  const heads = calls.flatMap((parts) => headOf(parts) ?? []);
  const open = chosen === undefined ? undefined : calls.find((parts) => parts.some(({ id }) => id === chosen));
  const openHead = open === undefined ? undefined : headOf(open)?.id;
  return ordered(heads, order).flatMap((head) =>
    head.id === openHead && head.parts > 1
      ? [head, ...(open ?? []).filter(({ id }) => id !== head.id).map((row) => ({ ...row, parts: 0, isPart: true }))]
      : [head],
  );
}

/**
 * What belongs together, in the order of its first event. An approval names its call, or the event that asked. Some agents give every call the
 * same id: where one begins again, it is another call.
 */
function groupCalls(rows: readonly FeedRow[]): readonly (readonly FeedRow[])[] {
  const callOf = new Map(rows.flatMap(({ id, call }) => (call === "" ? [] : [[id, call] as const])));
  const latest = new Map<string, FeedRow[]>();
  const calls: FeedRow[][] = [];
  for (const row of rows) {
    const key = row.call === "" ? row.id : (callOf.get(row.call) ?? row.call);
    const known = latest.get(key);
    const isNew = known === undefined || (row.event === BEGIN && known.some(({ event }) => event === BEGIN));
    if (!isNew) known.push(row);
    else {
      const call = [row];
      latest.set(key, call);
      calls.push(call);
    }
  }
  return calls;
}

const BEGIN = "tool:before";

function headOf(parts: readonly FeedRow[]): ShownRow | undefined {
  const [first] = parts as [FeedRow];
  if (first.call === "") return QUIET.has(first.event) && first.verdict !== "deny" ? undefined : { ...first, parts: 0, isPart: false };
  // A call may have passed one gate and been denied at another.
  const head = parts.find(({ verdict }) => verdict === "deny") ?? parts.find(({ verdict }) => verdict !== "") ?? first;
  const outcome = parts.findLast((part) => part.outcome !== "")?.outcome ?? "";
  const isWaiting = head.verdict === "" && parts.some(({ event }) => event === "approval:requested");
  const isSaid = outcome === "" || head.outcome !== "" || head.verdict === "deny";
  return {
    ...head,
    detail: isSaid ? head.detail : `${head.detail} → ${outcome}`,
    verdict: isWaiting ? "ask" : head.verdict,
    parts: parts.length,
    isPart: false,
  };
}

function ordered(rows: readonly ShownRow[], order: "newest" | "tail"): readonly ShownRow[] {
  return order === "newest" ? rows.toReversed() : rows;
}

/** Events of several processes arrive out of order. Clocks of one millisecond: as they came. */
function byTime(rows: readonly FeedRow[]): readonly FeedRow[] {
  return rows.toSorted((a, b) => a.at - b.at || a.place - b.place);
}
