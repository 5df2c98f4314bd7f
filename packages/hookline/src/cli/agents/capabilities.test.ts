import { again, allow, ask, block, findEvent, inject, modify, replace } from "@hookline/core";
import { describe, expect, it, vi } from "vitest";
import { type AttachedAgent, attachedAgent } from "../../../../../test/support/attached-agent.ts";
import { nativePayload } from "../../../../../test/support/native-payloads.ts";
import { agents } from "../../agents/agents.js";
import type { AgentDefinition, AgentPower, HookReply } from "../../agents/shared/definition.js";
import { type CapabilityRow, capabilityRows } from "./capabilities.js";

// Every cell of `hookline agents --capabilities`, tried: a handler in a real hub uses the power, the agent's event comes as the definition sends
// it, and the answer has the field that the definition looks at. What a cell does not list, no answer has.
vi.setConfig({ testTimeout: 120_000 });

const powers: readonly AgentPower[] = ["block", "ask", "allow", "modify", "inject", "again", "endLoop", "replace"];
const text = (power: AgentPower) => `Said to try ${power}.`;

type Payload = { readonly [field: string]: unknown; readonly tool?: { readonly input?: object } };

/** What the handler of a power answers. */
const answers: { readonly [power in AgentPower]: (payload: Payload) => unknown } = {
  block: () => block(text("block")),
  ask: () => ask(text("ask")),
  allow: () => allow(text("allow")),
  modify: (payload) => rewritten(payload),
  inject: () => inject(text("inject")),
  again: () => again(text("again")),
  endLoop: () => block(text("endLoop"), { endLoop: true }),
  replace: () => replace(text("replace")),
};

function rewritten(payload: Payload): unknown {
  const { tool, prompt } = payload;
  if (tool === undefined) return modify({ ...payload, ...(prompt !== undefined && { prompt: text("modify") }) });
  const changed = modify({ ...payload, tool: { ...tool, input: { ...tool.input, command: text("modify") } } });
  // Where a dialog would open, the agent takes a rewrite only with an allow.
  return "permissionSuggestions" in Object(payload.raw) || Object(payload.raw).hook_event_name === "PermissionRequest"
    ? [allow(), changed]
    : changed;
}

/** One try: a session of its own, so that no answer is that of another try. */
interface Try {
  readonly agent: AttachedAgent;
  readonly definition: AgentDefinition;
  readonly row: CapabilityRow;
  readonly power: AgentPower;
}

let tries = 0;

/** Has the power used on the event, and gives the answer by way of the client script, or for what must not be there straight from the hub. */
async function attempt({ agent, definition: dialect, row: { native, can }, power }: Try, isPlayed: boolean): Promise<HookReply> {
  const session = `try-${tries++}`;
  const payload = { ...nativePayload(dialect.id, native), ...sessionFields(dialect.id, session) };
  const translated = dialect.translate(native, payload);
  const { bus, effects, agents, approvals } = agent.hub.parts;
  const told = (translated.payload.session as { readonly id?: string } | undefined)?.id ?? session;
  const event = power === "replace" ? "tool:result" : translated.event;
  const outcomes: readonly string[] = findEvent(event)?.spec.outcomes ?? [];
  const isAllowed = power !== "inject" || outcomes.includes("inject") || (outcomes.includes("block") && !can.includes("block"));
  // Where nothing can be stopped, a no is told to the model.
  const answer = power === "inject" && !outcomes.includes("inject") ? () => block(text("inject")) : answers[power];
  // Where no handler of the event may inject, the agent is told what was left for its session before.
  if (!isAllowed)
    effects.leave(
      { source: { app: dialect.id, instance: dialect.id }, session: { id: told } },
      { injections: [text("inject")], reminders: [] },
    );
  const off = isAllowed
    ? bus.on(event as "tool:before", ({ payload }) => answer(payload as Payload) as never, { name: `try-${power}` })
    : () => {};
  const stop = approvals.onChange(() => {
    for (const { id, hash } of approvals.list()) approvals.answer(id, { verdict: "deny", hash, reason: text("ask") });
  });
  try {
    if (isPlayed) return await agent.play(native, JSON.stringify(payload));
    return (await agents.answer({ dialect, native, payload }, new AbortController().signal)).reply;
  } finally {
    off();
    stop();
    effects.take(dialect.id, told);
  }
}

