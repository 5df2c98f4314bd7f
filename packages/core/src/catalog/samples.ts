import { findEvent } from "./names.js";
import type { CatalogName, PayloadOf, TransformName } from "./payloads.js";

const session = { id: "sample-session" };
const cwd = "/srv/project";
const agent = { name: "sample-agent", model: "sample-model" };
const tool = { name: "Bash", callId: "sample-call", input: { command: "git push --force origin main" } };
const worker = { id: "sample-worker", name: "reviewer", task: "Review the change", mode: "background" };
const base = { session, agent, cwd };
const turn = { id: "sample-turn", iteration: 1, totalIterations: 3 };

/** One plausible payload for each event of the catalogue. */
export const samplePayloads: { readonly [N in CatalogName]: PayloadOf<N> } = {
  "gateway:startup": { platforms: ["telegram"] },
  "session:start": {
    ...base,
    session: { ...session, parentId: "sample-parent" },
    agent: { ...agent, userId: "sample-user" },
    source: "startup",
  },
  "session:end": { ...base, reason: "exit" },
  "session:reset": { ...base, reason: "clear" },
  "session:error": { ...base, error: "The model did not answer." },
  "session:idle": { ...base, idleMs: 60_000 },
  "session:info": { ...base, title: "Sample session" },
  "session:steer": {
    ...base,
    id: "s1",
    kind: "remind",
    text: "Run the tests before you finish.",
    reminder: { body: "Run the tests before you finish." },
    interrupt: true,
    by: "ann",
    via: "cli",
    agent: "my-agent",
    status: "dropped",
    reason: "The session ended.",
  },
  "suspend:before": { ...base, reason: "waiting for a person" },
  "suspend:after": { ...base, reason: "waiting for a person" },
  "resume:before": { ...base },
  "resume:after": { ...base },
  "agent:start": { ...base, turn, message: "Push the branch." },
  "agent:step": { ...base, turn },
  "agent:end": { ...base, turn, reason: "done" },
  "turn:before": { ...base, turn },
  "turn:after": { ...base, turn },
  "turn:end": { ...base, turn, status: "ok" },
  "finish:before": { ...base, message: "All done." },
  "finish:after": { ...base, message: "All done." },
  "finish:unsettled": { ...base, message: "Two tests still fail." },
  "drain:before": { ...base },
  "drain:after": { ...base },
  "drain:decision": { ...base, pending: 2 },
  "loop:checkpoint": { ...base, kind: "tool" },
  "prompt:submit": { ...base, prompt: "Push the branch, please." },
  "prompt:build": { ...base, prompt: "Push the branch, please." },
  "llm:before": { ...base, prompt: "Push the branch, please.", model: "sample-model", provider: "sample-provider" },
  "llm:after": {
    ...base,
    model: "sample-model",
    provider: "sample-provider",
    usage: { inputTokens: 1_200, outputTokens: 80, costUsd: 0.004 },
  },
  "llm:error": { ...base, error: "429 Too Many Requests" },
  "message:route": { ...base, message: "Push the branch, please." },
  "message:start": { ...base, messageId: "sample-message" },
  "message:delta": { ...base, messageId: "sample-message", delta: "I will" },
  "message:complete": { ...base, messageId: "sample-message", message: "I will push the branch." },
  "answer:transform": { ...base, message: "I will push the branch." },
  "reasoning:delta": { ...base, delta: "The user wants" },
  "tool:before": { ...base, tool },
  "tool:progress": { ...base, tool, progress: 40 },
  "tool:result": { ...base, tool: { ...tool, output: "Everything up-to-date" } },
  "tool:after": { ...base, tool: { ...tool, output: "Everything up-to-date", durationMs: 420 }, status: "ok" },
  "tool:env": { ...base, tool },
  "permission:asked": { ...base, tool },
  "approval:requested": { ...base, tool, reason: "Force push", approval: { id: "sample-approval" } },
  "permission:replied": { ...base, tool, verdict: "allow", approval: { id: "sample-approval" } },
  "permission:refused": {
    operator: "a process",
    by: "the token in hub.json",
    action: "POST /api/approvals/:id",
    target: "a1",
    reason: 'This needs the scope "approve", which the token does not have.',
    process: { pid: 4711, name: "node" },
    suppressed: 12,
  },
  "transcript:head": { transcript: { id: "0".repeat(64), n: 12, hash: "f".repeat(64), closed: true, path: "agent.jsonl" } },
  "guard:tampered": { what: "hookline.toml was changed.", change: "tampered", path: "hookline.toml", process: { pid: 4711, name: "node" } },
  "guard:paused": { by: "operator", until: "2026-01-01T12:10:00.000Z", reason: "a deployment" },
  "guard:resumed": { by: "operator", until: "2026-01-01T12:10:00.000Z", reason: "ended early" },
  "policy:accepted": { changes: ["hook:hooks/push-guard"] },
  "compact:before": { ...base, trigger: "auto" },
  "compact:after": { ...base, trigger: "auto" },
  "worker:spawned": { ...base, worker },
  "worker:progressed": { ...base, worker: { ...worker, status: "running" } },
  "worker:waiting": { ...base, worker: { ...worker, status: "waiting" } },
  "worker:suspended": { ...base, worker: { ...worker, status: "suspended" } },
  "worker:resumed": { ...base, worker: { ...worker, status: "running" } },
  "worker:completed": { ...base, worker: { ...worker, status: "completed" } },
  "worker:failed": { ...base, worker: { ...worker, status: "failed" } },
  "worker:stopped": { ...base, worker: { ...worker, status: "stopped" } },
  "worker:cancelled": { ...base, worker: { ...worker, status: "cancelled" } },
  "step:before": { ...base, step: { name: "build" } },
  "step:after": { ...base, step: { name: "build" } },
  "budget:threshold": { ...base, usage: { inputTokens: 90_000, outputTokens: 9_000, costUsd: 0.9 }, threshold: 0.9 },
  "handoff:emitted": { ...base, to: "reviewer" },
  "persona:paused": { ...base, persona: "reviewer" },
  "persona:resumed": { ...base, persona: "reviewer" },
  "file:edited": { ...base, path: "src/main.ts", target: "src/main.ts" },
  "mode:change": { ...base, mode: "plan", previousMode: "agent" },
  "job:update": { ...base, job: { id: "sample-job", phase: "running", progress: 40 } },
  "notification:sent": { ...base, message: "The agent needs your attention.", rule: "push-guard", event: "tool:before" },
};

/** The values of the transforms among them. */
export const sampleValues: { readonly [N in TransformName & CatalogName]: unknown } = {
  "prompt:build": "Push the branch, please.",
  "answer:transform": "I will push the branch.",
  "tool:result": "Everything up-to-date",
  "tool:env": { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
};

/** A payload for any event, in any spelling. Families and custom events get a minimal one. */
export function samplePayload(event: string): { readonly [key: string]: unknown } {
  const name = findEvent(event)?.name ?? event;
  if (Object.hasOwn(samplePayloads, name)) return samplePayloads[name as CatalogName];
  if (name.startsWith("tui:")) return { session_id: session.id, payload: {} };
  return name.startsWith("command:") ? { ...base, command: name.slice("command:".length), args: [] } : { ...base };
}
