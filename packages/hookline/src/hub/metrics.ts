import { monitorEventLoopDelay } from "node:perf_hooks";
import { createHandlerMetrics } from "./handlers/handler-metrics.js";
import { byKey, family, type Labels, type Sample } from "./http/prometheus-text.js";
import type { SseClients } from "./live/sse-clients.js";
import type { HubParts, SourceRow } from "./parts.js";
import { addUp, groupBy, toEntries, type UsageEntry } from "./usage/add-up.js";

export interface Metrics {
  /** Prometheus's text format. */
  text(): Promise<string>;
  close(): void;
}

const RESOLUTION_MS = 50;

/** The hub's counters, read on request. */
export function createMetrics(parts: HubParts, streams: SseClients): Metrics {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const handlers = createHandlerMetrics(parts);
  return {
    async text() {
      const [store, usage, handlerFamilies] = await Promise.all([
        ifReadable(parts.store.stats()),
        ifReadable(usageToday(parts)),
        handlers.families(),
      ]);
      const families = [...eventFamilies(parts), ...watcherFamilies(parts, streams), ...sourceFamilies(parts.sources.list())];
      const rest = [
        ...sinkFamilies(parts),
        ...gateFamilies(parts),
        ...handlerFamilies,
        ...(store === undefined ? [] : storeFamilies(store)),
        ...(usage === undefined ? [] : usageFamilies(usage)),
        ...processFamilies(delay),
      ];
      return `${[...families, ...rest].join("\n")}\n`;
    },
    close: () => delay.disable(),
  };
}

/** Nothing while the store cannot be read: that it fails is a number, too. */
function ifReadable<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch(() => undefined);
}

function eventFamilies({ ingest: { counters, pending, isDiskFull, isStoreFailed } }: HubParts): string[] {
  return [
    family("hookline_events_received_total", "counter", "Events that came in.", [[counters.received]]),
    family("hookline_events_stored_total", "counter", "Events that are on disk.", [[counters.stored]]),
    family("hookline_events_duplicate_total", "counter", "Events that were there already.", [[counters.duplicates]]),
    family("hookline_events_renamed_total", "counter", "Events whose id was that of another event, stored under an id of their own.", [
      [counters.renamed],
    ]),
    family("hookline_events_refused_total", "counter", "Events that were not taken, by code.", byKey("code", counters.refused)),
    family("hookline_events_failed_total", "counter", "Events the store could not take.", [[counters.failed]]),
    family("hookline_events_pending", "gauge", "Events that wait for the disk.", [[pending]]),
    family("hookline_disk_full", "gauge", "1 while the disk is full.", [[Number(isDiskFull)]]),
    family("hookline_store_failed", "gauge", "1 while the store fails, for another reason than a full disk.", [[Number(isStoreFailed)]]),
  ];
}

function watcherFamilies({ live }: HubParts, { counters }: SseClients): string[] {
  return [
    family("hookline_watchers", "gauge", "Watchers of all kinds.", [[live.watchers]]),
    family("hookline_stream_clients", "gauge", "Watchers over HTTP.", [[counters.clients]]),
    family("hookline_stream_opened_total", "counter", "Streams opened so far.", [[counters.opened]]),
    family("hookline_stream_dropped_total", "counter", "Streams let go, by reason.", byKey("reason", counters.dropped)),
  ];
}

/** By app: a label per process would grow without end. */
function sourceFamilies(rows: readonly SourceRow[]): string[] {
  const connected: Record<string, number> = {};
  const dropped = new Map<string, { labels: Labels; count: number }>();
  for (const { source, counters } of rows) {
    connected[source.app] = (connected[source.app] ?? 0) + 1;
    for (const [reason, count] of Object.entries(counters?.dropped ?? {})) {
      const key = JSON.stringify([source.app, reason]);
      dropped.set(key, { labels: { app: source.app, reason }, count: (dropped.get(key)?.count ?? 0) + count });
    }
  }
  const samples = [...dropped.values()].map(({ labels, count }): Sample => [count, labels]);
  return [
    family("hookline_sources_connected", "gauge", "Processes on the line, by app.", byKey("app", connected)),
    family("hookline_source_dropped", "gauge", "Events that processes on the line have dropped, as they say, by app and reason.", samples),
  ];
}