function sessionFields(id: string, session: string): object {
  if (id === "cline") return { sessionContext: { rootSessionId: session } };
  const field: { readonly [id: string]: string } = { copilot: "sessionId", antigravity: "conversationId", windsurf: "trajectory_id" };
  return { [field[id] ?? "session_id"]: session };
}

interface Spoken {
  readonly document: { readonly [field: string]: unknown };
  readonly reply: HookReply;
}

/** What the plugins do with a document of the hub. */
const plugin = (power: AgentPower, native: string, { document }: Spoken): unknown => {
  if (power === "block" || power === "ask") return document.block;
  if (power === "endLoop") return native.startsWith("tool_") && document.endLoop === true && document.block;
  if (power === "modify") return document.input ?? document.prompt;
  return power === "replace" ? document.output : power === "inject" && document.context;
};

/** Where in an answer the agents look for a power's text. */
const said: { readonly [id: string]: (power: AgentPower, native: string, spoken: Spoken) => unknown } = {
  "claude-code": (power, native, { document, reply }) => {
    const { permissionDecision, permissionDecisionReason, additionalContext, updatedInput, updatedToolOutput, decision } =
      specific(document);
    const { behavior, message, interrupt } = Object(decision) as { readonly [field: string]: unknown };
    const no = native === "PreToolUse" ? permissionDecision === "deny" && permissionDecisionReason : behavior === "deny" && message;
    const isStopped = document.continue === false || interrupt === true;
    if (power === "block" || power === "ask") return no || (document.decision === "block" && native !== "Stop" && document.reason);
    if (power === "allow") return permissionDecision === "allow" ? permissionDecisionReason : behavior === "allow" && text("allow");
    if (power === "modify") return updatedInput ?? Object(decision).updatedInput;
    if (power === "inject") return native === "PreCompact" ? reply.stdout : additionalContext;
    if (power === "again") return native === "Stop" && document.reason;
    if (power === "endLoop") return isStopped && no;
    return updatedToolOutput;
  },
  codex: (power, native, { document, reply: { stderr, exitCode } }) => {
    const { additionalContext, updatedInput, decision } = specific(document);
    const isRefused = exitCode === 2 && stderr !== "";
    if (power === "block" || power === "ask")
      return native === "PreCompact" ? document.stopReason : !["Stop", "PostToolUse"].includes(native) && isRefused && stderr;
    if (power === "allow") return Object(decision).behavior === "allow" && text("allow");
    if (power === "modify") return updatedInput;
    if (power === "inject") return additionalContext;
    if (power === "again") return native === "Stop" && isRefused && stderr;
    if (power === "endLoop") return native !== "PreCompact" && document.continue === false && document.stopReason;
    return native === "PostToolUse" && isRefused && stderr;
  },
  gemini: (power, native, { document, reply: { exitCode } }) => {
    const { additionalContext, tool_input: input } = specific(document);
    const no = document.decision === "deny" && document.reason;
    const isBefore = ["BeforeTool", "BeforeAgent"].includes(native);
    if (power === "block" || power === "ask") return isBefore && exitCode === 2 && no;
    if (power === "allow") return document.decision === "allow" && text("allow");
    if (power === "modify") return input;
    if (power === "inject") return additionalContext;
    if (power === "again") return native === "AfterAgent" && no;
    if (power === "endLoop") return document.continue === false && document.stopReason;
    return native === "AfterTool" && no;
  },
  copilot: (power, native, { document }) => {
    const { permissionDecision, permissionDecisionReason, behavior, message, decision, reason, additionalContext } = document;
    const no =
      permissionDecision === "deny"
        ? permissionDecisionReason
        : behavior === "deny"
          ? message
          : decision === "block" && native !== "agentStop" && reason;
    if (power === "block" || power === "ask") return no;
    if (power === "allow") return permissionDecision === "allow" ? permissionDecisionReason : behavior === "allow" && text("allow");
    if (power === "modify") return document.modifiedArgs ?? document.modifiedPrompt;
    if (power === "inject") return additionalContext;
    if (power === "again") return native === "agentStop" && reason;
    if (power === "endLoop") return document.continue === false && document.stopReason;
    return Object(document.modifiedResult).textResultForLlm;
  },
  opencode: plugin,
  pi: plugin,
  qwen: (power, native, { document, reply: { exitCode, stderr } }) => {
    const isRefused = exitCode === 2 && stderr !== "";
    if (power === "block" || power === "ask") return native !== "Stop" && isRefused && stderr;
    if (power === "inject") return specific(document).additionalContext;
    return power === "again" && native === "Stop" && isRefused && document.reason;
  },
  kimi: (power, native, { document, reply: { exitCode, stderr } }) => {
    const isRefused = exitCode === 2 && stderr !== "";
    if (power === "block" || power === "ask") return native !== "Stop" && isRefused && stderr;
    if (power === "inject") return document.message;
    return power === "again" && native === "Stop" && isRefused && stderr;
  },
  cline: (power, native, { document }) => {
    if (native !== "PreToolUse") return power === "inject" && document.contextModification;
    if (power === "block" || power === "ask" || power === "endLoop") return document.cancel === true && document.errorMessage;
    return power === "modify" ? document.overrideInput : power === "inject" && document.contextModification;
  },
  goose: (power, native, { reply: { exitCode, stderr } }) => {
    const isRefused = exitCode === 2 && stderr !== "";
    if (power === "block" || power === "ask") return native === "PreToolUse" && isRefused && stderr;
    return power === "again" && native === "Stop" && isRefused && stderr;
  },
  cursor: (power, native, { document, reply: { exitCode } }) => {
    const isNo = document.permission === "deny" || document.continue === false;
    if (power === "block" || power === "ask") return isNo && exitCode === 2 && document.user_message;
    if (power === "modify") return document.updated_input;
    if (power === "inject") return document.additional_context;
    return power === "again" && native === "stop" && document.followup_message;
  },
  antigravity: (power, _, { document }) => {
    if (power === "block" || power === "ask") return document.decision === "deny" && document.reason;
    return power === "again" && document.decision === "continue" && document.reason;
  },
  hermes: (power, _, { document, reply: { exitCode } }) => {
    if (power === "block" || power === "ask") return document.action === "block" && exitCode === 2 && document.message;
    if (power === "modify") return document.action === "modify" && document.args;
    if (power === "inject") return document.context;
    return power === "again" && document.action === "continue" && document.message;
  },
  windsurf: (power, _, { reply: { exitCode, stderr } }) => (power === "block" || power === "ask") && exitCode === 2 && stderr,
  kiro: (power, _, { reply: { exitCode, stdout, stderr } }) => {
    if (power === "block" || power === "ask") return exitCode === 2 && stderr;
    return power === "inject" && exitCode === 0 && stdout;
  },
};

