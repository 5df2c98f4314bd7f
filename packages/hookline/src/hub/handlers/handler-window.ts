import { compileEventFilter } from "@hookline/core/internal/sinks";
import { quantile } from "@hookline/core/internal/text";
import { isGateIn } from "../gates/gates.js";
import { HANDLER_PERCENTILES, type HandlerRow } from "../protocol.js";
import type { HandlerTotals } from "../store/handler-reader.js";
import { storedName } from "../store/handler-steps.js";
import type { Store } from "../store/store.js";

const MINUTE_MS = 60_000;

/** Whose handlers they are, as the store knows it, and how far back to look. */
interface Range {
  readonly app: string;
  readonly minutes: number;
}

/** Adds what each handler did lately, and when at last, to a list of them, if the store can be read. The last of the minutes is the one that runs. */
export async function withWindow(store: Pick<Store, "handlers">, rows: readonly HandlerRow[], range: Range): Promise<HandlerRow[]> {
  const untilMinute = Math.floor(Date.now() / MINUTE_MS);
  const asked = store.handlers({ app: storedName(range.app), fromMinute: untilMinute - range.minutes + 1, untilMinute });
  // Which guards there are is known also when the store cannot be read.
  const totals = await asked.catch(() => undefined);
  return totals === undefined ? [...rows] : rows.map((row) => addTo(row, totals));
}

function addTo(row: HandlerRow, totals: readonly HandlerTotals[]): HandlerRow {
  const [owner, name] = [storedName(row.owner ?? ""), storedName(row.name)];
  const covers = readEvent(row.event);
  if (covers === undefined) return row;
  const own = totals.filter((total) => total.owner === owner && total.handler === name && covers(total.event));
  const lastAt = Math.max(0, row.stats?.lastFiredAt ?? 0, ...own.map((total) => total.lastAt));
  return { ...row, ...(standsInDecisions(row) && { window: sumOf(own) }), ...(lastAt > 0 && { lastAt }) };
}

function sumOf(totals: readonly HandlerTotals[]): NonNullable<HandlerRow["window"]> {
  const times = totals.flatMap((total) => total.times).sort(([a], [b]) => a - b);
  const sum = (field: "calls" | "denied" | "asked" | "failed"): number => totals.reduce((all, total) => all + total[field], 0);
  const percentiles = HANDLER_PERCENTILES.map(({ field, share }) => [field, quantile(times, share) ?? undefined]);
  const counts = { calls: sum("calls"), denied: sum("denied"), asked: sum("asked"), failed: sum("failed") };
  return { ...counts, ...Object.fromEntries(percentiles) };
}

/** Only the trails of gates are stored: what others do is counted by the process alone. */
function standsInDecisions({ stage, event }: HandlerRow): boolean {
  return stage !== "observe" && isGateIn(event);
}

/** The events that a name or a pattern covers; empty for an invalid pattern, because processes may report anything. */
function readEvent(event: string): ((name: string) => boolean) | undefined {
  if (!event.includes("*")) return (name) => name === event;
  try {
    const covers = compileEventFilter(event);
    return (name) => name === event || covers(name);
  } catch {
    return undefined;
  }
}