function sinkFamilies({ sinks }: HubParts): string[] {
  const rows = sinks.list();
  const each = (value: (row: (typeof rows)[number]) => number): Sample[] => rows.map((row) => [value(row), { sink: row.name }]);
  const dropped = rows.flatMap(({ name, dropped: counts }) =>
    byKey("reason", counts).map(([value, labels]): Sample => [value, { sink: name, ...labels }]),
  );
  return [
    family(
      "hookline_sink_sent_total",
      "counter",
      "Events a sink has delivered.",
      each(({ sent }) => sent),
    ),
    family("hookline_sink_dropped_total", "counter", "Events a sink has dropped, by reason.", dropped),
    family(
      "hookline_sink_behind",
      "gauge",
      "Stored events a sink has not got yet.",
      each(({ behind }) => behind),
    ),
    family(
      "hookline_sink_ok",
      "gauge",
      "1 while a sink works.",
      each(({ state }) => Number(state === "ok")),
    ),
  ];
}

function gateFamilies({ gates, pause, misses = () => [] }: HubParts): string[] {
  const missed = misses().map(({ agent, reason, count }): Sample => [count, { agent, reason }]);
  return [
    family("hookline_agent_missed_total", "counter", "Calls that attached agents made without the hub, by agent and reason.", missed),
    family(
      "hookline_gate_decisions_total",
      "counter",
      "What the hub's guards decided, by verdict.",
      byKey("verdict", gates.decisions ?? {}),
    ),
    family("hookline_guards_paused", "gauge", "1 while the hub's guards are paused.", [[Number(pause.current() !== undefined)]]),
    family("hookline_paused_calls_total", "counter", "Calls that passed because guards were paused.", [[pause.calls]]),
  ];
}

function storeFamilies({ events, bytes, unindexed }: Awaited<ReturnType<HubParts["store"]["stats"]>>): string[] {
  return [
    family("hookline_store_events", "gauge", "Events in the store.", [[events]]),
    family("hookline_store_bytes", "gauge", "What the store takes on disk.", [[bytes]]),
    family("hookline_store_unindexed", "gauge", "Events that text search does not know yet.", [[unindexed]]),
  ];
}

/** Since midnight: sums over all time would fall when retention removes the oldest, which a counter must not do. */
async function usageToday({ store, prices }: HubParts): Promise<readonly UsageEntry[]> {
  const { rows } = await store.usage([new Date().setHours(0, 0, 0, 0), Date.now()]);
  return toEntries(rows, prices);
}

function usageFamilies(entries: readonly UsageEntry[]): string[] {
  const groups = [...groupBy(entries, ({ app, model }) => JSON.stringify([app, model])).values()];
  const sums = groups.map((members) => ({ agent: members[0]?.app ?? "", model: members[0]?.model ?? "", ...addUp(members) }));
  const tokens = sums.flatMap(({ agent, model, ...sum }) =>
    TOKEN_KINDS.flatMap(([kind, field]): Sample[] => (sum[field] === undefined ? [] : [[sum[field], { agent, model, kind }]])),
  );
  const known = sums.flatMap(({ agent, model, costUsd }): Sample[] => (costUsd === undefined ? [] : [[costUsd, { agent, model }]]));
  const unpriced = sums.flatMap(({ agent, model, unpricedTokens }): Sample[] => [[unpricedTokens, { agent, model }]]);
  return [
    family("hookline_usage_tokens_today", "gauge", "Tokens since midnight, by agent, model and kind. Unknown ones are missing.", tokens),
    family("hookline_usage_cost_usd_today", "gauge", "US dollars since midnight, reported or estimated. Unknown ones are missing.", known),
    family("hookline_usage_unpriced_tokens_today", "gauge", "Tokens since midnight of models without a known price.", unpriced),
  ];
}

const TOKEN_KINDS = [
  ["input", "inputTokens"],
  ["output", "outputTokens"],
  ["cache_read", "cacheReadTokens"],
  ["cache_write", "cacheWriteTokens"],
  ["reasoning", "reasoningTokens"],
] as const;

function processFamilies(delay: ReturnType<typeof monitorEventLoopDelay>): string[] {
  const { rss, heapUsed } = process.memoryUsage();
  // Node records the time between two ticks, and the tick itself does not count as a delay.
  const lateness = Math.max(0, delay.percentile(99) / 1e9 - RESOLUTION_MS / 1e3);
  return [
    family("process_resident_memory_bytes", "gauge", "Memory of the hub's process.", [[rss]]),
    family("nodejs_heap_used_bytes", "gauge", "Of it, what JavaScript uses.", [[heapUsed]]),
    family("nodejs_eventloop_delay_p99_seconds", "gauge", "How late the event loop is, p99 since the start.", [[lateness]]),
  ];
}