function specific({ hookSpecificOutput: own }: Spoken["document"]): { readonly [field: string]: unknown } {
  return Object(own) as { readonly [field: string]: unknown };
}

/** Whether an answer says the power's text where the agent looks for it. */
function carries({ definition, row: { native }, power }: Try, reply: HookReply): boolean {
  const document = /^\s*\{/.test(reply.stdout) ? (JSON.parse(reply.stdout) as Spoken["document"]) : {};
  return (JSON.stringify(said[definition.id]?.(power, native, { document, reply })) ?? "").includes(text(power));
}

describe.each(agents.map((definition) => [definition.id, definition] as const))("every cell of %s", (_, definition) => {
  const rows = capabilityRows(definition);
  const isAttached = ({ native }: CapabilityRow) => definition.events[native]?.leftAlone === undefined;

  it("works", async () => {
    const agent = await attachedAgent(definition, false);
    for (const row of rows)
      for (const power of row.can as readonly AgentPower[]) {
        const one = { agent, definition, row, power };
        const reply = await attempt(one, true);
        expect([row.native, power, carries(one, reply), carries(one, reply) ? "" : reply]).toEqual([row.native, power, true, ""]);
      }
    expect(rows.flatMap(({ can }) => can).length).toBeGreaterThan(2);
  });

  it("is all there is", async () => {
    const agent = await attachedAgent(definition, false);
    for (const row of rows.filter(isAttached))
      for (const power of powers.filter((power) => !row.can.includes(power))) {
        const one = { agent, definition, row, power };
        const reply = await attempt(one, false);
        expect([row.native, power, carries(one, reply), carries(one, reply) ? reply : ""]).toEqual([row.native, power, false, ""]);
      }
  });
});
