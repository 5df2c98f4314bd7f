import type { Schema } from "./route.js";

export const string: Schema = { type: "string" };
export const boolean: Schema = { type: "boolean" };
export const count: Schema = { type: "integer", minimum: 0 };
export const anything: Schema = {};
const counts: Schema = { type: "object", additionalProperties: count };

/** An object with these fields; those whose name ends in `?` may be missing. */
export function object(fields: { readonly [name: string]: Schema }): Schema {
  const names = Object.keys(fields);
  const properties = Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema]));
  return { type: "object", properties, required: names.filter((name) => !name.endsWith("?")) };
}

export function list(items: Schema): Schema {
  return { type: "array", items };
}

export const session: Schema = object({ id: string, "parentId?": string });
const source: Schema = object({ app: string, host: string, pid: count, instance: string });
export const verdict: Schema = { enum: ["pass", "allow", "ask", "deny"] };

export const trail: Schema = list(
  object({
    handler: string,
    "owner?": string,
    stage: string,
    round: count,
    action: string,
    "reason?": string,
    "failure?": string,
    "durationMs?": { type: "number" },
    "at?": string,
  }),
);
const decision: Schema = object({
  verdict,
  "reason?": string,
  "by?": string,
  "cause?": string,
  modified: boolean,
  endLoop: boolean,
  "trail?": trail,
  "asked?": anything,
});

const envelopeFields = {
  v: { const: 1 },
  id: string,
  seq: count,
  at: { type: "string", format: "date-time" },
  event: string,
  source,
  "session?": session,
  payload: anything,
  "decision?": decision,
  hops: list(string),
};
export const envelope: Schema = object(envelopeFields);
export const placedEvent: Schema = object({ ...envelopeFields, place: count });
export const hermesFrame: Schema = object({ event_type: string, "context?": anything, "src?": string });
export const error: Schema = object({ error: object({ code: string, message: string, "fix?": string }) });

export const sessionRow: Schema = object({
  id: string,
  app: string,
  source: string,
  "agent?": string,
  "parentId?": string,
  firstAt: count,
  lastAt: count,
  events: count,
  denied: count,
  asked: count,
  "inputTokens?": count,
  "outputTokens?": count,
  "costUsd?": { type: "number" },
});
export const sinkRow: Schema = object({
  name: string,
  type: string,
  state: { enum: ["ok", "failing", "closed"] },
  "lastError?": string,
  sent: count,
  dropped: counts,
  behind: count,
});
export const sourceRow: Schema = object({
  source,
  "cwd?": string,
  connectedAt: string,
  received: count,
  "counters?": object({ accepted: count, acked: count, pending: count, dropped: counts, seq: count }),
  gaps: count,
  "lastEventAt?": string,
});
const selftestState: Schema = {
  enum: ["denied", "asked", "failed closed", "broken", "let through", "not asked", "no such tool", "no canary"],
};
const selftestResult: Schema = object({
  event: string,
  sent: anything,
  "agent?": string,
  state: selftestState,
  "reason?": string,
  "failure?": string,
  ms: { type: "number" },
});
export const selftestGuard: Schema = object({
  name: string,
  kind: { enum: ["rule", "hook", "broken"] },
  "project?": string,
  state: selftestState,
  "hint?": string,
  "missing?": list(object({ agent: string, reason: string })),
  canaries: list(selftestResult),
});
export const chainHead: Schema = object({ chain: string, n: count, hash: string });
const milliseconds: Schema = { type: "number", minimum: 0 };
const handlerWindow: Schema = object({
  calls: count,
  denied: count,
  asked: count,
  failed: count,
  "p50Ms?": milliseconds,
  "p95Ms?": milliseconds,
  "p99Ms?": milliseconds,
});
export const handlerRow: Schema = object({
  id: count,
  event: string,
  name: string,
  stage: string,
  onFailure: string,
  timeoutMs: count,
  "stats?": anything,
  "note?": string,
  "window?": handlerWindow,
  "lastAt?": count,
});
export const approvalRow: Schema = object({
  id: string,
  event: string,
  "session?": session,
  "source?": source,
  "cwd?": string,
  payload: anything,
  "asked?": anything,
  hash: string,
  by: string,
  "reason?": string,
  "asks?": list(object({ by: string, "reason?": string })),
  askedAt: count,
  expiresAt: count,
});
export const hookSummary: Schema = object({
  id: string,
  name: string,
  kind: string,
  from: { enum: ["user", "project"] },
  "project?": string,
  state: string,
  path: string,
  "dialect?": string,
  problems: list(string),
  "remarks?": list(string),
});
export const ruleSummary: Schema = object({
  name: string,
  enabled: boolean,
  state: { enum: ["active", "disabled", "broken"] },
  path: string,
  problems: list(string),
});
export const fault: Schema = object({
  kind: { enum: ["rule", "hook", "config"] },
  state: { enum: ["broken", "modified", "failing"] },
  name: string,
  "project?": string,
  file: string,
  "line?": count,
  what: string,
  effect: string,
  denies: boolean,
  isEdit: boolean,
  run: string,
});
export const guardPause: Schema = object({ by: string, since: string, until: string, "reason?": string });
export const hookCounts: Schema = object({
  counts,
  untrusted: list(object({ project: string, hooks: list(string) })),
});
