import { createHash } from "node:crypto";
import { createBus, HookError, type HookEvent } from "@hookline/core";
import { agents } from "../../../packages/hookline/dist/agents/agents.js";
import { PASS } from "../../../packages/hookline/dist/agents/shared/definition.js";
import { findDialect, readOutput } from "../../../packages/hookline/dist/extensions/command/dialects/find-dialect.js";
import { type FuzzTarget, inProcess, type Subject } from "../target.ts";

const HOOK_DIALECTS = ["own", "claude-code", "hermes", "codewhale", "harn"] as const;

/** What agents send to their hooks and what hooks answer, in the dialect of each. */
export const dialects: FuzzTarget = {
  name: "dialects",
  samples: [
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}',
    '{"decision":"block","reason":"no","continue":false,"stopReason":"x","suppressOutput":true,"systemMessage":"m"}',
    '{"kind":"modify","value":{"tool":{"name":"Bash","input":{"command":"ls"}}}}',
    '{"effects":[{"inject":"text"},{"reminder":{"body":"b"}},{"deny":"no"}]}',
    '{"action":"deny","message":"no","command_name":"x","raw_args":"y"}',
    '{"session_id":"s","transcript_path":"/t","cwd":"/c","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"u"}',
    '{"sessionId":"s","timestamp":1,"cwd":"/c","toolName":"bash","toolArgs":"{\\"command\\":\\"ls\\"}","toolResult":{"resultType":"ok","textResultForLlm":"x"}}',
    ...agents.flatMap(({ events, samples, tools }) => samplesOf(Object.keys(events), samples, Object.keys(tools)[0] ?? "bash")),
  ],
  words: [
    ...[
      "decision",
      "permissionDecision",
      "deny",
      "allow",
      "ask",
      "block",
      "updatedInput",
      "hookSpecificOutput",
      "continue",
      "reason",
      "approve",
      "modify",
    ],
    ...[
      "tool_input",
      "tool_name",
      "toolArgs",
      "session_id",
      "conversation_id",
      "cwd",
      "prompt",
      "tool_response",
      "agent_id",
      "Decision",
      "DENY",
      "effects",
    ],
  ],
  open,
};

function samplesOf(natives: readonly string[], samples: (typeof agents)[number]["samples"], shell: string): string[] {
  const origin = { session: "s", cwd: "/c" };
  const tool = { name: shell, input: { command: "ls" } };
  return natives.slice(0, 2).map((native) => JSON.stringify(samples.call(native, tool, origin)));
}

async function open(): Promise<Subject> {
  const event = await anEvent();
  return inProcess((input) => {
    const text = input.toString("utf8");
    const byte = createHash("sha256").update(input).digest();
    return answered(event, text, byte[0] as number) ?? translated(text, byte[1] as number, byte[2] as number);
  });
}

/** A hook's answer: an outcome, or an error with a code. */
function answered(event: HookEvent, stdout: string, number: number): string | undefined {
  for (const name of HOOK_DIALECTS) {
    try {
      readOutput(findDialect(name), event, { stdout, stderr: stdout.slice(0, 100), exitCode: [0, 0, 0, 1, 2, 3][number % 6] as number });
    } catch (error) {
      if (!(error instanceof HookError) || !error.code.startsWith("HL_")) return `${name}: ${error instanceof Error ? error.stack : error}`;
    }
  }
  return undefined;
}

/** An agent's event: an event of ours, and a reply whose deny is not silence. */
function translated(text: string, agentNumber: number, eventNumber: number): string | undefined {
  let payload: unknown = text;
  try {
    payload = JSON.parse(text);
  } catch {
    // Read as the text that it is.
  }
  const agent = agents[agentNumber % agents.length] as (typeof agents)[number];
  const natives = Object.keys(agent.events);
  const native = natives[eventNumber % natives.length] as string;
  const asked = agent.translate(native, payload);
  const deny = agent.reply(native, { ...PASS, verdict: "deny", reason: "no" }, asked);
  const canBlock = agent.events[native]?.can.includes("block") === true;
  if (canBlock && deny.stdout === "" && deny.exitCode === 0) return `${agent.id} ${native}: a deny is silent`;
  JSON.stringify(asked.payload);
  return undefined;
}

async function anEvent(): Promise<HookEvent> {
  const bus = createBus({ source: "fuzz" });
  return new Promise((resolve) => {
    bus.on("tool:before", (event) => resolve(event as unknown as HookEvent));
    void bus.decide("tool:before", { tool: { name: "Bash", input: { command: "ls" } } });
  });
}
