import { shownState } from "../../extensions/installed/installed-hook.js";
import { json } from "../http/answer.js";
import type { StatusAnswer } from "../protocol.js";
import { stateOf } from "./health.js";
import type { Route } from "./route.js";
import { chainHead, count, fault, guardPause, hookCounts, list, object, sinkRow, sourceRow, string } from "./schemas.js";

export const status: Route = {
  method: "GET",
  path: "/api/status",
  scope: "read",
  summary: "How the hub is doing, in one answer",
  response: {
    description: "What it is, where it keeps events, how many it has, who is on the line, and its sinks.",
    schema: object({
      status: { enum: ["ok", "disk_full", "store_failed"] },
      version: string,
      instance: string,
      startedAt: string,
      data: string,
      urls: list(string),
      "note?": string,
      hooks: hookCounts,
      faults: list(fault),
      "paused?": guardPause,
      store: object({ events: count, bytes: count, unindexed: count, sqlite: string }),
      decisions: object({ head: chainHead, missing: count }),
      sources: list(sourceRow),
      sinks: list(sinkRow),
    }),
  },
  async handle({ parts }) {
    const { version, instance, startedAt, data, ingest, store, sources, sinks } = parts;
    const { hooks, untrusted } = parts.hooks();
    const note = parts.dashboardNote?.();
    const paused = parts.pause.current();
    const answer: StatusAnswer = {
      ...(note !== undefined && { note }),
      status: stateOf(ingest),
      version,
      instance,
      startedAt,
      data,
      urls: parts.urls(),
      hooks: { counts: countBy(hooks.map(shownState)), untrusted },
      faults: parts.faults(),
      ...(paused !== undefined && { paused }),
      store: await store.stats(),
      decisions: { head: await store.chainHead(), missing: parts.decisionHead.missing },
      sources: sources.list(),
      sinks: sinks.list(),
    };
    return json(answer);
  },
};

function countBy(states: readonly string[]): { [state: string]: number } {
  const counts: { [state: string]: number } = {};
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
