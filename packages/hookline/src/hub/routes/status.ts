import { prove } from "@hookline/core/internal/machine";
import { z } from "zod";
import { shownState } from "../../extensions/installed/installed-hook.js";
import { json } from "../http/answer.js";
import { modeOf } from "../mode.js";
import type { HubParts } from "../parts.js";
import type { AlarmsAnswer, FaultsAnswer, HealthAnswer, ProofAnswer, SinksAnswer, SourcesAnswer, StatusAnswer } from "../protocol.js";
import { alarm } from "./alarms.js";
import { route } from "./route.js";
import { chainHead, contract, count, counts, envelopeSource, guardPause, processRow } from "./schemas.js";

const healthAnswer = z
  .object({
    status: z.enum(["ok", "disk_full", "store_failed"]).describe("Other than `ok`: the last events could not be stored."),
    version: z.string(),
    instance: z.string(),
    startedAt: z.string().describe("ISO 8601."),
  })
  .register(contract, { id: "HealthAnswer" });

export const health = route({
  method: "GET",
  path: "/api/hooks/health",
  scope: "public",
  access: "read",
  summary: "Shows whether the hub runs and can store events",
  answer: { description: "The hub runs.", body: healthAnswer },
  handle({ parts: { ingest, version, instance, startedAt } }) {
    return json({ status: stateOf(ingest), version, instance, startedAt } satisfies HealthAnswer);
  },
});

function stateOf({ isDiskFull, isStoreFailed }: HubParts["ingest"]): HealthAnswer["status"] {
  if (isDiskFull) return "disk_full";
  return isStoreFailed ? "store_failed" : "ok";
}

const NONCE = /^[\w-]{16,128}$/;

export const proof = route({
  method: "GET",
  path: "/api/hooks/proof",
  scope: "public",
  access: "read",
  summary: "Proves that this is the hub of hub.json, before a client sends it a token",
  query: z.strictObject({
    nonce: z
      .string()
      .regex(NONCE, { error: "must be 16 to 128 letters, digits, _ or -." })
      .describe("16 to 128 letters, digits, `_` or `-`. Use a new one each time."),
  }),
  answer: {
    description: "The proof.",
    body: z
      .object({ instance: z.string(), proof: z.string().describe("An HMAC with the token of hub.json as its key.") })
      .register(contract, { id: "ProofAnswer" }),
  },
  handle({ parts: { instance, tokens }, query: { nonce } }) {
    return json({ instance, proof: prove(tokens.agent, "hub", instance, nonce) } satisfies ProofAnswer);
  },
});

const fault = z
  .object({
    kind: z.enum(["rule", "hook", "config"]).describe("`config`: the rest of `hookline.toml`."),
    state: z
      .enum(["broken", "modified", "failing", "waiting"])
      .describe(
        "`modified`: a project changed it after consent. `failing`: its last event, or its start, failed. `waiting`: for the operator's acceptance.",
      ),
    name: z.string(),
    project: z.string().exactOptional().describe("The project that brings it."),
    file: z.string(),
    line: count.exactOptional(),
    what: z.string().describe("The place and the fault."),
    effect: z.string().describe("What applies until the fault is repaired."),
    denies: z.boolean().describe("Calls are denied because of it."),
    isEdit: z.boolean().describe("The fault came with an edit while the hub was running. The former version stays in force."),
    run: z.string().describe("The command that shows it."),
  })
  .describe("A rule, hook or table that is in a file but not in force.")
  .register(contract, { id: "Fault" });

export const faults = route({
  method: "GET",
  path: "/api/faults",
  scope: "read",
  access: "read",
  summary: "Lists the rules, hooks and tables that are in a file but not in force",
  answer: {
    description: "The faults; an empty list when all files are in force.",
    body: z.object({ faults: z.array(fault) }).register(contract, { id: "FaultsAnswer" }),
  },
  handle: ({ parts }) => json({ faults: parts.faults() } satisfies FaultsAnswer),
});

const sinksAnswer = z
  .object({
    sinks: z.array(
      z
        .object({
          name: z.string(),
          type: z.string(),
          state: z.enum(["ok", "failing", "closed"]),
          lastError: z.string().optional(),
          sent: count,
          dropped: counts.describe("How many events it dropped, by reason."),
          behind: count.describe("How many stored events it has not received yet."),
        })
        .register(contract, { id: "SinkRow" }),
    ),
  })
  .register(contract, { id: "SinksAnswer" });

export const sinks = route({
  method: "GET",
  path: "/api/sinks",
  scope: "read",
  access: "read",
  summary: "Lists the hub's sinks and their state",
  answer: { description: "The sinks.", body: sinksAnswer },
  handle: ({ parts }) => json({ sinks: parts.sinks.list() } satisfies SinksAnswer),
});

