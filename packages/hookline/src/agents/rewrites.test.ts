import { findEvent } from "@hookline/core";
import { describe, expect, it } from "vitest";
import { agents } from "./agents.js";
import { type AgentDecision, type AgentDialect, type HookReply, PASS } from "./shared/definition.js";

const MARK = "rewritten-4711";
const VERDICTS = ["pass", "allow", "ask", "deny"] as const;

/** A payload with every field that an agent of these sends, under each of its names. */
const native = {
  ...{ session_id: "s", sessionId: "s", cwd: "/work", prompt: "hello", permission_mode: "default", timestamp: "2026-11-15T19:14:25.923Z" },
  ...{ tool_name: "Bash", toolName: "bash", tool_use_id: "c1", tool_input: { command: "rm -rf /", timeout: 5 } },
  ...{ toolArgs: { command: "rm -rf /", timeout: 5 }, toolInput: { command: "rm -rf /", timeout: 5 } },
  ...{ trigger: "auto", custom_instructions: "be brief", command_name: "deploy", command_args: "all", expansion_type: "command" },
  llm_request: { model: "m", messages: [{ role: "user", content: "hello" }] },
};

function isRefusal({ exitCode, stdout }: HookReply): boolean {
  if (exitCode === 2) return true;
  const document = stdout.startsWith("{") ? (JSON.parse(stdout) as { [key: string]: unknown }) : {};
  const specific = (document.hookSpecificOutput ?? {}) as { [key: string]: unknown };
  const said = [document.decision, document.permissionDecision, document.behavior, specific.permissionDecision];
  const decided = (specific.decision ?? {}) as { [key: string]: unknown };
  return document.continue === false || [...said, decided.behavior].some((word) => word === "deny" || word === "block");
}

/** Every way in which one field of a payload can be another. */
function rewritesOf(payload: { readonly [key: string]: unknown }): (readonly [what: string, payload: unknown])[] {
  const tool = (payload.tool ?? {}) as { readonly input?: { readonly [key: string]: unknown } };
  const inputs = Object.keys(tool.input ?? {}).map(
    (key) => [`tool.input.${key}`, { ...payload, tool: { ...tool, input: { ...tool.input, [key]: MARK } } }] as const,
  );
  const fields = [...Object.keys(payload), "tool", "prompt"].flatMap((key) => [
    [key, { ...payload, [key]: MARK }] as const,
    [`${key}, in part`, { ...payload, [key]: { ...Object(payload[key]), more: MARK } }] as const,
  ]);
  const subjects = ["tool", "prompt", "command", "args", "instructions", "request"].filter((key) => key in payload);
  const gone = subjects.map((key) => [`no ${key}`, { ...payload, [key]: undefined }] as const);
  const none = [MARK, null, undefined, [MARK]].map((given) => [String(JSON.stringify(given)), given] as const);
  return [...inputs, ...fields, ...gone, ...none];
}

const gates = agents.flatMap((dialect) =>
  Object.entries(dialect.events).flatMap(([name, { event, can }]) => {
    const isGate = findEvent(event.replace("*", "deploy"))?.spec.kind === "gate";
    return isGate && can.includes("block") ? [[dialect.title, name, dialect] as const] : [];
  }),
);

describe("a rewrite for an attached agent", () => {
  it("has an event in every agent", () => {
    expect([...new Set(gates.map(([title]) => title))]).toEqual(agents.map(({ title }) => title));
  });

  it.each(gates)("is applied or denies the call: %s, %s", (_, name, dialect: AgentDialect) => {
    const asked = dialect.translate(name, { ...native, hook_event_name: name });
    const ignored: string[] = [];
    for (const [what, payload] of rewritesOf(asked.payload))
      for (const verdict of VERDICTS) {
        const decision = { verdict, reason: undefined, payload, modified: true, endLoop: false, injections: [], again: undefined };
        const reply = dialect.reply(name, decision as AgentDecision, asked);
        if (!isRefusal(reply) && !reply.stdout.includes(MARK)) ignored.push(`${verdict} ${what}: ${JSON.stringify(reply)}`);
      }
    expect(ignored).toEqual([]);
  });

  it.each(gates)("that changes nothing, omits other fields or adds a note is ignored: %s, %s", (_, name, dialect: AgentDialect) => {
    const asked = dialect.translate(name, { ...native, hook_event_name: name });
    const { session: _session, raw: _raw, ...bare } = asked.payload;
    for (const payload of [asked.payload, bare, { ...bare, note: 1 }].map((given) => JSON.parse(JSON.stringify(given)))) {
      const decision = { verdict: "pass", reason: undefined, payload, modified: true, endLoop: false, injections: [], again: undefined };
      expect(dialect.reply(name, decision as AgentDecision, asked)).toEqual(dialect.reply(name, PASS, asked));
    }
  });
});