const lineCounters = z
  .object({ accepted: count, acked: count, pending: count, dropped: counts, seq: count })
  .describe("What a process counts itself.")
  .register(contract, { id: "SourceCounters" });
const sourcesAnswer = z
  .object({
    sources: z.array(
      z
        .object({
          source: envelopeSource,
          cwd: z.string().optional().describe("The folder it works in."),
          connectedAt: z.string().describe("ISO 8601."),
          received: count,
          counters: lineCounters.optional(),
          gaps: count.describe("How many numbers are missing in what it sent."),
          lastEventAt: z.string().optional().describe("ISO 8601."),
          peer: processRow
            .exactOptional()
            .describe("The process at the other end, as the operating system knows it. `source` is what it says."),
        })
        .register(contract, { id: "SourceRow" }),
    ),
  })
  .register(contract, { id: "SourcesAnswer" });

export const sources = route({
  method: "GET",
  path: "/api/sources",
  scope: "read",
  access: "read",
  summary: "Lists the connected processes with their own counters",
  answer: { description: "The processes.", body: sourcesAnswer },
  handle: ({ parts }) => json({ sources: parts.sources.list() } satisfies SourcesAnswer),
});

const statusAnswer = z
  .object({
    ...healthAnswer.shape,
    data: z.string().describe("The folder of the store."),
    isTied: z.boolean().describe("It ends with what started it: a terminal, or npm."),
    mode: z
      .enum(["plain", "protect", "managed"])
      .describe("`plain`: any process of the user can operate the hub. `protect`: only with the operator's passkey or passphrase."),
    urls: z.array(z.string()).describe("Every address that the hub listens on over TCP."),
    note: z.string().optional().describe("Why links do not use the dashboard's own name."),
    hooks: z.object({
      counts: counts.describe("How many hooks are in each state."),
      untrusted: z
        .array(z.object({ project: z.string(), hooks: z.array(z.string()) }))
        .describe("Projects with hooks that await your consent."),
    }),
    faults: z.array(fault),
    alarms: z.object({
      waiting: count.describe("How many alarms no person has acknowledged."),
      latest: alarm.exactOptional().describe("The latest of them."),
    }),
    paused: guardPause.exactOptional(),
    store: z
      .object({
        events: count,
        bytes: count,
        unindexed: count.describe("Events that text search does not know yet."),
        sqlite: z.string(),
      })
      .exactOptional()
      .describe("Absent if the store cannot be read."),
    decisions: z
      .object({
        head: chainHead,
        missing: count.describe("How many kept heads the store no longer contains."),
      })
      .exactOptional()
      .describe("Absent if the store cannot be read."),
    ...sourcesAnswer.shape,
    ...sinksAnswer.shape,
  })
  .register(contract, { id: "StatusAnswer" });

export const status = route({
  method: "GET",
  path: "/api/status",
  scope: "read",
  access: "read",
  summary: "Shows the state of the hub in one answer",
  answer: { description: "The state of the hub, its store, its connections and its sinks.", body: statusAnswer },
  async handle({ parts }) {
    const { version, instance, startedAt, data, ingest } = parts;
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
      mode: modeOf(parts),
      isTied: parts.isTied,
      urls: parts.urls(),
      hooks: { counts: countBy(hooks.map(shownState)), untrusted },
      faults: parts.faults(),
      alarms: alarmsIn(parts.alarms.list()),
      ...(paused !== undefined && { paused }),
      ...(await recordOf(parts)),
      sources: parts.sources.list(),
      sinks: parts.sinks.list(),
    };
    return json(answer);
  },
});

function alarmsIn({ alarms, waiting }: AlarmsAnswer): StatusAnswer["alarms"] {
  const latest = alarms.find(({ acknowledged }) => acknowledged === undefined);
  return { waiting, ...(latest !== undefined && { latest }) };
}

function countBy(states: readonly string[]): { [state: string]: number } {
  const found: { [state: string]: number } = {};
  for (const state of states) found[state] = (found[state] ?? 0) + 1;
  return found;
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export const metrics = route({
  method: "GET",
  path: "/metrics",
  scope: "metrics",
  access: "read",
  summary: "Gives the hub's counters to Prometheus",
  answer: { description: "Prometheus's text format.", mediaType: "text/plain" },
  handle: async ({ server }) => ({ status: 200, type: METRICS_TYPE, text: await server.metrics() }),
});

/** The rest of the answer does not depend on the store: it is what a person needs to see when the store is damaged. */
async function recordOf({
  store,
  decisionHead,
}: Pick<HubParts, "store" | "decisionHead">): Promise<Pick<StatusAnswer, "store" | "decisions">> {
  try {
    const { events, bytes, unindexed, sqlite } = await store.stats();
    return { store: { events, bytes, unindexed, sqlite }, decisions: { head: await store.chainHead(), missing: decisionHead.missing } };
  } catch {
    return {};
  }
}
